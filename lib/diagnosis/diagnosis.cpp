// An explanation is a right walk, at most two edits of it, and a reading of the pasted numbers. The search
// begins with what costs least. It tries each explanation, because running a small stage takes only
// microseconds, and compares every walk with all pasted tensors. The edits of all walks are tried from one
// queue, in waves of equal cost. The search for a tensor ends when no remaining explanation can have a higher
// value than the best one.
// One thread chooses a wave, within the budget. Its results are added in a fixed order. So the answer does
// not depend on the number of threads or their speed.
#include "diagnosis/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <deque>
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
#include "diagnosis/costs.hpp"
#include "diagnosis/general_edits.hpp"
#include "diagnosis/labels.hpp"
#include "diagnosis/mistakes/mistakes.hpp"
#include "diagnosis/nearest.hpp"
#include "diagnosis/ranking.hpp"
#include "diagnosis/readings.hpp"
#include "diagnosis/right_walks.hpp"
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
constexpr double infinite = std::numeric_limits<double>::infinity();

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
    using Kind = RightWalk::Kind;

public:
    Search(const std::vector<const PrintedTensor*>& tensors, const Question& question,
           std::size_t most_matches)
        : question_(question), ranking_(question, keep(right_walks(question, budget_))) {
        for (const PrintedTensor* const tensor : tensors) {
            targets_.push_back({readings(*tensor),
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
        for (const Source& source : sources()) {
            open_ = all;
            std::erase_if(open_, [&](const Target* target) {
                const double most = ranking_.most_worth(*target, source.least_cost);
                return most <= best_of(*target) - source.margin ||
                       (source.is_unlikely && (target->is_explained() || most < convincing));
            });
            const bool is_wanted = !(source.is_unlikely && question_.only_likely);
            if (is_wanted && !open_.empty()) {
                if (!question_.search_seeds) {
                    const Work all_work = allowed(targets_.size(), begin_);
                    budget_.limit(begin_ + all_work - all_work / 8 * source.eighths_kept);
                }
                (this->*source.search)();
            }
        }
        return diagnoses();
    }

private:
    // ---- what is tried, and when ------------------------------------------------------------------------

    struct Source {
        Claim least_cost;
        bool is_unlikely;  // this search is only for unexplained tensors, if a match would be convincing
        void (Search::*search)();
        Work eighths_kept;    // the eighths of the work that are kept for later searches
        double margin = 0.0;  // matches that are worse than the best by fewer bits are also wanted
    };

    std::vector<Source> sources() const {
        const double likeliest = mistakes().front().bits;
        return {
            {{}, false, &Search::try_usual, 2},
            {{.parameters = cost::width}, false, &Search::try_unusual, 2},
            {{.mistakes = {likeliest}}, false, &Search::try_mistakes, 2, threshold::alternative},
            {{.parameters = cost::unlabelled_gradient}, true, &Search::try_gradients, 2},
            {{.mistakes = {find_mistake("mistyped")->bits}}, true, &Search::try_slips, 1},
            {{.mistakes = {likeliest, likeliest}}, true, &Search::try_unlikely, 0},
        };
    }

    void try_usual() {
        const Walks usual = walks_of({Kind::usual});
        compare(usual);
        compare_noise(usual);
        std::vector<Target*> unnamed = open_;
        std::erase_if(unnamed, [](const Target* target) {
            return !target->label.empty() || target->is_explained() || target->is_nan();
        });
        compare(lines_between(usual), unnamed, 0);
    }

    void try_unusual() {
        const Question in_time =
            without_stages([this](const RightWalk& right) { return !takes_too_long(right.trace); });
        keep(those_that_may_hold(resized_walks(open_, question_, budget_)));
        keep(other_layers_walks(in_time, budget_));
        compare(walks_of({Kind::suggested}));
    }

    void try_mistakes() {
        try_edits(walks_of({Kind::usual, Kind::suggested}), false);
        adopt_settings();
    }

    // If a tensor has shown a different setting, such as a seed, tries it for the other tensors, right and
    // with mistakes.
    void adopt_settings() {
        if (targets_.size() < 2) {
            return;
        }
        Walks adopted;
        for (const Target& target : targets_) {
            const double best = best_of(target);
            for (const Match& match : target.found.matches) {
                const bool is_known = std::ranges::any_of(walks_, [&](const RightWalk& walk) {
                    return walk.trace.stage == match.stage && walk.settings == match.mistakes &&
                           same(walk.trace.parameters, match.parameters);
                });
                if (is_convincing(match) && match.has_other_settings() && match.mistakes.size() == 1 &&
                    match.bits > best - convincing && !is_known) {
                    walks_.push_back(
                        {.trace = walk(*match.stage, question_.lesson, match.parameters, question_.inputs),
                         .kind = Kind::setting,
                         .not_chosen = match.not_chosen,
                         .settings = match.mistakes});
                    adopted.push_back(&walks_.back());
                    budget_.count(work_of(walks_.back().trace));
                }
            }
        }
        if (adopted.empty()) {
            return;
        }
        const std::vector<Target*> open = std::exchange(open_, {});
        for (Target& target : targets_) {
            if (best_of(target) < ranking_.most_worth(target, {.mistakes = {cost::known_setting}})) {
                open_.push_back(&target);
            }
        }
        compare(adopted);
        try_edits(adopted, false);
        open_ = open;
    }

    void try_gradients() {
        keep(those_that_may_hold(gradient_walks(
            without_stages([this](const RightWalk& right) {
                return std::ranges::any_of(right.trace.notebook.nodes(), [this](const Node& node) {
                    return node.name.starts_with("W_") && node.call.operation->is_tensor() && may_hold(node);
                });
            }),
            budget_)));
        const Walks gradients = walks_of({Kind::gradient});
        compare(gradients);
        try_edits(gradients, false);
    }

    // Searches for a single wrong number. Changed inputs are searched only in forward passes, because
    // backward passes take long.
    void try_slips() {
        for (const RightWalk* const right : walks_of({Kind::usual})) {
            if (right->trace.parameters.backward) {
                Parameters parameters = right->trace.parameters;
                parameters.backward = false;
                RightWalk& forward = walks_.emplace_back(*right);
                forward.trace = walk(*right->trace.stage, question_.lesson, parameters, question_.inputs);
                forward.kind = Kind::forward;
            }
        }
        Walks own = walks_of({Kind::usual, Kind::forward});
        // Short walks come first, because a few long ones could use up the budget.
        std::ranges::stable_sort(own, {}, [this](const RightWalk* right) { return work_of_slips(*right); });
        std::erase_if(
            own, [this](const RightWalk* right) { return !budget_.take(work_of_slips(*right), "slips"); });
        for_each_walk(own, [&](std::size_t i) { return slips_in(*own[i]); });
    }

    void try_unlikely() {
        Walks own = walks_of({Kind::usual, Kind::forward});
        std::erase_if(own, [this](const RightWalk* right) {  // only the user's own parameters
            return right->bits >= convincing || right->of_document || !may_hold(right->trace);
        });
        try_edits(own, true);
    }

    // ---- the remaining tensors --------------------------------------------------------------------------

    // Gives up tensors that are much larger than any step and cannot be steps at a different width.
    void close_out_of_reach() {
        std::size_t most = 0;
        for (const RightStep& one : steps_of(walks_of({Kind::usual}))) {
            most = std::max(most, one.node().value.count());
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
                   return target->pattern().fits(step.value.shape());
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
            return std::ranges::none_of(walks_, [&](const RightWalk& right) {
                return right.kind == Kind::usual && right.trace.stage == candidate.stage && test(right);
            });
        });
        return rest;
    }

    // Calls search(i) for each walk, and adds the matches that it returns. Short walks are searched on all
    // threads at once. A long walk uses all threads itself, so long walks are searched one after the other.
    template <typename SearchOne>
    void for_each_walk(const Walks& walks, const SearchOne& search) {
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

    // Returns the walks of these kinds, in the order in which they were made.
    Walks walks_of(std::initializer_list<Kind> kinds) const {
        Walks all;
        for (const RightWalk& right : walks_) {
            if (std::ranges::find(kinds, right.kind) != kinds.end()) {
                all.push_back(&right);
            }
        }
        return all;
    }

    std::vector<RightWalk> those_that_may_hold(std::vector<RightWalk> walks) const {
        std::erase_if(walks, [this](const RightWalk& right) { return !may_hold(right.trace); });
        return walks;
    }

    // Keeps these walks for all searches.
    Walks keep(std::vector<RightWalk> walks) {
        Walks kept;
        for (RightWalk& right : walks) {
            kept.push_back(&walks_.emplace_back(std::move(right)));
        }
        return kept;
    }

    static void add(const Matches& found) {
        for (const auto& [target, match] : found) {
            target->add(match);
        }
    }

    // ---- right numbers ----------------------------------------------------------------------------------

    // Compares the steps of these walks with each reading of the tensors, the exact one first. The readings
    // by rounding must be convincing, and the first that explains a tensor is taken.
    void compare(const Walks& walks) {
        const std::vector<RightStep> steps = steps_of(walks);
        std::vector<Target*> targets = open_;
        for (std::size_t n = 0; !targets.empty(); ++n) {
            compare(steps, targets, n);
            std::erase_if(targets, [n](const Target* target) {
                return target->is_explained() || target->readings.size() <= n + 1;
            });
        }
    }

    void compare(std::vector<RightStep> steps, const std::vector<Target*>& targets, std::size_t n) {
        std::erase_if(steps, [&](const RightStep& one) {
            Work work = 0;
            for (const Target* const target : targets) {
                work += target->pattern().work_in(one.node().value.shape());
            }
            return targets.empty() || !budget_.take(work, "steps");
        });
        // The matches of many short tensors need much memory, so they are added after a few steps.
        const std::size_t at_once =
            std::max<std::size_t>(200'000 / std::max<std::size_t>(targets.size(), 1), 2);
        for (std::size_t from = 0; from < steps.size(); from += at_once) {
            std::vector<Matches> found(std::min(at_once, steps.size() - from));
            parallel_for(found.size(), num_threads(), [&](std::size_t i, std::size_t) {
                const RightStep& step = steps[from + i];
                for (Target* const target : targets) {
                    const Reading& reading = target->readings[n];
                    const std::optional<Piece> piece = reading.find_in(step.node().value);
                    std::optional<Match> match =
                        piece ? ranking_.match_right(*target, step, *piece, reading) : std::nullopt;
                    if (match && (n == 0 || is_convincing(*match))) {
                        found[i].emplace_back(target, std::move(*match));
                    }
                }
            });
            std::ranges::for_each(found, add);
        }
    }

    // Searches gradients that are 0 up to rounding, such as those of the keys' bias. Their digits differ
    // between versions of PyTorch, so only the size of the numbers is compared.
    void compare_noise(const Walks& walks) {
        for (const RightStep& step : steps_of(walks)) {
            const double noise = most_noise(step.walk->trace, step.node());
            for (Target* const target : open_) {
                const double size = largest(target->printed());
                if (size == 0.0 || size > noise || target->is_explained() ||
                    !target->printed().fits(step.node().value.shape()) || target->printed().summarised()) {
                    continue;
                }
                Piece whole;
                whole.offsets.resize(target->printed().numbers.size());
                std::iota(whole.offsets.begin(), whole.offsets.end(), std::size_t{0});
                const Reading reading{"noise", 0.0, noise, surprise(target->printed(), noise),
                                      target->pattern()};
                std::optional<Match> match = ranking_.match_right(*target, step, whole, reading);
                if (match && match->mistakes.empty()) {
                    match->bits = std::max(match->bits, convincing);
                    target->add(std::move(*match));
                }
            }
        }
    }

    // Returns the intermediate results of the steps' lines, such as the scaled scores before softmax, and
    // tensors that are not shown, such as the weight of out_proj.
    std::vector<RightStep> lines_between(const Walks& walks) const {
        std::vector<RightStep> lines;
        for (const RightWalk* const right : walks) {
            const Stage& stage = *right->trace.stage;
            if (right->of_document || !uses(stage, "backward") || stage.group == StageGroup::onward) {
                continue;  // lines of stages beyond the documents may be wrong on purpose
            }
            const Nodes& nodes = right->trace.notebook.nodes();
            for (std::size_t id = 0; id < nodes.size(); ++id) {
                if (nodes[id].role != Role::step && nodes[id].call.operation->is_tensor() &&
                    may_hold(nodes[id])) {
                    lines.push_back({right, id});
                }
            }
        }
        return lines;
    }

    // ---- edits ------------------------------------------------------------------------------------------

    // One or two edits of a walk.
    struct Explanation {
        AlteredWalk* walk;
        WalkEdits edits;
        double bits;  // the cost of the walk and of the edits
    };
    using Wave = std::vector<Explanation>;

    // A walk, the edits to try in it, and their explanations by cost in whole bits, rounded up.
    struct Edited {
        std::unique_ptr<AlteredWalk> walk{};
        std::list<std::vector<WalkEdit>> edits{};
        std::list<AlteredWalk> walked{};  // one for each edit of a pair that only a walk can make
        std::map<int, Wave> queue{};
    };

    static int level(double bits) { return static_cast<int>(std::ceil(bits)); }

    static void add_to_queue(Edited& of, Explanation one) {
        of.queue[level(one.bits)].push_back(std::move(one));
    }

    static void add_edits(const RightWalk& right, Edited& of, std::vector<WalkEdit> edits) {
        of.edits.push_back(std::move(edits));
        for (const WalkEdit& edit : of.edits.back()) {
            add_to_queue(of, {of.walk.get(), {&edit}, right.bits + edit.bits});
        }
    }

    // Tries the edits of these walks in order of their cost, in all walks at once. So the search of all walks
    // ends at the cheapest explanation. The unlikely edits are general ones, all seeds, and pairs of known
    // ones. They must be convincing, because with few digits they would explain nearly anything.
    void try_edits(Walks walks, bool are_unlikely) {
        std::erase_if(walks, [this](const RightWalk* right) {
            return takes_too_long(right->trace) || right->bits > cost::further_topic;
        });
        const Seeds seeds = seeds_to_try(question_, are_unlikely);
        std::vector<Edited> edited(walks.size());
        for_each_walk(walks, [&](std::size_t i) {
            const RightWalk& right = *walks[i];
            edited[i].walk = std::make_unique<AlteredWalk>(right, open_, question_, ranking_);
            if (!are_unlikely) {
                add_edits(right, edited[i],
                          edits_to_try(right, right.bits < cost::width ? infinite : threshold::rare));
            } else if (effort(right.trace) <= most_effort) {
                add_edits(right, edited[i], general_edits(right.trace.notebook));
            }
            return Matches();
        });
        if (are_unlikely) {
            add_pairs(walks, edited);
        }
        int last = level(cost::further_topic + seeds.bits);
        for (const Edited& of : edited) {
            last = std::max(last, of.queue.empty() ? 0 : of.queue.rbegin()->first);
        }
        for (int most = 0; most <= last; ++most) {
            if (are_unlikely && std::ranges::all_of(open_, &Target::is_explained)) {
                break;
            }
            std::vector<Wave> waves(walks.size());
            for (std::size_t i = 0; i < walks.size(); ++i) {
                const double of_seeds = walks[i]->bits + seeds.bits;
                if (level(of_seeds) == most && of_seeds < most_worthwhile(*walks[i])) {
                    add_seeds(*walks[i], edited[i], seeds);
                }
                Wave& next = edited[i].queue[most];
                const double worthwhile = next.empty() ? 0.0 : most_worthwhile(*walks[i]);
                for (Explanation& one : next) {
                    if (one.bits < worthwhile &&
                        budget_.take(one.walk->work_of(one.edits), search_of(one.edits))) {
                        waves[i].push_back(std::move(one));
                    }
                }
            }
            if (std::ranges::all_of(waves, [](const Wave& wave) { return wave.empty(); })) {
                continue;
            }
            try_wave(walks, waves, are_unlikely);
            if (are_unlikely) {
                adopt_settings();
            }
        }
    }

    // Tries the explanations of one wave: those of each walk in order, and all walks at once.
    void try_wave(const Walks& walks, const std::vector<Wave>& waves, bool must_convince) {
        std::vector<Work> work(walks.size());
        constexpr std::size_t many = 256;  // tensors; their matches are added after every explanation
        const bool are_many = open_.size() > many;
        const auto try_walk = [&](std::size_t i) {
            Matches found;
            for (const Explanation& one : waves[i]) {
                Outcome outcome = one.walk->make(one.edits);
                work[i] += outcome.work;
                std::ranges::move(
                    must_convince ? only_convincing(std::move(outcome.matches)) : std::move(outcome.matches),
                    std::back_inserter(found));
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

    // Returns the name of the search that a lack of work would leave out.
    static std::string_view search_of(const WalkEdits& edits) {
        return edits.size() > 1 ? "pairs" : edits[0]->mistake->id == "other-seed" ? "seeds" : "mistakes";
    }

    // Returns the known edits up to this cost, without those that the question leaves out.
    std::vector<WalkEdit> edits_to_try(const RightWalk& right, double most) const {
        std::vector<WalkEdit> all = known_edits(right.trace.parameters);
        std::erase_if(all, [&](const WalkEdit& one) {
            return one.bits > most ||
                   std::ranges::find(question_.unknown, one.mistake->id) != question_.unknown.end();
        });
        return all;
    }

    void add_seeds(const RightWalk& right, Edited& of, const Seeds& seeds) {
        for (std::uint64_t Parameters::*const which : {&Parameters::seed, &Parameters::dropout_seed}) {
            if (!uses(*right.trace.stage, "seed") || !budget_.take(work_of(right.trace), "seeds")) {
                break;
            }
            add_edits(right, of, seed_edits(right, which, question_, seeds));
        }
    }

    void add_pairs(const Walks& walks, std::vector<Edited>& edited) {
        std::vector<bool> makes_pairs;
        for (std::size_t i = 0; i < walks.size(); ++i) {
            constexpr Work singles = 250;
            makes_pairs.push_back(!walks[i]->trace.parameters.backward &&
                                  effort(walks[i]->trace) <= most_effort &&
                                  budget_.take(singles * edited[i].walk->work_of({}), "pairs"));
        }
        for_each_walk(walks, [&](std::size_t i) {
            if (makes_pairs[i]) {
                add_pairs(*walks[i], edited[i]);
            }
            return Matches();
        });
    }

    // Adds the pairs of known edits. Both must change steps of a pasted shape, or one must give a step this
    // shape.
    void add_pairs(const RightWalk& right, Edited& of) {
        struct Single {
            const WalkEdit* edit;
            bool changes;
            AlteredWalk* walked;  // the walk with the edit, if only a walk can make it

            bool reshapes() const { return walked != nullptr && walked->reshapes(); }
        };
        std::vector<Single> singles;
        for (WalkEdit& edit : of.edits.emplace_back(edits_to_try(right, threshold::rare))) {
            const bool changes = of.walk->make({&edit}).changes;
            const auto first = edit.calls ? of.walk->first_changed() : std::nullopt;
            edit.from = first.value_or(0);
            AlteredWalk* const walked =
                first || !changes ? nullptr
                                  : &of.walked.emplace_back(right, open_, question_, ranking_, &edit);
            singles.push_back({&edit, changes, walked});
        }
        // Sorted by the first changed call, because pairs with the same first edit share all earlier calls.
        std::ranges::stable_sort(singles, {}, [](const Single& one) { return one.edit->from; });
        for (auto one = singles.begin(); one != singles.end(); ++one) {
            for (auto other = one + 1; other != singles.end(); ++other) {
                const bool may_be = (one->changes && other->changes) || one->reshapes() || other->reshapes();
                const double bits = right.bits + one->edit->bits + other->edit->bits;
                if (may_be && one->edit->mistake != other->edit->mistake && bits <= threshold::most_of_pair) {
                    const auto [first, second] =
                        std::ranges::minmax(one->edit, other->edit, {}, &WalkEdit::mistake);
                    AlteredWalk* const walked = one->walked != nullptr ? one->walked : other->walked;
                    add_to_queue(of, {walked != nullptr ? walked : of.walk.get(), {first, second}, bits});
                }
            }
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
                                      (is_alternative ? threshold::alternative : 0.0));
        }
        return most;
    }

    // ---- a single wrong number --------------------------------------------------------------------------

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
                work += of_each + 2 * target->pattern().work_in(right.trace.node(id).value.shape());
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
                const WalkEdit made{.mistake = find_mistake(id), .bits = find_mistake(id)->bits + slip->bits};
                Match match = ranking_.match(target, right, right.trace, step, slip->piece, {&made},
                                             target.readings[0]);
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
                take(*target, step, "mistyped", mistyped(target->pattern(), step));
                if (changes && target->pattern().fits(step.value.shape())) {
                    take(*target, step, "other-input", other.find(target->pattern(), id));
                }
            }
        }
        return only_convincing(std::move(found));
    }

    // Estimates the work of comparing all numbers with all pieces of the usual steps.
    Work work_of_nearest(const Pattern& pattern) const {
        Work work = 0;
        for (const RightStep& one : steps_of(walks_of({Kind::usual}))) {
            work += 2 * pattern.work_in(one.node().value.shape());
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
            patterns.push_back(&target.pattern());
            Diagnosis& found = all.emplace_back(std::move(target.found));
            found.is_named = !target.label.empty();
            std::ranges::stable_sort(found.matches, std::ranges::greater(), &Match::bits);
            if (std::ranges::none_of(found.matches, is_convincing)) {
                found.not_tried = left_out;
            }
            if (found.matches.empty() && !budget_.take(work_of_nearest(target.pattern()), "nearest")) {
                found.not_tried.emplace_back("nearest");
                continue;
            }
            for (const Kind kind : {Kind::usual, Kind::suggested}) {
                if (found.matches.empty() && !found.nearest) {
                    found.nearest = nearest(target.pattern(), question_.as, walks_of({kind}));
                }
            }
        }
        take_together(all, patterns, walks_of({Kind::usual}), question_);
        return all;
    }

    const Question& question_;
    Budget budget_{};
    Work begin_ = 0;                 // the work of the usual walks
    std::deque<RightWalk> walks_{};  // all right walks
    Ranking ranking_;
    std::vector<Target> targets_;
    std::vector<Target*> open_;  // the tensors that are still searched for
};

}  // namespace

// A rival is a mistake that gives the digits of a right step and is likely enough to be mentioned.
const Match* Diagnosis::rival() const {
    const bool may_be_result = !is_named && std::ranges::none_of(matches, [](const Match& right) {
        return right.mistakes.empty() && right.is_result;
    });
    const auto is_rival = [&](const Match& wrong) {
        const double less = matches.front().bits - wrong.bits;
        return !wrong.mistakes.empty() && std::ranges::any_of(matches, [&](const Match& right) {
            return right.mistakes.empty() && right.stage == wrong.stage &&
                   ((right.step == wrong.step && less < threshold::as_likely) ||
                    (may_be_result && wrong.is_result && less < threshold::as_likely_result));
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
