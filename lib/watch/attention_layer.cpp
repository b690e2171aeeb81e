#include "watch/attention_layer.hpp"

#include <algorithm>

#include "text/lists.hpp"

namespace attn {

bool AttentionLayer::is_weight(std::size_t id) const {
    const auto has = [&](const Projection& p) { return p.weight == id || p.bias == id; };
    return (out_proj && has(*out_proj)) ||
           std::ranges::any_of(by_role, [&](const auto& one) { return has(one.second); });
}

std::vector<bool> AttentionLayer::projected(const Recording& recording) const {
    std::vector<bool> results(recording.tensors.size());
    for (const auto& [role, p] : by_role) {
        results[p.result] = results[p.result] || p.is_used;
    }
    for (const auto& [role, result] : rows) {
        results[result] = true;
    }
    return results;
}

bool AttentionLayer::is_input(std::size_t id) const {
    return id == x || id == memory || contains(past, id);
}

std::size_t width_of(const Recording& recording, const AttentionLayer& layer, char role) {
    const Projection& p = layer.by_role.at(layer.is_fused() ? 'f' : role);
    return p.to > 0 ? p.to - p.from : outputs_of(recording, p) / (layer.is_fused() ? 3 : 1);
}

std::string name_of_layer(const RecordedTensor& weight) {
    const std::string name = path_of(weight);
    const std::string stem = name.substr(0, name.rfind(".weight"));
    const std::size_t dot = stem.rfind('.');
    return dot == std::string::npos ? "" : stem.substr(0, dot);
}

}  // namespace attn
