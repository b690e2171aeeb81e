#include "attention/multi_head_attention.hpp"

#include "attention/parts.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"

namespace attn {

namespace {

// The heads' contexts side by side.
template <typename Context>
Tensor side_by_side(const std::vector<CausalAttention>& heads, Context context) {
    std::vector<Tensor> contexts;
    std::vector<const Tensor*> parts;
    contexts.reserve(heads.size());
    for (const CausalAttention& head : heads) {
        contexts.push_back(context(head));
        parts.push_back(&contexts.back());
    }
    return cat(parts, -1);
}

struct Settings {
    std::size_t context_length, num_heads;
    Dropout dropout;
};

Tensor forward(const MultiHeadAttention& attention, const Tensor& x, const Settings& settings) {
    require_rank("MultiHeadAttention", x, 3, "(batch, tokens, d_in)");
    const Tensor queries = split_heads(attention.W_query(x), settings.num_heads);
    const Tensor keys = split_heads(attention.W_key(x), settings.num_heads);
    const Tensor values = split_heads(attention.W_value(x), settings.num_heads);
    const Tensor context_heads = masked_attention("MultiHeadAttention", queries, keys, values,
                                                  settings.context_length, settings.dropout);
    return attention.out_proj(merge_heads(context_heads));
}

}  // namespace

MultiHeadAttentionWrapper::MultiHeadAttentionWrapper(Generator& generator, std::size_t d_in,
                                                     std::size_t d_out, std::size_t context_length,
                                                     double dropout, std::size_t num_heads, bool qkv_bias) {
    if (num_heads == 0) {
        throw Error("[MultiHeadAttentionWrapper] Expected at least one head but received 0.");
    }
    for (std::size_t head = 0; head < num_heads; ++head) {
        heads.emplace_back(generator, d_in, d_out, context_length, dropout, qkv_bias);
    }
}

Tensor MultiHeadAttentionWrapper::operator()(const Tensor& x) const {
    return side_by_side(heads, [&](const CausalAttention& head) { return head(x); });
}

Tensor MultiHeadAttentionWrapper::operator()(const Tensor& x, Generator& generator, DropoutRng rng) const {
    return side_by_side(heads, [&](const CausalAttention& head) { return head(x, generator, rng); });
}

MultiHeadAttention::MultiHeadAttention(Generator& generator, std::size_t d_in, std::size_t d_out,
                                       std::size_t context_length, double dropout, std::size_t num_heads,
                                       bool qkv_bias)
    : W_query(generator, d_in, d_out, qkv_bias),
      W_key(generator, d_in, d_out, qkv_bias),
      W_value(generator, d_in, d_out, qkv_bias),
      out_proj(generator, d_out, d_out),
      context_length_(context_length),
      dropout_(probability("MultiHeadAttention", dropout)),
      num_heads_(num_heads) {
    require_heads_divide("MultiHeadAttention", d_out, num_heads);
}

Tensor MultiHeadAttention::operator()(const Tensor& x) const {
    return forward(*this, x, {context_length_, num_heads_, {}});
}

Tensor MultiHeadAttention::operator()(const Tensor& x, Generator& generator, DropoutRng rng) const {
    return forward(*this, x, {context_length_, num_heads_, {dropout_, &generator, rng}});
}

}  // namespace attn
