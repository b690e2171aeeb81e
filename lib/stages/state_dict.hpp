// A reader's weights, as stages use them: the named tensors of a stage's modules. lib/weights reads them from
// files and knows the names in models.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "files/tensor_file.hpp"
#include "stages/parameters.hpp"
#include "tensor/tensor.hpp"

namespace attn {

struct Stage;

// The weights of one run. Only requested tensors are read from the file. The last three members describe
// tensors that were cut out of a checkpoint.
struct StateDict {
    std::shared_ptr<const TensorFile> file;
    std::vector<std::string_view> taken = {};  // names of the tensors taken so far
    // Python lines: about the whole module, then "W_query = state_dict[…]…" for each tensor taken.
    std::vector<std::string> cuts = {};
    // For each name, the code that cuts the tensor out.
    std::map<std::string, std::string, std::less<>> sources = {};
    // Number of heads, for stages that split a fused layer.
    std::optional<std::size_t> num_heads = std::nullopt;
};

// Returns the weights that the stage takes. Throws Error if it can take none of them, or if the choice is
// ambiguous.
using WeightSource = std::function<StateDict(const Stage& stage)>;

// The names a tensor may have, the usual one first.
using WeightNames = std::initializer_list<std::string>;

// Throws Error if the weights are for embeddings of a different width.
void require_width(const StateDict& weights, std::size_t d_in);

// Sets widths, heads, bias and context length from the tensors' names and shapes. Throws Error for more heads
// than a stage writes out.
void adopt(const StateDict& weights, Parameters& parameters);

// True if there is a tensor of one of these names.
bool has_weight(const StateDict& weights, WeightNames names);

// Returns the tensor under the first of these names that exists; the walkthrough calls it `called`. Throws
// Error if there is none, or its shape is not the expected one.
Tensor take_weight(StateDict& weights, WeightNames names, const Shape& expected, std::string_view called);

// Throws Error if a tensor has not been taken. Buffers (stored masks) need not be taken, but must be a causal
// mask of that size.
void require_all_taken(const StateDict& weights, std::string_view stage, std::size_t context_length);

// Returns true if the documents' modules have a mask buffer of that name.
bool is_mask_name(std::string_view name);

// Returns true if the mask is (n, n), possibly with leading sizes of 1, and has ones on and below the
// diagonal (`lower`), or else above it.
bool is_causal_mask(const Tensor& mask, bool lower);

}  // namespace attn
