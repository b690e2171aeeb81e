// Looking tensors up by name, and saying exactly what is wrong with one.
#include "walkthrough/weights.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tensor/error.hpp"
#include "tensor/layout.hpp"
#include "text/suggest.hpp"

namespace attn {

bool Weights::is_mask(std::string_view name) {
    return name == "mask" || name == "causal_mask" || (name.starts_with("heads.") && name.ends_with(".mask"));
}

const std::pair<const std::string, Tensor>* Weights::find(std::initializer_list<std::string> names) const {
    for (const std::string& name : names) {
        const auto found = tensors_.find(name);
        if (found != tensors_.end()) {
            return &*found;
        }
    }
    return nullptr;
}

const Tensor& Weights::take(std::initializer_list<std::string> names, const Shape& expected) {
    const auto* const found = find(names);
    if (found == nullptr) {
        std::vector<std::string_view> present;
        for (const auto& [name, tensor] : tensors_) {
            present.push_back(name);
        }
        throw Error(fmt::format("{}: there is no {}, which this stage needs with shape {}.{}", origin_,
                                *names.begin(), expected.text(), did_you_mean(*names.begin(), present)));
    }
    const auto& [name, tensor] = *found;
    if (tensor.shape() != expected) {
        const bool transposed =
            tensor.rank() == 2 && expected.rank() == 2 && Shape{tensor.size(1), tensor.size(0)} == expected;
        throw Error(fmt::format("{}: at /{}: expected shape {} but received {}{}.", origin_, name,
                                expected.text(), tensor.shape().text(),
                                transposed ? "; its transpose would fit" : ""));
    }
    taken_.push_back(name);
    return tensor;
}

void Weights::adopt(Parameters& parameters) const {
    // A width is read off the axis that is not the lesson's; a weight that was transposed is then told its
    // right shape.
    const auto other_width = [&](const Tensor& weight, std::size_t in, std::size_t out) {
        const bool transposed = weight.rank() == 2 && weight.shape()[in] != parameters.d_in &&
                                weight.shape()[out] == parameters.d_in;
        return weight.rank() == 2 ? weight.shape()[transposed ? in : out] : parameters.d_out;
    };
    if (const auto* const linear =
            find({"W_query.weight", "W_q.weight", "heads.0.W_query.weight", "heads.0.W_q.weight"})) {
        parameters.d_out = other_width(linear->second, 1, 0);
        parameters.qkv_bias =
            find({"W_query.bias", "W_q.bias", "heads.0.W_query.bias", "heads.0.W_q.bias"}) != nullptr;
    } else if (const auto* const plain = find({"W_query", "W_q"})) {  // (d_in, d_out)
        parameters.d_out = other_width(plain->second, 0, 1);
    }
    for (std::size_t head = 0;
         find({fmt::format("heads.{}.W_query.weight", head), fmt::format("heads.{}.W_q.weight", head)});
         ++head) {
        parameters.num_heads = head + 1;
    }
    for (const auto& [name, tensor] : tensors_) {
        if (is_mask(name) && tensor.rank() == 2) {
            parameters.context_length = tensor.size(0);
        }
    }
}

void Weights::check_mask(const std::string& name, const Tensor& mask, std::size_t context_length) const {
    const Shape expected{context_length, context_length};
    const bool lower = name == "causal_mask";
    if (mask.shape() != expected ||
        !identical(mask, lower ? tril(ones(expected)) : triu(ones(expected), 1))) {
        throw Error(fmt::format("{}: at /{}: expected the mask of shape {} with ones {} the diagonal.",
                                origin_, name, expected.text(), lower ? "on and below" : "above"));
    }
}

void Weights::require_all_taken(std::string_view stage, std::size_t context_length) const {
    for (const auto& [name, tensor] : tensors_) {
        if (is_mask(name)) {
            check_mask(name, tensor, context_length);
        } else if (std::ranges::find(taken_, name) == taken_.end()) {
            const std::vector<std::string_view> names(taken_.begin(), taken_.end());
            throw Error(fmt::format("{}: at /{}: {} has no such weight.{} It takes {}.", origin_, name, stage,
                                    did_you_mean(name, names), fmt::join(taken_, ", ")));
        }
    }
}

}  // namespace attn
