#include "watch/layer_report.hpp"

#include <algorithm>

#include "text/lists.hpp"
#include "watch/call_difference.hpp"

namespace attn {

void report(const LayerMatch& match, const LayerJudgement& judged, AlignedLayer& layer) {
    const StageTrace& trace = match.trace();
    layer.stage = match.walks->stage;
    layer.parameters = trace.parameters;
    layer.weights = match.is_joined() ? std::vector<WeightPlace>() : match.walks->places;
    layer.memory = match.memory;
    layer.is_right = judged.is_right;
    layer.departs = judged.departs;
    layer.differs = judged.is_right || judged.departs ? std::vector<std::size_t>() : judged.other.calls;
    layer.caller = judged.caller;
    bool follows = false;
    for (std::size_t i = 0; i < match.end; ++i) {
        const RecordedCall& call = match.calls[i];
        const bool own = std::ranges::any_of(call.results, [&](std::size_t id) {
            return match.made_at(id) == i && match.flow[id].roles != 0;
        });
        if (!judged.is_judged(match, call) || (!own && i != judged.departs)) {
            continue;
        }
        AlignedCall aligned{i, CallVerdict::detour, ""};
        for (const std::size_t id : call.results) {
            std::string& step = aligned.steps.emplace_back();
            if (const auto* const step_match = match.match_of(id)) {
                step = match.name_of_node(step_match->node);
                aligned.verdict = CallVerdict::right;
                aligned.step = step;
                const Node& node = trace.node(step_match->node);
                if (node.role == Role::step && step_match->node < match.walks->first_detour) {
                    layer.output = node.name;
                    layer.place = trace.place(step_match->node);
                }
            }
        }
        if (i == judged.departs) {
            aligned = {i, CallVerdict::departs, ""};
            follows = true;
        } else if ((follows || (!layer.differs.empty() && i >= layer.differs[0])) &&
                   aligned.verdict == CallVerdict::detour) {
            aligned.verdict = CallVerdict::follows;
        }
        layer.calls.push_back(aligned);
    }
    if (judged.departs) {
        const RecordedCall& call = match.calls[*judged.departs];
        std::vector<std::size_t> operands;  // nodes
        for (const std::size_t id : call.operands) {
            if (const auto node = match.node_of(id)) {
                const bool is_scaled = contains(match.walks->prescaled, *node);
                operands.push_back(is_scaled ? trace.node(*node).call.inputs[0] : *node);
            }
        }
        const std::size_t rank = call.operands.empty() ? 0 : match.tensor(call.operands[0]).shape.size();
        static_cast<CallDifference&>(layer) = difference_of(call, rank, operands, *match.walks);
        layer.right_step = trace.find(layer.right_step) ? layer.right_step : "";
        const std::vector<std::size_t>& sizes = match.tensor(call.results[0]).shape;
        if (call.kind == "triangle" && sizes.size() > 1 && sizes.back() != sizes[sizes.size() - 2]) {
            layer.yours = layer.right = layer.right_line = "";  // the diagonal depends on the cache
        }
        if (match.ignores_output_projection() && match.matches.contains(call.results[0]) &&
            call.kind == "layout") {
            layer.yours = layer.right_line = "";
            layer.right = "out_proj";
        }
    }
}

}  // namespace attn
