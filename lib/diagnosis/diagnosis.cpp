// An explanation is a right walk, at most two edits of it, and a reading of the pasted numbers. All
// explanations are in one queue, the cheapest first. Trying one takes only microseconds, because a stage is
// small. A walk that was compared adds its edits to the queue. The search ends when no explanation in the
// queue could be the best of a tensor, or when the work that is allowed is done.
// One thread chooses what has the same cost, within the budget. Its results are added in a fixed order. So
// the answer does not depend on the number of threads or their speed.
#include "diagnosis/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <list>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "diagnosis/altered_walk.hpp"
#include "diagnosis/costs.hpp"
#include "diagnosis/labels.hpp"
#include "diagnosis/nearest.hpp"
#include "diagnosis/ranking.hpp"
#include "diagnosis/readings.hpp"
#include "diagnosis/right_walks.hpp"
#include "diagnosis/seeds.hpp"
#include "diagnosis/target.hpp"
#include "diagnosis/together.hpp"
#include "diagnosis/wrong_number.hpp"
#include "mistakes/bits.hpp"
#include "mistakes/budget.hpp"
#include "mistakes/general_edits.hpp"
#include "mistakes/mistakes.hpp"
#include "tensor/threads.hpp"

namespace attn {

namespace {

// Limits of the search, most of them in numbers that a walk computes.
constexpr std::size_t quick = 5'000;  // walks below this effort are searched for further explanations, too
// Above this effort, searching pairs and parts of rows takes too long.
constexpr std::size_t most_effort = 200'000;
// No mistake makes a step this many times as large.
constexpr std::size_t much_larger = 8;

// Returns the work allowed for so many tensors, given the work of the right walks. The walks of a long lesson
// take longer, so they get more.
Work allowed(std::size_t tensors, Work of_walks) {
    constexpr Work first = 110'000'000;
    constexpr Work further = 3'000'000;
    constexpr Work most = 200'000'000;
    return std::min(first + further * (tensors - 1) + of_walks, most);
}
constexpr Work trials = 10'000;           // so many small trials are the work that is allowed
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
        : question_(question), usual_(add_walks(right_walks(question, budget_))), ranking_(question, usual_) {
        for (const RightStep& one : steps_of(usual_)) {
            largest_step_ = std::max(largest_step_, one.node().value.count());
        }
        for (const PrintedTensor* const tensor : tensors) {
            targets_.push_back({is_within_reach(*tensor)
                                    ? readings(*tensor)
                                    : std::vector<Reading>{{"", 0.0, 0.0, 0.0, Pattern(*tensor)}},
                                label_of(*tensor), most_matches});
        }
        const Work most = allowed(targets_.size(), budget_.used());
        little_ = most / trials;
        if (!question.search_seeds) {
            budget_.limit(budget_.used() + most);
        }
        for (Target& target : targets_) {
            if (is_within_reach(target.printed())) {
                within_reach_.push_back(&target);
            }
        }
        add_branch(0.0, [this] { compare_noise(); });
        add_branch(cost::width, [this] { add_other_walks(); });
        add_branch(cost::line, [this] { compare_lines(); });
        add_branch(cost::unlabelled_gradient, [this] { add_gradient_walks(); });
        add_branch(threshold::rare, [this] { add_rare(); });
    }

    std::vector<Diagnosis> run() {
        while (!queue_.empty()) {
            const auto first = queue_.extract(queue_.begin());
            for (const Branch& branch : first.mapped().branches) {
                open_ = open_at(branch.cost);
                if (!open_.empty()) {
                    branch.grow();
                }
            }
            try_edits(first.mapped().explanations);
            adopt_settings();
        }
        return diagnoses();
    }

private:
    // ---- the queue --------------------------------------------------------------------------------------

    // One or two edits of a walk.
    struct Explanation {
        AlteredWalk* walk;
        WalkEdits edits;
        double cost;  // of the walk and the edits
    };

    // Compares right walks, or adds explanations to the queue that cost at least this much.
    struct Branch {
        double cost;
        std::function<void()> grow;
    };

    // The branches and explanations of one place in the queue. They are tried at once.
    struct Level {
        std::vector<Branch> branches{};
        std::vector<Explanation> explanations{};
    };

    // Returns the place in the queue: the cost in whole bits, and two bits more for each doubling of the work
    // above `little_`. So a few long walks do not use up the budget.
    int place(double cost, Work work) const {
        const double doublings = bits_for(static_cast<double>(work) / static_cast<double>(little_));
        return static_cast<int>(std::ceil(cost) + std::floor(2.0 * doublings));
    }

    void add_branch(double cost, std::function<void()> grow, Work work = 0) {
        queue_[place(cost, work)].branches.push_back({cost, std::move(grow)});
    }

    void add_explanation(Explanation one) {
        if (one.cost <= threshold::most) {
            queue_[place(one.cost, one.walk->work_of(one.edits))].explanations.push_back(std::move(one));
        }
    }

    // Adds walks to the queue, and their known mistakes.
    Walks add_walks(std::vector<RightWalk> walks) {
        std::map<double, Walks> by_cost;
        Walks added;
        for (RightWalk& right : walks) {
            added.push_back(&walks_.emplace_back(std::move(right)));
            by_cost[added.back()->cost()].push_back(added.back());
        }
        for (const auto& [cost, some] : by_cost) {
            add_branch(cost, [this, of = some] { compare(of); });
            add_branch(cost + mistakes().front().bits, [this, of = some] { add_known(of); });
        }
        return added;
    }

    // Returns the tensors that an explanation of this cost may be for. A rare one must be convincing and is
    // only for unexplained tensors, because with few digits rare explanations would explain nearly anything.
    std::vector<Target*> open_at(double cost) const {
        std::vector<Target*> open = within_reach_;
        std::erase_if(open, [&](const Target* target) {
            return is_rare(cost) &&
                   (question_.only_likely || target->is_explained() || target->may_be_right() ||
                    ranking_.most_worth(*target, cost) < convincing_mistake);
        });
        return open;
    }

    static bool is_rare(double cost) { return cost >= threshold::rare; }

    // Keeps only the open tensors that an explanation of this cost could explain better.
    void keep_improved(double cost) {
        std::erase_if(open_, [&](const Target* target) {
            return ranking_.most_worth(*target, cost) <= best_of(*target);
        });
    }

    // ---- right walks ------------------------------------------------------------------------------------

    // Adds walks at other widths, and with other layers.
    void add_other_walks() {
        keep_improved(cost::width);
        if (open_.empty()) {
            return;
        }
        add_walks(those_that_may_hold(resized_walks(open_, question_, budget_)));
        add_walks(other_layers_walks(
            without_stages([this](const RightWalk& right) { return !takes_too_long(right.trace); }),
            budget_));
    }

    void add_gradient_walks() {
        keep_improved(cost::unlabelled_gradient);
        const auto has_weight = [this](const RightWalk& right) {
            return std::ranges::any_of(right.trace.notebook.nodes(), [this](const Node& node) {
                return node.name.starts_with("W_") && node.call.operation->is_tensor() && may_hold(node);
            });
        };
        add_walks(those_that_may_hold(gradient_walks(without_stages(has_weight), budget_)));
    }

    // If a tensor has shown a different setting, such as a seed, adds its walk for the other tensors.
    void adopt_settings() {
        for (const auto& [target, match] : std::exchange(shown_, {})) {
            const bool is_known = std::ranges::any_of(walks_, [&match = match](const RightWalk& walk) {
                return walk.trace.stage == match.stage && walk.settings == match.mistakes &&
                       same(walk.trace.parameters, match.parameters);
            });
            if (match.bits > best_of(*target) - convincing && !is_known) {
                RightWalk right{
                    .trace = walk(*match.stage, question_.lesson, match.parameters, question_.inputs),
                    .not_chosen = match.not_chosen,
                    .settings = match.mistakes};
                budget_.count(work_of(right.trace));
                add_walks({std::move(right)});
            }
        }
    }

    // Returns the step that the question or the tensor's label names. In a stage that the reader chose, the
    // label may be the name of any step.
    std::string label_of(const PrintedTensor& tensor) const {
        const std::string label = question_.as.empty() ? labelled_step(tensor.name) : question_.as;
        const bool names_step = std::ranges::any_of(usual_, [&](const RightWalk* right) {
            return right->trace.find(tensor.name) && is_chosen(*right->trace.stage);
        });
        return label.empty() && names_step ? tensor.name : label;
    }

    bool is_chosen(const Stage& stage) const {
        return std::ranges::any_of(question_.candidates, [&](const Candidate& candidate) {
            return candidate.stage == &stage && candidate.asked_for;
        });
    }

    // ---- the remaining tensors --------------------------------------------------------------------------

    // Returns false for a tensor that is much larger than any step and cannot be a step at a different width.
    bool is_within_reach(const PrintedTensor& tensor) const {
        return tensor.numbers.size() <= much_larger * largest_step_ || may_be_resized(tensor, question_);
    }

    // Returns the value of the target's best match.
    static double best_of(const Target& target) {
        double best = -std::numeric_limits<double>::infinity();
        for (const Match& match : target.found.matches) {
            best = std::max(best, match.bits);
        }
        return best;
    }

    // Returns true if an open tensor could be a step of this walk, or a piece of one.
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
            return std::ranges::none_of(usual_, [&](const RightWalk* right) {
                return right->trace.stage == candidate.stage && test(*right);
            });
        });
        return rest;
    }

    std::vector<RightWalk> those_that_may_hold(std::vector<RightWalk> walks) const {
        std::erase_if(walks, [this](const RightWalk& right) { return !may_hold(right.trace); });
        return walks;
    }

    void add(const Matches& found) {
        for (const auto& [target, match] : found) {
            target->add(match);
            if (targets_.size() > 1 && match.is_convincing() && match.mistakes.size() == 1 &&
                match.has_other_settings()) {
                shown_.emplace_back(target, match);
            }
        }
    }

    // ---- right numbers ----------------------------------------------------------------------------------

    // Compares the steps of these walks with each reading of the tensors, the exact one first. A
    // reading by rounding must be convincing, and the first that explains a tensor is taken. Long steps are
    // compared later with the readings by rounding.
    void compare(const Walks& walks) {
        std::vector<RightStep> steps = steps_of(walks);
        std::erase_if(steps, [this](const RightStep& step) { return is_as_usual(step); });
        compare(steps, open_, 0);
        for (const auto& [later, some] : by_place(steps)) {
            const auto compare_rest = [this, of = some] {
                std::vector<Target*> targets = open_;
                for (std::size_t n = 1; !targets.empty(); ++n) {
                    std::erase_if(targets, [n](const Target* target) {
                        return target->is_explained() || target->readings.size() <= n;
                    });
                    compare(of, targets, n);
                }
            };
            if (later == 0) {
                compare_rest();
            } else {
                add_branch(walks.front()->cost(), compare_rest, work_of_comparing(open_, some.front()));
            }
        }
    }

    // Returns the steps by their places in the queue, because long ones wait.
    std::map<int, std::vector<RightStep>> by_place(const std::vector<RightStep>& steps) const {
        std::map<int, std::vector<RightStep>> places;
        for (const RightStep& step : steps) {
            places[place(0.0, work_of_comparing(open_, step))].push_back(step);
        }
        return places;
    }

    // Returns true if a different setting leaves this step as it is, as a different seed leaves a mask.
    bool is_as_usual(const RightStep& step) const {
        return !step.walk->settings.empty() && std::ranges::any_of(usual_, [&](const RightWalk* usual) {
            const std::optional<std::size_t> same = usual->trace.find(step.node().name);
            return usual->trace.stage == step.walk->trace.stage && same &&
                   identical(usual->trace.node(*same).value, step.node().value);
        });
    }

    void compare(const std::vector<RightStep>& steps, const std::vector<Target*>& targets, std::size_t n,
                 bool may_be_chance = false) {
        for_each_step(steps, targets, "steps", [&](Target& target, const RightStep& step) {
            const Reading& reading = target.readings[n];
            const bool must_convince =
                n > 0 || (step.walk->bits >= cost::unlabelled_gradient && !may_be_chance);
            // Inputs and drawn weights are no sums, so no order of a sum changes them.
            const Call& call = step.node().call;
            const bool is_sum = !call.inputs.empty() && !call.operation->is_parameter();
            const std::optional<Piece> piece =
                is_sum || reading.name != "float32" ? reading.find_in(step.node().value) : std::nullopt;
            std::optional<Match> match =
                piece ? ranking_.match_right(target, step, *piece, reading) : std::nullopt;
            return match && must_convince && !match->is_convincing() ? std::nullopt : match;
        });
    }

    // Calls search(target, step) for these tensors and steps, within the budget, and adds the matches.
    template <typename SearchOne>
    void for_each_step(std::vector<RightStep> steps, const std::vector<Target*>& targets,
                       std::string_view name, const SearchOne& search) {
        std::erase_if(steps, [&](const RightStep& one) {
            return targets.empty() || !budget_.take(work_of_comparing(targets, one), name);
        });
        for_each(steps.size(), at_once(targets.size()), [&](std::size_t i) {
            Matches found;
            for (Target* const target : targets) {
                if (std::optional<Match> match = search(*target, steps[i])) {
                    found.emplace_back(target, std::move(*match));
                }
            }
            return found;
        });
    }

    static Work work_of_comparing(Targets targets, const RightStep& step) {
        Work work = 0;
        for (const Target* const target : targets) {
            work += target->pattern().work_in(step.node().value.shape());
        }
        return work;
    }

    // Adds the search for a single wrong digit in these walks.
    void add_mistyped(const Walks& walks) {
        std::vector<RightStep> steps = steps_of(walks);
        std::erase_if(steps, [this](const RightStep& step) { return !ranking_.is_asked_for(step.node()); });
        for (const auto& [later, some] : by_place(steps)) {
            add_branch(
                threshold::rare,
                [this, of = some] {
                    for_each_step(of, open_, "numbers", [this](Target& target, const RightStep& step) {
                        return mistyped(target, step, ranking_);
                    });
                },
                work_of_comparing(open_, some.front()));
        }
    }

    // Searches gradients that are 0 up to rounding, such as those of the keys' bias. Their digits differ
    // between versions of PyTorch, so only the size of the numbers is compared.
    void compare_noise() {
        for (const RightStep& step : steps_of(usual_)) {
            const double noise = most_noise(step.walk->trace, step.node());
            for (Target* const target : noise > 0.0 ? open_ : std::vector<Target*>()) {
                if (target->is_explained() || !target->printed().fits(step.node().value.shape()) ||
                    target->printed().summarised()) {
                    continue;
                }
                const double size = largest(target->printed());
                if (size == 0.0 || size > noise) {
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

    // Compares the intermediate results of the steps' lines, such as the scaled scores before softmax, and
    // tensors that are not shown, such as the weight of out_proj.
    void compare_lines() {
        keep_improved(cost::line);
        std::erase_if(open_, [](const Target* target) { return !target->label.empty() || target->is_nan(); });
        std::vector<RightStep> lines;
        for (const RightWalk* const right : usual_) {
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
        compare(lines, open_, 0);
    }

    // ---- edits ------------------------------------------------------------------------------------------

    // A walk, and the edits to try in it.
    struct Edited {
        Edited(const RightWalk& right, Targets open, const Question& question, const Ranking& ranking)
            : walk(right, open, question, ranking) {}

        AlteredWalk walk;
        std::list<std::vector<WalkEdit>> edits{};
        std::list<AlteredWalk> walked{};  // one for each edit of a pair that only a walk can make
    };

    void add_edits(Edited& of, std::vector<WalkEdit> edits) {
        of.edits.push_back(std::move(edits));
        for (const WalkEdit& edit : of.edits.back()) {
            add_explanation({&of.walk, {&edit}, of.walk.right().cost() + edit.bits});
        }
    }

    Edited& edited(const RightWalk& right) { return edited_.emplace_back(right, open_, question_, ranking_); }

    void add_known(const Walks& walks) {
        for (const RightWalk* const right : walks) {
            if (takes_too_long(right->trace) || right->bits > cost::further_topic) {
                continue;
            }
            Edited& of = edited(*right);
            add_edits(of, known(*right));
            add_seeds(of, seeds_to_try(question_, false));
        }
    }

    // Adds what is tried only in the user's own walks: general edits, all seeds, pairs of known edits, and
    // single wrong numbers. Backward passes take long, so most is tried in the forward pass.
    void add_rare() {
        Walks own;
        for (const RightWalk* const right : usual_) {
            if (right->trace.parameters.backward) {
                Parameters parameters = right->trace.parameters;
                parameters.backward = false;
                RightWalk& forward = walks_.emplace_back(*right);
                forward.trace = walk(*right->trace.stage, question_.lesson, parameters, question_.inputs);
                own.push_back(&forward);
            }
        }
        own.insert(own.begin(), usual_.begin(), usual_.end());
        add_mistyped(own);
        for (const RightWalk* const right : own) {
            if (const Work work = work_of_other_input(*right, open_, question_); work > 0) {
                add_branch(right->bits + threshold::rare, [this, right, work] {
                    if (budget_.take(work, "numbers")) {
                        add(other_inputs(*right, open_, question_, ranking_));
                    }
                });
            }
            const bool is_of_chapter = right->trace.stage->group == StageGroup::documents;
            if ((!is_of_chapter && !is_chosen(*right->trace.stage)) || right->of_document ||
                !may_hold(right->trace)) {
                continue;
            }
            Edited& of = edited(*right);
            if (effort(right->trace) <= most_effort) {
                add_edits(of, general_edits(right->trace.notebook));
            }
            if (effort(right->trace) <= most_effort && !right->trace.parameters.backward) {
                add_branch(
                    right->bits + 2.0 * mistakes().front().bits, [this, &of] { add_pairs(of); },
                    work_of_singles(of));
            }
            add_seeds(of, seeds_to_try(question_, true));
        }
    }

    void add_seeds(Edited& of, const Seeds& seeds) {
        const RightWalk& right = of.walk.right();
        const double cost = right.cost() + seeds.bits;
        const Work work = work_of(right.trace);
        if (!uses(*right.trace.stage, "seed")) {
            return;
        }
        add_branch(
            cost,
            [this, &of, &right, seeds, cost, work] {
                for (std::uint64_t Parameters::*const which :
                     {&Parameters::seed, &Parameters::dropout_seed}) {
                    if (cost < most_worthwhile(right, cost) && budget_.take(work, "seeds")) {
                        add_edits(of, seed_edits(right, which, question_, seeds));
                    }
                }
            },
            work);
    }

    // Estimates the work of making each known edit once.
    static Work work_of_singles(const Edited& of) {
        constexpr Work edits = 250;
        return edits * of.walk.work_of({});
    }

    // Adds the pairs of known edits. Both must change steps of a pasted shape, or one must give a step this
    // shape.
    void add_pairs(Edited& of) {
        struct Single {
            const WalkEdit* edit;
            bool changes;
            AlteredWalk* walked;  // the walk with the edit, if only a walk can make it

            bool reshapes() const { return walked != nullptr && walked->reshapes(); }
        };
        const RightWalk& right = of.walk.right();
        std::vector<Single> singles;
        if (!budget_.take(work_of_singles(of), "pairs")) {
            return;
        }
        for (WalkEdit& edit : of.edits.emplace_back(known(right))) {
            if (is_rare(edit.bits)) {
                continue;
            }
            const bool changes = of.walk.make({&edit}).changes;
            const auto first = edit.calls ? of.walk.first_changed() : std::nullopt;
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
                if (may_be && one->edit->mistake != other->edit->mistake) {
                    const auto [first, second] =
                        std::ranges::minmax(one->edit, other->edit, {}, &WalkEdit::mistake);
                    AlteredWalk* const walked = one->walked != nullptr ? one->walked : other->walked;
                    add_explanation({walked != nullptr ? walked : &of.walk,
                                     {first, second},
                                     right.bits + first->bits + second->bits});
                }
            }
        }
    }

    // Returns the known edits, without those that the question leaves out.
    std::vector<WalkEdit> known(const RightWalk& right) const {
        std::vector<WalkEdit> all = known_edits(right.trace.parameters);
        std::erase_if(all, [&](const WalkEdit& one) {
            return std::ranges::find(question_.unknown, one.mistake->id) != question_.unknown.end();
        });
        return all;
    }

    // Tries the explanations of each walk in order, and all walks at once. A long walk uses all threads
    // itself, so long walks are tried one after the other.
    void try_edits(const std::vector<Explanation>& all) {
        std::map<std::pair<const RightWalk*, bool>, double> worthwhile;
        std::map<AlteredWalk*, std::size_t> places;
        std::vector<std::vector<const Explanation*>> tried;  // in each walk
        bool are_long = false;
        for (const Explanation& one : all) {
            const RightWalk* const right = &one.walk->right();
            const auto [most, is_new] = worthwhile.emplace(std::pair(right, is_rare(one.cost)), 0.0);
            most->second = is_new ? most_worthwhile(*right, one.cost) : most->second;
            if (one.cost < most->second && budget_.take(one.walk->work_of(one.edits), search_of(one.edits))) {
                const std::size_t place = places.emplace(one.walk, tried.size()).first->second;
                tried.resize(std::max(tried.size(), place + 1));
                tried[place].push_back(&one);
                are_long = are_long || effort(right->trace) > most_effort;
            }
        }
        std::vector<Work> work(tried.size());
        const auto try_walk = [&](std::size_t i) {
            Matches found;
            for (const Explanation* const one : tried[i]) {
                Outcome outcome = one->walk->make(one->edits);
                work[i] += outcome.work;
                std::erase_if(outcome.matches, [&](const auto& match) {
                    return is_rare(one->cost) && !match.second.is_convincing();
                });
                std::ranges::move(outcome.matches, std::back_inserter(found));
            }
            return found;
        };
        for_each(tried.size(), are_long ? 1 : at_once(within_reach_.size()), try_walk);
        for (const Work done : work) {
            budget_.count(done);
        }
    }

    // Returns for how many walks or steps the matches of so many tensors are kept before they are added,
    // because those of many short tensors need much memory.
    static std::size_t at_once(std::size_t tensors) {
        return std::max<std::size_t>(200'000 / std::max<std::size_t>(tensors, 1), 2);
    }

    // Calls search(i) for each i on all threads, and adds the matches that it returns after each part.
    template <typename SearchOne>
    void for_each(std::size_t count, std::size_t part, const SearchOne& search) {
        for (std::size_t from = 0; from < count; from += part) {
            std::vector<Matches> found(std::min(part, count - from));
            parallel_for(found.size(), num_threads(),
                         [&](std::size_t i, std::size_t) { found[i] = search(from + i); });
            for (const Matches& some : found) {
                add(some);
            }
        }
    }

    // Returns the name of the search that a lack of work would leave out.
    static std::string_view search_of(const WalkEdits& edits) {
        return edits.size() > 1 ? "pairs" : edits[0]->mistake->id == "other-seed" ? "seeds" : "mistakes";
    }

    // Returns the cost below which a mistake in this walk could be a better explanation of a tensor, or an
    // alternative to mention. To be mentioned, it must be in the same stage as another explanation, or there
    // must be several tensors.
    double most_worthwhile(const RightWalk& right, double cost) const {
        double most = 0.0;
        for (const Target* const target : open_at(cost)) {
            const bool is_alternative =
                effort(right.trace) <= quick &&
                (targets_.size() > 1 || std::ranges::any_of(target->found.matches, [&](const Match& match) {
                     return match.stage == right.trace.stage;
                 }));
            most = std::max(most, ranking_.most_worth(*target, 0.0) - best_of(*target) +
                                      (is_alternative ? threshold::alternative : 0.0));
        }
        return most;
    }

    // ---- the answers ------------------------------------------------------------------------------------

    // Estimates the work of comparing all numbers with all pieces of the usual steps.
    Work work_of_nearest(const Pattern& pattern) const {
        Work work = 0;
        for (const RightStep& one : steps_of(usual_)) {
            work += 2 * pattern.work_in(one.node().value.shape());
        }
        return work;
    }

    std::vector<Diagnosis> diagnoses() {
        std::vector<Diagnosis> all;
        std::vector<const Pattern*> patterns;
        const std::vector<std::string_view> left_out = budget_.left_out();
        Walks others;
        for (std::size_t i = usual_.size(); i < walks_.size(); ++i) {
            others.push_back(&walks_[i]);
        }
        budget_.limit(budget_.used() + for_nearest);
        std::vector<Target*> unmatched = within_reach_;
        std::erase_if(unmatched, [](const Target* target) { return !target->found.matches.empty(); });
        compare(steps_of(usual_), unmatched, 0, true);  // agreement by chance is better than no answer
        for (Target& target : targets_) {
            patterns.push_back(&target.pattern());
            Diagnosis& found = all.emplace_back(std::move(target.found));
            found.is_named = !target.label.empty();
            std::ranges::stable_sort(found.matches, std::ranges::greater(), &Match::bits);
            if (std::ranges::none_of(found.matches, &Match::is_convincing)) {
                found.not_tried = left_out;
            }
            if (found.matches.empty() && !budget_.take(work_of_nearest(target.pattern()), "nearest")) {
                found.not_tried.emplace_back("nearest");
                continue;
            }
            for (const Walks& walks : {usual_, others}) {
                if (found.matches.empty() && !found.nearest) {
                    found.nearest = nearest(target.pattern(), question_.as, walks);
                }
            }
        }
        take_together(all, patterns, usual_, question_);
        return all;
    }

    const Question& question_;
    Budget budget_{};
    Work little_ = 1;  // the work of a trial that does not count
    std::map<int, Level> queue_{};
    std::deque<RightWalk> walks_{};  // all right walks
    std::list<Edited> edited_{};
    Walks usual_;  // those at the parameters of the user or of a document
    Ranking ranking_;
    std::size_t largest_step_ = 0;  // the numbers of the largest usual step
    std::vector<Target> targets_;
    std::vector<Target*> within_reach_{};
    std::vector<Target*> open_{};  // the tensors for which explanations of the present cost are tried
    Matches shown_{};              // of settings that may be adopted
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
           std::ranges::all_of(mistakes, [](auto id) { return is_about(id, About::setting); });
}

bool all_right(const std::vector<Diagnosis>& diagnoses) {
    std::set<const Stage*> stages;  // that have a tensor with enough digits
    for (const Diagnosis& one : diagnoses) {
        const bool is_told = one.is_decided() && one.rival() == nullptr;
        for (const Match& match : is_told ? one.matches : std::vector<Match>()) {
            if (match.mistakes.empty()) {
                stages.insert(match.stage);
            }
        }
    }
    const auto is_of_these = [&](const Match& match) {
        return match.mistakes.empty() && stages.contains(match.stage);
    };
    // A number that chance may have found in another stage says nothing.
    return !stages.empty() && std::ranges::all_of(diagnoses, [&](const Diagnosis& one) {
        return one.is_right() && !one.is_elsewhere && one.matches.front().not_chosen.empty() &&
               (one.is_decided() || std::ranges::any_of(one.matches, is_of_these));
    });
}

namespace {

// Orders tensors so that equal ones are found; their places in the paste do not matter.
bool comes_before(const PrintedTensor* a, const PrintedTensor* b) {
    const auto head = [](const PrintedTensor& x) {
        return std::tuple(x.numbers.size(), x.shown.text(), std::tie(x.name, x.grad_fn, x.dtype, x.gaps));
    };
    const auto digits = [](const PrintedNumber& x) {
        return std::tuple(std::bit_cast<std::uint64_t>(x.value), x.decimals, x.exponent, x.notation);
    };
    const auto head_of_a = head(*a);
    const auto head_of_b = head(*b);
    return head_of_a != head_of_b
               ? head_of_a < head_of_b
               : std::ranges::lexicographical_compare(a->numbers, b->numbers, {}, digits, digits);
}

}  // namespace

std::vector<Diagnosis> diagnose(const std::vector<PrintedTensor>& tensors, const Question& question) {
    // Equal tensors are searched once.
    std::vector<const PrintedTensor*> different;
    std::vector<std::size_t> answer;
    std::map<const PrintedTensor*, std::size_t, decltype(&comes_before)> known(comes_before);
    for (const PrintedTensor& tensor : tensors) {
        const auto [same, is_new] = known.emplace(&tensor, different.size());
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
