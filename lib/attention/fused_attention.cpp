// Keys and values packed, and blocks of queries shared out among threads: head after head, whose keys and
// values stay in the caches, and the longest blocks first, so that threads end with short ones.
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

// All heads of all leading sizes. `all` is the first head of the first of them; num_heads of them lie side by
// side.
void attend_heads(FusedHead all, std::size_t batches, std::size_t num_heads, std::size_t threads) {
    const FusedKernel& kernel = kernels.at(level());
    const std::size_t heads = batches * num_heads;
    const std::size_t n = all.n;
    threads = heads * n * n * (all.d_k + all.d_v) / 2 < least_threaded_work ? 1 : threads;

    const std::size_t packed_size = kernel.packed_size(n, all.d_k, all.d_v);
    const Scratch packed(heads * packed_size);
    const auto head = [&](std::size_t i) {
        const std::size_t rows = i / num_heads * n;
        const std::size_t beside = i % num_heads;
        FusedHead one = all;
        one.queries += rows * all.stride + beside * all.d_k;
        one.keys += rows * all.stride + beside * all.d_k;
        one.values += rows * all.value_stride + beside * all.d_v;
        one.result += rows * all.result_stride + beside * all.d_v;
        one.packed = packed.data() + i * packed_size;
        return one;
    };
    parallel_for(heads, threads, [&](std::size_t i, std::size_t) { kernel.pack(head(i)); });

    const std::size_t blocks = (n + kernel.queries - 1) / kernel.queries;
    const std::size_t scratch_size = kernel.scratch_size(all.d_k, all.d_v);
    const Scratch scratch(std::clamp<std::size_t>(threads, 1, heads * blocks) * scratch_size);
    parallel_for(heads * blocks, threads, [&](std::size_t i, std::size_t thread) {
        const std::size_t block = blocks - 1 - i % blocks;
        kernel.attend(head(i / blocks), block * kernel.queries, scratch.data() + thread * scratch_size);
    });
}

}  // namespace

Tensor fused_causal_attention(const Tensor& queries, const Tensor& keys, const Tensor& values,
                              std::size_t num_heads, std::size_t threads) {
    if (!fit(queries, keys, values, num_heads)) {
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
    const std::size_t width = queries.size(-1);
    const std::size_t value_width = values.size(-1);
    attend_heads(
        {queries.values().data(), keys.values().data(), values.values().data(), result.values().data(), width,
         value_width, value_width, n, width / num_heads, value_width / num_heads, nullptr},
        result.count() / (n * value_width), num_heads, threads);
    return result;
}

Tensor fused_causal_attention(const Tensor& side_by_side, std::size_t num_heads, std::size_t threads) {
    if (side_by_side.rank() < 2 || num_heads == 0 || side_by_side.size(-1) % (3 * num_heads) != 0) {
        throw Error(
            "[fused_causal_attention] Expected (…, n, 3·d) with a d that {} heads divide but "
            "received {}.",
            num_heads, side_by_side.shape().text());
    }
    const std::size_t n = side_by_side.size(-2);
    const std::size_t stride = side_by_side.size(-1);
    const std::size_t width = stride / 3;
    std::vector<std::size_t> sizes(side_by_side.shape().begin(), side_by_side.shape().end());
    sizes.back() = width;
    Tensor result((Shape(sizes)));
    if (result.count() == 0) {
        return result;
    }
    const float* const queries = side_by_side.values().data();
    attend_heads({queries, queries + width, queries + 2 * width, result.values().data(), stride, stride,
                  width, n, width / num_heads, width / num_heads, nullptr},
                 result.count() / (n * width), num_heads, threads);
    return result;
}

}  // namespace attn
