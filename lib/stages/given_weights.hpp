// A reader's weights, as stages use them. lib/weights reads them from files and knows the names in models.
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

// The weights of one run.
class GivenWeights {
public:
    using Names = std::initializer_list<std::string>;

    GivenWeights() = default;
    GivenWeights(const GivenWeights&) = delete;
    GivenWeights& operator=(const GivenWeights&) = delete;
    virtual ~GivenWeights() = default;

    // Throws Error if the weights are for embeddings of a different width.
    virtual void require_width(std::size_t d_in) const = 0;

    // Sets widths, heads, bias and context length from the tensors' names and shapes. Throws Error for more
    // heads than a stage writes out.
    virtual void adopt(Parameters& parameters) const = 0;

    // True if there is a tensor of one of these names.
    virtual bool has(Names names) const = 0;

    // Returns the tensor under the first of these names that exists; the walkthrough calls it `called`.
    // Throws Error if there is none, or its shape is not the expected one.
    virtual Tensor take(Names names, const Shape& expected, std::string_view called) = 0;

    // Throws Error if a tensor has not been taken. Buffers (stored masks) need not be taken, but must be a
    // causal mask of that size.
    virtual void require_all_taken(std::string_view stage, std::size_t context_length) const = 0;

    // Python lines that cut the tensors out of a larger model, then "W_query = state_dict[…]…".
    virtual const std::vector<std::string>& cuts() const = 0;
};

// Returns the weights that the stage takes. Throws Error if it can take none of them, or if the choice is
// ambiguous.
using WeightSource = std::function<std::unique_ptr<GivenWeights>(const Stage& stage)>;

}  // namespace attn
