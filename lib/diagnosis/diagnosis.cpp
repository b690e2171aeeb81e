// The search begins with the explanations that cost least: right steps, rounded steps, different widths and
// layers, single mistakes, a single wrong number, a different seed, pairs of mistakes. It tries each,
// because running a small stage takes only microseconds. Every walk is compared with all pasted tensors. The
// search for a tensor ends when no remaining explanation can have a higher value than the best one.
#include "diagnosis/diagnosis.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <utility>

#include "diagnosis/altered_walk.hpp"
#include "diagnosis/bits.hpp"
#include "diagnosis/budget.hpp"
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
// The most numbers computed while all seeds of a walk are tried.
constexpr std::size_t most_unasked = 2'000'000;
// No mistake makes a step this many times as large.
constexpr std::size_t much_larger = 8;
// A pair of mistakes has at most this many bits. The rarer a pair is, the more bits it has, and pairs rarer
// than this would explain nearly any numbers.
constexpr double most_bits_of_pair = 30.0;
// An explanation that is worse than the best by more bits than this is not searched.
constexpr double alternative = 20.0;
constexpr double rare = 17.75;  // bits; rarer mistakes are tried only alone and at the usual parameters

class Search {
public:
    Search(const std::vector<const PrintedTensor*>& tensors, const Question& question)
        : question_(question),
          budget_(question.search_seeds ? 0.0 : question.seconds),
          usual_(right_walks(question, budget_)),
          ranking_(question, usual_) {
        for (const PrintedTensor* const tensor : tensors) {
            targets_.push_back({Pattern(*tensor), rounding_of_sums(*tensor), surprise(*tensor),
                                question.as.empty() ? labelled_step(tensor->name) : question.as});
        }
        for (Target& target : targets_) {
            open_.push_back(&target);
        }
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
            if (is_wanted && !open_.empty() && budget_.has_time(kind.name)) {
                (this->*kind.search)();
            }
        }
        return diagnoses();
    }

private:
    // ---- what is tried, and when ------------------------------------------------------------------------

    struct Kind {
        std::string_view name;  // a key of Diagnosis::not_tried
        Claim least_cost;
        bool is_unlikely;  // this search is only for unexplained tensors, if a match would be convincing
        void (Search::*search)();
        double margin = 0.0;  // matches that are worse than the best by fewer bits are also wanted
    };

    std::vector<Kind> kinds() const {
        const double likeliest = attempts({}).front().bits;
        const double of_seed = question_.search_seeds ? 0.0 : bits_of_seed(seeds_to_try(question_).size());
        return {
            {"steps", {}, false, &Search::try_usual},
            {"steps", {.parameters = cost::width}, false, &Search::try_unusual},
            {"mistakes", {.mistakes = {likeliest}}, false, &Search::try_mistakes, alternative},
            {"mistakes", {.parameters = cost::unlabelled_gradient}, true, &Search::try_gradients},
            {"slips", {.mistakes = {find_mistake("mistyped")->bits}}, true, &Search::try_slips},
            {"seeds", {.mistakes = {of_seed}}, true, &Search::try_seeds},
            {"pairs", {.mistakes = {likeliest, likeliest}}, true, &Search::try_pairs},
        };
    }

    void try_usual() {
        compare(usual_);
        compare_rounded(usual_);
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

    void try_mistakes() { make_mistakes(pointers_to({&usual_, &unusual_})); }

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
        search_forward(&Search::slips_in);
    }

    void try_seeds() { search_forward(&Search::seeds_in); }

    void try_pairs() { search_forward(&Search::pairs_in); }

    void search_forward(Matches (Search::*search)(const RightWalk&)) {
        for_each_walk(pointers_to({&usual_, &forward_}),
                      [&](const RightWalk& right) { return (this->*search)(right); });
    }

    // ---- the remaining time and tensors -----------------------------------------------------------------

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

    // Calls search(walk) for each walk, and adds the matches that it returns. Short walks are searched on all
    // threads at once. A long walk uses all threads itself, so long walks are searched one after the other.
    template <typename SearchOne>
    void for_each_walk(std::vector<const RightWalk*> walks, const SearchOne& search) {
        const auto long_ones = std::stable_partition(walks.begin(), walks.end(), [](const RightWalk* walk) {
            return effort(walk->trace) <= most_effort;
        });
        std::vector<Matches> found(static_cast<std::size_t>(long_ones - walks.begin()));
        parallel_for(found.size(), num_threads(),
                     [&](std::size_t i, std::size_t) { found[i] = search(*walks[i]); });
        std::ranges::for_each(found, add);
        for (auto walk = long_ones; walk != walks.end(); ++walk) {
            add(search(**walk));
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

    void compare(const std::vector<RightWalk>& walks) {
        const std::vector<RightStep> steps = steps_of(walks);
        std::vector<Matches> found(steps.size());
        parallel_for(steps.size(), num_threads(), [&](std::size_t i, std::size_t) {
            const auto& [right, step] = steps[i];
            for (Target* const target : open_) {
                const auto piece =
                    budget_.has_time("steps") ? target->pattern.find_in(step->value) : std::nullopt;
                std::optional<Match> match =
                    piece ? ranking_.match_right(*target, *right, *step, *piece) : std::nullopt;
                if (match) {
                    found[i].emplace_back(target, std::move(*match));
                }
            }
        });
        std::ranges::for_each(found, add);
    }

    // Searches for right numbers that were rounded differently. The finest rounding that explains them is
    // taken.
    void compare_rounded(const std::vector<RightWalk>& walks) {
        for (Target* const target : open_) {
            if (target->is_explained() || !budget_.has_time("steps")) {
                continue;
            }
            for (const Rounding& rounding : roundings(target->printed())) {
                for (const auto& [right, step] : steps_of(walks)) {
                    const std::optional<Piece> piece = rounding.pattern.find_in(step->value);
                    std::optional<Match> match =
                        piece && rounding.explains(*piece, step->value)
                            ? ranking_.match_right(*target, *right, *step, *piece, &rounding)
                            : std::nullopt;
                    if (match && is_convincing(*match)) {
                        target->add(std::move(*match));
                    }
                }
                if (target->is_explained()) {
                    break;
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
                    const bool is_open = !target->is_explained() && budget_.has_time("steps");
                    const auto piece = is_open ? target->pattern.find_in(nodes[id].value) : std::nullopt;
                    auto match = piece ? ranking_.match_between(*target, right, id, *piece) : std::nullopt;
                    if (match) {
                        target->add(std::move(*match));
                    }
                }
            }
        }
    }

    // ---- mistakes ---------------------------------------------------------------------------------------

    // Makes the mistakes in order of their cost, in all walks at once. So the search of all walks ends at the
    // cheapest explanation.
    void make_mistakes(std::vector<const RightWalk*> walks) {
        std::erase_if(walks, [this](const RightWalk* right) {
            return takes_too_long(right->trace) || right->bits > cost::further_topic;
        });
        struct Made {
            std::unique_ptr<AlteredWalk> walk;
            std::vector<Attempt> attempts;
            std::size_t count = 0;  // how many attempts were made
        };
        std::map<const RightWalk*, Made> made;
        for (const RightWalk* const right : walks) {
            made[right] = {std::make_unique<AlteredWalk>(*right, open_, question_, ranking_),
                           attempts(right->trace.parameters)};
        }
        for (double most = attempts({}).front().bits; !walks.empty(); most += 1.0) {
            for_each_walk(walks, [&](const RightWalk& right) {
                Matches found;
                Made& of = made.at(&right);
                for (; of.count < of.attempts.size(); ++of.count) {
                    const Attempt& attempt = of.attempts[of.count];
                    if (right.bits + attempt.bits > most) {
                        break;
                    }
                    if (is_worthwhile(right, attempt) && budget_.has_time("mistakes")) {
                        std::ranges::move(of.walk->attempt({&attempt}).matches, std::back_inserter(found));
                    }
                }
                return found;
            });
            std::erase_if(walks, [&](const RightWalk* right) {
                const Made& of = made.at(right);
                return of.count == of.attempts.size();
            });
        }
    }

    // Returns true if this mistake could be a better explanation of a tensor, or an alternative to mention.
    // To be mentioned, it must be in the same stage as another explanation, or there must be several tensors.
    bool is_worthwhile(const RightWalk& right, const Attempt& attempt) const {
        if (right.bits >= cost::width && attempt.bits > rare) {
            return false;
        }
        return std::ranges::any_of(open_, [&](const Target* target) {
            const bool is_alternative =
                effort(right.trace) <= quick &&
                (targets_.size() > 1 || std::ranges::any_of(target->found.matches, [&](const Match& match) {
                     return match.stage == right.trace.stage;
                 }));
            return best_of(*target) - (is_alternative ? alternative : 0.0) <
                   ranking_.most_worth(*target, {.parameters = right.bits, .mistakes = {attempt.bits}});
        });
    }

    // ---- unlikely mistakes ------------------------------------------------------------------------------

    // With few digits, an unlikely mistake would explain nearly anything.
    static Matches only_convincing(Matches found) {
        std::erase_if(found, [](const auto& one) { return one.second.bits < convincing; });
        return found;
    }

    Matches slips_in(const RightWalk& right) {
        constexpr std::size_t most_inputs = 256;
        const std::size_t inputs = question_.lesson.embeddings.count();
        const bool changes_inputs = uses(*right.trace.stage, "lesson") && inputs <= most_inputs &&
                                    !right.of_document && !right.trace.parameters.backward &&
                                    effort(right.trace) * inputs <= 10 * most_effort;
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
                if (target->is_nan() || !ranking_.is_asked_for(step) || !budget_.has_time("slips")) {
                    continue;
                }
                take(*target, step, "mistyped", mistyped(target->pattern, step));
                if (changes_inputs && target->pattern.fits(step.value.shape())) {
                    take(*target, step, "other-input", other.find(target->pattern, id));
                }
            }
        }
        return only_convincing(std::move(found));
    }

    // Returns true for walks at the user's own parameters. Unlikely mistakes are tried only in these.
    static bool is_own(const RightWalk& right) { return right.bits < convincing && !right.of_document; }

    Matches seeds_in(const RightWalk& right) {
        const std::vector<std::uint64_t> seeds = seeds_to_try(question_);
        const bool takes_long = effort(right.trace) * seeds.size() > most_unasked && !question_.search_seeds;
        if (!is_own(right) || !uses(*right.trace.stage, "seed") || takes_long || !may_hold(right.trace)) {
            return {};
        }
        Matches found;
        AlteredWalk altered(right, open_, question_, ranking_);
        for (std::uint64_t Parameters::*const which : {&Parameters::seed, &Parameters::dropout_seed}) {
            const OtherSeeds other(right, which, question_);
            for (const std::uint64_t seed : other.changes_anything() ? seeds : std::vector<std::uint64_t>()) {
                if (!budget_.has_time("seeds")) {
                    break;
                }
                const Attempt one = other.attempt(seed, bits_of_seed(seeds.size()));
                std::ranges::move(altered.attempt({&one}, other.first()).matches, std::back_inserter(found));
            }
        }
        return question_.search_seeds ? found : only_convincing(std::move(found));
    }

    // Tries pairs of mistakes. Both must change steps of a pasted shape, or one must give a step this shape.
    Matches pairs_in(const RightWalk& right) {
        if (!is_own(right) || right.trace.parameters.backward || effort(right.trace) > most_effort) {
            return {};
        }
        struct Single {
            const Attempt* attempt;
            bool changes;
            std::size_t from;                     // the first call that the mistake changes
            std::unique_ptr<AlteredWalk> walked;  // the walk with the mistake, if no edit can make it

            bool reshapes() const { return walked && walked->reshapes(); }
        };
        Matches found;
        std::vector<Attempt> all = attempts(right.trace.parameters);
        std::erase_if(all, [](const Attempt& one) { return one.bits > rare; });
        std::vector<Single> singles;
        AlteredWalk altered(right, open_, question_, ranking_);
        for (const Attempt& one : all) {
            const bool changes = altered.attempt({&one}).changes;
            const auto from = one.variant.edit ? altered.first_changed() : std::nullopt;
            singles.push_back({&one, changes, from.value_or(0),
                               from || !changes
                                   ? nullptr
                                   : std::make_unique<AlteredWalk>(right, open_, question_, ranking_, &one)});
        }
        // Sorted by the first changed call, because pairs with the same first mistake share all earlier
        // calls.
        std::ranges::stable_sort(singles, {}, &Single::from);
        for (auto one = singles.begin(); one != singles.end(); ++one) {
            for (auto other = one + 1; other != singles.end(); ++other) {
                const bool may_be = (one->changes && other->changes) || one->reshapes() || other->reshapes();
                if (!may_be || one->attempt->mistake == other->attempt->mistake ||
                    one->attempt->bits + other->attempt->bits > most_bits_of_pair ||
                    !budget_.has_time("pairs")) {
                    continue;
                }
                const auto [first, second] = std::ranges::minmax(
                    one->attempt, other->attempt, {}, [](const Attempt* tried) { return tried->mistake; });
                AlteredWalk* const walked = one->walked ? one->walked.get() : other->walked.get();
                Outcome pair = walked != nullptr ? walked->attempt({first, second})
                                                 : altered.attempt({first, second}, one->from);
                std::ranges::move(pair.matches, std::back_inserter(found));
            }
        }
        return only_convincing(std::move(found));
    }

    // ---- the answers ------------------------------------------------------------------------------------

    std::vector<Diagnosis> diagnoses() {
        std::vector<Diagnosis> all;
        std::vector<const Pattern*> patterns;
        for (Target& target : targets_) {
            patterns.push_back(&target.pattern);
            Diagnosis& found = all.emplace_back(std::move(target.found));
            found.is_named = !target.label.empty();
            std::ranges::stable_sort(found.matches, std::ranges::greater(), &Match::bits);
            if (std::ranges::none_of(found.matches, is_convincing)) {
                found.not_tried = budget_.left_out();
            }
            if (found.matches.empty() && budget_.is_late()) {
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
    Budget budget_;
    std::vector<RightWalk> usual_;  // right walks at the given parameters, and at those of the documents
    // Walks walks at widths that the pasted shapes suggest, or with other layers.
    std::vector<RightWalk> unusual_;
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

bool all_right(const std::vector<Diagnosis>& diagnoses) {
    const auto is_chosen = [](const Diagnosis& one) {
        return one.is_right() && !one.is_elsewhere && one.matches.front().not_chosen.empty();
    };
    return std::ranges::all_of(diagnoses, is_chosen) &&
           std::ranges::any_of(
               diagnoses, [](const Diagnosis& one) { return one.is_decided() && one.rival() == nullptr; });
}

namespace {

// Returns true if two pasted tensors are equal; their places in the text do not matter.
bool is_same(const PrintedTensor& a, const PrintedTensor& b) {
    return a.name == b.name && a.shown == b.shown && a.gaps == b.gaps && a.grad_fn == b.grad_fn &&
           a.dtype == b.dtype &&
           std::ranges::equal(a.numbers, b.numbers, [](const PrintedNumber& x, const PrintedNumber& y) {
               return std::bit_cast<std::uint64_t>(x.value) == std::bit_cast<std::uint64_t>(y.value) &&
                      x.decimals == y.decimals && x.exponent == y.exponent && x.notation == y.notation;
           });
}

}  // namespace

std::vector<Diagnosis> diagnose(const std::vector<PrintedTensor>& tensors, const Question& question) {
    // Equal tensors are searched once.
    std::vector<const PrintedTensor*> different;
    std::vector<std::size_t> answer;
    for (const PrintedTensor& tensor : tensors) {
        const auto known = std::ranges::find_if(
            different, [&](const PrintedTensor* other) { return is_same(*other, tensor); });
        answer.push_back(static_cast<std::size_t>(known - different.begin()));
        if (known == different.end()) {
            different.push_back(&tensor);
        }
    }
    std::list<PrintedTensor> rounded;
    for (const PrintedTensor*& tensor : different) {
        if (std::optional<PrintedTensor> shorter = without_float32_tails(*tensor)) {
            tensor = &rounded.emplace_back(std::move(*shorter));
        }
    }
    const std::vector<Diagnosis> found = Search(different, question).run();
    std::vector<Diagnosis> diagnoses;
    std::ranges::transform(answer, std::back_inserter(diagnoses), [&](std::size_t i) { return found[i]; });
    return diagnoses;
}

}  // namespace attn
