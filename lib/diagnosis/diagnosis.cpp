// The search begins with the explanations that cost least: right steps, rounded steps, different widths and
// layers, single mistakes, a single wrong number, a different seed, pairs of mistakes. It tries each,
// because running a small stage takes only microseconds. Every walk is compared with all pasted tensors. The
// search for a tensor ends when no remaining explanation can have a higher value than the best one.
// Explanations are tried in waves of equal cost. One thread chooses a wave, within the budget. Its results
// are added in a fixed order. So the answer does not depend on the number of threads or their speed.
#include "diagnosis/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "diagnosis/altered_walk.hpp"
#include "diagnosis/bits.hpp"
#include "diagnosis/budget.hpp"
#include "diagnosis/general_edits.hpp"
#include "diagnosis/labels.hpp"
#include "diagnosis/mistakes/mistakes.hpp"
#include "diagnosis/nearest.hpp"
#include "diagnosis/ranking.hpp"
#include "diagnosis/right_walks.hpp"
#include "diagnosis/rounding.hpp"
#include "diagnosis/seeds.hpp"
#include "diagnosis/slips.hpp"
#include "diagnosis/target.hpp"
#include "diagnosis/together.hpp"
#include "tensor/threads.hpp"

namespace attn {

namespace {

// Limits of the search. Most are numbers that a walk computes.
constexpr std::size_t quick = 5'000;  // walks below this effort are searched for further explanations, too
// Above this effort, searching pairs and parts of rows takes too long.
constexpr std::size_t most_effort = 200'000;
// No mistake makes a step this many times as large.
constexpr std::size_t much_larger = 8;
// A pair of mistakes has at most this many bits. The rarer a pair is, the more bits it has, and pairs rarer
// than this would explain nearly any numbers.
constexpr double most_bits_of_pair = 30.0;
// An explanation that is worse than the best by more bits than this is not searched.
constexpr double alternative = 20.0;
constexpr double rare = 17.75;  // bits; rarer mistakes are tried only alone and at the usual parameters

// Returns the work allowed for so many tensors, given the work of the right walks. The walks of a long lesson
// take longer, so they get more.
Work allowed(std::size_t tensors, Work of_walks) {
    constexpr Work first = 100'000'000;
    constexpr Work further = 3'000'000;
    constexpr Work most = 200'000'000;
    return std::min(first + further * (tensors - 1) + 2 * of_walks, most);
}
constexpr Work for_nearest = 50'000'000;  // the further work allowed for the nearest steps

double largest_number(const Tensor& x) {
    double most = 0.0;
    for (const float number : x.values()) {
        most = std::isfinite(number) ? std::max(most, std::abs(static_cast<double>(number))) : most;
    }
    return most;
}

// If this step is a gradient that is 0 up to rounding, because its terms cancel, returns the size of the
// rounding errors. Otherwise returns 0.
double most_noise(const StageTrace& trace, const Node& step) {
    constexpr double share = 1e-5;  // of the largest term, as for other sums of float32
    if (!step.gradient_of) {
        return 0.0;
    }
    double terms = 0.0;
    for (const std::size_t input : step.call.inputs) {
        terms = std::max(terms, largest_number(trace.node(input).value));
    }
    return largest_number(step.value) <= share * terms ? share * terms : 0.0;
}

class Search {
public:
    Search(const std::vector<const PrintedTensor*>& tensors, const Question& question,
           std::size_t most_matches)
        : question_(question), usual_(right_walks(question, budget_)), ranking_(question, usual_) {
        for (const PrintedTensor* const tensor : tensors) {
            targets_.push_back({Pattern(*tensor), rounding_of_sums(*tensor), surprise(*tensor),
                                question.as.empty() ? labelled_step(tensor->name) : question.as,
                                most_matches});
        }
        for (Target& target : targets_) {
            open_.push_back(&target);
        }
        begin_ = budget_.used();
    }

    std::vector<Diagnosis> run() {
        close_out_of_reach();
        const std::vector<Target*> all = open_;
        for (const Kind& kind : kinds()) {
            open_ = all;
            std::erase_if(open_, [&](const Target* target) {
                const double most = ranking_.most_worth(*target, kind.least_cost);
                return most <= best_of(*target) - kind.margin ||
                       (kind.is_unlikely && (target->is_explained() || most < convincing));
            });
            const bool is_wanted = !(kind.is_unlikely && question_.only_likely);
            if (is_wanted && !open_.empty()) {
                if (!question_.search_seeds) {
                    const Work all_work = allowed(targets_.size(), begin_);
                    budget_.limit(begin_ + all_work - all_work / 8 * kind.eighths_kept);
                }
                (this->*kind.search)();
            }
        }
        return diagnoses();
    }

private:
    // ---- what is tried, and when ------------------------------------------------------------------------

    struct Kind {
        Claim least_cost;
        bool is_unlikely;  // this search is only for unexplained tensors, if a match would be convincing
        void (Search::*search)();
        Work eighths_kept;    // the eighths of the work that are kept for later searches
        double margin = 0.0;  // matches that are worse than the best by fewer bits are also wanted
    };

    std::vector<Kind> kinds() const {
        const double likeliest = attempts({}).front().bits;
        return {
            {{}, false, &Search::try_usual, 2},
            {{.parameters = cost::width}, false, &Search::try_unusual, 2},
            {{.mistakes = {likeliest}}, false, &Search::try_mistakes, 2, alternative},
            {{.parameters = cost::unlabelled_gradient}, true, &Search::try_gradients, 2},
            {{.mistakes = {find_mistake("mistyped")->bits}}, true, &Search::try_slips, 1},
            {{.mistakes = {likeliest, likeliest}}, true, &Search::try_unlikely, 0},
        };
    }

    void try_usual() {
        compare(usual_);
        compare_rounded(usual_);
        compare_noise(usual_);
        compare_between_steps(usual_);
    }

    void try_unusual() {
        unusual_ = resized_walks(open_, question_, budget_);
        const Question in_time =
            without_stages([this](const RightWalk& right) { return !takes_too_long(right.trace); });
        std::ranges::move(other_layers_walks(in_time, budget_), std::back_inserter(unusual_));
        compare(unusual_);
        compare_rounded(unusual_);
    }

    void try_mistakes() {
        make_mistakes(pointers_to({&usual_, &unusual_}));
        adopt_settings();
    }

    // If a tensor has shown a different setting, such as a seed, tries it for the other tensors, right and
    // with mistakes.
    void adopt_settings() {
        if (targets_.size() < 2) {
            return;
        }
        const std::size_t before = adopted_.size();
        for (const Target& target : targets_) {
            const double best = best_of(target);
            for (const Match& match : target.found.matches) {
                const bool is_known = std::ranges::any_of(adopted_, [&](const RightWalk& walk) {
                    return walk.trace.stage == match.stage && walk.settings == match.mistakes &&
                           same(walk.trace.parameters, match.parameters);
                });
                if (is_convincing(match) && match.has_other_settings() && match.mistakes.size() == 1 &&
                    match.bits > best - convincing && !is_known) {
                    adopted_.push_back(
                        {.trace = walk(*match.stage, question_.lesson, match.parameters, question_.inputs),
                         .not_chosen = match.not_chosen,
                         .settings = match.mistakes});
                    budget_.count(work_of(adopted_.back().trace));
                }
            }
        }
        const std::vector<RightWalk> walks(adopted_.begin() + static_cast<std::ptrdiff_t>(before),
                                           adopted_.end());
        if (walks.empty()) {
            return;
        }
        const std::vector<Target*> open = std::exchange(open_, {});
        for (Target& target : targets_) {
            if (best_of(target) < ranking_.most_worth(target, {.mistakes = {cost::known_setting}})) {
                open_.push_back(&target);
            }
        }
        compare(walks);
        make_mistakes(pointers_to({&walks}));
        open_ = open;
    }

    void try_gradients() {
        std::vector<RightWalk> walks = gradient_walks(
            without_stages([this](const RightWalk& right) {
                return std::ranges::any_of(right.trace.notebook.nodes(), [this](const Node& node) {
                    return node.name.starts_with("W_") && node.call.operation->is_tensor() && may_hold(node);
                });
            }),
            budget_);
        std::erase_if(walks, [this](const RightWalk& walk) { return !may_hold(walk.trace); });
        compare(walks);
        make_mistakes(pointers_to({&walks}));
    }

    // Searches for a single wrong number. Changed inputs are searched only in forward passes, because
    // backward passes take long.
    void try_slips() {
        for (const RightWalk& right : usual_) {
            if (right.trace.parameters.backward) {
                Parameters parameters = right.trace.parameters;
                parameters.backward = false;
                RightWalk& forward = forward_.emplace_back(right);
                forward.trace = walk(*right.trace.stage, question_.lesson, parameters, question_.inputs);
            }
        }
        std::vector<const RightWalk*> walks = forward_walks();
        // Short walks come first, because a few long ones could use up the budget.
        std::ranges::stable_sort(walks, {}, [this](const RightWalk* right) { return work_of_slips(*right); });
        std::erase_if(
            walks, [this](const RightWalk* right) { return !budget_.take(work_of_slips(*right), "slips"); });
        for_each_walk(walks, [&](std::size_t i) { return slips_in(*walks[i]); });
    }

    // Searches the own walks without their backward pass.
    std::vector<const RightWalk*> forward_walks() const { return pointers_to({&usual_, &forward_}); }

    // ---- the remaining tensors --------------------------------------------------------------------------

    // Gives up tensors that are much larger than any step and cannot be steps at a different width.
    void close_out_of_reach() {
        std::size_t most = 0;
        for (const RightStep& one : steps_of(usual_)) {
            most = std::max(most, one.step->value.count());
        }
        std::erase_if(open_, [&](const Target* target) {
            return target->printed().numbers.size() > much_larger * most &&
                   !may_be_resized(target->printed(), question_.lesson);
        });
    }

    // Returns the value of the target's best match.
    static double best_of(const Target& target) {
        double best = -std::numeric_limits<double>::infinity();
        for (const Match& match : target.found.matches) {
            best = std::max(best, match.bits);
        }
        return best;
    }

    // Returns true if an unexplained tensor could be a step of this walk, or a piece of one.
    bool may_hold(const StageTrace& trace) const {
        return std::ranges::any_of(trace.steps, [&](std::size_t id) { return may_hold(trace.node(id)); });
    }

    bool may_hold(const Node& step) const {
        return ranking_.is_asked_for(step) && std::ranges::any_of(open_, [&](const Target* target) {
                   return target->pattern.fits(step.value.shape());
               });
    }

    // Returns true if it would take too long to walk again for parts of rows.
    bool takes_too_long(const StageTrace& trace) const {
        return effort(trace) > most_effort && !may_hold(trace);
    }

    // Returns the question with fewer candidates: the stages with a usual walk that passes the test.
    template <typename Test>
    Question without_stages(const Test& test) const {
        Question rest = question_;
        std::erase_if(rest.candidates, [&](const Candidate& candidate) {
            return std::ranges::none_of(usual_, [&](const RightWalk& right) {
                return right.trace.stage == candidate.stage && test(right);
            });
        });
        return rest;
    }

    // Calls search(i) for each walk, and adds the matches that it returns. Short walks are searched on all
    // threads at once. A long walk uses all threads itself, so long walks are searched one after the other.
    template <typename SearchOne>
    void for_each_walk(const std::vector<const RightWalk*>& walks, const SearchOne& search) {
        std::vector<std::size_t> order(walks.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        const auto long_ones = std::stable_partition(order.begin(), order.end(), [&](std::size_t i) {
            return effort(walks[i]->trace) <= most_effort;
        });
        std::vector<Matches> found(static_cast<std::size_t>(long_ones - order.begin()));
        parallel_for(found.size(), num_threads(),
                     [&](std::size_t i, std::size_t) { found[i] = search(order[i]); });
        std::ranges::for_each(found, add);
        for (auto i = long_ones; i != order.end(); ++i) {
            add(search(*i));
        }
    }

    static std::vector<const RightWalk*> pointers_to(
        std::initializer_list<const std::vector<RightWalk>*> lists) {
        std::vector<const RightWalk*> all;
        for (const std::vector<RightWalk>* const list : lists) {
            for (const RightWalk& right : *list) {
                all.push_back(&right);
            }
        }
        return all;
    }

    static void add(const Matches& found) {
        for (const auto& [target, match] : found) {
            target->add(match);
        }
    }

    // ---- right numbers ----------------------------------------------------------------------------------

    // Takes the work of comparing a tensor with all unexplained ones.
    bool may_compare(const Shape& shape) {
        Work work = 0;
        for (const Target* const target : open_) {
            work += target->pattern.work_in(shape);
        }
        return budget_.take(work, "steps");
    }

    void compare(const std::vector<RightWalk>& walks) {
        std::vector<RightStep> steps = steps_of(walks);
        std::erase_if(steps, [this](const RightStep& one) { return !may_compare(one.step->value.shape()); });
        // The matches of many short tensors need much memory, so they are added after a few steps.
        const std::size_t at_once =
            std::max<std::size_t>(200'000 / std::max<std::size_t>(open_.size(), 1), 2);
        for (std::size_t from = 0; from < steps.size(); from += at_once) {
            std::vector<Matches> found(std::min(at_once, steps.size() - from));
            parallel_for(found.size(), num_threads(), [&](std::size_t i, std::size_t) {
                const auto& [right, step] = steps[from + i];
                for (Target* const target : open_) {
                    const auto piece = target->pattern.find_in(step->value);
                    std::optional<Match> match =
                        piece ? ranking_.match_right(*target, *right, *step, *piece) : std::nullopt;
                    if (match) {
                        found[i].emplace_back(target, std::move(*match));
                    }
                }
            });
            std::ranges::for_each(found, add);
        }
    }

    // Searches for right numbers that were rounded differently. The finest rounding that explains them is
    // taken.
    void compare_rounded(const std::vector<RightWalk>& walks) {
        const std::vector<RightStep> steps = steps_of(walks);
        for (Target* const target : open_) {
            for (const Rounding& rounding : roundings(target->printed())) {
                Work work = 0;
                for (const RightStep& one : steps) {
                    work += rounding.pattern.work_in(one.step->value.shape());
                }
                if (target->is_explained() || !budget_.take(work, "steps")) {
                    break;
                }
                for (const auto& [right, step] : steps) {
                    const std::optional<Piece> piece = rounding.pattern.find_in(step->value);
                    std::optional<Match> match =
                        piece && rounding.explains(*piece, step->value)
                            ? ranking_.match_right(*target, *right, *step, *piece, &rounding)
                            : std::nullopt;
                    if (match && is_convincing(*match)) {
                        target->add(std::move(*match));
                    }
                }
            }
        }
    }

    // Searches gradients that are 0 up to rounding, such as those of the keys' bias. Their digits differ
    // between versions of PyTorch, so only the size of the numbers is compared.
    void compare_noise(const std::vector<RightWalk>& walks) {
        for (const auto& [right, step] : steps_of(walks)) {
            const double noise = most_noise(right->trace, *step);
            for (Target* const target : open_) {
                const double size = largest(target->printed());
                if (size == 0.0 || size > noise || target->is_explained() ||
                    !target->printed().fits(step->value.shape()) || target->printed().summarised()) {
                    continue;
                }
                Piece whole;
                whole.offsets.resize(target->printed().numbers.size());
                std::iota(whole.offsets.begin(), whole.offsets.end(), std::size_t{0});
                const Rounding rounding{"noise", 0.0, noise, target->pattern};
                std::optional<Match> match = ranking_.match_right(*target, *right, *step, whole, &rounding);
                if (match && match->mistakes.empty()) {
                    match->bits = std::max(match->bits, convincing);
                    target->add(std::move(*match));
                }
            }
        }
    }

    // Searches the intermediate results of a step's line, such as the scaled scores before softmax, and
    // tensors that are not shown, such as the weight of out_proj.
    void compare_between_steps(const std::vector<RightWalk>& walks) {
        std::vector<Target*> unnamed = open_;
        std::erase_if(unnamed, [](const Target* target) {
            return !target->label.empty() || target->is_explained() || target->is_nan();
        });
        for (const RightWalk& right : walks) {
            const Stage& stage = *right.trace.stage;
            if (right.of_document || !uses(stage, "backward") || stage.group == StageGroup::onward) {
                continue;  // lines of stages beyond the documents may be wrong on purpose
            }
            const Nodes& nodes = right.trace.notebook.nodes();
            for (std::size_t id = 0; id < nodes.size(); ++id) {
                if (nodes[id].role == Role::step || !nodes[id].call.operation->is_tensor() ||
                    !may_hold(nodes[id])) {
                    continue;
                }
                for (Target* const target : unnamed) {
                    if (!budget_.take(target->pattern.work_in(nodes[id].value.shape()), "steps")) {
                        continue;
                    }
                    const auto piece = target->pattern.find_in(nodes[id].value);
                    auto match = piece ? ranking_.match_between(*target, right, id, *piece) : std::nullopt;
                    if (match) {
                        target->add(std::move(*match));
                    }
                }
            }
        }
    }

    // ---- mistakes ---------------------------------------------------------------------------------------

    // One or two mistakes to make in a walk.
    struct Explanation {
        AlteredWalk* walk;
        Attempts mistakes;
        std::size_t from = 0;  // no mistake changes an earlier call
        bool must_convince = false;
    };
    using Wave = std::vector<Explanation>;

    // Tries the explanations of one wave: those of each walk in order, and all walks at once.
    void try_wave(const std::vector<const RightWalk*>& walks, const std::vector<Wave>& waves) {
        std::vector<Work> work(walks.size());
        constexpr std::size_t many = 256;  // tensors; their matches are added after every attempt
        const bool are_many = open_.size() > many;
        const auto try_walk = [&](std::size_t i) {
            Matches found;
            for (const Explanation& one : waves[i]) {
                Outcome outcome = one.walk->attempt(one.mistakes, one.from);
                if (one.must_convince) {
                    outcome.matches = only_convincing(std::move(outcome.matches));
                }
                work[i] += outcome.work;
                std::ranges::move(outcome.matches, std::back_inserter(found));
                if (are_many) {
                    add(std::exchange(found, {}));
                }
            }
            return found;
        };
        if (are_many) {
            for (std::size_t i = 0; i < walks.size(); ++i) {
                try_walk(i);
            }
        } else {
            for_each_walk(walks, try_walk);
        }
        for (const Work done : work) {
            budget_.count(done);
        }
    }

    // Returns the attempts of the tables, without those that the question leaves out.
    std::vector<Attempt> known_attempts(const Parameters& right) const {
        std::vector<Attempt> all = attempts(right);
        std::erase_if(all, [this](const Attempt& one) {
            return std::ranges::find(question_.unknown, one.mistake->id) != question_.unknown.end();
        });
        return all;
    }

    // Makes single mistakes in order of their cost, in all walks at once. So the search of all walks ends at
    // the cheapest explanation.
    void make_mistakes(std::vector<const RightWalk*> walks) {
        std::erase_if(walks, [this](const RightWalk* right) {
            return takes_too_long(right->trace) || right->bits > cost::further_topic;
        });
        struct Made {
            std::unique_ptr<AlteredWalk> walk;
            std::vector<Attempt> attempts;
            std::size_t next = 0;  // the first attempt that was not made yet
            std::optional<WithSeeds> seeds{};
        };
        std::vector<Made> made;
        for (const RightWalk* const right : walks) {
            made.push_back({std::make_unique<AlteredWalk>(*right, open_, question_, ranking_),
                            known_attempts(right->trace.parameters)});
        }
        const double first = attempts({}).front().bits;
        bool is_left = !walks.empty();
        for (double most = first; is_left; most += 1.0) {
            std::vector<Wave> waves(walks.size());
            is_left = false;
            for (std::size_t i = 0; i < walks.size(); ++i) {
                Made& of = made[i];
                const double worthwhile = most_worthwhile(*walks[i]);
                for (; of.next < of.attempts.size(); ++of.next) {
                    const Attempt& attempt = of.attempts[of.next];
                    const double bits = walks[i]->bits + attempt.bits;
                    if (bits > most) {
                        break;
                    }
                    const bool is_too_rare = walks[i]->bits >= cost::width && attempt.bits > rare;
                    if (bits < worthwhile && !is_too_rare &&
                        budget_.take(of.walk->work_of({&attempt}), "mistakes")) {
                        waves[i].push_back({of.walk.get(), {&attempt}});
                    }
                }
                const double of_seeds = walks[i]->bits + likely_seed().bits;
                if (!of.seeds && of_seeds <= most && of_seeds < worthwhile) {
                    of.seeds = with_seeds(*walks[i], likely_seed());
                    add_to(waves[i], *of.walk, *of.seeds);
                }
                is_left = is_left || ((of.next < of.attempts.size() || !of.seeds) && worthwhile > most);
            }
            try_wave(walks, waves);
        }
    }

    // Returns the cost below which a mistake in this walk could be a better explanation of a tensor, or an
    // alternative to mention. To be mentioned, it must be in the same stage as another explanation, or there
    // must be several tensors.
    double most_worthwhile(const RightWalk& right) const {
        double most = 0.0;
        for (const Target* const target : open_) {
            const bool is_alternative =
                effort(right.trace) <= quick &&
                (targets_.size() > 1 || std::ranges::any_of(target->found.matches, [&](const Match& match) {
                     return match.stage == right.trace.stage;
                 }));
            most = std::max(most, ranking_.most_worth(*target, {}) - best_of(*target) +
                                      (is_alternative ? alternative : 0.0));
        }
        return most;
    }

    // ---- unlikely mistakes ------------------------------------------------------------------------------

    // With few digits, an unlikely mistake would explain nearly anything.
    static Matches only_convincing(Matches found) {
        std::erase_if(found, [](const auto& one) { return one.second.bits < convincing; });
        return found;
    }

    bool changes_inputs(const RightWalk& right) const {
        constexpr std::size_t most_inputs = 256;
        const std::size_t inputs = question_.lesson.embeddings.count();
        return uses(*right.trace.stage, "lesson") && inputs <= most_inputs && !right.of_document &&
               !right.trace.parameters.backward && effort(right.trace) * inputs <= 10 * most_effort;
    }

    // Estimates the work of slips_in. Most searches for a changed input only move each input once.
    Work work_of_slips(const RightWalk& right) const {
        constexpr Work of_each = 200;
        Work work = changes_inputs(right) ? work_of(right.trace) * question_.lesson.embeddings.count() : 0;
        for (const Target* const target : open_) {
            for (const std::size_t id : right.trace.steps) {
                work += of_each + 2 * target->pattern.work_in(right.trace.node(id).value.shape());
            }
        }
        return work;
    }

    Matches slips_in(const RightWalk& right) {
        const bool changes = changes_inputs(right);
        std::vector<std::size_t> steps = right.trace.steps;
        std::erase_if(steps, [&](std::size_t id) { return !may_hold(right.trace.node(id)); });
        OtherInput other(right, question_.lesson.embeddings, std::move(steps));
        Matches found;
        const auto take = [&](Target& target, const Node& step, std::string_view id,
                              const std::optional<Slip>& slip) {
            if (slip) {
                const Attempt made{find_mistake(id), {}, find_mistake(id)->bits + slip->bits};
                Match match = ranking_.match(target, right, right.trace, step, slip->piece, {&made});
                match.largest_difference = slip->largest_difference;
                match.line = slip->line;
                match.instead_of = slip->instead_of;
                found.emplace_back(&target, std::move(match));
            }
        };
        for (Target* const target : open_) {
            for (const std::size_t id : right.trace.steps) {
                const Node& step = right.trace.node(id);
                if (target->is_nan() || !ranking_.is_asked_for(step)) {
                    continue;
                }
                take(*target, step, "mistyped", mistyped(target->pattern, step));
                if (changes && target->pattern.fits(step.value.shape())) {
                    take(*target, step, "other-input", other.find(target->pattern, id));
                }
            }
        }
        return only_convincing(std::move(found));
    }

    // Returns true for walks at the user's own parameters. Unlikely mistakes are tried only in these.
    static bool is_own(const RightWalk& right) { return right.bits < convincing && !right.of_document; }

    // The seeds to try in a walk, for the weights and for the dropout masks.
    struct WithSeeds {
        std::list<OtherSeeds> other;
        std::vector<std::pair<Attempt, std::size_t>> attempts;  // each with the first call that it changes
    };

    WithSeeds with_seeds(const RightWalk& right, const Seeds& seeds) {
        WithSeeds with;
        for (std::uint64_t Parameters::*const which : {&Parameters::seed, &Parameters::dropout_seed}) {
            if (!uses(*right.trace.stage, "seed") || !budget_.take(work_of(right.trace), "seeds")) {
                break;
            }
            const OtherSeeds& other = with.other.emplace_back(right, which, question_);
            for (const std::uint64_t seed :
                 other.changes_anything() ? seeds.all : std::vector<std::uint64_t>()) {
                with.attempts.emplace_back(other.attempt(seed, seeds.bits), other.first());
            }
        }
        return with;
    }

    void add_to(Wave& wave, AlteredWalk& walk, const WithSeeds& seeds) {
        for (const auto& [attempt, from] : seeds.attempts) {
            if (budget_.take(walk.work_of({&attempt}, from), "seeds")) {
                wave.push_back({&walk, {&attempt}, from});
            }
        }
    }

    // The pairs of mistakes to make in a walk, in waves of equal cost. Both must change steps of a pasted
    // shape, or one must give a step this shape.
    struct Pairs {
        std::vector<Attempt> all;
        std::list<AlteredWalk> walks;  // one for each mistake that no edit can make; it contains the mistake
        std::map<int, Wave> waves;     // by their bits, rounded up
    };

    Pairs pairs_in(const RightWalk& right, AlteredWalk& altered) {
        Pairs pairs{known_attempts(right.trace.parameters), {}, {}};
        std::erase_if(pairs.all, [](const Attempt& one) { return one.bits > rare; });
        struct Single {
            const Attempt* attempt;
            bool changes;
            std::size_t from;     // the first call that the mistake changes
            AlteredWalk* walked;  // the walk with the mistake, if no edit can make it

            bool reshapes() const { return walked != nullptr && walked->reshapes(); }
        };
        std::vector<Single> singles;
        for (const Attempt& one : pairs.all) {
            const bool changes = altered.attempt({&one}).changes;
            const auto from = one.variant.edit ? altered.first_changed() : std::nullopt;
            AlteredWalk* const walked =
                from || !changes ? nullptr
                                 : &pairs.walks.emplace_back(right, open_, question_, ranking_, &one);
            singles.push_back({&one, changes, from.value_or(0), walked});
        }
        // Sorted by the first changed call, because pairs with the same first mistake share all earlier
        // calls.
        std::ranges::stable_sort(singles, {}, &Single::from);
        for (auto one = singles.begin(); one != singles.end(); ++one) {
            for (auto other = one + 1; other != singles.end(); ++other) {
                const bool may_be = (one->changes && other->changes) || one->reshapes() || other->reshapes();
                const double bits = right.bits + one->attempt->bits + other->attempt->bits;
                if (!may_be || one->attempt->mistake == other->attempt->mistake || bits > most_bits_of_pair) {
                    continue;
                }
                const auto [first, second] = std::ranges::minmax(
                    one->attempt, other->attempt, {}, [](const Attempt* tried) { return tried->mistake; });
                AlteredWalk* const walked = one->walked != nullptr ? one->walked : other->walked;
                pairs.waves[static_cast<int>(std::ceil(bits))].push_back(
                    {walked != nullptr ? walked : &altered,
                     {first, second},
                     walked != nullptr ? 0 : one->from});
            }
        }
        return pairs;
    }

    // Tries general edits, other seeds and pairs of mistakes, in order of their cost, until all tensors are
    // explained.
    void try_unlikely() {
        std::vector<const RightWalk*> walks = forward_walks();
        std::erase_if(walks,
                      [this](const RightWalk* right) { return !is_own(*right) || !may_hold(right->trace); });
        struct Tried {
            std::unique_ptr<AlteredWalk> walk;
            std::optional<Pairs> pairs{};
            std::optional<WithSeeds> seeds{};
            std::vector<GeneralEdit> general{};
        };
        std::vector<Tried> tried(walks.size());
        for_each_walk(walks, [&](std::size_t i) {
            tried[i].walk = std::make_unique<AlteredWalk>(*walks[i], open_, question_, ranking_);
            if (effort(walks[i]->trace) <= most_effort) {
                tried[i].general = general_edits(walks[i]->trace.notebook);
            }
            return Matches();
        });
        std::vector<bool> makes_pairs;
        for (std::size_t i = 0; i < walks.size(); ++i) {
            constexpr Work singles = 250;
            makes_pairs.push_back(!walks[i]->trace.parameters.backward &&
                                  effort(walks[i]->trace) <= most_effort &&
                                  budget_.take(singles * tried[i].walk->work_of({}), "pairs"));
        }
        for_each_walk(walks, [&](std::size_t i) {
            if (makes_pairs[i]) {
                tried[i].pairs = pairs_in(*walks[i], *tried[i].walk);
            }
            return Matches();
        });
        const Seeds seeds = seeds_to_try(question_);
        const int first = static_cast<int>(2.0 * attempts({}).front().bits);
        const int last = static_cast<int>(std::max(most_bits_of_pair, std::ceil(seeds.bits) + cost::width));
        for (int most = first; most <= last; ++most) {
            if (std::ranges::all_of(open_, &Target::is_explained)) {
                break;
            }
            std::vector<Wave> waves(walks.size());
            for (std::size_t i = 0; i < walks.size(); ++i) {
                Tried& of = tried[i];
                if (!of.seeds && walks[i]->bits + seeds.bits <= most) {
                    of.seeds = with_seeds(*walks[i], seeds);
                    add_to(waves[i], *of.walk, *of.seeds);
                }
                for (const GeneralEdit& one : of.general) {
                    if (static_cast<int>(std::ceil(walks[i]->bits + one.attempt.bits)) == most &&
                        budget_.take(of.walk->work_of({&one.attempt}, one.from), "mistakes")) {
                        waves[i].push_back({of.walk.get(), {&one.attempt}, one.from, true});
                    }
                }
                for (const Explanation& one : of.pairs ? of.pairs->waves[most] : Wave()) {
                    if (budget_.take(one.walk->work_of(one.mistakes, one.from), "pairs")) {
                        waves[i].push_back(one);
                    }
                }
            }
            try_wave(walks, waves);
            adopt_settings();
        }
    }

    // Estimates the work of comparing all numbers with all pieces of the usual steps.
    Work work_of_nearest(const Pattern& pattern) const {
        Work work = 0;
        for (const RightStep& one : steps_of(usual_)) {
            work += 2 * pattern.work_in(one.step->value.shape());
        }
        return work;
    }

    // ---- the answers ------------------------------------------------------------------------------------

    std::vector<Diagnosis> diagnoses() {
        std::vector<Diagnosis> all;
        std::vector<const Pattern*> patterns;
        const std::vector<std::string_view> left_out = budget_.left_out();
        budget_.limit(budget_.used() + for_nearest);
        for (Target& target : targets_) {
            patterns.push_back(&target.pattern);
            Diagnosis& found = all.emplace_back(std::move(target.found));
            found.is_named = !target.label.empty();
            std::ranges::stable_sort(found.matches, std::ranges::greater(), &Match::bits);
            if (std::ranges::none_of(found.matches, is_convincing)) {
                found.not_tried = left_out;
            }
            if (found.matches.empty() && !budget_.take(work_of_nearest(target.pattern), "nearest")) {
                found.not_tried.emplace_back("nearest");
                continue;
            }
            for (const std::vector<RightWalk>* const walks : {&usual_, &unusual_}) {
                if (found.matches.empty() && !found.nearest) {
                    found.nearest = nearest(target.pattern, question_.as, *walks);
                }
            }
        }
        take_together(all, patterns, usual_, question_);
        return all;
    }

    const Question& question_;
    Budget budget_{};
    Work begin_ = 0;                // the work of the usual walks
    std::vector<RightWalk> usual_;  // right walks at the given parameters, and at those of the documents
    // Walks walks at widths that the pasted shapes suggest, or with other layers.
    std::vector<RightWalk> unusual_;
    std::vector<RightWalk> adopted_;  // walks with settings that tensors have shown
    std::vector<RightWalk> forward_;  // the usual walks without their backward pass
    Ranking ranking_;
    std::vector<Target> targets_;
    std::vector<Target*> open_;  // the tensors that are still searched for
};

}  // namespace

// A rival is a mistake that gives the digits of a right step and is likely enough to be mentioned. For the
// result of a stage the limit is higher, because results are pasted more often than earlier steps.
const Match* Diagnosis::rival() const {
    constexpr double as_likely = 15.0;  // bits
    constexpr double as_likely_result = 16.0;
    const bool may_be_result = !is_named && std::ranges::none_of(matches, [](const Match& right) {
        return right.mistakes.empty() && right.is_result;
    });
    const auto is_rival = [&](const Match& wrong) {
        const double less = matches.front().bits - wrong.bits;
        return !wrong.mistakes.empty() && std::ranges::any_of(matches, [&](const Match& right) {
            return right.mistakes.empty() && right.stage == wrong.stage &&
                   ((right.step == wrong.step && less < as_likely) ||
                    (may_be_result && wrong.is_result && less < as_likely_result));
        });
    };
    const auto found = is_right() ? std::ranges::find_if(matches, is_rival) : matches.end();
    return found == matches.end() ? nullptr : &*found;
}

bool Match::has_other_settings() const {
    return !mistakes.empty() &&
           std::ranges::all_of(mistakes, [](std::string_view id) { return find_mistake(id)->is_setting; });
}

bool all_right(const std::vector<Diagnosis>& diagnoses) {
    const auto is_chosen = [](const Diagnosis& one) {
        return one.is_right() && !one.is_elsewhere && one.matches.front().not_chosen.empty();
    };
    return std::ranges::all_of(diagnoses, is_chosen) &&
           std::ranges::any_of(
               diagnoses, [](const Diagnosis& one) { return one.is_decided() && one.rival() == nullptr; });
}

namespace {

// Returns a text that is the same for equal tensors; their places in the paste do not matter.
std::string key_of(const PrintedTensor& tensor) {
    std::string key =
        fmt::format("{}\n{}\n{}\n{}\n", tensor.name, tensor.shown.text(), tensor.grad_fn, tensor.dtype);
    for (const auto& gap : tensor.gaps) {
        key += gap ? fmt::format("{} ", *gap) : "- ";
    }
    for (const PrintedNumber& number : tensor.numbers) {
        key += fmt::format("{:x} {} {} {},", std::bit_cast<std::uint64_t>(number.value), number.decimals,
                           number.exponent, static_cast<int>(number.notation));
    }
    return key;
}

}  // namespace

std::vector<Diagnosis> diagnose(const std::vector<PrintedTensor>& tensors, const Question& question) {
    // Equal tensors are searched once.
    std::vector<const PrintedTensor*> different;
    std::vector<std::size_t> answer;
    std::map<std::string, std::size_t> known;
    for (const PrintedTensor& tensor : tensors) {
        const auto [same, is_new] = known.emplace(key_of(tensor), different.size());
        answer.push_back(same->second);
        if (is_new) {
            different.push_back(&tensor);
        }
    }
    std::list<PrintedTensor> rounded;
    for (const PrintedTensor*& tensor : different) {
        if (std::optional<PrintedTensor> shorter = without_float32_tails(*tensor)) {
            tensor = &rounded.emplace_back(std::move(*shorter));
        }
    }
    constexpr std::size_t all_matches = 100'000;
    constexpr std::size_t enough = 30;
    const std::size_t most_matches = std::max(all_matches / std::max(tensors.size(), enough), enough);
    const std::vector<Diagnosis> found = Search(different, question, most_matches).run();
    std::vector<Diagnosis> diagnoses;
    std::ranges::transform(answer, std::back_inserter(diagnoses), [&](std::size_t i) { return found[i]; });
    return diagnoses;
}

}  // namespace attn
