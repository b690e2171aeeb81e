// Finds the heads in the tensors and divides them among threads.
#include "attention/fused_attention.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "attention/fused_kernel.hpp"
#include "tensor/error.hpp"
#include "tensor/levels.hpp"
#include "tensor/threads.hpp"

namespace attn {

namespace {

constexpr PerLevel<FusedKernel> kernels ATTN_PER_LEVEL(fused_attention);

// With fewer multiply-adds, a second thread costs more time than it saves.
constexpr std::size_t least_threaded_work = std::size_t{1} << 21U;

bool fit(const Tensor& queries, const Tensor& keys, const Tensor& values, std::size_t num_heads) {
    return queries.rank() >= 2 && queries.shape() == keys.shape() && values.rank() == keys.rank() &&
           std::equal(keys.shape().begin(), keys.shape().end() - 1, values.shape().begin()) &&
           num_heads > 0 && queries.size(-1) % num_heads == 0 && values.size(-1) % num_heads == 0;
}

// Computes all heads of all leading sizes. `all` describes the first head of the first of them; num_heads
// heads lie side by side.
void attend_heads(const FusedHead& all, std::size_t batches, std::size_t num_heads, std::size_t threads) {
    const FusedKernel& kernel = kernels.at(level());
    const std::size_t blocks = (all.n + kernel.queries - 1) / kernel.queries;
    const std::size_t pieces = batches * num_heads * blocks;
    const bool is_small = pieces * kernel.queries * all.n * (all.d_k + all.d_v) / 2 < least_threaded_work;
    parallel_for(pieces, is_small ? 1 : threads, [&](std::size_t piece, std::size_t) {
        const std::size_t rows = piece / blocks / num_heads * all.n;
        const std::size_t beside = piece / blocks % num_heads;
        FusedHead head = all;
        head.queries += rows * all.stride + beside * all.d_k;
        head.keys += rows * all.stride + beside * all.d_k;
        head.values += rows * all.value_stride + beside * all.d_v;
        head.result += rows * all.result_stride + beside * all.d_v;
        // The longest rows of a head come first, so that all threads end at about the same time.
        kernel.attend(head, (blocks - 1 - piece % blocks) * kernel.queries,
                      std::make_unique_for_overwrite<float[]>(kernel.scratch_size(head)).get());
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
         value_width, value_width, n, width / num_heads, value_width / num_heads},
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
    Shape shape = side_by_side.shape();
    shape[shape.rank() - 1] = width;
    Tensor result(shape);
    if (result.count() == 0) {
        return result;
    }
    const float* const queries = side_by_side.values().data();
    attend_heads({queries, queries + width, queries + 2 * width, result.values().data(), stride, stride,
                  width, n, width / num_heads, width / num_heads},
                 result.count() / (n * width), num_heads, threads);
    return result;
}

}  // namespace attn
