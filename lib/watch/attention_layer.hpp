// The parts of one attention layer in a recording.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "watch/recorded_projections.hpp"

namespace attn {

struct AttentionLayer {
    std::size_t first_call = 0, end = 0, x = 0;
    OptionalIndex memory{};           // of cross-attention: the inputs of keys and values
    std::vector<std::size_t> past{};  // the inputs of earlier calls, whose keys are in a cache
    std::vector<std::pair<char, Projection>> past_by_role{};  // their projections to keys and values
    std::map<char, Projection> by_role{};                     // q, k, v, or f
    std::string name{}, stem{};
    std::vector<std::pair<char, std::size_t>> rows{};  // projections of some tokens: role and result
    OptionalIndex heads{};                             // given by nn.MultiheadAttention
    bool is_sequence_first = false;                    // such a module takes tokens, batch, features
    std::optional<Projection> out_proj{};
    OptionalIndex stray{};        // the one projection that multiplies other inputs
    bool is_stray_given = false;  // by the caller of the function that projects them
    bool is_simplified = false;
    bool is_given = false;  // the code begins with queries, keys and values, the results in `by_role`

    bool is_fused() const { return by_role.contains('f'); }
    // Several inputs follow each other along the axis of the tokens.
    bool is_joined() const { return memory || !past.empty(); }
    // The weights of the output projection are not used.
    bool ignores_output_projection() const { return out_proj && out_proj->result == x; }
    bool is_weight(std::size_t id) const;
    // Returns true for inputs, also for those of keys and values and of earlier calls.
    bool is_input(std::size_t id) const;
    // Returns for each tensor of the recording whether the code's projections give it.
    std::vector<bool> projected(const Recording& recording) const;
    bool is_complete() const { return is_fused() || by_role.size() == roles.size(); }
};

// Returns the width of all heads of queries, keys or values.
std::size_t width_of(const Recording& recording, const AttentionLayer& layer, char role);

// Returns the path of the module that has the weight's module, which names the layer: attn for
// attn.W_key.weight.
std::string name_of_layer(const RecordedTensor& weight);

}  // namespace attn
