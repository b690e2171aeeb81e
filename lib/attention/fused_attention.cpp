// Finds the heads in the tensors and divides them among threads.
#include "attention/fused_attention.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "attention/fused_kernel.hpp"
#include "tensor/error.hpp"

namespace attn {

Tensor fused_causal_attention(const Tensor& queries, const Tensor& keys, const Tensor& values,
                              std::size_t num_heads, std::size_t threads) {
    const bool fits = queries.rank() >= 2 && queries.shape() == keys.shape() &&
                      values.rank() == keys.rank() &&
                      std::equal(keys.shape().begin(), keys.shape().end() - 1, values.shape().begin()) &&
                      num_heads > 0 && queries.size(-1) % num_heads == 0 && values.size(-1) % num_heads == 0;
    if (!fits) {
        throw Error(
            "[fused_causal_attention] Expected (…, n, d_k), (…, n, d_k) and (…, n, d_v) whose "
            "last sizes {} heads divide but received {}, {} and {}.",
            num_heads, queries.shape().text(), keys.shape().text(), values.shape().text());
    }
    Tensor result(values.shape());
    if (result.count() == 0) {
        return result;
    }
    const std::size_t n = queries.size(-2);
    const FusedHead first{queries.values().data(),
                          keys.values().data(),
                          values.values().data(),
                          result.values().data(),
                          queries.size(-1),
                          values.size(-1),
                          n,
                          queries.size(-1) / num_heads,
                          values.size(-1) / num_heads};
    const std::size_t blocks = (n + query_block - 1) / query_block;
    const std::size_t heads = result.count() / (n * first.d_v);
    constexpr std::size_t least_threaded = std::size_t{1} << 21U;  // multiply-adds
    const bool is_small = heads * n * n * (first.d_k + first.d_v) / 2 < least_threaded;
    parallel_for(heads * blocks, is_small ? 1 : threads, [&](std::size_t piece, std::size_t) {
        const std::size_t row = piece / blocks / num_heads * n;
        const std::size_t beside = piece / blocks % num_heads;
        FusedHead head = first;
        head.queries += row * head.stride + beside * head.d_k;
        head.keys += row * head.stride + beside * head.d_k;
        head.values += row * head.value_stride + beside * head.d_v;
        head.result += row * head.value_stride + beside * head.d_v;
        // The rows that take longest come first, so that all threads end at about the same time.
        ATTN_KERNEL(level(), attend)
        (head, (blocks - 1 - piece % blocks) * query_block,
         std::make_unique_for_overwrite<float[]>(fused_scratch(head)).get());
    });
    return result;
}

}  // namespace attn
