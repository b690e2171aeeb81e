#include "attention/causal_attention.hpp"

#include "attention/parts.hpp"

namespace attn {

namespace {

Tensor forward(const CausalAttention& attention, const Tensor& x, std::size_t context_length,
               const Dropout& dropout) {
    require_rank("CausalAttention", x, 3, "(batch, tokens, d_in)");
    return masked_attention("CausalAttention", attention.W_query(x), attention.W_key(x), attention.W_value(x),
                            context_length, dropout);
}

}  // namespace

// Members are drawn in the order in which they are declared.
CausalAttention::CausalAttention(Generator& generator, std::size_t d_in, std::size_t d_out,
                                 std::size_t context_length, double dropout, bool qkv_bias)
    : W_query(generator, d_in, d_out, qkv_bias),
      W_key(generator, d_in, d_out, qkv_bias),
      W_value(generator, d_in, d_out, qkv_bias),
      context_length_(context_length),
      dropout_(probability("CausalAttention", dropout)) {}

Tensor CausalAttention::operator()(const Tensor& x) const {
    return forward(*this, x, context_length_, {});
}

Tensor CausalAttention::operator()(const Tensor& x, Generator& generator, DropoutRng rng) const {
    return forward(*this, x, context_length_, {dropout_, &generator, rng});
}

}  // namespace attn
