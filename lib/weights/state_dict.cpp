// Finds tensors by name, and says exactly what is wrong with a tensor that does not fit.
#include "weights/state_dict.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tensor/error.hpp"
#include "tensor/layout.hpp"
#include "text/printable.hpp"
#include "text/suggest.hpp"

namespace attn {

StateDict::StateDict(std::shared_ptr<const TensorFile> file, std::vector<std::string> cuts, Sources sources,
                     std::optional<std::size_t> num_heads)
    : file_(std::move(file)),
      origin_(printable(file_->origin())),
      cuts_(std::move(cuts)),
      sources_(std::move(sources)),
      num_heads_(num_heads) {}

bool StateDict::is_mask(std::string_view name) {
    return name == "mask" || name == "causal_mask" || (name.starts_with("heads.") && name.ends_with(".mask"));
}

bool is_causal_mask(const Tensor& mask, bool lower) {
    const std::size_t n = mask.rank() < 2 ? 0 : mask.size(-1);
    const Tensor seen = ones({n, n});
    return n > 0 && mask.count() == n * n &&
           identical(view(mask, {n, n}), lower ? tril(seen) : triu(seen, 1));
}

const TensorEntry* StateDict::find(Names names) const {
    for (const std::string& name : names) {
        if (const TensorEntry* const found = file_->find(name)) {
            return found;
        }
    }
    return nullptr;
}

const TensorEntry* StateDict::find_query() const {
    return find({"W_query.weight", "W_q.weight", "heads.0.W_query.weight", "heads.0.W_q.weight"});
}

Tensor StateDict::take(Names names, const Shape& expected, std::string_view called) {
    const TensorEntry* const found = find(names);
    if (found == nullptr) {
        std::vector<std::string_view> present;
        for (const TensorEntry& entry : file_->entries()) {
            present.push_back(entry.name);
        }
        throw Error("{}: {} is missing; this stage needs it with shape {}.{}", origin_, *names.begin(),
                    expected.text(), did_you_mean(*names.begin(), present));
    }
    if (!found->has_shape(expected)) {
        const bool transposed = expected.rank() == 2 && found->has_shape({expected[1], expected[0]});
        throw Error("{}: at /{}: expected shape {} but received {}{}.", origin_, printable(found->name),
                    expected.text(), found->shape_text(),
                    Message(transposed ? "; its transpose would fit" : ""));
    }
    taken_.push_back(found->name);
    if (const auto source = sources_.find(found->name); source != sources_.end()) {
        cuts_.push_back(fmt::format("{} = {}", called, source->second));
    }
    return file_->read(*found, Contents::finite);
}

void StateDict::require_width(std::size_t d_in) const {
    const TensorEntry* const weight = find_query();
    if (weight != nullptr && weight->sizes.size() == 2 && weight->sizes[0] != d_in &&
        weight->sizes[1] != d_in) {
        throw Error(
            "{}: the weights need embeddings of width {}, but these have width {}; give others with "
            "`lesson`.",
            origin_, weight->sizes[1], d_in);
    }
}

void StateDict::adopt(Parameters& parameters) const {
    // The width is read from the axis whose size is not d_in. A transposed weight then gets a message with
    // its correct shape.
    const auto other_width = [&](const TensorEntry& weight, std::size_t in, std::size_t out) -> std::size_t {
        if (weight.sizes.size() != 2) {
            return parameters.d_out;
        }
        const bool transposed = weight.sizes[in] != parameters.d_in && weight.sizes[out] == parameters.d_in;
        return weight.sizes[transposed ? in : out];
    };
    if (const TensorEntry* const linear = find_query()) {
        parameters.d_out = other_width(*linear, 1, 0);
        parameters.qkv_bias =
            find({"W_query.bias", "W_q.bias", "heads.0.W_query.bias", "heads.0.W_q.bias"}) != nullptr;
    } else if (const TensorEntry* const plain = find({"W_query", "W_q"})) {  // (d_in, d_out)
        parameters.d_out = other_width(*plain, 0, 1);
    }
    parameters.num_heads = num_heads_.value_or(parameters.num_heads);
    for (std::size_t head = 0;
         find({fmt::format("heads.{}.W_query.weight", head), fmt::format("heads.{}.W_q.weight", head)});
         ++head) {
        parameters.num_heads = head + 1;
    }
    const TensorEntry* const keys = find({"W_key.weight", "W_k.weight"});
    if (parameters.kv_heads > 0 && keys != nullptr && parameters.d_out > 0) {
        parameters.kv_heads = other_width(*keys, 1, 0) * parameters.num_heads / parameters.d_out;
    }
    if (parameters.num_heads > max_written_out) {
        throw Error("{}: has {} heads; at most {} are supported.", origin_, parameters.num_heads,
                    max_written_out);
    }
    for (const TensorEntry& entry : file_->entries()) {
        if (is_mask(entry.name) && entry.sizes.size() == 2) {
            parameters.context_length = entry.sizes[0];
        }
    }
}

void StateDict::check_mask(const TensorEntry& mask, std::size_t context_length) const {
    const Shape expected{context_length, context_length};
    const bool lower = mask.name == "causal_mask";
    if (!mask.has_shape(expected) || !is_causal_mask(file_->read(mask, Contents::mask), lower)) {
        throw Error("{}: at /{}: expected the mask of shape {} with ones {} the diagonal.", origin_,
                    printable(mask.name), expected.text(), Message(lower ? "on and below" : "above"));
    }
}

void StateDict::require_all_taken(std::string_view stage, std::size_t context_length) const {
    for (const TensorEntry& entry : file_->entries()) {
        if (is_mask(entry.name)) {
            check_mask(entry, context_length);
        } else if (std::ranges::find(taken_, entry.name) == taken_.end()) {
            throw Error("{}: at /{}: {} has no such weight.{} It takes {}.", origin_, printable(entry.name),
                        stage, did_you_mean(entry.name, taken_), fmt::format("{}", fmt::join(taken_, ", ")));
        }
    }
}

}  // namespace attn
