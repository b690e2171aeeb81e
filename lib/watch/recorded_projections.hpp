// Reads which calls of a recording project inputs to queries, keys and values: products with a weight.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stages/weight_names.hpp"
#include "watch/recording.hpp"

namespace attn {

constexpr unsigned bit_of(char role) {
    return 1U << roles.find(role);
}
constexpr unsigned all_roles = bit_of('q') | bit_of('k') | bit_of('v');

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

// Returns the number of outputs of the whole weight.
std::size_t outputs_of(const Recording& recording, const Projection& p);

// Returns the longest name, which has the path of the parameter.
std::string path_of(const RecordedTensor& weight);

// Follows transpositions to their operand.
std::size_t before_transposing(const Recording& recording, std::size_t id);

// Returns the tensor of which this one is a part, or itself.
std::size_t whole_of(const Recording& recording, std::size_t id);

// Returns true if no call computes the tensor from others.
bool is_root(const Recording& recording, std::size_t id);

// Returns true for a tensor that does not come from products: inputs, weights, or parts of them.
bool is_source(const Recording& recording, std::size_t id);

class RecordedProjections {
public:
    // `joins_rows`: takes projections of different parts of the same inputs as those of their rows.
    explicit RecordedProjections(const Recording& recording, bool joins_rows = false);

    const Recording& recording() const { return *recording_; }

    // The projection of each call.
    const std::vector<std::optional<Projection>>& all() const { return projections_; }

    // Returns true if some projections are of parts of the same inputs, and joined.
    bool has_rows() const;

    // Returns the calls that have the tensor as operand.
    const std::vector<std::size_t>& users(std::size_t id) const { return users_[id]; }

    bool is_unused_parameter(std::size_t id) const { return tensor(id).is_parameter && users_[id].empty(); }

    // Returns the bias beside a weight, such as W_key.bias, if no call uses it.
    OptionalIndex unused_bias(std::size_t weight) const;

    // Returns the tensor to which the line of a projection gives a name: its result, or that in another
    // layout.
    std::size_t named_after(const Projection& p) const;

    // Returns true if the code takes queries, keys and values from the result, although no name says so.
    bool is_fused(const Projection& p) const;

    // Returns the projections to keys and values of a joint one. A fused one has parts only if the code
    // splits its result in an order of its own, or to fewer keys than queries. Else returns the projection
    // itself.
    std::map<char, Projection> parts_of(char role, const Projection& p) const;

private:
    const RecordedTensor& tensor(std::size_t id) const { return recording_->tensors[id]; }
    const RecordedCall& call_of(const Projection& p) const { return recording_->calls[p.call]; }
    std::optional<Projection> read(std::size_t at) const;
    std::size_t first_alike(std::size_t id) const;
    void take_bias(Projection& p) const;
    bool is_in_out(const Projection& p, bool by_call) const;
    bool is_in_out_by_numbers(const Projection& p) const;
    void read_rows();
    std::vector<std::size_t> users_of_result(const Projection& p) const;
    std::vector<std::pair<char, std::size_t>> sizes_of_parts(char role, const Projection& p) const;

    const Recording* recording_;
    std::vector<std::vector<std::size_t>> users_;
    std::vector<std::optional<Projection>> projections_;
};

}  // namespace attn
