// The search. It compares the pasted tensors with right walks, then with walks that have one mistake, other
// widths, a bias, or a single wrong number. If nothing is convincing, it tries seeds and pairs of mistakes.
// The search for a tensor ends when no remaining explanation can have a higher value than the best one. A
// small stage is walked in microseconds, so trying is simpler than reasoning. Every walk is compared with all
// pasted tensors.
#include "diagnosis/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <ctime>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "diagnosis/bits.hpp"
#include "diagnosis/changed_lines.hpp"
#include "diagnosis/labels.hpp"
#include "diagnosis/mistakes/mistakes.hpp"
#include "diagnosis/nearest.hpp"
#include "diagnosis/right_walks.hpp"
#include "diagnosis/rounding.hpp"
#include "diagnosis/slips.hpp"
#include "diagnosis/together.hpp"
#include "notebook/render.hpp"
#include "notebook/replay.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"
#include "tensor/threads.hpp"

namespace attn {

namespace {

// One variant of a mistake.
struct Attempt {
    const Mistake* mistake;
    Variant variant;
    double bits;  // description length
};
using Attempts = std::vector<const Attempt*>;

std::vector<Attempt> attempts(const Parameters& right) {
    std::vector<Attempt> all;
    for (const Mistake& mistake : mistakes()) {
        std::vector<Variant> variants = mistake.variants(right);
        const double bits = mistake.bits + std::log2(static_cast<double>(variants.size()));
        for (Variant& variant : variants) {
            all.push_back({&mistake, std::move(variant), bits});
        }
    }
    return all;
}

// A pasted tensor and its possible explanations.
struct Suspected {
    Pattern pattern;
    double surprise;
    std::string label;  // the step given with --as; empty: any
    Diagnosis found;

    bool is_explained() const {
        return std::ranges::any_of(found.matches,
                                   [](const Match& match) { return match.bits >= convincing; });
    }
};

// Returns true if all numbers are NaN. Many mistakes produce NaN, and only its place distinguishes them.
bool is_nan(const PrintedTensor& tensor) {
    return std::ranges::all_of(tensor.numbers, [](const PrintedNumber& n) { return std::isnan(n.value); });
}

// Returns true if a tensor has the step's name, possibly after the stage's name, as in a saved walkthrough.
bool is_called(std::string name, const Stage& stage, std::string_view step) {
    if (constexpr std::string_view grad = ".grad"; name.ends_with(grad)) {  // keys.grad is keys_grad
        name[name.size() - grad.size()] = '_';
    }
    const bool qualified = name.size() == stage.name.size() + 1 + step.size() &&
                           name.starts_with(stage.name) && name[stage.name.size()] == '.';
    return qualified ? name.ends_with(step) : name == step;
}

// Returns the number of numbers that a walk computes, which is proportional to its time.
std::size_t effort(const StageTrace& trace) {
    std::size_t numbers = 0;
    for (const Node& node : trace.notebook.nodes()) {
        numbers += node.value.count();
    }
    return numbers;
}

// The tensors that are searched for together.
using Sought = std::span<Suspected* const>;

// A walk to make mistakes in, and its steps that may contain the pasted numbers.
class Base {
public:
    struct Step {
        std::size_t id;
        const Tensor* right;  // the tensor without mistakes
        bool fits;            // a pasted tensor has its shape or that of a piece, such as a row
    };

    // `incorporated`: a mistake that was already made, and its walk.
    Base(const RightWalk& of, Sought looked_for, std::vector<Step> held,
         std::optional<StageTrace> made_otherwise = std::nullopt, const Attempt* incorporated = nullptr)
        : right(of),
          sought(looked_for),
          otherwise(std::move(made_otherwise)),
          made(incorporated),
          steps(std::move(held)),
          replay(notebook(), ids(steps)) {}
    Base(const Base&) = delete;

    const Notebook& notebook() const { return (otherwise ? *otherwise : right.trace).notebook; }

    const RightWalk& right;
    Sought sought;
    std::optional<StageTrace> otherwise;
    const Attempt* made;
    std::vector<Step> steps;
    Replay replay;

private:
    static std::vector<std::size_t> ids(const std::vector<Step>& steps) {
        std::vector<std::size_t> all;
        std::ranges::transform(steps, std::back_inserter(all), &Step::id);
        return all;
    }
};

// An edit that changes the seeds of calls when a parameter changes the seed.
class Seeding {
public:
    Seeding(const Notebook& right, const Notebook& other) {
        const Nodes& nodes = right.nodes();
        same_calls_ = nodes.size() == other.nodes().size();
        for (std::size_t id = 0; same_calls_ && id < nodes.size(); ++id) {
            const Call& call = nodes[id].call;
            same_calls_ = call.operation == other.nodes()[id].call.operation;
            if (same_calls_ && call.has(attribute)) {
                const bool differs = call.value(attribute) != other.nodes()[id].call.value(attribute);
                first_ = differs ? std::min(first_, id) : first_;
                if (first_ <= id) {
                    differs_.push_back(differs);
                }
            }
        }
    }

    bool can_be_edited() const { return same_calls_ && !differs_.empty(); }
    bool changes_nothing() const { return same_calls_ && differs_.empty(); }
    std::size_t first() const { return first_; }

    Edit edit(std::uint64_t seed) const {
        return [this, seed, next = std::size_t{0}](Notebook& nb,
                                                   const Call& call) mutable -> std::optional<Var> {
            if (!call.has(attribute) || !differs_[next++]) {
                return std::nullopt;
            }
            return nb.record(*call.operation, {}, call.attributes.with(attribute, literal(seed)));
        };
    }

private:
    static constexpr std::string_view attribute = "seed";

    bool same_calls_;
    std::size_t first_ = static_cast<std::size_t>(-1);
    std::vector<bool> differs_;  // for each seeded call, from the first that differs
};

class Search {
public:
    Search(const std::vector<PrintedTensor>& tensors, const Question& question) : question_(question) {
        std::vector<std::optional<Suspected>> suspected(tensors.size());
        rounded_.resize(tensors.size());
        parallel_for(tensors.size(), num_threads(), [&](std::size_t i, std::size_t) {
            rounded_[i] = without_float32_tails(tensors[i]);
            const PrintedTensor& tensor = rounded_[i] ? *rounded_[i] : tensors[i];
            suspected[i] = {Pattern(tensor),
                            surprise(tensor),
                            question_.as.empty() ? labelled_step(tensor.name) : question_.as,
                            {}};
        });
        tensors_.reserve(tensors.size());
        for (std::optional<Suspected>& tensor : suspected) {
            open_.push_back(&tensors_.emplace_back(std::move(*tensor)));
        }
    }

    std::vector<Diagnosis> run() {
        const std::vector<RightWalk> usual = right_walks(question_);
        for (const RightWalk& right : usual) {
            stages_ += right.of_document ? 0.0 : 1.0;
            steps_ += right.of_document ? 0.0 : static_cast<double>(right.trace.steps.size());
            scalars_ +=
                right.of_document
                    ? 0.0
                    : static_cast<double>(std::ranges::count_if(right.trace.steps, [&](std::size_t id) {
                          return right.trace.node(id).value.rank() == 0;
                      }));
        }
        close_out_of_reach(usual);
        try_rights(usual);
        try_rounded(usual);
        try_unnamed(usual);
        try_mistakes(usual);
        close_those_worth({.parameters = bits_of_width});
        const std::vector<RightWalk> unusual = unusual_walks(usual);
        try_rights(unusual);
        try_rounded(unusual);
        close_those_worth(a_mistake());
        try_mistakes(unusual);
        try_gradients(usual);
        const std::vector<RightWalk> forward = without_gradients(usual);
        for (const auto& walks : {std::cref(usual), std::cref(forward)}) {
            if (has_time("slips")) {
                try_slips(walks);
            }
        }
        // The remaining explanations have a high cost, so they need many digits.
        std::vector<const RightWalk*> own;
        for (const auto& walks : {std::cref(usual), std::cref(forward)}) {
            for (const RightWalk& right : walks.get()) {
                if (right.bits < convincing && !right.of_document) {
                    own.push_back(&right);
                }
            }
        }
        // The longest first, because shorter ones may be part of it.
        std::ranges::stable_sort(own, std::ranges::greater(),
                                 [](const RightWalk* right) { return right->trace.steps.size(); });
        close_explained();
        if (!question_.search_seeds) {
            close_too_short({.mistakes = {bits_of_seed(seeds_to_try().size())}});
        }
        for (const RightWalk* const right : own) {
            if (begins(*right) && has_time("seeds")) {
                try_seeds(*right);
            }
        }
        close_explained();
        close_too_short(two_mistakes());
        std::erase_if(own, [](const RightWalk* right) { return right->trace.parameters.backward; });
        try_pairs(own);
        constexpr double late = 1.25;  // of the time; the nearest step is quick for a few tensors
        std::vector<Diagnosis> diagnoses;
        std::vector<const Pattern*> patterns;
        for (Suspected& tensor : tensors_) {
            patterns.push_back(&tensor.pattern);
            Diagnosis& found = diagnoses.emplace_back(std::move(tensor.found));
            found.is_named = !tensor.label.empty() || !question_.as.empty();
            std::ranges::stable_sort(found.matches, std::ranges::greater(), &Match::bits);
            const bool is_late = found.matches.empty() && !is_before(late * question_.seconds);
            if (is_late) {
                found.not_tried.emplace_back("nearest");
            }
            for (const auto& walks : {std::cref(usual), std::cref(unusual)}) {
                if (found.matches.empty() && !found.nearest && !is_late) {
                    found.nearest = nearest(tensor.pattern, question_.as, walks.get());
                }
            }
        }
        take_together(diagnoses, patterns, usual, question_);
        return diagnoses;
    }

private:
    bool is_meant(const Node& step) const { return question_.as.empty() || step.name == question_.as; }

    static Claim a_mistake() { return {.mistakes = {mistakes().front().bits}}; }
    static Claim two_mistakes() { return {.mistakes = {mistakes()[0].bits, mistakes()[1].bits}}; }

    // Returns true if an explanation with at least this description length cannot beat the best one found.
    bool is_worth_most(const Suspected& tensor, const Claim& least) const {
        return std::ranges::any_of(tensor.found.matches, [&](const Match& match) {
            return match.bits >= most_worth(tensor, least);
        });
    }

    double most_worth(const Suspected& tensor, Claim least) const {
        least.stages = stages_;
        least.steps = steps_;
        least.named = tensor.pattern.printed().name.empty() ? std::nullopt : std::optional(true);
        least.piece = 1.0;
        return worth(tensor.surprise, least);
    }

    // Closes the tensors that have too few digits for an explanation of this description length to convince.
    void close_too_short(const Claim& least) {
        std::erase_if(open_,
                      [&](const Suspected* tensor) { return most_worth(*tensor, least) < convincing; });
    }

    void close_those_worth(const Claim& least) {
        std::erase_if(open_, [&](const Suspected* tensor) { return is_worth_most(*tensor, least); });
    }

    void close_explained() {
        std::erase_if(open_, [](const Suspected* tensor) { return tensor->is_explained(); });
    }

    // Returns true if there is time for this kind of search; otherwise records that it was not tried.
    bool has_time(std::string_view for_what) {
        if (is_before(question_.seconds)) {
            return true;
        }
        const std::lock_guard guard(not_tried_);
        for (Suspected* const tensor : open_) {
            std::vector<std::string_view>& list = tensor->found.not_tried;
            if (!tensor->is_explained() && std::ranges::find(list, for_what) == list.end()) {
                list.push_back(for_what);
            }
        }
        return false;
    }

    bool is_before(double seconds) const {
        return question_.seconds == 0.0 || question_.search_seeds ||
               static_cast<double>(std::clock() - begin_) < seconds * CLOCKS_PER_SEC;
    }

    // Pairs of mistakes and changed inputs are searched only in forward passes, because a backward pass takes
    // long.
    std::vector<RightWalk> without_gradients(const std::vector<RightWalk>& rights) const {
        std::vector<RightWalk> forward;
        for (const RightWalk& right : rights) {
            if (right.trace.parameters.backward && !open_.empty()) {
                Parameters parameters = right.trace.parameters;
                parameters.backward = false;
                forward.push_back(right);
                forward.back().trace =
                    walk(*right.trace.stage, question_.lesson, parameters, question_.inputs);
            }
        }
        return forward;
    }

    // Closes tensors that are much larger than any step and share no axis with the steps of another width.
    void close_out_of_reach(const std::vector<RightWalk>& rights) {
        constexpr std::size_t much_larger = 8;  // no mistake makes a step that much larger
        std::size_t most = 0;
        for (const RightWalk& right : rights) {
            for (const std::size_t id : right.trace.steps) {
                most = std::max(most, right.trace.node(id).value.count());
            }
        }
        std::erase_if(open_, [&](const Suspected* tensor) {
            const PrintedTensor& printed = tensor->pattern.printed();
            return printed.numbers.size() > much_larger * most && !may_be_resized(printed, question_.lesson);
        });
    }

    std::vector<RightWalk> unusual_walks(const std::vector<RightWalk>& usual) const {
        std::vector<const PrintedTensor*> tensors;
        for (const Suspected* const tensor : open_) {
            tensors.push_back(&tensor->pattern.printed());
        }
        std::vector<RightWalk> walks;
        if (!tensors.empty()) {
            walks = resized_walks(tensors, question_);
            Question in_time = question_;
            std::erase_if(in_time.candidates, [&](const Candidate& candidate) {
                return std::ranges::any_of(usual, [&](const RightWalk& right) {
                    return right.trace.stage == candidate.stage && takes_too_long(right.trace);
                });
            });
            std::ranges::move(other_layers_walks(in_time), std::back_inserter(walks));
        }
        return walks;
    }

    // Returns true if this walk has something left to search, and reports progress.
    bool begins(const RightWalk& right) const {
        if (!open_.empty() && question_.watch) {
            question_.watch(right.trace.stage->name);
        }
        return !open_.empty();
    }

    void try_rights(const std::vector<RightWalk>& rights) {
        struct Place {
            const RightWalk* right;
            const Node* step;
        };
        std::vector<Place> places;
        for (const RightWalk& right : rights) {
            for (const std::size_t id : right.trace.steps) {
                places.push_back({&right, &right.trace.node(id)});
            }
        }
        std::vector<Made> made(places.size());
        parallel_for(places.size(), num_threads(), [&](std::size_t i, std::size_t) {
            const auto& [right, step] = places[i];
            if (!has_time("steps")) {
                return;
            }
            for (Suspected* const tensor : open_) {
                const std::optional<Piece> piece = tensor->pattern.find_in(step->value);
                std::optional<Match> found =
                    piece ? match_as_it_is(*tensor, *right, *step, *piece) : std::nullopt;
                if (found) {
                    made[i].matches.emplace_back(tensor, std::move(*found));
                }
            }
        });
        add(std::move(made));
    }

    // Searches for right numbers inside a step's line, such as the scaled scores before softmax, and for
    // tensors that the stage does not show, such as the weight of out_proj.
    void try_unnamed(const std::vector<RightWalk>& rights) {
        for (const RightWalk& right : rights) {
            const Stage& stage = *right.trace.stage;
            if (right.of_document || !uses(stage, "backward") || stage.group == StageGroup::onward) {
                continue;  // other stages change right numbers on purpose
            }
            const Nodes& nodes = right.trace.notebook.nodes();
            for (std::size_t id = 0; id < nodes.size(); ++id) {
                const Node& node = nodes[id];
                if (node.role == Role::step || !node.call.operation->is_tensor() || !has_time("steps")) {
                    continue;
                }
                for (Suspected* const tensor : open_) {
                    const bool is_sought = tensor->label.empty() && question_.as.empty() &&
                                           !tensor->is_explained() && !is_nan(tensor->pattern.printed());
                    if (const auto piece = is_sought ? tensor->pattern.find_in(node.value) : std::nullopt) {
                        add_unnamed(*tensor, right, id, *piece);
                    }
                }
            }
        }
    }

    void add_unnamed(Suspected& tensor, const RightWalk& right, std::size_t id, const Piece& piece) const {
        const bool is_named = !right.trace.node(id).name.empty();
        const Claim claim{.stages = stages_,
                          .steps = steps_,
                          .parameters = right.bits + (is_named ? bits_of_line : bits_of_part),
                          .piece = piece.bits};
        const std::string text = expression(right.trace.notebook, id, Language::torch);
        const bool is_taken = !piece.index.empty() && text.find(' ') != std::string::npos;
        Match found{.stage = right.trace.stage,
                    .parameters = right.trace.parameters,
                    .step = is_taken ? fmt::format("({})", text) : text};
        found.place = id;
        found.piece = without_offsets(piece);
        found.bits = worth(tensor.surprise, claim);
        if (found.bits >= convincing) {
            found.largest_difference =
                largest_difference(tensor.pattern.printed(), right.trace.notebook.nodes()[id].value, piece);
            add(tensor, std::move(found));
        }
    }

    // Searches for gradients of weights that are not labelled as gradients: print(layer.weight.grad).
    void try_gradients(const std::vector<RightWalk>& rights) {
        close_explained();
        const auto may_hold_weight = [&](const Node& node) {
            return is_weight(node.name) && node.call.operation->is_tensor() && may_hold(node);
        };
        Question back = question_;
        std::erase_if(back.candidates, [&](const Candidate& candidate) {
            return candidate.parameters.backward || !uses(*candidate.stage, "backward") ||
                   (candidate.stage->group == StageGroup::onward && !candidate.asked_for) ||
                   std::ranges::none_of(rights, [&](const RightWalk& right) {
                       return right.trace.stage == candidate.stage &&
                              std::ranges::any_of(right.trace.notebook.nodes(), may_hold_weight);
                   });
        });
        if (open_.empty() || back.candidates.empty() || !question_.as.empty()) {
            return;
        }
        for (Candidate& candidate : back.candidates) {
            candidate.parameters.backward = true;
        }
        std::vector<RightWalk> walks = right_walks(back);
        std::ranges::move(other_layers_walks(back), std::back_inserter(walks));
        for (RightWalk& walk : walks) {
            walk.bits += bits_of_unsaid_gradient;
            std::erase_if(walk.trace.steps, [&](std::size_t id) {
                return !walk.trace.node(id).gradient_of || !is_weight(walk.trace.node(id).name);
            });
        }
        std::erase_if(walks, [&](const RightWalk& walk) { return !may_hold(walk.trace); });
        try_rights(walks);
        close_explained();
        try_mistakes(walks);
        close_explained();
    }

    // Searches for right numbers that were rounded differently, with the finest rounding that explains them.
    void try_rounded(const std::vector<RightWalk>& rights) {
        for (Suspected* const tensor : open_) {
            if (!has_time("steps")) {
                return;
            }
            const PrintedTensor& printed = tensor->pattern.printed();
            const auto all = tensor->is_explained() ? std::vector<Rounding>() : roundings(printed);
            for (auto rounding = all.begin(); rounding != all.end() && !tensor->is_explained(); ++rounding) {
                for (const RightWalk& right : rights) {
                    for (const std::size_t id : right.trace.steps) {
                        const Node& step = right.trace.node(id);
                        const std::optional<Piece> piece = rounding->pattern.find_in(step.value);
                        std::optional<Match> found =
                            piece && rounding->explains(*piece, step.value)
                                ? match_as_it_is(*tensor, right, step, *piece, &*rounding)
                                : std::nullopt;
                        if (found && found->bits >= convincing) {
                            add(*tensor, std::move(*found));
                        }
                    }
                }
            }
        }
    }

    // Compares a tensor with a step, whether or not the label names this step.
    std::optional<Match> match_as_it_is(const Suspected& tensor, const RightWalk& right, const Node& step,
                                        const Piece& piece, const Rounding* rounding = nullptr) const {
        Attempt as_it_is{nullptr, {}, 0.0};
        const bool is_other = !is_called_rightly(tensor, step, piece);
        if (is_other) {
            as_it_is.mistake = find_mistake("other-step");
            as_it_is.bits = tensor.label.starts_with("W_") || is_projection(step.name)
                                ? bits_of_other_projection
                                : bits_of_other_step;
        }
        Match found = match(tensor, right, right.trace, step.name, step.value, piece,
                            as_it_is.mistake == nullptr ? Attempts{} : Attempts{&as_it_is}, rounding);
        if (is_other) {
            found.label = tensor.label;
        }
        // With few digits, other steps match by chance.
        return is_other && found.bits < convincing ? std::nullopt : std::optional(std::move(found));
    }

    bool is_called_rightly(const Suspected& tensor, const Node& step, const Piece& piece) const {
        return !question_.as.empty() ? is_meant(step)
                                     : tensor.label.empty() || may_be_called(tensor.label, step.name, piece);
    }

    // A mistake in the step that the label names is likelier than a mistake in any other step.
    static constexpr double bits_of_other_label = 4.0;

    // The grad_fn that autograd prints names the operation; a match with a different one is less likely.
    static constexpr double bits_of_other_grad_fn = 6.0;

    // Steps are pasted far more often than other lines. A part of a line is rarer than a mistake that omits
    // the rest of the line. Most gradients are labelled.
    static constexpr double bits_of_line = 4.0;
    static constexpr double bits_of_part = 20.0;
    static constexpr double bits_of_unsaid_gradient = 3.0;

    // A step that deliberately shows a mistake is rarer than the mistake itself.
    static constexpr double bits_of_shown = 1.0;

    static bool is_weight(std::string_view name) { return name.starts_with("W_"); }

    static bool is_projection(std::string_view step) {
        return step == "queries" || step == "keys" || step == "values";
    }

    // The wrong layer is as frequent as other mistakes; in any other step, a mistake of its own is likelier.
    static constexpr double bits_of_other_projection = 8.0;
    static constexpr double bits_of_other_step = 14.0;

    // Returns the walk with the steps in which the tensors may be found.
    std::unique_ptr<Base> base_of(const RightWalk& right, Sought sought,
                                  std::optional<StageTrace> otherwise = std::nullopt,
                                  const Attempt* made_already = nullptr) const {
        std::vector<Base::Step> held;
        const StageTrace& made = otherwise ? *otherwise : right.trace;
        for (const std::size_t id : made.steps) {
            const Node& step = made.node(id);
            const std::optional<std::size_t> original = right.trace.find(step.name);
            const auto any = [&](const auto& holds) {
                return std::ranges::any_of(sought,
                                           [&](const Suspected* tensor) { return holds(tensor->pattern); });
            };
            if (original && is_meant(step) &&
                any([&](const Pattern& pattern) { return pattern.may_be_in(step.value.shape()); })) {
                held.push_back({id, &right.trace.node(*original).value, any([&](const Pattern& pattern) {
                                    return pattern.fits(step.value.shape());
                                })});
            }
        }
        return std::make_unique<Base>(right, sought, std::move(held), std::move(otherwise), made_already);
    }

    enum class Seen { nothing, change, numbers };

    // Returns the effect of these edits on the steps that may contain the pasted numbers: none, a change, or
    // exactly those numbers. Returns nothing if only the stage itself can tell.
    std::optional<Seen> seen(Base& base, std::vector<Edit> edits, std::size_t from) const {
        if (!base.replay.make(std::move(edits), from)) {
            return std::nullopt;
        }
        Seen most = Seen::nothing;
        for (const Base::Step& step : base.steps) {
            const Tensor* const changed = base.replay.changed(step.id);
            const Tensor& made = changed != nullptr ? *changed : base.notebook().nodes()[step.id].value;
            if (&made == step.right || identical(made, *step.right)) {
                continue;
            }
            most = step.fits ? std::max(most, Seen::change) : most;
            if (any_is_in(base.sought, made)) {
                return Seen::numbers;
            }
        }
        return most;
    }

    // The result of mistakes: whether a changed step could be one of the tensors, and the steps that are.
    struct Made {
        bool changes = false;
        std::vector<std::pair<Suspected*, Match>> matches{};
    };

    void add(std::vector<Made> all) {
        for (Made& made : all) {
            for (auto& [tensor, match] : made.matches) {
                add(*tensor, std::move(match));
            }
        }
    }

    // Makes these mistakes, and compares each step they change with the tensors. No edit applies to a call
    // before `from`.
    Made attempt(Base& base, const Attempts& tried, std::size_t from = 0) const {
        std::vector<Edit> edits;
        bool by_edits = true;
        for (const Attempt* const one : tried) {
            if (one == base.made) {
                continue;
            }
            by_edits = by_edits && one->variant.edit;
            if (one->variant.edit) {
                edits.push_back(one->variant.edit);
            }
        }
        if (!by_edits && edits.empty() && tried.size() > 1 && base.steps.empty()) {  // not worth a walk
            return {};
        }
        const std::optional<Seen> known = by_edits ? seen(base, std::move(edits), from) : std::nullopt;
        if (known && *known != Seen::numbers) {
            return {.changes = *known == Seen::change};
        }
        try {
            return walk_wrongly(base.right, base.sought, tried);
        } catch (const Error&) {  // the stage cannot run with these parameters
            return {};
        }
    }

    StageTrace walked(const Attempts& tried, const RightWalk& right) const {
        Parameters parameters = right.trace.parameters;
        std::vector<Edit> edits;
        for (const Attempt* const one : tried) {
            if (one->variant.change) {
                one->variant.change(parameters);
            } else {
                edits.push_back(one->variant.edit);
            }
        }
        return walk_edited(*right.trace.stage, question_.lesson, parameters, question_.inputs,
                           std::move(edits));
    }

    // The same, but walks the stage, which also gives the lines of code.
    Made walk_wrongly(const RightWalk& right, Sought sought, const Attempts& tried) const {
        const StageTrace wrong = walked(tried, right);
        Made made;
        std::vector<std::string> changed_steps;
        for (const std::size_t id : wrong.steps) {
            const std::optional<std::size_t> original = right.trace.find(wrong.node(id).name);
            if (original && !identical(wrong.node(id).value, right.trace.node(*original).value)) {
                changed_steps.push_back(wrong.node(id).name);
            }
        }
        for (const std::size_t id : wrong.steps) {
            const Node& step = wrong.node(id);
            // With the mistake, the backward pass may have different steps.
            const std::optional<std::size_t> original = right.trace.find(step.name);
            if (!original || !is_meant(step)) {
                continue;
            }
            const Tensor& right_value = right.trace.node(*original).value;
            const Tensor& value = step.value;
            if (identical(value, right_value)) {
                continue;
            }
            for (Suspected* const tensor : sought) {
                made.changes = made.changes || tensor->pattern.fits(value.shape());
                const auto piece = tensor->pattern.find_in(value);
                if (!piece || (needs_no_mistake(*tensor, *right.trace.stage, step) &&
                               !hides_difference(*tensor, *piece, value, right_value))) {
                    continue;
                }
                Match found = match(*tensor, right, wrong, step.name, value, *piece, tried);
                if (found.bits < least_worth_ && !is_nan(tensor->pattern.printed())) {
                    continue;
                }
                found.changes = changed_steps;
                const ChangedLines changed = changed_lines(wrong, right.trace, id, *original);
                const std::string_view next = changed.line.empty() || found.line.empty() ? "" : "\n";
                found.line = fmt::format("{}{}{}", changed.line, next, found.line);
                found.instead_of = fmt::format("{}{}{}", changed.instead_of, next, found.instead_of);
                made.matches.emplace_back(tensor, std::move(found));
            }
        }
        return made;
    }

    Match match(const Suspected& tensor, const RightWalk& right, const StageTrace& walked,
                const std::string& step, const Tensor& value, const Piece& piece, const Attempts& tried,
                const Rounding* rounding = nullptr) const {
        const PrintedTensor& printed = tensor.pattern.printed();
        // Few steps are a single number, but very many pieces are.
        const bool is_scalar = piece.kind == PieceKind::whole && value.rank() == 0;
        Claim claim{.stages = stages_,
                    .steps = is_scalar ? scalars_ : steps_,
                    .parameters = right.bits,
                    .piece = piece.bits};
        if (!printed.name.empty()) {
            claim.named = is_called(printed.name, *walked.stage, step);
        }
        Match found{.stage = walked.stage, .parameters = walked.parameters, .step = step};
        found.piece = without_offsets(piece);
        found.place = *right.trace.find(step);
        found.is_result = walked.node(walked.steps.back()).name == step;
        if (const std::string_view shown = walked.node(*walked.find(step)).shows; !shown.empty()) {
            claim.mistakes.push_back(find_mistake(shown)->bits + bits_of_shown);
            found.mistakes.push_back(shown);
        }
        for (const Attempt* const one : tried) {
            const Erratum* const erratum = right.erratum;
            const bool is_known =
                erratum != nullptr && erratum->step == step && erratum->mistake == one->mistake->id;
            claim.mistakes.push_back(is_known ? bits_of_erratum : one->bits);
            found.mistakes.push_back(one->mistake->id);
            found.erratum = is_known && tried.size() == 1 ? erratum->id : "";
        }
        if (piece.exchanged) {
            claim.mistakes.push_back(find_mistake("transposed")->bits);
            found.mistakes.push_back("transposed");
            found.line = step + ".T";
            found.instead_of = step;
        }
        const std::string_view grad_fn = walked.node(*walked.find(step)).grad_fn;
        if (piece.kind == PieceKind::whole && !printed.grad_fn.empty() && !grad_fn.empty() &&
            printed.grad_fn != grad_fn) {
            claim.parameters += bits_of_other_grad_fn;
        }
        const bool is_other = !tried.empty() && tried.front()->mistake->id == "other-step";
        if (!tried.empty() && !is_other &&
            !is_called_rightly(tensor, walked.node(*walked.find(step)), piece)) {
            claim.parameters += bits_of_other_label;
        }
        found.not_chosen = right.not_chosen;
        found.document = found.mistakes.empty() ? document_of(walked, step, question_) : "";
        if (rounding != nullptr) {
            claim.precision = rounding->bits;
            found.precision = rounding->name;
        }
        found.bits = worth(rounding == nullptr ? tensor.surprise : surprise(printed, rounding->slack), claim);
        found.largest_difference = largest_difference(printed, value, piece);
        return found;
    }

    static Piece without_offsets(const Piece& piece) {
        return {.kind = piece.kind,
                .cut = piece.cut,
                .index = piece.index,
                .bits = piece.bits,
                .first = piece.first,
                .count = piece.count};
    }

    static double largest_difference(const PrintedTensor& printed, const Tensor& value, const Piece& piece) {
        double largest = 0.0;
        for (std::size_t n = 0; n < printed.numbers.size(); ++n) {
            const auto x = static_cast<double>(value.values()[piece.offsets[n]]);
            const double difference = std::abs(x - printed.numbers[n].value);
            largest = std::isfinite(difference) ? std::max(largest, difference) : largest;
        }
        return largest;
    }

    // Returns true if the right step gives the same numbers.
    static bool needs_no_mistake(const Suspected& tensor, const Stage& stage, const Node& step) {
        return std::ranges::any_of(tensor.found.matches, [&](const Match& match) {
            return match.mistakes.empty() && match.precision.empty() && match.stage == &stage &&
                   match.step == step.name;
        });
    }

    // Returns true if right and wrong numbers look the same only because few decimals are printed, and
    // PyTorch's four decimals would differ.
    static bool hides_difference(const Suspected& tensor, const Piece& piece, const Tensor& wrong,
                                 const Tensor& right) {
        constexpr double few = 1e-3;
        constexpr double seen = 1e-4;
        const std::vector<PrintedNumber>& numbers = tensor.pattern.printed().numbers;
        const bool has_few = std::ranges::any_of(
            numbers, [](const PrintedNumber& number) { return last_unit(number) >= 0.99 * few; });
        return has_few && wrong.shape() == right.shape() &&
               std::ranges::any_of(piece.offsets, [&](std::size_t at) {
                   return std::abs(static_cast<double>(wrong.values()[at] - right.values()[at])) > seen;
               });
    }

    // Adds a match, and keeps only the best match of one step with the same mistakes.
    static void add(Suspected& tensor, Match found) {
        const auto known = std::ranges::find_if(tensor.found.matches, [&](const Match& other) {
            return other.stage == found.stage && other.step == found.step && other.mistakes == found.mistakes;
        });
        if (known == tensor.found.matches.end()) {
            tensor.found.matches.push_back(std::move(found));
        } else if (known->bits < found.bits) {
            *known = std::move(found);
        }
    }

    // Returns true if an open tensor could be a whole step, or a piece of it such as a row.
    bool may_hold(const StageTrace& trace) const {
        return std::ranges::any_of(trace.steps, [&](std::size_t id) { return may_hold(trace.node(id)); });
    }

    bool may_hold(const Node& step) const {
        return is_meant(step) && std::ranges::any_of(open_, [&](const Suspected* tensor) {
                   return tensor->pattern.fits(step.value.shape());
               });
    }

    // Returns true if a second walk, only to search for parts of rows, would take too long.
    bool takes_too_long(const StageTrace& trace) const {
        return effort(trace) > most_effort && !may_hold(trace);
    }

    // Other matching explanations are listed only for walks below this effort.
    static constexpr std::size_t quick = 5'000;

    // Returns the open tensors for which mistakes in this walk could still be a better explanation.
    std::vector<Suspected*> news_in(const RightWalk& right) const {
        const std::size_t numbers = effort(right.trace);
        if (numbers <= quick) {
            return open_;
        }
        if (takes_too_long(right.trace)) {
            return {};
        }
        std::vector<Suspected*> sought = open_;
        std::erase_if(sought, [&](const Suspected* tensor) {
            return is_worth_most(*tensor, a_mistake()) || (numbers > most_effort && tensor->is_explained());
        });
        return sought;
    }

    // Tries short walks on all threads at once; for a long walk, its mistakes are divided among threads.
    void try_mistakes(const std::vector<RightWalk>& rights) {
        std::vector<std::vector<Made>> made(rights.size());
        for_each_walk(rights, [&](const RightWalk& right, std::size_t i) {
            const std::vector<Suspected*> sought = news_in(right);
            if (effort(right.trace) <= most_effort && !sought.empty()) {
                const std::unique_ptr<Base> base = base_of(right, sought);
                for (const Attempt& one : attempts(right.trace.parameters)) {
                    if (has_time("mistakes")) {
                        made[i].push_back(attempt(*base, {&one}));
                    }
                }
            }
        });
        for (std::size_t i = 0; i < rights.size(); ++i) {
            const std::vector<Suspected*> sought = news_in(rights[i]);
            if (!begins(rights[i]) || sought.empty() || !has_time("mistakes")) {
                continue;
            }
            add(effort(rights[i].trace) <= most_effort ? std::move(made[i])
                                                       : made_of_long(rights[i], sought));
        }
    }

    // Returns true if this explains all open tensors, and changes no step that is among the right tensors.
    bool settles(const Made& made, Sought sought) const {
        const auto is_explained = [&](const Suspected* tensor) {
            return std::ranges::any_of(made.matches, [&](const auto& found) {
                return found.first == tensor && found.second.bits >= convincing;
            });
        };
        const auto is_changed = [&](const Match& right) {
            const Match& match = made.matches.front().second;
            return right.mistakes.empty() && right.stage == match.stage && right.bits >= convincing &&
                   std::ranges::find(match.changes, right.step) != match.changes.end();
        };
        return std::ranges::all_of(sought, is_explained) &&
               std::ranges::none_of(tensors_, [&](const Suspected& tensor) {
                   return std::ranges::any_of(tensor.found.matches, is_changed);
               });
    }

    // Makes the mistakes of a long walk, the likeliest first, until one explains everything; the remaining
    // ones would cost more.
    std::vector<Made> made_of_long(const RightWalk& right, Sought sought) {
        constexpr std::size_t most_threads = 4;  // each thread keeps all tensors of the walk
        std::vector<Attempt> all = attempts(right.trace.parameters);
        std::ranges::stable_sort(all, {}, &Attempt::bits);
        std::vector<Made> made(all.size());
        std::atomic<std::size_t> last{all.size()};
        std::vector<std::unique_ptr<Base>> bases(std::min(num_threads(), most_threads));
        parallel_for(all.size(), bases.size(), [&](std::size_t i, std::size_t thread) {
            if (i > last || !has_time("mistakes")) {
                return;
            }
            std::unique_ptr<Base>& base = bases[thread];
            base = base ? std::move(base) : base_of(right, sought);
            made[i] = attempt(*base, {&all[i]});
            for (std::size_t known = last; i < known && settles(made[i], sought);) {
                last.compare_exchange_weak(known, i);
            }
        });
        made.resize(std::min(all.size(), last + 1));  // results that other threads began later are dropped
        return made;
    }

    // Calls work(walk, its place) on all threads; the caller's thread reports progress.
    template <typename Walks, typename Work>
    void for_each_walk(const Walks& walks, const Work& work) const {
        parallel_for(open_.empty() ? 0 : walks.size(), num_threads(), [&](std::size_t i, std::size_t thread) {
            const RightWalk& right = walk_of(walks[i]);
            if (thread == 0) {
                begins(right);
            }
            work(right, i);
        });
    }
    static const RightWalk& walk_of(const RightWalk& right) { return right; }
    static const RightWalk& walk_of(const RightWalk* right) { return *right; }

    // Returns true if `value` contains one of these tensors.
    static bool any_is_in(Sought sought, const Tensor& value) {
        return std::ranges::any_of(
            sought, [&](const Suspected* tensor) { return tensor->pattern.find_in(value).has_value(); });
    }

    // Searches for a single wrong number.
    void try_slips(const std::vector<RightWalk>& rights) {
        std::vector<std::vector<Made>> made(rights.size());  // by tensor
        for_each_walk(rights, [&](const RightWalk& right, std::size_t i) {
            std::vector<std::size_t> steps = right.trace.steps;
            std::erase_if(steps, [&](std::size_t id) { return !may_hold(right.trace.node(id)); });
            OtherInput other(right, question_, std::move(steps));
            for (Suspected* const tensor : open_) {
                made[i].push_back(slips_in(*tensor, right, other));
            }
        });
        for (std::vector<Made>& of_walk : made) {
            for (std::size_t i = 0; i < of_walk.size(); ++i) {
                if (!open_[i]->is_explained()) {
                    add({std::move(of_walk[i])});
                }
            }
        }
    }

    Made slips_in(Suspected& tensor, const RightWalk& right, OtherInput& other) {
        constexpr std::size_t most_inputs = 256;
        const std::size_t inputs = question_.lesson.embeddings.count();
        const bool moves = uses(*right.trace.stage, "lesson") && inputs <= most_inputs &&
                           !right.of_document && !right.trace.parameters.backward &&
                           effort(right.trace) * inputs <= 10 * most_effort;
        Made made;
        if (tensor.is_explained() || is_nan(tensor.pattern.printed())) {
            return made;
        }
        const auto take = [&](std::optional<Match> match) {
            if (match) {
                made.matches.emplace_back(&tensor, std::move(*match));
            }
        };
        for (const std::size_t id : right.trace.steps) {
            const Node& step = right.trace.node(id);
            if (!is_meant(step) || !has_time("slips")) {
                continue;
            }
            take(match_of(tensor, right, step, "mistyped", mistyped(tensor.pattern, step)));
            if (moves && tensor.pattern.fits(step.value.shape())) {
                take(match_of(tensor, right, step, "other-input", other.find(tensor.pattern, id)));
            }
        }
        return made;
    }

    std::optional<Match> match_of(const Suspected& tensor, const RightWalk& right, const Node& step,
                                  std::string_view id, const std::optional<Slip>& slip) const {
        if (!slip) {
            return std::nullopt;
        }
        const Attempt made{find_mistake(id), {}, find_mistake(id)->bits + slip->bits};
        Match found = match(tensor, right, right.trace, step.name, step.value, slip->piece, {&made});
        if (found.bits < convincing) {  // with few digits, a slip would explain nearly anything
            return std::nullopt;
        }
        found.largest_difference = slip->largest_difference;
        found.line = slip->line;
        found.instead_of = slip->instead_of;
        return found;
    }

    // Tries pairs of mistakes. Either both change steps of a pasted shape, or one of them makes that shape.
    void try_pairs(const std::vector<const RightWalk*>& rights) {
        std::vector<std::vector<Made>> made(rights.size());
        for_each_walk(rights, [&](const RightWalk& right, std::size_t i) {
            if (effort(right.trace) <= most_effort) {
                made[i] = made_by_pairs(right);
            }
        });
        for (std::vector<Made>& of_walk : made) {
            add(std::move(of_walk));
        }
    }

    std::vector<Made> made_by_pairs(const RightWalk& right) {
        std::vector<Made> made;
        const std::vector<Attempt> all = attempts(right.trace.parameters);
        struct Single {
            std::size_t from;  // the first call that it edits
            const Attempt* attempt;
            bool changes;
            std::unique_ptr<Base> walked;  // set if the stage itself must be walked

            bool reshapes() const {
                return walked && std::ranges::any_of(walked->steps, [&](const Base::Step& step) {
                           return step.fits &&
                                  walked->notebook().nodes()[step.id].value.shape() != step.right->shape();
                       });
            }
        };
        std::vector<Single> singles;
        const std::unique_ptr<Base> base = base_of(right, open_);
        for (const Attempt& one : all) {
            const bool changes = made.emplace_back(attempt(*base, {&one})).changes;
            const bool by_edits = one.variant.edit && base->replay.is_made();
            singles.push_back(
                {by_edits ? base->replay.first_changed() : 0, &one, changes,
                 by_edits || !changes ? nullptr : base_of(right, open_, walked({&one}, right), &one)});
        }
        // The earliest first: all pairs with this mistake share the calls before it.
        std::ranges::stable_sort(singles, {}, &Single::from);
        for (auto one = singles.begin(); one != singles.end(); ++one) {
            for (auto other = one + 1; other != singles.end(); ++other) {
                const bool may_be = (one->changes && other->changes) || one->reshapes() || other->reshapes();
                if (may_be && one->attempt->mistake != other->attempt->mistake &&
                    one->attempt->bits + other->attempt->bits <= most_bits_of_pair && has_time("pairs")) {
                    const auto [first, second] = std::minmax(one->attempt, other->attempt);
                    Base* const walked = one->walked ? one->walked.get() : other->walked.get();
                    made.push_back(attempt(walked != nullptr ? *walked : *base, {first, second},
                                           walked != nullptr ? 0 : one->from));
                }
            }
        }
        return made;
    }

    void try_seeds(const RightWalk& right) {
        const std::vector<std::uint64_t> seeds = seeds_to_try();
        const bool takes_long = effort(right.trace) * seeds.size() > most_unasked && !question_.search_seeds;
        if (!uses(*right.trace.stage, "seed") || takes_long || !may_hold(right.trace)) {
            return;
        }
        // A match of an unrequested seed must be convincing, because one of a thousand seeds may match by
        // chance.
        const double least = std::exchange(least_worth_, question_.search_seeds ? least_worth_ : convincing);
        const Mistake* const mistake = find_mistake("other-seed");
        const double bits = bits_of_seed(seeds.size());
        for (std::uint64_t Parameters::*const which : {&Parameters::seed, &Parameters::dropout_seed}) {
            for (const std::uint64_t seed : seeds_seen(right, which, seeds)) {
                const Attempt attempted{mistake, {{}, [=](Parameters& p) { p.*which = seed; }}, bits};
                add({walk_wrongly(right, open_, {&attempted})});
            }
        }
        least_worth_ = least;
    }

    // Returns the seeds whose numbers may be among the open tensors.
    std::vector<std::uint64_t> seeds_seen(const RightWalk& right, std::uint64_t Parameters::*which,
                                          const std::vector<std::uint64_t>& seeds) {
        constexpr std::uint64_t nobodys = 0xBADC0DE;
        Parameters other = right.trace.parameters;
        other.*which = nobodys;
        const StageTrace otherwise = walk(*right.trace.stage, question_.lesson, other, question_.inputs);
        const Seeding seeding(right.trace.notebook, otherwise.notebook);
        if (!seeding.can_be_edited()) {
            return seeding.changes_nothing() ? std::vector<std::uint64_t>() : seeds;
        }
        std::vector<Tensor> made;
        const std::unique_ptr<Base> held = base_of(right, open_);
        for (const Base::Step& step : held->steps) {
            made.push_back(otherwise.node(step.id).value);
        }
        const auto makes_them = [&](const SeedsTried& tried) {
            return std::ranges::all_of(made, [&](const Tensor& x) {
                return std::ranges::any_of(tried.made, [&](const Tensor& y) { return identical(x, y); });
            });
        };
        if (const auto known = std::ranges::find_if(seeds_tried_, makes_them); known != seeds_tried_.end()) {
            return known->found;
        }
        std::vector<std::unique_ptr<Base>> bases(num_threads());
        std::vector<char> is_seen(seeds.size());
        parallel_for(seeds.size(), bases.size(), [&](std::size_t i, std::size_t thread) {
            if (!has_time("seeds")) {
                return;
            }
            std::unique_ptr<Base>& base = bases[thread];
            base = base ? std::move(base) : base_of(right, open_);
            const std::optional<Seen> known = seen(*base, {seeding.edit(seeds[i])}, seeding.first());
            is_seen[i] = !known || *known == Seen::numbers ? 1 : 0;
        });
        std::vector<std::uint64_t> found;
        for (std::size_t i = 0; i < seeds.size(); ++i) {
            if (is_seen[i] != 0) {
                found.push_back(seeds[i]);
            }
        }
        seeds_tried_.push_back({std::move(made), found});
        return found;
    }

    static double bits_of_seed(std::size_t seeds) {
        return find_mistake("other-seed")->bits + std::log2(static_cast<double>(seeds));
    }

    // Returns the seeds that people usually take, or many more if requested.
    std::vector<std::uint64_t> seeds_to_try() const {
        constexpr std::uint64_t last_unasked = 999;
        const std::uint64_t last = question_.search_seeds ? last_searched_seed : last_unasked;
        std::vector<std::uint64_t> seeds;
        for (std::uint64_t seed = 0; seed <= last; ++seed) {
            seeds.push_back(seed);
        }
        if (!question_.search_seeds) {
            seeds.insert(seeds.end(), {1234, 1337, 2023, 2024, 2025, 2026});
        }
        return seeds;
    }

    // Below this value, many other mistakes would match as well.
    double least_worth_ = -32.0;

    // A rarer pair would explain nearly anything.
    static constexpr double most_bits_of_pair = 30.0;

    // This many numbers are computed in a fraction of a second.
    static constexpr std::size_t most_unasked = 2'000'000;

    // Walks that compute more numbers than this are too slow for trying a thousand seeds.
    static constexpr std::size_t most_effort = 200'000;

    // The steps at a seed that no table uses. Stages with equal steps share the result.
    struct SeedsTried {
        std::vector<Tensor> made;
        std::vector<std::uint64_t> found;
    };
    std::vector<SeedsTried> seeds_tried_;

    const Question& question_;
    const std::clock_t begin_ = std::clock();
    std::mutex not_tried_;
    double stages_ = 0.0;
    double steps_ = 0.0;    // the number of steps of all walks, without those of tables
    double scalars_ = 0.0;  // the number of these steps that have rank 0
    std::vector<std::optional<PrintedTensor>> rounded_;  // those rounded before printing
    std::vector<Suspected> tensors_;
    std::vector<Suspected*> open_;  // the tensors still without explanation
};

}  // namespace

bool all_right(const std::vector<Diagnosis>& diagnoses) {
    const auto is_chosen = [](const Diagnosis& one) {
        return one.is_right() && one.matches.front().not_chosen.empty();
    };
    return std::ranges::all_of(diagnoses, is_chosen) &&
           std::ranges::any_of(
               diagnoses, [](const Diagnosis& one) { return one.is_decided() && one.rival() == nullptr; });
}

namespace {

// Returns true if two pastes have the same content, wherever they stand.
bool is_same(const PrintedTensor& a, const PrintedTensor& b) {
    return a.name == b.name && a.shown == b.shown && a.gaps == b.gaps && a.grad_fn == b.grad_fn &&
           a.dtype == b.dtype &&
           std::ranges::equal(a.numbers, b.numbers, [](const PrintedNumber& x, const PrintedNumber& y) {
               return (x.value == y.value || (std::isnan(x.value) && std::isnan(y.value))) &&
                      std::signbit(x.value) == std::signbit(y.value) && x.decimals == y.decimals &&
                      x.exponent == y.exponent && x.notation == y.notation;
           });
}

}  // namespace

std::vector<Diagnosis> diagnose(const std::vector<PrintedTensor>& tensors, const Question& question) {
    // Equal tensors are searched once. Only tensors with the same first number can be equal.
    std::vector<PrintedTensor> different;
    std::multimap<double, std::size_t> by_first;
    std::vector<std::size_t> answer(tensors.size());
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const double value = tensors[i].numbers.empty() ? 0.0 : tensors[i].numbers.front().value;
        const double first = std::isnan(value) ? 0.0 : value;
        const auto [begin, end] = by_first.equal_range(first);
        const auto known = std::find_if(
            begin, end, [&](const auto& one) { return is_same(different[one.second], tensors[i]); });
        answer[i] = known == end ? different.size() : known->second;
        if (known == end) {
            by_first.emplace(first, different.size());
            different.push_back(tensors[i]);
        }
    }
    const std::vector<Diagnosis> found = Search(different, question).run();
    std::vector<Diagnosis> diagnoses;
    std::ranges::transform(answer, std::back_inserter(diagnoses), [&](std::size_t i) { return found[i]; });
    return diagnoses;
}

}  // namespace attn
