#include "attention/masked_attention.hpp"

#include <cmath>
#include <limits>

#include "attention/checks.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/layout.hpp"
#include "tensor/matmul.hpp"
#include "tensor/softmax.hpp"

namespace attn {

Tensor masked_attention(std::string_view module, const Tensor& queries, const Tensor& keys,
                        const Tensor& values, std::size_t context_length, const Dropout& dropout) {
    const std::size_t n = queries.size(-2);
    require_context(module, n, context_length);
    const Tensor attn_scores = matmul(queries, transpose(keys, -2, -1));
    const Tensor mask = triu(ones({n, n}), 1);
    const Tensor masked = masked_fill(attn_scores, mask, -std::numeric_limits<float>::infinity());
    const double root_dk = std::sqrt(static_cast<double>(keys.size(-1)));
    const Tensor attn_weights = softmax(div(masked, root_dk), -1);
    if (dropout.generator == nullptr) {
        return matmul(attn_weights, values);
    }
    return matmul(attn::dropout(*dropout.generator, attn_weights, dropout.p, dropout.rng), values);
}

}  // namespace attn
