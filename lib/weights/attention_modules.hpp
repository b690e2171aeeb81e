// Finding the attention modules of a model's checkpoint by the names of their projections. What is in them is
// checkpoint.hpp's.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "files/tensor_file.hpp"
#include "weights/weights.hpp"

namespace attn {

// How a family of models calls its projections.
struct ProjectionNames {
    std::array<std::string_view, 3> parts;  // of queries, keys and values
    std::array<std::string_view, 2> out;    // of the projection after the heads, whichever there is
    bool fused = false;                     // all three are one
    bool heads_of_64 = false;               // as GPT-2 has them in all its sizes
};

struct Module {
    const ProjectionNames* names;
    std::string prefix;                // "transformer.h.3.attn."
    std::optional<std::size_t> layer;  // 3: the last number in the prefix
};

// All there are, by layer. The state_dict of a stage has none unless something is to be picked: its
// projections have no prefix, or that of a stacked head.
std::vector<Module> find_modules(const TensorFile& file, const Selection& selection);

// The one of the layer asked for, or the only one. Throws Error, listing the layers, when there is none or
// the choice is open. `modules` are at least one.
const Module& choose_module(const TensorFile& file, const std::vector<Module>& modules,
                            const Selection& selection);

}  // namespace attn
