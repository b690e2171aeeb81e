// Reads the names of attention's weights: those of the stages, of models, and of readers' code.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace attn {

// Queries, keys and values, and the stages' names of the weights that project to them.
constexpr std::string_view roles = "qkv";
constexpr std::array<std::string_view, roles.size()> weight_names{"W_query", "W_key", "W_value"};

struct RoleName {
    char role;         // q, k, v, f for a fused projection, or p for one of keys and values
    std::string stem;  // the name with * in place of the role
};

// Returns the role that a part of the name says: that of xq, attn.W_query.weight or c_attn.
std::optional<RoleName> role_in(std::string_view name);

// Returns the stages' name of a layer: W_query for W_q, Wq, q_proj, self.query.weight and the like, and
// out_proj for W_o. Returns an empty text if a part of the name says something else.
std::string_view usual_weight_name(std::string_view name);

// Returns queries for W_query; an empty text if the stages have no weight of this name.
std::string_view projected_by(std::string_view weight);

}  // namespace attn
