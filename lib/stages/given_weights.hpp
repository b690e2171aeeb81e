// Weights that are given instead of drawn, as stages ask for them. Which files they come from, and what
// models call them, is lib/weights'.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "stages/parameters.hpp"
#include "tensor/tensor.hpp"

namespace attn {

struct Stage;

// The weights of one walk.
class GivenWeights {
public:
    using Names = std::initializer_list<std::string>;

    GivenWeights() = default;
    GivenWeights(const GivenWeights&) = delete;
    GivenWeights& operator=(const GivenWeights&) = delete;
    virtual ~GivenWeights() = default;

    // Throws Error when the weights are not for embeddings of this width.
    virtual void require_width(std::size_t d_in) const = 0;

    // Sets widths, heads, bias and context length as the tensors' names and shapes say. Throws Error for more
    // heads than a stage writes out.
    virtual void adopt(Parameters& parameters) const = 0;

    // True if there is a tensor of one of these names.
    virtual bool has(Names names) const = 0;

    // The tensor under the first of these names there is; the walkthrough calls it `called`. Throws Error
    // when there is none, and when its shape is not the expected one.
    virtual Tensor take(Names names, const Shape& expected, std::string_view called) = 0;

    // Throws Error when a tensor has not been taken. Buffers, which are masks, need not be, but must be the
    // mask of that size.
    virtual void require_all_taken(std::string_view stage, std::size_t context_length) const = 0;

    // How each tensor taken was cut out of a larger model: lines on that, then "W_query = state_dict[…]…".
    virtual const std::vector<std::string>& cuts() const = 0;
};

// Returns those of a reader's weights that the stage takes. Throws Error when it can take none of them, or
// the choice is open.
using WeightSource = std::function<std::unique_ptr<GivenWeights>(const Stage& stage)>;

}  // namespace attn
