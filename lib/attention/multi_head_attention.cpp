#include "attention/multi_head_attention.hpp"

#include <fmt/format.h>

#include "attention/checks.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"
#include "tensor/linear.hpp"

namespace attn {

MultiHeadAttentionWrapper::MultiHeadAttentionWrapper(Generator& generator, std::size_t d_in,
                                                     std::size_t d_out, std::size_t context_length, double p,
                                                     std::size_t num_heads, bool qkv_bias) {
    if (num_heads == 0) {
        throw Error("[attention] Expected at least one head but received 0.");
    }
    for (std::size_t head = 0; head < num_heads; ++head) {
        heads.emplace_back(generator, d_in, d_out, context_length, p, qkv_bias);
    }
}

Tensor MultiHeadAttentionWrapper::forward(const Tensor& x, const Training* training) const {
    std::vector<Tensor> contexts;
    for (const CausalAttention& head : heads) {
        contexts.push_back(training == nullptr ? head(x) : head(x, *training));
    }
    std::vector<const Tensor*> parts;
    for (const Tensor& context : contexts) {
        parts.push_back(&context);
    }
    return cat(parts, -1);
}

MultiHeadAttention::MultiHeadAttention(Generator& generator, std::size_t d_in, std::size_t d_out,
                                       std::size_t context_length, double p, std::size_t heads, bool qkv_bias)
    : W_query(linear(generator, d_in, d_out, qkv_bias)),
      W_key(linear(generator, d_in, d_out, qkv_bias)),
      W_value(linear(generator, d_in, d_out, qkv_bias)),
      out_proj(linear(generator, d_out, d_out, true)),
      mask(triu(ones(Shape{context_length, context_length}), 1)),
      dropout(probability(p)),
      num_heads(heads) {
    if (num_heads == 0 || d_out % num_heads != 0) {
        throw Error(fmt::format("[attention] Expected heads that divide d_out, {}, but received {}.", d_out,
                                num_heads));
    }
}

Tensor MultiHeadAttention::forward(const Tensor& x, const Training* training) const {
    require_batch(x);
    const std::size_t b = x.size(0);
    const std::size_t n = x.size(1);
    const std::size_t d_out = out_proj.weight.size(0);
    const auto heads_of = [&](const Linear& layer) {
        return transpose(view(layer(x), Shape{b, n, num_heads, d_out / num_heads}), 1, 2);
    };
    const Tensor context_heads =
        masked_attention(heads_of(W_query), heads_of(W_key), heads_of(W_value), mask, dropout, training);
    return out_proj(view(transpose(context_heads, 1, 2), Shape{b, n, d_out}));
}

}  // namespace attn
