// The values packed, and blocks of queries shared out among threads, the longest first.
#include "attention/fused_attention.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "attention/fused_kernel.hpp"
#include "tensor/error.hpp"
#include "tensor/levels.hpp"
#include "tensor/product.hpp"
#include "tensor/scratch.hpp"

namespace attn {

namespace {

constexpr PerLevel<FusedKernel> kernels ATTN_PER_LEVEL(fused_attention);

bool fit(const Tensor& queries, const Tensor& keys, const Tensor& values, std::size_t num_heads) {
    return queries.rank() >= 2 && queries.shape() == keys.shape() && values.rank() == keys.rank() &&
           std::equal(keys.shape().begin(), keys.shape().end() - 1, values.shape().begin()) &&
           num_heads > 0 && queries.size(-1) % num_heads == 0 && values.size(-1) % num_heads == 0;
}

}  // namespace

Tensor fused_causal_attention(const Tensor& queries, const Tensor& keys, const Tensor& values,
                              std::size_t num_heads, std::size_t threads) {
    if (!fit(queries, keys, values, num_heads)) {
        throw Error(
            fmt::format("[fused_causal_attention] Expected (…, n, d_k), (…, n, d_k) and (…, n, d_v) whose "
                        "last sizes {} heads divide but received {}, {} and {}.",
                        num_heads, queries.shape().text(), keys.shape().text(), values.shape().text()));
    }
    Tensor result(values.shape());
    const std::size_t n = queries.size(-2);
    const std::size_t width = queries.size(-1);
    const std::size_t value_width = values.size(-1);
    const std::size_t d_k = width / num_heads;
    const std::size_t d_v = value_width / num_heads;
    if (result.count() == 0) {
        return result;
    }
    const FusedKernel& kernel = kernels.at(level());
    const std::size_t heads = result.count() / (n * value_width) * num_heads;
    threads = heads * n * n * (d_k + d_v) / 2 < least_threaded_work ? 1 : threads;

    const std::size_t packed_size = kernel.packed_size(n, d_v);
    const Scratch packed(heads * packed_size);
    const auto head = [&](std::size_t i) {
        const std::size_t from = i / num_heads * n * width + i % num_heads * d_k;
        const std::size_t value_from = i / num_heads * n * value_width + i % num_heads * d_v;
        return FusedHead{queries.values().data() + from,
                         keys.values().data() + from,
                         values.values().data() + value_from,
                         result.values().data() + value_from,
                         width,
                         value_width,
                         n,
                         d_k,
                         d_v,
                         packed.data() + i * packed_size};
    };
    parallel_for(heads, threads, [&](std::size_t i, std::size_t) { kernel.pack(head(i)); });

    const std::size_t blocks = (n + kernel.queries - 1) / kernel.queries;
    const std::size_t scratch_size = kernel.scratch_size(d_k, d_v);
    const Scratch scratch(std::clamp<std::size_t>(threads, 1, heads * blocks) * scratch_size);
    parallel_for(heads * blocks, threads, [&](std::size_t i, std::size_t thread) {
        const std::size_t block = blocks - 1 - i / heads;
        kernel.attend(head(i % heads), block * kernel.queries, scratch.data() + thread * scratch_size);
    });
    return result;
}

}  // namespace attn
