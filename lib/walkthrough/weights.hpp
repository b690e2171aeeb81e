// The reader's own weights: a state_dict, name by name.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "walkthrough/parameters.hpp"

namespace attn {

class Weights {
public:
    // `origin` is the file, for messages.
    Weights(std::string origin, std::map<std::string, Tensor, std::less<>> tensors)
        : origin_(std::move(origin)), tensors_(std::move(tensors)) {}

    // Whether the documents' modules call a buffer by that name.
    static bool is_mask(std::string_view name);

    // The tensor under the first of these names there is. Throws Error when there is none, and when its shape
    // is not the expected one; where the transpose would fit, the message says so.
    const Tensor& take(std::initializer_list<std::string> names, const Shape& expected);

    // Sets widths, heads, bias and context length as the tensors' names and shapes say.
    void adopt(Parameters& parameters) const;

    // Throws Error when a tensor has not been taken by the stage. Buffers, which are masks, need not be, but
    // must be the mask of that size.
    void require_all_taken(std::string_view stage, std::size_t context_length) const;

private:
    const std::pair<const std::string, Tensor>* find(std::initializer_list<std::string> names) const;
    void check_mask(const std::string& name, const Tensor& mask, std::size_t context_length) const;

    std::string origin_;
    std::map<std::string, Tensor, std::less<>> tensors_;
    std::vector<std::string> taken_;
};

}  // namespace attn
