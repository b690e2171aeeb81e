// Finds the attention layers of a recording: which calls project the inputs to queries, keys and values, and
// where the next layer begins.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/recording.hpp"

namespace attn {

// Queries, keys and values.
constexpr std::string_view roles = "qkv";
constexpr unsigned all_roles = 7;

// The most layers of a recording: each is compared with all calls, so the time grows with their product.
inline constexpr std::size_t max_layers = 500;

struct RoleName {
    char role;         // q, k, v, f for a fused projection, or p for one of keys and values
    std::string stem;  // the name with * in place of the role
};

// Returns the role that a name such as W_query or c_attn gives to a tensor.
std::optional<RoleName> role_of(const RecordedTensor& tensor);

struct Projection {
    std::size_t call, x, weight, result;
    OptionalIndex bias{};
    bool is_in_out = false;        // the weight has shape (in, out)
    bool is_used = true;           // false for a weight that no call multiplies, and for rows
    bool is_of_rows = false;       // x stands for the whole inputs, of which the call multiplies a part
    std::size_t from = 0, to = 0;  // its outputs in a joint weight; `to` is 0 if it has all
};

// The parts of one attention layer in the recording.
struct AttentionLayer {
    std::size_t first_call = 0, end = 0, x = 0;
    OptionalIndex memory{};           // of cross-attention: the inputs of keys and values
    std::vector<std::size_t> past{};  // the inputs of earlier calls, whose keys are in a cache
    std::vector<std::pair<char, Projection>> past_by_role{};  // their projections to keys and values
    std::map<char, Projection> by_role{};                     // q, k, v, or f
    std::string name{}, stem{};
    std::vector<std::pair<char, std::size_t>> rows{};  // projections of some tokens: role and result
    OptionalIndex heads{};                             // given by nn.MultiheadAttention
    std::optional<Projection> out_proj{};
    OptionalIndex stray{};        // the one projection that multiplies other inputs
    bool is_stray_given = false;  // by the caller of the function that projects them
    bool is_simplified = false;
    bool is_given = false;  // the code begins with queries, keys and values, the results in `by_role`

    bool is_fused() const { return by_role.contains('f'); }
    // Several inputs follow each other along the axis of the tokens.
    bool is_joined() const { return memory || !past.empty(); }
    bool is_weight(std::size_t id) const;
    // Returns true for inputs, also for those of keys and values and of earlier calls.
    bool is_input(std::size_t id) const;
    bool is_complete() const { return is_fused() || by_role.size() == roles.size(); }
};

// Returns the number of outputs of the whole weight.
std::size_t outputs_of(const Recording& recording, const Projection& p);

// Returns the width of all heads of queries, keys or values.
std::size_t width_of(const Recording& recording, const AttentionLayer& layer, char role);

class LayerFinder {
public:
    // `joins_rows`: projections of different parts of the same inputs belong to one layer on all of them.
    explicit LayerFinder(const Recording& recording, bool joins_rows = false);

    // Returns the layers in the order of their calls. Throws Error if there are more than max_layers.
    std::vector<AttentionLayer> layers() const;

    // Returns the first projection whose result has the name of a role whose own weight is not used.
    OptionalIndex contradiction(const AttentionLayer& layer) const;

    const std::optional<Projection>& projection_at(std::size_t call) const { return projections_[call]; }

    // Returns the tensor to which the line of a projection gives a name: its result, or that in another
    // layout.
    std::size_t named_after(const Projection& p) const;

    // Returns true if some projections are of parts of the same inputs, and joined.
    bool has_rows() const;

    // Returns the tensor of which this one is a part, or itself.
    std::size_t whole_of(std::size_t id) const;

private:
    const RecordedTensor& tensor(std::size_t id) const { return recording_->tensors[id]; }
    const RecordedCall* maker(std::size_t id) const { return recording_->maker(id); }
    std::optional<Projection> read_projection(std::size_t call) const;
    void read_rows();
    std::vector<std::pair<char, Projection>> parts_of(char role, const Projection& p) const;
    std::string order_of(const std::vector<std::size_t>& ids) const;
    bool is_split_in_three(const Projection& p) const;
    bool add_rows(std::vector<AttentionLayer>& found, char role, const std::string& stem,
                  const Projection& p) const;
    std::size_t origin(std::size_t id, bool over_shapes) const;
    bool is_source(std::size_t id) const;
    OptionalIndex whole_inputs(std::size_t id) const;
    std::optional<AttentionLayer> layer_of_given(std::size_t at) const;
    void add_simplified(std::vector<AttentionLayer>& found) const;
    void orient(Projection& projection) const;
    OptionalIndex projection_behind(std::size_t id, const std::vector<Projection>& all) const;
    std::optional<AttentionLayer> layer_of_unnamed(const std::vector<Projection>& same) const;
    AttentionLayer whole_module(std::size_t at) const;
    void join_rows(std::vector<AttentionLayer>& found) const;
    OptionalIndex bias_of(std::size_t weight) const;
    void add_unused(AttentionLayer& layer) const;
    bool attends(std::size_t later, std::size_t earlier) const;
    bool is_norm_of(std::size_t id, std::size_t before) const;
    void join_strays(std::vector<AttentionLayer>& found) const;
    std::set<std::size_t> sources_of(std::size_t id) const;
    void join_crossed(std::vector<AttentionLayer>& found) const;
    void find_past(std::vector<AttentionLayer>& found) const;
    std::size_t end_of(const AttentionLayer& layer, const std::vector<AttentionLayer>& all) const;
    void find_out_proj(AttentionLayer& layer) const;

    const Recording* recording_;
    std::vector<std::vector<std::size_t>> users_;         // the calls with this operand
    std::vector<std::optional<Projection>> projections_;  // of each call
};

}  // namespace attn
