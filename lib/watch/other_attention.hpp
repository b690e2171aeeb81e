// Finds the calls with which another kind of attention differs from the stages.
#pragma once

#include <optional>
#include <vector>

#include "watch/layer_match.hpp"

namespace attn {

struct OtherAttention {
    std::vector<std::size_t> calls{};
    std::vector<bool> is_other{};  // of each tensor: it comes from such a call
    OptionalIndex departs{};       // the call on the way to the output that departs from this kind as well

    bool precedes(const RecordedCall& call) const {
        return call.reads([&](std::size_t id) { return is_other[id]; });
    }
};

// Judges the calls on the way to the output, up to the first one that departs.
OtherAttention other_attention(const LayerMatch& layer);

// Adds the first call on the way to the output with a wrong result, and marks what comes from it.
void add_first_difference(const LayerMatch& layer, OtherAttention& other);

// Adds the later calls of operations before the context vectors that no stage has.
void add_foreign_steps(const LayerMatch& layer, OtherAttention& other);

// Returns false for what belongs to other kinds of attention: a learned bias or gain, a temperature, a
// rotation of some of the features, windows of tokens.
bool is_of_stage(const LayerMatch& layer, const RecordedCall& call);

// Returns the number by which a call scales queries, keys or scores.
std::optional<double> factor_of(const LayerMatch& layer, const RecordedCall& call, std::size_t scaled);

}  // namespace attn
