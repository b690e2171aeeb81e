#include "watch/layer_judgement.hpp"

#include <algorithm>

namespace attn {

namespace {

// Returns true if a function is given queries, keys or values under the name of another role.
bool takes_other_role(const LayerMatch& layer, const RecordedCall& call) {
    const auto same = [](const auto& a, const auto& b) { return a.line == b.line && a.file == b.file; };
    const auto is_here = [&](const RecordedCall& made) {
        return std::ranges::equal(made.callers, call.callers, same);
    };
    return !call.callers.empty() && std::ranges::any_of(call.operands, [&](std::size_t operand) {
        std::size_t id = operand;
        while (layer.made_at(id) && is_here(*layer.maker(id)) && !layer.maker(id)->operands.empty()) {
            id = layer.maker(id)->operands[0];
        }
        return layer.has_other_role(id);
    });
}

// Returns true if the line that calls the call's function calls it again: q, k = turn(q), turn(k)
bool calls_twice(const RecordedCall& call) {
    const std::string text = call.callers.empty() ? "" : call.callers[0].text;
    const std::string function = call.callers.empty() ? "" : call.callers[0].function + "(";
    const std::size_t first = text.find(function);
    return first != std::string::npos && text.find(function, first + 1) != std::string::npos;
}

}  // namespace

// The line is wrong also if it calls the function with both operands. With a cache, the function may be right
// for the first tokens only.
OptionalIndex wrong_caller(const LayerMatch& layer, const LayerJudgement& judged) {
    if (!judged.departs) {
        return std::nullopt;
    }
    const RecordedCall& wrong = layer.calls[*judged.departs];
    const std::vector<bool>& comes_right = (judged.other.calls.empty() ? layer.own : layer.way).comes_right;
    OptionalIndex caller;
    const auto same = [](const auto& a, const auto& b) { return a.line == b.line && a.file == b.file; };
    if (takes_other_role(layer, wrong)) {
        caller = 0;
    }
    for (std::size_t i = 0; layer.past.empty() && i < layer.end && !caller; ++i) {
        const RecordedCall& other = layer.calls[i];
        const bool is_right = comes_right[i] || std::ranges::any_of(other.results, [&](std::size_t id) {
                                  return layer.matches.contains(id) && !layer.matches.at(id).row;
                              });
        if (i == judged.departs || !is_right || !same(wrong, other) || other.op != wrong.op ||
            layer.matches.contains(wrong.results[0])) {
            continue;
        }
        const bool is_of_other_role =
            i < *judged.departs && !other.operands.empty() && !wrong.operands.empty() &&
            layer.flow[other.operands[0]].roles != layer.flow[wrong.operands[0]].roles;
        if (is_of_other_role && std::ranges::equal(wrong.callers, other.callers, same) &&
            calls_twice(wrong)) {
            caller = 0;
        }
        const auto differs = std::ranges::mismatch(wrong.callers, other.callers, same);
        if (differs.in1 != wrong.callers.end() && differs.in2 != other.callers.end()) {
            caller = static_cast<std::size_t>(differs.in1 - wrong.callers.begin());
        }
    }
    return caller;
}

}  // namespace attn
