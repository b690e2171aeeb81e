#include "judge/mended_code.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "judge/causes.hpp"
#include "judge/code_names.hpp"
#include "judge/node_signs.hpp"
#include "tensor/softmax.hpp"

namespace attn {

std::optional<bool> MendedCode::is_affected(std::size_t i, std::size_t departed) {
    const auto [known, is_new] = mended_.try_emplace(departed);
    if (is_new) {
        if (const std::optional<Tensor> right = right_value(departed)) {
            known->second = code_.followed.with_value(code_.document, departed, *right);
        }
    }
    const std::vector<Shown>& shown = known->second.shown;
    if (shown.size() != code_.flow.shown.size() || !shown[*code_.followed.shown_of[i]].node) {
        return std::nullopt;
    }
    const Computed& own = code_[*code_.followed.node_of(i)];
    const Tensor& mended = known->second.nodes[*shown[*code_.followed.shown_of[i]].node].value;
    return mended.shape() != own.value.shape() || !is_close(own.value.values(), mended.values(), own.slack);
}

// The step that a node should be, according to its mistake.
std::optional<Tensor> MendedCode::right_value(std::size_t departed) {
    if (code_[departed].operation == "changed") {  // the tensor before it was changed
        const Computed& change = code_[code_[departed].operands[0]];
        return change.operands.empty() ? std::nullopt : std::optional(code_[change.operands[0]].value);
    }
    for (const Chapter& chapter : code_.lessons.chapters()) {
        if (is_node_of(code_, chapter, departed) && chapter.is_altered) {
            return chapter.lesson.embeddings;
        }
    }
    if (const std::optional<std::size_t> masked = forgotten_mask(code_, departed)) {
        Tensor scores = code_[code_[departed].operands[0]].value;
        const std::span<const float> seen = code_[*masked].value.values();
        for (std::size_t i = 0; i < scores.count() && i < seen.size(); ++i) {
            scores.values()[i] = std::isinf(seen[i]) ? seen[i] : scores.values()[i];
        }
        return softmax(scores, -1);
    }
    if (const std::optional<Tensor> moved = moved_rightly(departed)) {
        return moved;
    }
    if (global_in(code_, departed) != nullptr) {
        return std::nullopt;
    }
    const Diagnosis answer = cause_of(code_, verdicts_, departed);
    if (mistake_of(answer).empty() || !answer.matches.front().piece.index.empty() ||
        mistake_of(answer).starts_with("dropout")) {  // dropout belongs to a different step
        return std::nullopt;
    }
    const Match& match = answer.matches.front();
    for (const Chapter& chapter : code_.lessons.chapters()) {
        for (const StageTrace& walk : chapter.walks) {
            const std::optional<std::size_t> step = walk.find(match.step);
            if (walk.stage == match.stage && walk.parameters.seed == match.parameters.seed && step &&
                walk.node(*step).value.shape() == code_[departed].value.shape() &&
                !identical(walk.node(*step).value, code_[departed].value)) {
                return walk.node(*step).value;
            }
        }
    }
    return std::nullopt;
}

// The step that has the same numbers as a node in another order.
std::optional<Tensor> MendedCode::moved_rightly(std::size_t id) {
    const auto sorted = [](const Tensor& x) {
        std::vector<float> values(x.values().begin(), x.values().end());
        std::ranges::sort(values);
        return values;
    };
    const Computed& node = code_[id];
    const std::vector<float> own = sorted(node.value);
    for (const Found& found : node.operands.empty() || !is_move(node.operation)
                                  ? std::vector<Found>()
                                  : verdicts_.status(node.operands[0]).found) {
        for (const std::size_t step : found.walk->steps) {
            const Tensor& right = found.walk->node(step).value;
            if (right.count() == own.size() && is_close(sorted(right), own, node.slack)) {
                return right;
            }
        }
    }
    return std::nullopt;
}

}  // namespace attn
