// The named tensors of a stage's modules.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "files/tensor_file.hpp"
#include "stages/given_weights.hpp"

namespace attn {

class StateDict final : public GivenWeights {
public:
    using Sources = std::map<std::string, std::string, std::less<>>;

    // Only requested tensors are read from the file. The other arguments describe tensors that were cut out
    // of a checkpoint: `cuts` begins with lines about the whole module, and `sources` has the Python code for
    // each name. `num_heads` is needed by stages that split a fused layer.
    explicit StateDict(std::shared_ptr<const TensorFile> file, std::vector<std::string> cuts = {},
                       Sources sources = {}, std::optional<std::size_t> num_heads = std::nullopt);

    // Returns true if the documents' modules have a buffer of that name.
    static bool is_mask(std::string_view name);

    void require_width(std::size_t d_in) const override;
    void adopt(Parameters& parameters) const override;
    bool has(Names names) const override { return find(names) != nullptr; }
    Tensor take(Names names, const Shape& expected, std::string_view called) override;
    void require_all_taken(std::string_view stage, std::size_t context_length) const override;
    const std::vector<std::string>& cuts() const override { return cuts_; }

private:
    const TensorEntry* find(Names names) const;
    const TensorEntry* find_query() const;  // of nn.Linear; of the first head if there are several
    void check_mask(const TensorEntry& mask, std::size_t context_length) const;

    std::shared_ptr<const TensorFile> file_;
    std::string origin_;  // escaped for output
    std::vector<std::string> cuts_;
    Sources sources_;
    std::optional<std::size_t> num_heads_;
    std::vector<std::string_view> taken_;  // names of the tensors taken so far
};

// Returns true if the mask is (n, n), possibly with leading sizes of 1, and has ones on and below the
// diagonal (`lower`), or else above it.
bool is_causal_mask(const Tensor& mask, bool lower);

}  // namespace attn
