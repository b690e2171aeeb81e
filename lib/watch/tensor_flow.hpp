// Follows the calls of a layer, and collects what each tensor comes from.
#pragma once

#include <vector>

#include "watch/attention_layer.hpp"
#include "watch/recording.hpp"

namespace attn {

// The origin of a recorded tensor. A bool is true if the tensor comes from this.
struct TensorFlow {
    unsigned roles = 0;        // the projections, as bits
    unsigned needs = 0;        // the weights that a match with a walked tensor must have, as bits
    bool from_inputs = false;  // the inputs, without a projection
    bool is_row = false;       // a projection of one token
    bool is_random = false;    // random numbers, without the inputs
    bool is_foreign = false;   // products of other layers
    bool is_mixed = false;     // a product of two projections
    bool is_context = false;   // a product with such a product
    bool is_turned = false;    // cosines or sines
    bool is_learned = false;   // a parameter that is neither a weight of the layer nor a mask
    bool is_mask = false;      // scores or weights are masked with it
    double rounding = 0.0;     // of the coarsest type on the way

    bool is_moving() const { return roles != 0 || from_inputs; }
};

struct LayerFlow {
    std::vector<TensorFlow> tensors;
    unsigned used = 0;  // the projections that the code makes, as bits

    TensorFlow& operator[](std::size_t id) { return tensors[id]; }
    const TensorFlow& operator[](std::size_t id) const { return tensors[id]; }
};

LayerFlow follow(const Recording& recording, const AttentionLayer& layer);

}  // namespace attn
