// The reader's own weights: a state_dict, name by name.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "walkthrough/parameters.hpp"
#include "walkthrough/tensor_file.hpp"

namespace attn {

class Weights {
public:
    // Of the file only what is taken is read.
    explicit Weights(std::shared_ptr<const TensorFile> file);
    // `origin` is the file, for messages.
    Weights(std::string origin, TensorMap tensors)
        : Weights(std::make_shared<TensorsInMemory>(std::move(origin), std::move(tensors))) {}

    // Whether the documents' modules call a buffer by that name.
    static bool is_mask(std::string_view name);

    // The tensor under the first of these names there is. Throws Error when there is none, and when its shape
    // is not the expected one; where the transpose would fit, the message says so.
    Tensor take(std::initializer_list<std::string> names, const Shape& expected);

    // Sets widths, heads, bias and context length as the tensors' names and shapes say.
    void adopt(Parameters& parameters) const;

    // Throws Error when a tensor has not been taken by the stage. Buffers, which are masks, need not be, but
    // must be the mask of that size.
    void require_all_taken(std::string_view stage, std::size_t context_length) const;

private:
    const TensorEntry* find(std::initializer_list<std::string> names) const;
    void check_mask(const TensorEntry& mask, std::size_t context_length) const;

    std::shared_ptr<const TensorFile> file_;
    std::string origin_;  // safe to show
    std::vector<std::string> taken_;
};

}  // namespace attn
