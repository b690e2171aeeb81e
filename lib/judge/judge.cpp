// 1. Takes the code's tensors, and the expression that each output shows, from followed_code.hpp.
// 2. Walks stages with the lessons, seeds, sizes and weights of the code. A tensor that equals a step is
// right.
// 3. Asks diagnosis.hpp for a mistake in other results of attention. Plain sums and the like are by-products.
// 4. Marks the tensors that depend on a mistake.
#include "judge/judge.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "diagnosis/bits.hpp"
#include "diagnosis/labels.hpp"
#include "files/tensor_file.hpp"
#include "judge/attention_pattern.hpp"
#include "judge/code_graph.hpp"
#include "judge/code_names.hpp"
#include "judge/followed_code.hpp"
#include "judge/found_steps.hpp"
#include "judge/lessons.hpp"
#include "stages/catalogue.hpp"
#include "stages/shipped.hpp"
#include "tensor/digits.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"
#include "tensor/reduce.hpp"

namespace attn {

namespace {

using Ids = std::vector<std::size_t>;

struct Status {
    OutputVerdict verdict = OutputVerdict::unknown;
    std::vector<Found> found{};
    std::optional<std::size_t> culprit{};  // the node that departs first
    bool is_swapped = false;               // right numbers under the name of another step
    std::optional<std::size_t> beside{};   // of right numbers: a node that departs before them
    bool is_dropped = false;               // computed from weights that is_dropped_as_set()
};

class Judge {
public:
    Judge(const Document& document, const Question& question)
        : document_(document),
          question_(question),
          followed_(follow_outputs(document)),
          nodes_(followed_.flow.nodes),
          graph_(followed_.flow),
          pattern_(graph_),
          lessons_(graph_, question),
          status_(nodes_.size()),
          is_judged_(nodes_.size()) {
        result_.outputs = std::move(followed_.outputs);
    }

    Judgement run() {
        find_outdated();
        find_relevant();
        ask_numbers();
        find_mistaken_masks();
        for (std::size_t i = 0; i < result_.outputs.size(); ++i) {
            judge(i);
        }
        recognise_stage();
        state_settings();
        return std::move(result_);
    }

private:
    // Marks the nodes that are computed from a cell that ran again later.
    void find_outdated() {
        outdated_.assign(nodes_.size(), std::nullopt);
        for (std::size_t id = 0; id < nodes_.size(); ++id) {
            const std::size_t count = nodes_[id].place.execution_count.value_or(0);
            for (const std::size_t operand : nodes_[id].operands) {
                const bool is_later = nodes_[operand].place.execution_count.value_or(0) > count;
                outdated_[id] = outdated_[id]           ? outdated_[id]
                                : outdated_[operand]    ? outdated_[operand]
                                : is_later && count > 0 ? std::optional(operand)
                                                        : std::nullopt;
            }
        }
    }

    std::optional<std::size_t> node_of(std::size_t output) const { return followed_.node_of(output); }

    // True if the same seed is set directly before two layers of queries, keys and values.
    bool sets_seed_often() const {
        std::set<std::pair<std::uint64_t, std::string>> seen;
        std::set<std::pair<std::uint64_t, std::optional<std::size_t>>> seeds;  // with the cell
        for (const Drawn& draw : followed_.flow.draws) {
            const std::string named = graph_.named_step(draw.node);
            const bool is_first =
                draw.seed && draw.earlier == 0 && !named.empty() && seen.emplace(*draw.seed, named).second;
            if (is_first && !seeds.emplace(*draw.seed, nodes_[draw.node].place.cell).second) {
                return true;
            }
        }
        return false;
    }

    // ---- what belongs to the chapter --------------------------------------------------------------------

    // Marks the nodes that depend on a lesson or on weights of attention.
    void find_relevant() {
        is_relevant_.clear();
        for (std::size_t id = 0; id < nodes_.size(); ++id) {
            is_relevant_.push_back(pattern_.belongs(id));
        }
        for (const Chapter& chapter : lessons_.chapters()) {
            for (std::size_t id = 0; id < nodes_.size(); ++id) {
                is_relevant_[id] = is_relevant_[id] || is_node_of(chapter, id);
            }
        }
        const auto mark_weight = [&](const std::string& name, std::size_t node) {
            const bool is_bias = name.ends_with(".bias");
            if (!weight_role(is_bias ? name.substr(0, name.size() - 5) : name).empty()) {
                is_relevant_[node] = true;
            }
        };
        for (const Module& module : followed_.flow.modules) {
            for (const auto& [name, node] : module.tensors) {
                mark_weight(name, node);
            }
        }
        for (std::size_t id = 0; id < nodes_.size(); ++id) {
            const Computed& node = nodes_[id];
            if ((is_draw(node.operation) || node.operation == "printed") && node.value.rank() <= 2) {
                mark_weight(node.name, id);
            }
            const bool is_product = multiplies(node.operation);
            const bool is_mixed = std::ranges::any_of(
                node.operands, [&](std::size_t operand) { return is_relevant_[operand]; });
            if (is_mixed && is_product) {
                for (const std::size_t operand :
                     node.operands) {  // weights that the lesson is multiplied with
                    is_relevant_[operand] = is_relevant_[operand] || is_draw(nodes_[operand].operation);
                }
            }
            is_relevant_[id] = is_relevant_[id] ||
                               (is_mixed && std::ranges::all_of(node.operands, [&](std::size_t operand) {
                                    return is_relevant_[operand] || graph_.is_harmless(operand) || is_product;
                                }));
        }
    }

    // ---- verdicts ---------------------------------------------------------------------------------------

    const Status& status(std::size_t id) {
        if (!is_judged_[id]) {
            is_judged_[id] = true;
            status_[id] = decide(id);
            OutputVerdict& verdict = status_[id].verdict;
            const bool is_open = verdict == OutputVerdict::consistent || verdict == OutputVerdict::unknown;
            verdict = is_open && pattern_.is_right(id) ? OutputVerdict::settings : verdict;
        }
        return status_[id];
    }

    // True for the embeddings of a chapter, also of a cell that ran twice.
    bool is_node_of(const Chapter& chapter, std::size_t id) const {
        const Computed& node = nodes_[id];
        return chapter.node && (chapter.node == id || (node.operands.empty() && !is_draw(node.operation) &&
                                                       identical(nodes_[*chapter.node].value, node.value)));
    }

    bool is_altered_lesson(std::size_t id) const {
        return std::ranges::any_of(lessons_.chapters(), [&](const Chapter& chapter) {
            return chapter.is_altered && is_node_of(chapter, id);
        });
    }

    static bool all_ones(const Tensor& x) {
        return std::ranges::all_of(x.values(), [](float one) { return std::abs(one - 1.0F) < 1e-4F; });
    }

    // True for masks.
    static bool is_binary(const Tensor& x) {
        return std::ranges::all_of(x.values(),
                                   [](float one) { return one == 0.0F || one == 1.0F || std::isinf(one); });
    }

    // True for square masks that show each token some tokens around it: not those of the chapter.
    static bool is_window(const Tensor& x) {
        const std::size_t n = x.rank() < 2 || x.size(-1) != x.size(-2) ? 0 : x.size(-1);
        const auto changes = [&](std::size_t row) {
            std::size_t count = 0;
            for (std::size_t i = row * n + 1; i < (row + 1) * n; ++i) {
                count += x.values()[i] != x.values()[i - 1] ? 1 : 0;
            }
            return count;
        };
        bool is_banded = n > 3;
        bool has_middle = false;
        for (std::size_t row = 0; is_banded && row < n; ++row) {
            is_banded = changes(row) <= 2 &&
                        (row == 0 || x.values()[row * n + row] == x.values()[(row - 1) * n + row - 1]);
            has_middle = has_middle || changes(row) == 2;
        }
        return is_banded && has_middle;
    }

    // The sum or difference that a node tests, perhaps by its largest part.
    const Computed& tested_by(std::size_t id) const {
        const auto is_test = [](std::string_view name) {
            return is_move(name) || name == "abs" || name == "max" || name == "compare";
        };
        while (is_test(nodes_[id].operation) && !nodes_[id].operands.empty()) {
            id = nodes_[id].operands[0];
        }
        return nodes_[id];
    }

    // The mistake of a view without a transpose; empty for other nodes. It puts the heads before the tokens,
    // (b, n, d) to (b, heads, n, d / heads), or joins them, (b, heads, n, d) to (b, n, heads · d).
    std::string_view mistake_of_view(std::size_t id) {
        const Computed& node = nodes_[id];
        const Shape from = node.operands.empty() ? Shape{} : nodes_[node.operands[0]].value.shape();
        const Shape& to = node.value.shape();
        if (!is_relevant_[id] || node.operation != "view" || from.rank() < 2 ||
            (status(node.operands[0]).found.empty() && !pattern_.is_right(node.operands[0]))) {
            return "";
        }
        const std::size_t tokens = from.rank() - 2;
        if (to.rank() == from.rank() + 1 && to[tokens] != from[tokens] && to[tokens + 1] == from[tokens]) {
            return "heads-view-without-transpose";
        }
        const std::size_t heads = from.rank() < 3 ? 0 : from.rank() - 3;
        return to.rank() + 1 == from.rank() && from.rank() > 2 && from[heads] > 1 &&
                       from[heads] != from[heads + 1] && to[heads] == from[heads + 1] &&
                       to[heads + 1] == from[heads] * from[heads + 2]
                   ? "heads-merged-without-transpose"
                   : "";
    }

    // The axis, counted from the end, over which scores are normalised instead of the last: 2 for the columns
    // of (…, n, n), 3 for the heads; otherwise 0.
    std::size_t normalised_axis(std::size_t id) const {
        const Tensor& x = nodes_[id].value;
        const bool is_stack = nodes_[id].operation == "stack" && !nodes_[id].operands.empty();
        const std::size_t of = is_stack ? nodes_[id].operands[0] : id;  // a row
        const bool is_normalised = is_relevant_[id] &&
                                   (normalises(of) || nodes_[of].operation == "softmax") && x.rank() > 1 &&
                                   !all_ones(sum(x, -1, false));
        for (std::size_t axis = 2; is_normalised && axis <= std::min<std::size_t>(x.rank(), 3); ++axis) {
            const int at = -static_cast<int>(axis);
            if (x.size(at) > 1 && x.size(-1) == x.size(-2) && all_ones(sum(x, at, false))) {
                return axis;
            }
        }
        return 0;
    }

    // True for dropout of scores instead of weights.
    bool drops_scores(std::size_t id) {
        const Computed& node = nodes_[id];
        return node.operation == "dropout" &&
               std::ranges::any_of(status(node.operands[0]).found, [](const Found& one) {
                   return one.walk->node(one.step).name.starts_with("attn_scores");
               });
    }

    // True for right weights, dropped as no document does: with another seed or probability, or by a module,
    // before whose dropout nobody sets the seed again.
    bool is_dropped_as_set(std::size_t id) {
        const Computed& node = nodes_[id];
        const Drawn* const mask = node.operation == "dropout" ? graph_.draw_of(node.operands[1]) : nullptr;
        if (mask == nullptr || !mask->seed || !is_right(status(node.operands[0]).verdict)) {
            return false;
        }
        const double scale =
            common_factor(node.value.values(), nodes_[node.operands[0]].value.values()).value_or(2.0);
        return !lessons_.chapters().front().is_documents || !graph_.has_seed_of_document(mask->node) ||
               std::abs(scale - 2.0) > 1e-3 || mask->is_of_module;
    }

    // The mistake that the hidden numbers of masked scores (…, n, n) show; empty if they show none.
    std::string_view mistake_of_mask(std::size_t id) const {
        const Tensor& x = nodes_[id].value;
        if (!is_relevant_[id] || x.rank() < 2 || x.size(-1) != x.size(-2)) {
            return "";
        }
        std::array<std::size_t, 3> hidden{};  // earlier tokens, the token itself, later tokens
        std::array<std::size_t, 3> seen{};
        for (std::size_t i = 0; i < x.count(); ++i) {
            const std::size_t column = i % x.size(-1);
            const std::size_t row = i / x.size(-1) % x.size(-1);
            (x.values()[i] < -1e30F ? hidden : seen).at(column < row ? 0 : column == row ? 1 : 2) += 1;
        }
        return hidden[0] + hidden[1] == 0 && hidden[2] > 0 && seen[2] > 0    ? "mask-shows-later-tokens"
               : x.size(-1) > 2 && hidden[0] > 0 && seen[0] + hidden[2] == 0 ? "mask-flipped"
                                                                             : "";
    }

    // True if the results of one head, or of heads with the same weights, stand side by side: [head] * 2.
    bool joins_one_head(std::size_t id) {
        std::size_t joined = id;
        while (is_move(nodes_[joined].operation) && nodes_[joined].operands.size() == 1) {
            joined = nodes_[joined].operands[0];
        }
        const Ids& heads = nodes_[joined].operands;
        const auto is_first = [&](std::size_t head) {
            return head == heads[0] || identical(nodes_[head].value, nodes_[heads[0]].value);
        };
        return is_relevant_[id] && is_move(nodes_[joined].operation) && heads.size() > 1 &&
               nodes_[id].value.rank() > 0 && nodes_[heads[0]].value.rank() > 1 &&
               nodes_[id].value.size(-1) > nodes_[heads[0]].value.size(-1) &&
               std::ranges::all_of(heads, is_first) && is_attention(heads[0]);
    }

    // True for products of weights from softmax.
    bool is_attention(std::size_t id) const {
        const auto are_weights = [&](std::size_t operand) {
            const Tensor& x = nodes_[operand].value;
            return x.rank() > 1 && is_relevant_[operand] && all_ones(sum(x, -1, false));
        };
        return multiplies(nodes_[id].operation) && std::ranges::any_of(nodes_[id].operands, are_weights);
    }

    // The mistake that a node shows by itself; empty if it shows none.
    std::string_view evident_mistake(std::size_t id) {
        return nodes_[id].operation == untransposed                              ? "weights-not-transposed"
               : is_relevant_[id] && overwritten_in(id) != nullptr               ? "loop-variable"
               : is_relevant_[id] && followed_.flow.dropped_in_eval.contains(id) ? "dropout-in-eval"
               : is_used_as_unchanged(id)                                        ? "changed-in-place"
               : drops_scores(id)                                                ? "dropout-before-softmax"
               : normalised_axis(id) == 3                                        ? "softmax-over-heads"
                                                                                 : mistake_of_view(id);
    }

    // The same for mistakes that the diagnosis may know more about.
    std::string_view likely_mistake(std::size_t id) {
        return joins_one_head(id)         ? "same-head-twice"
               : normalised_axis(id) != 0 ? "softmax-wrong-axis"
               : is_scaled_wrongly(id)    ? pattern_.mistake(id)
               : is_scaled_again(id)      ? "scaled-by-other-number"
                                          : mistake_of_mask(id);
    }

    // A seed of the reader's own has no usual order of layers. True for such layers, and for projections by
    // the layer that their name says.
    bool has_own_order(std::size_t id) const {
        const auto is_own = [this](std::size_t node) {
            return graph_.draw_of(node) != nullptr && !graph_.has_seed_of_document(node);
        };
        return is_own(id) || std::ranges::any_of(nodes_[id].operands, [&](std::size_t operand) {
                   const auto step = graph_.projections().find(graph_.named_step(operand));
                   return is_own(operand) && step != graph_.projections().end() &&
                          step->second == graph_.named_step(id);
               });
    }

    Status decide(std::size_t id) {
        const Computed& node = nodes_[id];
        std::vector<Found> found = is_relevant_[id] || graph_.is_harmless(id)
                                       ? find_steps(nodes_[id], lessons_)
                                       : std::vector<Found>();
        if (is_altered_lesson(id)) {
            return {OutputVerdict::mistake, {}, id};
        }
        if (graph_.draw_of(id) != nullptr && graph_.draw_of(id)->is_again &&
            graph_.has_seed_of_document(id)) {
            const std::size_t first = std::ranges::find(followed_.flow.draws, true, &Drawn::is_again)->node;
            return {first == id ? OutputVerdict::mistake : OutputVerdict::follows, {}, first};
        }
        if (!evident_mistake(id).empty() || joins_one_head(id)) {
            return {OutputVerdict::mistake, {}, id};
        }
        std::optional<std::size_t> culprit;
        bool is_swapped = false;
        for (const std::size_t operand : node.operands) {
            const Status& of = status(operand);
            culprit = culprit ? culprit : of.culprit;
            is_swapped = is_swapped || of.is_swapped;
        }
        const std::string named = graph_.named_step(id);
        if (!found.empty()) {
            const bool names_other = !named.empty() && std::ranges::none_of(found, [&](const Found& one) {
                return one.walk->node(one.step).name.starts_with(named);
            });
            const bool is_of_layer = std::ranges::any_of(found, [&](const Found& one) {
                const std::string& name = one.walk->node(one.step).name;
                return name.starts_with("W_") || name.starts_with("queries") || name.starts_with("keys") ||
                       name.starts_with("values");
            });
            if (names_other && is_of_layer && (culprit || !has_own_order(id))) {
                return {culprit ? OutputVerdict::follows : OutputVerdict::mistake,
                        {},
                        culprit.value_or(id),
                        true};
            }
            const auto has_name = [&](const Found& one) {
                return !named.empty() && one.walk->node(one.step).name.starts_with(named);
            };
            std::stable_partition(found.begin(), found.end(), has_name);
            const bool is_telling =
                !culprit || (!is_binary(node.value) && !copies_operand(id, found, *culprit) &&
                             nodes_[*culprit].operation != "changed" && overwritten_in(*culprit) == nullptr);
            if (is_telling && !(is_swapped && names_other)) {
                const OutputVerdict verdict = right_or_settings(found);
                return {.verdict = verdict, .found = std::move(found), .beside = culprit};
            }
        }
        if (!is_relevant_[id]) {
            const bool is_mask =
                graph_.is_harmless(id) && node.operation != "number" && !is_window(node.value) &&
                (is_binary(node.value) || std::ranges::any_of(node.operands, [&](std::size_t of) {
                     const Tensor& x = nodes_[of].value;
                     return is_binary(x) &&
                            (node.operation == "sum" ||
                             (node.operation == "div" && x.rank() == 2 && x.size(0) == x.size(1)));
                 }));
            const bool are_tokens = std::ranges::any_of(graph_.users(id), [&](std::size_t user) {
                return nodes_[user].operation == "embedding" && is_relevant_[user];
            });
            const bool is_example =
                graph_.is_harmless(id) && std::ranges::any_of(followed_.flow.draws, [&](const Drawn& draw) {
                    return nodes_[draw.node].operation == "dropout-mask" && graph_.depends(id, draw.node);
                });
            return {is_mask || is_example || are_tokens || (node.operation == "number" && node.name.empty())
                        ? OutputVerdict::by_product
                        : OutputVerdict::unknown};
        }
        if (culprit) {
            return {OutputVerdict::follows, {}, culprit};
        }
        // A mistake may take two calls, such as a mask between two softmaxes. Later calls only follow.
        const auto is_consistent = [this](std::size_t operand) {
            return status(operand).verdict == OutputVerdict::consistent;
        };
        const auto call_of = [this](std::size_t operand) {  // scaling and the like do not count
            while ((is_plain(nodes_[operand].operation) || is_move(nodes_[operand].operation)) &&
                   !nodes_[operand].operands.empty()) {
                operand = nodes_[operand].operands[0];
            }
            return operand;
        };
        if (std::ranges::any_of(node.operands, [&](std::size_t operand) {
                return is_consistent(operand) &&
                       std::ranges::any_of(nodes_[call_of(operand)].operands, is_consistent);
            })) {
            return {OutputVerdict::consistent};
        }
        if (node.operands.empty() && graph_.has_seed_of_document(id) &&
            lessons_.chapters().front().is_documents) {
            const Diagnosis& answer = ask(id);
            if (!mistake_of(answer).empty() && mistake_of(answer) != "other-generator") {
                return {OutputVerdict::mistake, {}, id};
            }
        }
        const bool follows_code = std::ranges::any_of(node.operands, is_consistent);
        if (follows_code && (is_plain(node.operation) || is_move(node.operation))) {
            return {OutputVerdict::consistent};
        }
        if (node.operands.empty()) {
            return {is_draw(node.operation) ? OutputVerdict::settings
                    : node.operation == "printed" && !pattern_.belongs(id)
                        ? OutputVerdict::unknown  // nothing to compare it with
                        : OutputVerdict::right};
        }
        if (is_move(node.operation) && node.operands.size() > 1) {
            const bool is_wrong =
                normalised_axis(id) != 0 || (node.operation == "cat" && !mistake_of(ask(id)).empty());
            return is_wrong ? Status{OutputVerdict::mistake, {}, id} : Status{OutputVerdict::by_product};
        }
        if (is_move(node.operation)) {
            Status moved = status(node.operands[0]);
            moved.verdict =
                moved.verdict == OutputVerdict::unknown ? OutputVerdict::by_product : moved.verdict;
            return moved;
        }
        if (is_plain(node.operation) && !overwrites(id)) {
            const bool is_wrong = (masks_weights(id) && mistake_of(ask(id)).starts_with("mask-")) ||
                                  (normalises(id) && !mistake_of(ask(id)).empty() && !is_on_purpose(id) &&
                                   !is_about_draws(ask(id).matches.front()));
            return is_wrong || is_scaled_wrongly(id) || is_scaled_again(id)
                       ? Status{OutputVerdict::mistake, {}, id}
                       : Status{OutputVerdict::by_product};
        }
        if (reassigned_operand(id)) {
            return {OutputVerdict::mistake, {}, id};
        }
        const bool are_right = std::ranges::all_of(node.operands, [this](std::size_t operand) {
            return graph_.is_harmless(operand) || is_right(status(operand).verdict);
        });
        const bool is_dropped = std::ranges::any_of(
            node.operands, [this](std::size_t operand) { return status(operand).is_dropped; });
        if (is_dropped_as_set(id) || (multiplies(node.operation) && are_right && is_dropped)) {
            return {.verdict = OutputVerdict::settings, .is_dropped = true};
        }
        const Diagnosis& answer = ask(id);
        const bool is_hidden = mistake_of(answer) == "finite-mask-leak" &&  // softmax makes it 0
                               std::ranges::min(node.value.values()) < -1e6F;
        if (is_hidden || (pattern_.is_right(id) && !has_draws_of_document(id)) ||
            (answer.is_decided() && is_about_draws(answer.matches.front()) &&
             (are_right || !has_draws_of_document(id)))) {
            return {OutputVerdict::settings};  // the reader's own inputs, or weights drawn in another way
        }
        if (answer.is_decided() && !answer.matches.front().mistakes.empty()) {
            return is_on_purpose(id) ? Status{OutputVerdict::consistent}
                                     : Status{OutputVerdict::mistake, {}, id};
        }
        if (const auto operand = answer.is_decided() ? std::nullopt : operand_of_notebook(id)) {
            return {OutputVerdict::mistake, {}, operand};
        }
        if (!answer.is_decided() && (global_in(id) != nullptr || !likely_mistake(id).empty())) {
            return {OutputVerdict::mistake, {}, id};
        }
        return {answer.is_decided() && !follows_code ? OutputVerdict::settings : OutputVerdict::consistent};
    }

    // True for a node of a cell that ran more than once.
    bool runs_again(const Computed& node) const {
        return followed_.options.again &&
               document_.items[followed_.options.again->item].place.cell == node.place.cell;
    }

    // A line that tries several numbers, or names a temperature, scales on purpose.
    bool tries_factors(std::size_t id) const {
        const Computed& node = nodes_[id];
        const std::size_t scores = pattern_.part(id).product;
        return node.line.find("temp") != std::string::npos ||
               (scores != 0 && !runs_again(node) && std::ranges::any_of(nodes_, [&](const Computed& other) {
                    return &other != &node && other.operation == node.operation &&
                           other.place.cell == node.place.cell && other.place.line == node.place.line &&
                           graph_.depends(static_cast<std::size_t>(&other - nodes_.data()), scores);
                }));
    }

    bool is_scaled_wrongly(std::size_t id) const {
        return !pattern_.mistake(id).empty() && !tries_factors(id);
    }

    // True if results of a node are multiplied with projections of the lesson.
    bool meets_projections(std::size_t id) const {
        const std::vector<bool> depends = graph_.dependents(id);
        const auto is_projection = [&](std::size_t operand) {
            return !depends[operand] && !nodes_[operand].operands.empty() &&
                   multiplies(nodes_[operand].operation);
        };
        return std::ranges::any_of(nodes_, [&](const Computed& node) {
            return multiplies(node.operation) && std::ranges::any_of(node.operands, is_projection) &&
                   std::ranges::any_of(node.operands, [&](std::size_t operand) { return depends[operand]; });
        });
    }

    // True for right scores that a cell scales once more each time it runs.
    bool is_scaled_again(std::size_t id) const {
        return runs_again(nodes_[id]) && pattern_.is_scaled_otherwise(id);
    }

    // y / x, if it is the same for all numbers that are neither masked nor small.
    static std::optional<double> common_factor(std::span<const float> y, std::span<const float> x) {
        std::optional<double> factor;
        for (std::size_t i = 0; i < y.size(); ++i) {
            if (std::abs(x[i]) < 1e-2F || !(std::abs(y[i]) < 1e6F) || y[i] == 0.0F) {
                continue;
            }
            const double here = static_cast<double>(y[i]) / static_cast<double>(x[i]);
            if (factor && std::abs(here / *factor - 1.0) > 1e-3) {
                return std::nullopt;
            }
            factor = factor.value_or(here);
        }
        return factor && *factor > 0.0 ? factor : std::nullopt;
    }

    // True for departures that readers mean: a temperature, attention without weights but with a mask, and
    // the documents' first, plain way to normalise.
    bool is_on_purpose(std::size_t id) {
        const std::string_view mistake = mistake_of(ask(id));
        const bool is_about_scale = mistake == "no-scaling" || mistake.starts_with("scaled-by-");
        return (is_about_scale && tries_factors(id)) ||
               (mistake == "scaled-needlessly" && nodes_[id].operation.starts_with("scaled_dot")) ||
               (mistake == "scores-of-inputs" && !meets_projections(id)) ||
               (mistake == "divided-by-sum" && normalises(id));
    }

    // True if a part of a result equals a part of an operand: row 0 of causal attention is row 0 of the
    // values, also if the weights are wrong. So is a part of heads that were joined in a wrong way.
    bool copies_operand(std::size_t id, const std::vector<Found>& found, std::size_t culprit) {
        std::size_t result = id;
        while (is_move(nodes_[result].operation) && !nodes_[result].operands.empty()) {
            if (result == culprit && nodes_[result].operands.size() > 1) {
                return true;
            }
            result = nodes_[result].operands[0];
        }
        const auto is_of_operand = [&](const Found& one) {
            return std::ranges::any_of(nodes_[result].operands, [&](std::size_t operand) {
                return std::ranges::any_of(status(operand).found, [&](const Found& other) {
                    return one.walk->node(one.step).name == other.walk->node(other.step).name;
                });
            });
        };
        return result != id && std::ranges::any_of(found, is_of_operand);
    }

    // Returns the variable in this line that a loop overwrote, or null.
    const Overwritten* overwritten_in(std::size_t id) const {
        const Computed& node = nodes_[id];
        const auto found = std::ranges::find_if(followed_.flow.overwritten, [&](const Overwritten& use) {
            return node.operation == "overwritten" && use.place.cell == node.place.cell &&
                   use.place.line == node.place.line;
        });
        return found == followed_.flow.overwritten.end() ? nullptr : &*found;
    }

    // True for a tensor that was changed in place under a second name, if the same operation is applied to
    // both: its author takes them for two tensors.
    bool is_used_as_unchanged(std::size_t id) const {
        const auto uses = [&](const Computed& node, std::size_t operand) {
            return std::ranges::find(node.operands, operand) != node.operands.end();
        };
        return nodes_[id].operation == "changed" && std::ranges::any_of(nodes_, [&](const Computed& one) {
                   return uses(one, id) && std::ranges::any_of(nodes_, [&](const Computed& other) {
                              return uses(other, nodes_[id].operands[0]) &&
                                     other.operation == one.operation && identical(other.value, one.value);
                          });
               });
    }

    // An operand of one run beside operands of another, because its variable was assigned twice; and the
    // tensor of the other run that the variable had.
    struct Reassigned {
        std::size_t used;
        std::size_t other;
    };
    bool share_a_run(std::size_t a, std::size_t b) {
        return std::ranges::any_of(status(a).found, [&](const Found& one) {
            return std::ranges::any_of(status(b).found,
                                       [&](const Found& other) { return one.walk == other.walk; });
        });
    }

    // An operand that a method computes from a variable of the notebook, beside operands of another run.
    std::optional<std::size_t> operand_of_notebook(std::size_t id) {
        const Ids operands = nodes_[id].operands;
        for (const std::size_t used : operands) {
            if (global_in(used) != nullptr && std::ranges::none_of(operands, [&](std::size_t other) {
                    return other != used && share_a_run(used, other);
                })) {
                return used;
            }
        }
        return std::nullopt;
    }

    std::optional<Reassigned> reassigned_operand(std::size_t id) {
        const Ids operands = nodes_[id].operands;
        for (const std::size_t used : operands) {
            for (const std::size_t beside : operands) {
                if (status(used).found.empty() || status(beside).found.empty() || share_a_run(used, beside)) {
                    continue;
                }
                for (std::size_t other = 0; other < id; ++other) {
                    const Computed& node = nodes_[other];
                    if (other != used && !node.name.empty() && node.name == nodes_[used].name &&
                        node.value.shape() == nodes_[used].value.shape() &&
                        node.place.cell != nodes_[used].place.cell && share_a_run(other, beside)) {
                        return Reassigned{used, other};
                    }
                }
            }
        }
        return std::nullopt;
    }

    // The first mistake of a convincing answer; empty if there is none.
    static std::string_view mistake_of(const Diagnosis& answer) {
        return answer.is_decided() && !answer.is_right() ? answer.matches.front().mistakes.front() : "";
    }

    // True if numbers are divided by their sums.
    bool normalises(std::size_t id) const {
        const Computed& node = nodes_[id];
        const Computed* const by = node.operands.size() > 1 ? &nodes_[node.operands[1]] : nullptr;
        return node.operation == "div" && by != nullptr && by->operation == "sum" &&
               by->operands[0] == node.operands[0];
    }

    // True if right weights are multiplied with a mask of zeros and ones.
    bool masks_weights(std::size_t id) {
        const Computed& node = nodes_[id];
        const auto is_mask = [this](std::size_t operand) {
            const Tensor& x = nodes_[operand].value;
            return graph_.is_harmless(operand) && x.rank() > 1 &&
                   x.shape()[x.rank() - 1] == x.shape()[x.rank() - 2];
        };
        const auto are_weights = [this](std::size_t operand) {
            return std::ranges::any_of(status(operand).found, [](const Found& one) {
                return one.walk->node(one.step).name.starts_with("attn_weights");
            });
        };
        return node.operation == "mul" && std::ranges::any_of(node.operands, is_mask) &&
               std::ranges::any_of(node.operands, are_weights);
    }

    static bool is_about_draws(const Match& match) {
        static const std::set<std::string_view> about{
            "rand-instead-of-linear", "linear-instead-of-rand", "randn-instead-of-rand", "rand-transposed",
            "other-initialisation",   "inputs-reordered",       "other-generator"};
        return !match.mistakes.empty() && about.contains(match.mistakes.front());
    }

    bool has_draws_of_document(std::size_t id) const {
        return lessons_.chapters().front().is_documents &&
               std::ranges::any_of(followed_.flow.draws, [&](const Drawn& draw) {
                   return graph_.has_seed_of_document(draw.node) && graph_.depends(id, draw.node);
               });
    }

    // Returns the variable of the notebook that a method uses as an operand of this node, or null.
    const GlobalUse* global_in(std::size_t id) const {
        const Computed& node = nodes_[id];
        const auto found = std::ranges::find_if(followed_.flow.globals, [&](const GlobalUse& use) {
            return use.place.cell == node.place.cell && use.place.line == node.place.line &&
                   graph_.depends(id, use.node);
        });
        return found == followed_.flow.globals.end() ? nullptr : &*found;
    }

    // The first execution count that no cell has.
    std::size_t missing_count() const {
        std::size_t count = 1;
        while (std::ranges::any_of(document_.items,
                                   [&](const Item& item) { return item.place.execution_count == count; })) {
            ++count;
        }
        return count;
    }

    // Adds the circumstances of a departure: a method that uses a variable of the notebook, and operands from
    // cells that stand further down and ran before.
    void add_circumstances(Judged& output, std::size_t culprit) {
        if (const auto operand = reassigned_operand(culprit)) {
            const Computed& used = nodes_[operand->used];
            output.circumstances.push_back(
                {"assigned_twice", used.name, nodes_[operand->other].place, used.place});
        }
        if (const Overwritten* const use = overwritten_in(culprit)) {
            output.circumstances.push_back({"overwritten_by_loop", use->name, use->assigned, use->loop});
        }
        if (graph_.draw_of(culprit) != nullptr && graph_.draw_of(culprit)->is_again) {
            Place earlier = nodes_[culprit].place;
            earlier.execution_count =
                followed_.options.again ? followed_.options.again->count : missing_count();
            output.circumstances.push_back({"ran_twice", nodes_[culprit].name, earlier, {}});
        }
        if (followed_.options.again &&
            (mistake_of(output.diagnosis) == "added-up-twice" || is_scaled_again(culprit))) {
            output.circumstances.push_back({"added_again", nodes_[culprit].name, output.place, {}});
        }
        if (const GlobalUse* const use = global_in(culprit)) {
            output.circumstances.push_back({"uses_global", use->name, use->place, use->assigned});
        }
        const std::vector<Match>& matches = output.diagnosis.matches;
        const bool is_about_seed = !matches.empty() && !matches.front().mistakes.empty() &&
                                   (matches.front().mistakes.front() == "seed-not-set-again" ||
                                    matches.front().mistakes.front() == "drawn-before" ||
                                    matches.front().mistakes.front() == "dropout-not-reseeded");
        const auto late = std::ranges::find_if(followed_.flow.draws, [&](const Drawn& draw) {
            return draw.earlier > 0 && !draw.is_again && draw.seeded && graph_.depends(culprit, draw.node);
        });
        if (is_about_seed && late != followed_.flow.draws.end()) {
            const Computed& drawn = nodes_[late->node];
            output.circumstances.push_back({"drawn_later",
                                            drawn.name.empty() ? graph_.named_step(late->node) : drawn.name,
                                            drawn.place, *late->seeded});
        }
        for (const std::size_t operand : nodes_[culprit].operands) {
            const Computed& of = nodes_[operand];
            if (!of.name.empty() && of.place.cell && output.place.cell &&
                *of.place.cell > *output.place.cell) {
                output.circumstances.push_back({"ran_before", of.name, nodes_[culprit].place, of.place});
            }
        }
    }

    // True for a variable that begins with zeros, unless it is a running sum that is added to later.
    bool overwrites(std::size_t id) const {
        const Computed& node = nodes_[id];
        const bool grows = std::ranges::any_of(nodes_, [&](const Computed& later) {
            return later.name == node.name && std::ranges::find(later.operands, id) != later.operands.end();
        });
        return !node.name.empty() && !grows && std::ranges::any_of(nodes_, [&](const Computed& other) {
            return is_constant(other.operation) && other.operation != "number" && other.name == node.name &&
                   other.value.shape() == node.value.shape();
        });
    }

    static bool is_of_document(const StageTrace& walk) {
        const Parameters& p = walk.parameters;
        const Parameters& defaults = walk.stage->defaults;
        return !walk.own_lesson && !walk.own_weights && p.num_heads == defaults.num_heads &&
               p.d_out == defaults.d_out && p.qkv_bias == defaults.qkv_bias &&
               (p.seed == 123 || p.seed == 789 || !uses(*walk.stage, "seed"));
    }

    static OutputVerdict right_or_settings(const std::vector<Found>& found) {
        return std::ranges::any_of(found, [](const Found& one) { return is_of_document(*one.walk); })
                   ? OutputVerdict::right
                   : OutputVerdict::settings;
    }

    // ---- mistakes ---------------------------------------------------------------------------------------

    // Walks with the same weights, which are null if they are drawn from seeds.
    struct Candidates {
        WeightSource weights;
        std::vector<Candidate> all;
    };

    // The walks in which the operands of a node are right, else all that draw their weights.
    std::vector<Candidates> candidates(std::optional<std::size_t> id, const Chapter& chapter) {
        std::vector<Candidates> all(1);
        std::set<const StageTrace*> near;
        std::set<std::size_t> seen;
        const std::function<void(std::size_t)> collect = [&](std::size_t node) {
            if (!seen.insert(node).second) {
                return;
            }
            for (const Found& found : status(node).found) {
                if (found.walk->node(found.step).value.count() > 2) {
                    near.insert(found.walk);
                }
            }
            for (const std::size_t operand : nodes_[node].operands) {
                collect(operand);
            }
        };
        for (const std::size_t operand : id ? nodes_[*id].operands : Ids()) {
            collect(operand);
        }
        static const std::vector<std::string_view> given{"seed",  "d_out",   "num_heads",     "qkv_bias",
                                                         "batch", "dropout", "context_length"};
        for (std::size_t i = 0; i < chapter.walks.size(); ++i) {
            const StageTrace& walk = chapter.walks[i];
            if (near.empty() ? walk.own_weights : !near.contains(&walk)) {
                continue;
            }
            if (walk.own_weights) {
                all.push_back({chapter.weights[i], {}});
            }
            std::vector<Candidate>& of = walk.own_weights ? all.back().all : all.front().all;
            of.push_back({walk.stage, walk.parameters, given, false});
        }
        return all;
    }

    // Each question is a search of its own, so only the first ones are asked: a loop may depart thousands of
    // times.
    const Diagnosis& ask(std::size_t id) {
        constexpr std::size_t most_asked = 24;
        constexpr std::size_t most_searches = 32;
        static const Diagnosis nothing;
        const auto known = answers_.find(id);
        return known != answers_.end() ? known->second
               : answers_.size() == most_asked || searches_ > most_searches
                   ? nothing
                   : answers_[id] = diagnose_in_chapters({printed_as(id)}, id).at(0);
    }

    // A node as a pasted tensor.
    PrintedTensor printed_as(std::size_t id) const {
        const Computed& node = nodes_[id];
        PrintedTensor printed;
        printed.name = graph_.named_step(id).empty() ? "" : graph_.named_step(id);
        printed.shown = node.value.shape();
        constexpr std::uint8_t decimals = 5;
        for (const float x : node.value.values()) {
            printed.numbers.push_back({.value = static_cast<double>(x),
                                       .decimals = decimals,
                                       .notation = std::isfinite(x) ? PrintedNumber::Notation::fixed
                                                                    : PrintedNumber::Notation::word});
        }
        return printed;
    }

    std::vector<Diagnosis> diagnose_in_chapters(const std::vector<PrintedTensor>& printed,
                                                std::optional<std::size_t> id) {
        std::vector<Diagnosis> best(printed.size());
        for (const Chapter& chapter : lessons_.chapters()) {
            for (const Candidates& of : candidates(id, chapter)) {
                keep_better(best, printed, chapter, of);
                searches_ += id && !of.all.empty() ? 1 : 0;
            }
        }
        return best;
    }

    void keep_better(std::vector<Diagnosis>& best, const std::vector<PrintedTensor>& printed,
                     const Chapter& chapter, const Candidates& of) const {
        if (of.all.empty()) {
            return;
        }
        try {
            Inputs inputs = question_.inputs;
            inputs.weights = of.weights ? of.weights : inputs.weights;
            Question question{chapter.lesson, inputs, of.all, question_.as, false, true};
            std::vector<Diagnosis> found = diagnose(printed, question);
            for (std::size_t i = 0; i < printed.size(); ++i) {
                const bool is_better =
                    best[i].matches.empty() || (!found[i].matches.empty() &&
                                                found[i].matches.front().bits > best[i].matches.front().bits);
                if (is_better) {
                    best[i] = std::move(found[i]);
                }
            }
        } catch (const Error&) {
            return;  // weights that do not fit these stages
        }
    }

    // ---- outputs again ----------------------------------------------------------------------------------

    // The tensor that an output shows. In a document without inputs, a tensor of unknown variables is only
    // numbers.
    std::optional<std::size_t> origin_of(std::size_t i) const {
        const std::optional<std::size_t> node = node_of(i);
        const bool is_open = node && nodes_[*node].operation == "printed" && !is_relevant_[*node] &&
                             !lessons_.chapters().front().node;
        return is_open ? std::nullopt : node;
    }

    // True if the code says what an output is, and gives its numbers.
    bool is_followed(std::size_t i) const {
        const std::optional<std::size_t> node = origin_of(i);
        return node && nodes_[*node].is_known && followed_.agrees(result_.outputs[i].printed, *node);
    }

    // Diagnoses the outputs that the code does not explain, in few groups, because each group is a search of
    // its own.
    void ask_numbers() {
        Ids open;
        for (std::size_t i = 0; i < result_.outputs.size(); ++i) {
            const std::optional<std::size_t> node = origin_of(i);
            if (!is_followed(i) && (!node || is_relevant_[*node])) {
                open.push_back(i);
            }
        }
        constexpr std::size_t groups = 8;
        const std::size_t size = (open.size() + groups - 1) / groups;
        for (std::size_t from = 0; from < open.size(); from += size) {
            std::vector<PrintedTensor> group;
            for (std::size_t k = from; k < std::min(from + size, open.size()); ++k) {
                group.push_back(result_.outputs[open[k]].printed);
            }
            std::vector<Diagnosis> found = diagnose_in_chapters(group, std::nullopt);
            for (std::size_t k = 0; k < found.size(); ++k) {
                if (!found[k].is_decided()) {
                    found[k] = Diagnosis();
                }
                result_.outputs[open[from + k]].diagnosis = std::move(found[k]);
            }
        }
    }

    // Finds the departures that are about a mask: the mask departs first, where it is shown.
    void find_mistaken_masks() {
        for (std::size_t i = 0; i < result_.outputs.size(); ++i) {
            const std::optional<std::size_t> culprit =
                is_followed(i) ? status(*node_of(i)).culprit : std::nullopt;
            if (!culprit || std::ranges::find(mistaken_masks_, *culprit) != mistaken_masks_.end()) {
                continue;
            }
            const Diagnosis of = ask_culprit(*culprit);
            if (!of.matches.empty() && !of.matches.front().mistakes.empty() &&
                of.matches.front().mistakes.front().starts_with("mask-")) {
                mistaken_masks_.push_back(*culprit);
            }
        }
    }

    void judge(std::size_t i) {
        Judged& output = result_.outputs[i];
        const std::optional<std::size_t> node = origin_of(i);
        if (followed_.shown_of[i]) {
            output.label = followed_.flow.shown[*followed_.shown_of[i]].source;
        }
        if (!is_followed(i)) {
            const bool is_known = node && nodes_[*node].is_known;
            judge_by_numbers(output, is_known ? node : std::nullopt,
                             node.has_value() && !is_relevant_[*node]);
            return;
        }
        const Status& found = status(*node);
        output.verdict = found.verdict;
        output.line = nodes_[*node].line;
        output.line_place = nodes_[*node].place;
        std::optional<std::size_t> culprit = found.culprit;
        const bool is_joined = found.beside && is_moved_from(*node, *found.beside);
        if (is_joined && is_affected(i, *found.beside) == true) {
            culprit = found.beside;
        }
        const bool is_changed = culprit && nodes_[*culprit].operation == "changed";
        if (culprit && *culprit != *node) {
            const std::optional<bool> is_wrong = is_affected(i, *culprit);
            const Computed& tested = tested_by(*node);
            const bool is_usual =  // a sum of 1, as that of right weights, or a difference of 0
                (!is_wrong && tested.operation == "sum" && all_ones(tested.value)) ||
                (tested.operation == "sub" &&
                 std::ranges::all_of(tested.value.values(), [](float x) { return std::abs(x) < 2e-6F; }));
            if (is_wrong == false || (is_usual && !is_changed)) {
                output.verdict = OutputVerdict::by_product;
                return;
            }
        }
        std::size_t mask = *node;  // also as integers
        while (nodes_[mask].operands.size() == 1 &&
               identical(nodes_[mask].value, nodes_[nodes_[mask].operands[0]].value)) {
            mask = nodes_[mask].operands[0];
        }
        for (const std::size_t departed : mistaken_masks_) {
            const bool is_its_mask = !culprit && graph_.is_harmless(*node) && found.found.empty() &&
                                     !is_constant(nodes_[mask].operation) &&
                                     std::ranges::any_of(nodes_[departed].operands, [&](std::size_t operand) {
                                         return graph_.depends(operand, mask) ||
                                                identical(nodes_[operand].value, nodes_[mask].value);
                                     });
            culprit = is_its_mask ? std::optional(departed) : culprit;
        }
        if (culprit) {
            blame(i, *culprit);
            return;
        }
        for (const Found& one : found.found) {
            output.diagnosis.matches.push_back(match_of(one, output.printed));
        }
    }

    // True if a node is a part of an earlier one, perhaps in another shape.
    bool is_moved_from(std::size_t id, std::size_t earlier) const {
        while (id != earlier && is_move(nodes_[id].operation) && !nodes_[id].operands.empty()) {
            id = nodes_[id].operands[0];
        }
        return id == earlier;
    }

    // True if an output would have other numbers if an earlier node had the right ones; empty if unknown.
    std::optional<bool> is_affected(std::size_t i, std::size_t departed) {
        const auto [known, is_new] = mended_.try_emplace(departed);
        if (is_new) {
            if (const std::optional<Tensor> right = right_value(departed)) {
                known->second = followed_.with_value(document_, departed, *right);
            }
        }
        const std::vector<Shown>& shown = known->second.shown;
        if (shown.size() != followed_.flow.shown.size() || !shown[*followed_.shown_of[i]].node) {
            return std::nullopt;
        }
        const Computed& own = nodes_[*node_of(i)];
        const Tensor& mended = known->second.nodes[*shown[*followed_.shown_of[i]].node].value;
        return mended.shape() != own.value.shape() ||
               !is_close(own.value.values(), mended.values(), own.slack);
    }

    // The step that a node should be, according to its mistake.
    std::optional<Tensor> right_value(std::size_t departed) {
        if (nodes_[departed].operation == "changed") {  // the tensor before it was changed
            const Computed& change = nodes_[nodes_[departed].operands[0]];
            return change.operands.empty() ? std::nullopt : std::optional(nodes_[change.operands[0]].value);
        }
        for (const Chapter& chapter : lessons_.chapters()) {
            if (is_node_of(chapter, departed) && chapter.is_altered) {
                return chapter.lesson.embeddings;
            }
        }
        if (const std::optional<Tensor> moved = moved_rightly(departed)) {
            return moved;
        }
        if (global_in(departed) != nullptr) {
            return std::nullopt;
        }
        const Diagnosis answer = ask_culprit(departed);
        if (mistake_of(answer).empty() || !answer.matches.front().piece.index.empty() ||
            mistake_of(answer).starts_with("dropout")) {  // dropout belongs to a different step
            return std::nullopt;
        }
        const Match& match = answer.matches.front();
        for (const Chapter& chapter : lessons_.chapters()) {
            for (const StageTrace& walk : chapter.walks) {
                const std::optional<std::size_t> step = walk.find(match.step);
                if (walk.stage == match.stage && walk.parameters.seed == match.parameters.seed && step &&
                    walk.node(*step).value.shape() == nodes_[departed].value.shape()) {
                    return walk.node(*step).value;
                }
            }
        }
        return std::nullopt;
    }

    // The step that has the same numbers as a node in another order.
    std::optional<Tensor> moved_rightly(std::size_t id) {
        const auto sorted = [](const Tensor& x) {
            std::vector<float> values(x.values().begin(), x.values().end());
            std::ranges::sort(values);
            return values;
        };
        const Computed& node = nodes_[id];
        const std::vector<float> own = sorted(node.value);
        for (const Found& found : node.operands.empty() || !is_move(node.operation)
                                      ? std::vector<Found>()
                                      : status(node.operands[0]).found) {
            for (const std::size_t step : found.walk->steps) {
                const Tensor& right = found.walk->node(step).value;
                if (right.count() == own.size() && is_close(sorted(right), own, node.slack)) {
                    return right;
                }
            }
        }
        return std::nullopt;
    }

    static Match match_of(const Found& found, const PrintedTensor& printed) {
        const StageTrace& walk = *found.walk;
        Match match{.stage = walk.stage, .parameters = walk.parameters, .step = walk.node(found.step).name};
        match.place = walk.place(found.step);
        match.piece.index = found.piece;
        match.piece.kind = found.piece.empty() ? PieceKind::whole : PieceKind::entry;
        match.bits = std::max(surprise(printed), convincing);
        return match;
    }

    // An output that departs, or that follows from one that does.
    void blame(std::size_t i, std::size_t culprit) {
        Judged& output = result_.outputs[i];
        const auto [first, is_first] = departed_.emplace(culprit, i);
        output.verdict = is_first ? OutputVerdict::mistake : OutputVerdict::follows;
        output.because = is_first ? std::nullopt : std::optional(first->second);
        output.line = nodes_[culprit].line;
        output.line_place = nodes_[culprit].place;
        output.diagnosis = ask_culprit(culprit);
        // A stage may have the same mistake in several lines, as causal masks weights and scores.
        const std::vector<Match>& matches = output.diagnosis.matches;
        const auto closest = std::ranges::max_element(matches, {}, [&](const Match& match) {
            return match.mistakes == matches.front().mistakes ? words_in_common(output.line, match.instead_of)
                                                              : 0;
        });
        output.right_line = closest == matches.end() ? "" : closest->instead_of;
        if (is_first) {
            add_circumstances(output, culprit);
        }
    }

    // A mistake that no walk has.
    Diagnosis named(std::size_t culprit, std::string_view mistake, const std::string& right) const {
        const Stage* const linear = find_stage("linear");
        Match match{.stage = linear, .parameters = linear->defaults, .step = graph_.named_step(culprit)};
        match.mistakes = {mistake};
        match.bits = 100.0;
        match.line = nodes_[culprit].line;
        match.instead_of = right;
        Diagnosis answer;
        answer.matches.push_back(std::move(match));
        return answer;
    }

    Diagnosis ask_culprit(std::size_t culprit) {
        const auto named = [&](std::string_view mistake, const std::string& right) {
            return this->named(culprit, mistake, right);
        };
        if (is_altered_lesson(culprit)) {
            return named("other-input", right_number(culprit));
        }
        if (const std::string_view mistake = evident_mistake(culprit); !mistake.empty()) {
            std::string line = nodes_[culprit].line;
            const std::size_t in_place = line.find("_(");
            const bool is_mended = mistake == "changed-in-place" && in_place != std::string::npos;
            return named(mistake, is_mended ? line.erase(in_place, 1) : "");
        }
        if (graph_.draw_of(culprit) != nullptr && graph_.draw_of(culprit)->is_again) {
            return named("seed-not-set-again", "");
        }
        if (global_in(culprit) != nullptr) {
            const Diagnosis& answer = ask(culprit);
            return answer.is_decided() && !answer.is_right() ? answer : named("notebook-variable", "");
        }
        if (reassigned_operand(culprit)) {
            const Diagnosis& answer = ask(culprit);
            const bool is_named = answer.is_decided() && !answer.is_right();
            return is_named ? answer : named("reassigned", "");
        }
        Diagnosis answer = ask(culprit);
        if (const std::string_view likely = likely_mistake(culprit);
            !answer.is_decided() && !likely.empty()) {
            return named(likely, "");
        }
        const bool is_swapped = status(culprit).is_swapped;
        if (is_swapped && !is_draw(nodes_[culprit].operation)) {
            return named("same-projection", with_other_weights(culprit));
        }
        if (is_swapped || answer.matches.empty() ||
            answer.matches.front().mistakes.empty()) {  // numbers of another layer
            return named(sets_seed_often() ? "seed-set-before-each-layer" : "draw-order", "");
        }
        return answer;
    }

    // The first number of an altered lesson that differs from the documents', as code.
    std::string right_number(std::size_t id) const {
        const Tensor& own = nodes_[id].value;
        const Tensor right = built_in_lesson().embeddings;
        const auto at = static_cast<std::size_t>(std::ranges::mismatch(own.values(), right.values()).in1 -
                                                 own.values().begin());
        const std::size_t width = own.shape()[1];
        return "inputs[" + std::to_string(at / width) + "][" + std::to_string(at % width) +
               "] = " + shortest_digits(right.values()[at]);
    }

    // The line of a projection with the weights that the name of its result says.
    std::string with_other_weights(std::size_t id) const {
        const Computed& node = nodes_[id];
        std::string line = node.line;
        for (const std::size_t used : node.operands) {
            const auto wanted = std::ranges::find_if(nodes_, [&](const Computed& other) {
                return is_draw(other.operation) && !other.name.empty() &&
                       weight_role(other.name) == weight_role(node.name);
            });
            const std::size_t at = line.find(nodes_[used].name);
            if (wanted != nodes_.end() && is_draw(nodes_[used].operation) && !nodes_[used].name.empty() &&
                at != std::string::npos) {
                return line.replace(at, nodes_[used].name.size(), wanted->name);
            }
        }
        return "";
    }

    // An output whose expression is not followed, or whose numbers are not those of its code.
    void judge_by_numbers(Judged& output, std::optional<std::size_t> node, bool is_foreign) {
        if (is_foreign) {
            return;
        }
        const Diagnosis& found = output.diagnosis;
        constexpr double enough = 20.0;
        if (!found.is_decided() || (!found.is_right() && found.matches.front().bits < enough)) {
            output.diagnosis.matches.clear();
            if (node && outdated_[*node]) {
                blame_order(output, *node);
                return;
            }
            const auto older = std::ranges::find_if(
                older_, [&](std::size_t other) { return node && graph_.depends(*node, *node_of(other)); });
            if (older != older_.end()) {
                output.verdict = OutputVerdict::follows;
                output.because = *older;
                output.diagnosis = result_.outputs[*older].diagnosis;
                output.line = nodes_[*node].line;
                output.line_place = nodes_[*node].place;
            } else if (node) {
                output.circumstances.push_back({"differs_from_code", output.label, nodes_[*node].place});
            }
            return;
        }
        output.verdict = found.is_right() ? OutputVerdict::right : OutputVerdict::mistake;
        if (!found.is_right()) {
            output.line = found.matches.front().line;
            output.right_line = found.matches.front().instead_of;
            output.line_place = output.place;
            output.is_line_of_code = false;
            const auto same = std::ranges::find_if(result_.outputs, [&](const Judged& other) {
                return &other != &output && other.verdict == OutputVerdict::mistake &&
                       other.diagnosis.matches.front().mistakes == found.matches.front().mistakes;
            });
            if (same != result_.outputs.end()) {
                output.verdict = OutputVerdict::follows;
                output.because = static_cast<std::size_t>(same - result_.outputs.begin());
            }
            if (node && right_verdict(status(*node).verdict)) {
                output.circumstances.push_back({"older_than_code", output.label, nodes_[*node].place});
                older_.push_back(static_cast<std::size_t>(&output - result_.outputs.data()));
            }
        }
    }

    // An output with other numbers than its code gives, because a cell that it uses ran again later.
    void blame_order(Judged& output, std::size_t node) {
        const auto index = static_cast<std::size_t>(&output - result_.outputs.data());
        output.verdict = first_old_ ? OutputVerdict::follows : OutputVerdict::mistake;
        output.because = first_old_;
        output.line = nodes_[node].line;
        output.line_place = nodes_[node].place;
        output.diagnosis = named(node, "older-than-its-code", "");
        if (!first_old_) {
            first_old_ = index;
            const Computed& later = nodes_[*outdated_[node]];
            output.circumstances.push_back({"ran_afterwards", later.name, later.place, {}});
        }
    }

    static bool right_verdict(OutputVerdict verdict) {
        return verdict == OutputVerdict::right || verdict == OutputVerdict::settings;
    }

    // ---- whole stages -----------------------------------------------------------------------------------

    // A document that shows all steps of a stage in their order, such as one that this program wrote, is
    // right, also where the stage demonstrates a mistake.
    void recognise_stage() {
        constexpr std::size_t most_outputs = 512;  // of a stage; a longer document would only take time
        constexpr std::size_t most_numbers = 1000;
        const Lesson lesson = lessons_.chapters().front().lesson;
        if (result_.all_right() || result_.outputs.size() > most_outputs ||
            lesson.embeddings.count() > most_numbers) {
            return;
        }
        for (const Stage* const stage : catalogue()) {
            std::vector<Parameters> all{stage->defaults};
            if (uses(*stage, "seed") && uses(*stage, "lesson")) {
                std::ranges::copy(lessons_.stated_parameters(*stage, lesson.embeddings.shape()[1]),
                                  std::back_inserter(all));
            }
            constexpr std::size_t most = 4;  // variants of a stage
            all.resize(std::min(all.size(), most));
            for (const Parameters& parameters : all) {
                try {
                    const StageTrace walked = walk(*stage, lesson, parameters, question_.inputs);
                    if (walked.steps.size() > result_.outputs.size()) {
                        break;
                    }
                    if (take_steps_of(walked)) {
                        return;
                    }
                } catch (const Error&) {
                    continue;  // settings or a lesson that do not fit the stage
                }
            }
        }
    }

    // Judges the outputs as the steps of a stage if they are its steps, and all others are right or not shown
    // by code, as drawings are not.
    bool take_steps_of(const StageTrace& walked) {
        std::vector<std::optional<std::size_t>> step_of(result_.outputs.size());
        auto next = walked.steps.begin();
        for (std::size_t i = 0; i < step_of.size(); ++i) {
            const Judged& output = result_.outputs[i];
            if (next != walked.steps.end() && is_printed(output.printed, walked.node(*next).value, 0.0)) {
                step_of[i] = *next++;
            } else if (next != walked.steps.begin() &&
                       is_printed(output.printed, walked.node(*std::prev(next)).value, 0.0)) {
                step_of[i] = *std::prev(next);  // once more, by a module
            } else if (followed_.shown_of[i] && !is_right(output.verdict)) {
                return false;
            }
        }
        if (next != walked.steps.end()) {
            return false;
        }
        std::vector<Judged> outputs;
        for (std::size_t i = 0; i < step_of.size(); ++i) {
            Judged output = std::move(result_.outputs[i]);
            if (step_of[i]) {
                const Match match = match_of({&walked, *step_of[i]}, output.printed);
                output = {.printed = std::move(output.printed),
                          .place = output.place,
                          .item = output.item,
                          .label = std::move(output.label),
                          .verdict = right_or_settings({{&walked, *step_of[i]}})};
                output.diagnosis.matches.push_back(match);
            }
            if (step_of[i] || followed_.shown_of[i]) {
                outputs.push_back(std::move(output));
            }
        }
        result_.outputs = std::move(outputs);
        return true;
    }

    // ---- settings ---------------------------------------------------------------------------------------

    void state_settings() {
        std::set<std::pair<std::uint64_t, std::string>> seeds;
        for (const Drawn& draw : followed_.flow.draws) {
            if (draw.seed && draw.seeded && is_relevant_[draw.node] && seeds.emplace(*draw.seed, "").second) {
                result_.stated.push_back({"seed", {std::to_string(*draw.seed)}, *draw.seeded});
            }
        }
        for (const Chapter& chapter : lessons_.chapters()) {
            if (chapter.node && nodes_[*chapter.node].value.rank() == 2 &&
                (nodes_[*chapter.node].operands.empty() || &chapter == &lessons_.chapters().front())) {
                const Shape& shape = chapter.lesson.embeddings.shape();
                result_.stated.push_back({"tokens",
                                          {std::to_string(shape[0]), std::to_string(shape[1])},
                                          nodes_[*chapter.node].place});
            }
        }
        std::set<double> heads;
        for (const Module& module : followed_.flow.modules) {
            const auto found = module.numbers.find("num_heads");
            if (found != module.numbers.end() && heads.insert(found->second).second) {
                result_.stated.push_back(
                    {"heads", {std::to_string(static_cast<std::size_t>(found->second))}, module.place});
            }
        }
    }

    const Document& document_;
    const Question& question_;
    Judgement result_;
    FollowedCode followed_;
    const std::vector<Computed>& nodes_;  // of the code
    CodeGraph graph_;
    AttentionPattern pattern_;
    Lessons lessons_;
    std::vector<bool> is_relevant_;
    std::vector<Status> status_;
    std::vector<bool> is_judged_;
    std::map<std::size_t, Diagnosis> answers_;
    std::size_t searches_ = 0;  // of a chapter, for these answers
    std::vector<std::optional<std::size_t>>
        outdated_;                                 // for each node: the operand whose cell ran again later
    std::optional<std::size_t> first_old_;         // the first output that is older than its code
    Ids older_;                                    // outputs that are wrong, unlike what their code gives now
    std::map<std::size_t, Dataflow> mended_;       // culprit → the dataflow with its right value, if known
    Ids mistaken_masks_;                           // the culprits that are about a mask
    std::map<std::size_t, std::size_t> departed_;  // culprit → the first output that shows it
};

}  // namespace

std::string_view name_of(OutputVerdict verdict) {
    constexpr std::string_view names[] = {"right",   "settings", "consistent", "by-product",
                                          "mistake", "follows",  "unknown"};
    return names[static_cast<std::size_t>(verdict)];
}

bool is_right(OutputVerdict verdict) {
    return verdict == OutputVerdict::right || verdict == OutputVerdict::settings ||
           verdict == OutputVerdict::by_product;
}

std::optional<std::size_t> Judgement::first_departure() const {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (outputs[i].verdict == OutputVerdict::mistake) {
            return i;
        }
    }
    return std::nullopt;
}

bool Judgement::all_right() const {
    return !outputs.empty() &&
           std::ranges::all_of(outputs, [](const Judged& output) { return is_right(output.verdict); });
}

Judgement judge(const Document& document, const Question& question) {
    return Judge(document, question).run();
}

}  // namespace attn
