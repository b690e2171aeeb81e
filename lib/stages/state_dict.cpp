// Finds tensors by name; its errors say exactly why a tensor does not fit.
#include "stages/state_dict.hpp"

#include <fmt/format.h>

#include "stages/weight_names.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"
#include "text/lists.hpp"
#include "text/printable.hpp"
#include "text/split.hpp"
#include "text/suggest.hpp"

namespace attn {

namespace {

std::string origin(const StateDict& weights) {
    return printable(weights.file->origin());
}

// Returns heads.0.W_query.weight for heads.0.W_q.weight.
std::string with_usual_names(std::string_view path) {
    return joined(mapped(split(path, "."),
                         [](std::string_view part) {
                             const std::string_view usual = usual_weight_name(part);
                             return usual.empty() ? part : usual;
                         }),
                  ".");
}

// Finds a tensor by its name, or by this name with another name of the layer.
const TensorEntry* find(const StateDict& weights, std::string_view name) {
    if (const TensorEntry* const found = weights.file->find(name)) {
        return found;
    }
    return find_in(weights.file->entries(), with_usual_names(name),
                   [](const TensorEntry& entry) { return with_usual_names(entry.name); });
}

// Returns a tensor of nn.Linear's queries, of the first head if there are several.
const TensorEntry* find_query(const StateDict& weights, const std::string& kind) {
    const TensorEntry* const found = find(weights, "W_query" + kind);
    return found != nullptr ? found : find(weights, "heads.0.W_query" + kind);
}

void check_mask(const StateDict& weights, const TensorEntry& mask, std::size_t context_length) {
    const Shape expected{context_length, context_length};
    const bool lower = mask.name == "causal_mask";
    if (!mask.has_shape(expected) || !is_causal_mask(weights.file->read(mask, Contents::mask), lower)) {
        throw Error("{}: at /{}: expected the mask of shape {} with ones {} the diagonal.", origin(weights),
                    printable(mask.name), expected.text(), Message(lower ? "on and below" : "above"));
    }
}

}  // namespace

bool is_mask_name(std::string_view name) {
    return name == "mask" || name == "causal_mask" || (name.starts_with("heads.") && name.ends_with(".mask"));
}

bool is_causal_mask(const Tensor& mask, bool lower) {
    const std::size_t n = mask.rank() < 2 ? 0 : mask.size(-1);
    const Tensor seen = ones({n, n});
    return n > 0 && mask.count() == n * n &&
           identical(view(mask, {n, n}), lower ? tril(seen) : triu(seen, 1));
}

bool has_weight(const StateDict& weights, std::string_view name) {
    return find(weights, name) != nullptr;
}

Tensor take_weight(StateDict& weights, std::string_view name, const Shape& expected,
                   std::string_view called) {
    const TensorEntry* const found = find(weights, name);
    // SelfAttention_v1 calls its matrices W_query, and multiplies them from the right: x @ W_query.
    const TensorEntry* const plain =
        name.ends_with(".weight") ? find(weights, name.substr(0, name.size() - 7)) : nullptr;
    if (found == nullptr && plain != nullptr && expected.rank() == 2 &&
        plain->has_shape({expected[1], expected[0]})) {
        weights.taken.push_back(plain->name);
        return transpose(weights.file->read(*plain, Contents::finite), 0, 1);
    }
    if (found == nullptr) {
        std::vector<std::string_view> present;
        for (const TensorEntry& entry : weights.file->entries()) {
            present.push_back(entry.name);
        }
        throw Error("{}: {} is missing; this stage needs it with shape {}.{}", origin(weights), name,
                    expected.text(), did_you_mean(name, present));
    }
    if (!found->has_shape(expected)) {
        const bool transposed = expected.rank() == 2 && found->has_shape({expected[1], expected[0]});
        throw Error("{}: at /{}: expected shape {} but received {}{}.", origin(weights),
                    printable(found->name), expected.text(), found->shape_text(),
                    Message(transposed ? "; its transpose would fit" : ""));
    }
    weights.taken.push_back(found->name);
    if (const auto source = weights.sources.find(found->name); source != weights.sources.end()) {
        weights.cuts.push_back(fmt::format("{} = {}", called, source->second));
    }
    return weights.file->read(*found, Contents::finite);
}

void require_width(const StateDict& weights, std::size_t d_in) {
    const TensorEntry* const weight = find_query(weights, ".weight");
    if (weight != nullptr && weight->sizes.size() == 2 && weight->sizes[0] != d_in &&
        weight->sizes[1] != d_in) {
        throw Error(
            "{}: the weights need embeddings of width {}, but these have width {}; give matching embeddings "
            "with "
            "`input`.",
            origin(weights), weight->sizes[1], d_in);
    }
}

void adopt(const StateDict& weights, Parameters& parameters) {
    // The width is the size of the axis that is not d_in. So for a transposed weight, the message can name
    // the correct shape.
    const auto other_width = [&](const TensorEntry& weight, std::size_t in, std::size_t out) -> std::size_t {
        if (weight.sizes.size() != 2) {
            return parameters.d_out;
        }
        const bool transposed = weight.sizes[in] != parameters.d_in && weight.sizes[out] == parameters.d_in;
        return weight.sizes[transposed ? in : out];
    };
    if (const TensorEntry* const linear = find_query(weights, ".weight")) {
        parameters.d_out = other_width(*linear, 1, 0);
        parameters.qkv_bias = find_query(weights, ".bias") != nullptr;
    } else if (const TensorEntry* const plain = find(weights, "W_query")) {  // (d_in, d_out)
        parameters.d_out = other_width(*plain, 0, 1);
    }
    parameters.num_heads = weights.num_heads.value_or(parameters.num_heads);
    for (std::size_t head = 0; find(weights, fmt::format("heads.{}.W_query.weight", head)); ++head) {
        parameters.num_heads = head + 1;
    }
    const TensorEntry* const keys = find(weights, "W_key.weight");
    if (parameters.kv_heads && keys != nullptr && parameters.d_out > 0) {
        parameters.kv_heads = other_width(*keys, 1, 0) * parameters.num_heads / parameters.d_out;
    }
    if (parameters.num_heads > max_written_out) {
        throw Error("{}: has {} heads; at most {} are supported.", origin(weights), parameters.num_heads,
                    max_written_out);
    }
    for (const TensorEntry& entry : weights.file->entries()) {
        if (is_mask_name(entry.name) && entry.sizes.size() == 2) {
            parameters.context_length = entry.sizes[0];
        }
    }
}

void require_all_taken(const StateDict& weights, std::string_view stage, std::size_t context_length) {
    for (const TensorEntry& entry : weights.file->entries()) {
        if (is_mask_name(entry.name)) {
            check_mask(weights, entry, context_length);
        } else if (!contains(weights.taken, entry.name)) {
            throw Error("{}: at /{}: {} has no such weight.{} It takes {}.", origin(weights),
                        printable(entry.name), stage, did_you_mean(entry.name, weights.taken),
                        joined(weights.taken));
        }
    }
}

}  // namespace attn
