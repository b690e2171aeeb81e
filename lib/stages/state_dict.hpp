// A reader's weights: named tensors of a stage's modules. lib/weights reads them from files and translates
// the names of models.
#pragma once

#include <functional>
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

// The weights of one run. A tensor is read from the file when it is requested. The last three members are
// only for tensors cut out of a checkpoint.
struct StateDict {
    std::shared_ptr<const TensorFile> file;
    std::vector<std::string_view> taken = {};  // the names of tensors that a stage has already taken
    // Python code: lines about the whole module, then "W_query = state_dict[…]…" for each tensor that was
    // taken.
    std::vector<std::string> cuts = {};
    // The code that cuts out each tensor, by name.
    std::map<std::string, std::string, std::less<>> sources = {};
    // The number of heads, for stages that split one layer into heads.
    std::optional<std::size_t> num_heads = std::nullopt;
    std::size_t value_width = 0;  // of the values; 0 if it is that of the keys
};

// Returns those weights that the stage needs. Throws Error if it needs none of them, or if the choice is
// ambiguous.
using WeightSource = std::function<StateDict(const Stage& stage)>;

// Throws Error if the weights are for embeddings of a different width.
void require_width(const StateDict& weights, std::size_t d_in);

// Sets widths, heads, bias and context length from the tensors' names and shapes. Throws Error for more heads
// than a stage writes out.
void adopt(const StateDict& weights, Parameters& parameters);

// True if there is a tensor of this name, or with another name of the layer: W_q.weight for W_query.weight.
bool has_weight(const StateDict& weights, std::string_view name);

// Returns the tensor of this name; in the walkthrough its name is `called`. Throws Error if there is none, or
// if the shape is wrong.
Tensor take_weight(StateDict& weights, std::string_view name, const Shape& expected, std::string_view called);

// Throws Error if a tensor was not used. Stored masks may remain unused, but must be causal masks of this
// size.
void require_all_taken(const StateDict& weights, std::string_view stage, std::size_t context_length);

// Returns true if a module of the documents stores its mask under this name.
bool is_mask_name(std::string_view name);

// Returns true for an (n, n) mask, possibly with leading axes of size 1. Its ones must be on and below the
// diagonal if `lower` is true, otherwise above it.
bool is_causal_mask(const Tensor& mask, bool lower);

}  // namespace attn
