// Each compact module gives the result of the stage that takes the same steps one by one, bit for bit.
#include "attention/modules.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <functional>
#include <random>

#include "refusal.hpp"
#include "tensor/layout.hpp"
#include "tensor/numpy.hpp"
#include "walked.hpp"

using namespace attn;

namespace {

Lesson random_lesson(std::size_t tokens, std::size_t d_in) {
    Generator generator(tokens * 100 + d_in);
    return {std::vector<std::string>(tokens, "t"), uniform(generator, {tokens, d_in}, -1.0F, 1.0F)};
}

Tensor result_of(std::string_view stage, const Lesson& lesson, const Parameters& p) {
    const StageTrace trace = walk(*find_stage(stage), lesson, p);
    // linear goes on with training.
    return stage == "linear" ? step_value(trace, "context_vec") : trace.node(trace.steps.back()).value;
}

// Uses training mode if there is dropout.
template <typename Module>
Tensor run(const Module& module, const Parameters& p, const Tensor& x) {
    Generator draws(p.dropout_seed);
    const Tensor batch = stack(std::vector<Tensor>(p.batch, x));
    return p.dropout == 0.0 ? module(batch) : module(batch, {&draws, p.dropout_rng});
}

constexpr std::string_view stages[] = {
    "trainable", "linear", "causal-batch", "multi-head-wrapper", "multi-head", "causal-self-attention",
    "numpy"};

Tensor module_result(std::string_view stage, Generator& g, const Parameters& p, const Tensor& x) {
    if (stage == "trainable") {
        return SelfAttentionV1(g, p.d_in, p.d_out)(x);
    }
    if (stage == "linear") {
        return SelfAttentionV2(g, p.d_in, p.d_out, p.qkv_bias)(x);
    }
    if (stage == "causal-batch") {
        return run(CausalAttention(g, p.d_in, p.d_out, p.context_length, p.dropout, p.qkv_bias), p, x);
    }
    if (stage == "multi-head-wrapper") {
        return run(MultiHeadAttentionWrapper(g, p.d_in, p.d_out, p.context_length, p.dropout, p.num_heads,
                                             p.qkv_bias),
                   p, x);
    }
    if (stage == "multi-head") {
        return run(
            MultiHeadAttention(g, p.d_in, p.d_out, p.context_length, p.dropout, p.num_heads, p.qkv_bias), p,
            x);
    }
    if (stage == "causal-self-attention") {
        const CausalSelfAttention model(g, p.d_out, p.num_heads);
        return model(randn(g, {p.batch, 10, p.d_out}));
    }
    const Tensor drawn = numpy::randn(g, {5, p.d_out});
    std::array<Tensor, 4> w;
    for (Tensor& weight : w) {
        weight = numpy::randn(g, {p.d_out, p.d_out});
    }
    return numpy::causal_self_attention(drawn, w[0], w[1], w[2], w[3]);
}

}  // namespace

TEST_CASE("each module gives the result of its stage bit for bit, whatever the arguments") {
    std::mt19937 random(1);
    const auto below = [&](std::size_t end) { return random() % end; };
    for (const std::string_view stage : stages) {
        for (int i = 0; i < 30; ++i) {
            const std::size_t tokens = 1 + below(10);
            Parameters p = find_stage(stage)->defaults;
            p.seed = below(3) == 0 ? ~std::uint64_t{0} - below(2) : below(1000);
            p.num_heads = 1 + below(3);
            p.d_out = p.num_heads * (1 + below(9));
            p.batch = 1 + below(3);
            if (i == 0 && stage == "causal-self-attention") {
                p.num_heads = 8;
                p.d_out = 512;
            }
            if (uses(*find_stage(stage), "lesson")) {
                p.d_in = 1 + below(17);
                p.context_length = tokens + below(3);
                p.qkv_bias = stage != "trainable" && below(2) == 0;
                p.dropout = stage == "linear" ? 0.0 : static_cast<double>(below(3)) / 2;
                p.dropout_rng = below(2) == 0 ? DropoutRng::mkl : DropoutRng::mt19937;
            }
            const Lesson lesson = random_lesson(tokens, std::min<std::size_t>(p.d_in, 17));
            Generator generator(p.seed);
            CAPTURE(i);
            CHECK_MESSAGE(
                identical(module_result(stage, generator, p, lesson.embeddings), result_of(stage, lesson, p)),
                stage);
        }
    }
}

TEST_CASE("evaluation drops nothing, and a later token never changes an earlier row") {
    Generator one(5), other(5);
    Tensor x = random_lesson(6, 3).embeddings;
    const auto batch = [&] { return stack({x, x}); };
    const MultiHeadAttention module(one, 3, 4, 6, 0.5, 2);
    const Tensor before = module(batch());
    CHECK(identical(before, MultiHeadAttention(other, 3, 4, 6, 0.0, 2)(batch())));
    x.values().back() += 1.0F;
    const Tensor after = module(batch());
    CHECK(identical(slice(before, 1, 0, -1), slice(after, 1, 0, -1)));
    CHECK_FALSE(identical(before, after));
}

TEST_CASE("the modules refuse what they cannot compute, and say why") {
    Generator g(1);
    const auto self = SelfAttentionV1(g, 3, 2);
    const auto linear = SelfAttentionV2(g, 3, 2);
    const auto causal = CausalAttention(g, 3, 2, 5, 0.0);
    const auto heads = MultiHeadAttention(g, 3, 4, 6, 0.5, 2);
    const auto wrapper = MultiHeadAttentionWrapper(g, 3, 4, 5, 0.0, 2);
    const auto model = CausalSelfAttention(g, 6, 2, 3);
    const auto of = [](const auto& module, const Shape& shape) {
        return [&module, shape] { module(Tensor(shape)); };
    };
    const auto attend = [](const Shape& q, const Shape& k, const Shape& v) {
        return [=] { scaled_dot_product_attention(Tensor(q), Tensor(k), Tensor(v)); };
    };
    const auto numpy = [](const Shape& shape) {
        const Tensor square({2, 2});
        return [=] { numpy::causal_self_attention(Tensor(shape), square, square, square, square); };
    };
    const std::pair<std::function<void()>, std::string> refused[] = {
        {of(self, {6, 4}), "[matmul] Expected equal inner sizes but received (6, 4) and (3, 2)."},
        {of(self, {2, 6, 3}), "[SelfAttentionV1] Expected (tokens, d_in) but received (2, 6, 3)."},
        {of(self, {}), ""},
        {of(linear, {6, 4}), "[Linear] Expected (…, 3) but received (6, 4)."},
        {of(causal, {1, 6, 3}),
         "[CausalAttention] Expected at most 5 tokens, the context length, but received 6."},
        {of(causal, {6, 3}), "[CausalAttention] Expected (batch, tokens, d_in) but received (6, 3)."},
        {of(causal, {1, 5, 4}), "[Linear] Expected (…, 3) but received (1, 5, 4)."},
        {of(heads, {}), ""},
        {of(model, {1, 4, 6}),
         "[MultiHeadAttention] Expected at most 3 tokens, the context length, but received 4."},
        {of(model, {1, 3, 5}), ""},
        {[&] { MultiHeadAttention(g, 3, 5, 6, 0.0, 2); },
         "[MultiHeadAttention] Expected heads that divide 5 but received 2."},
        {[&] { MultiHeadAttention(g, 3, 4, 6, 0.0, 0); }, ""},
        {[&] { MultiHeadAttentionWrapper(g, 3, 4, 6, 0.0, 0); }, ""},
        {[&] { CausalSelfAttention(g, 6, 0); }, ""},
        {[&] { CausalAttention(g, 3, 2, 6, 1.5); }, ""},
        {[&] { CausalAttention(g, 3, 2, 6, std::nan("")); }, ""},
        {[&] { CausalAttention(g, 3, 2, 6, -0.5); },
         "[CausalAttention] Expected a dropout from 0 to 1 but received -0.5."},
        {attend({4, 3}, {5, 2}, {5, 6}),
         "[scaled_dot_product_attention] Expected (…, n, d_k), (…, m, d_k) and (…, m, d_v) but received "
         "(4, 3), (5, 2) and (5, 6)."},
        {attend({4, 3}, {5, 3}, {4, 6}), ""},
        {attend({2, 4, 3}, {5, 3}, {5, 6}), ""},
        {attend({2, 4, 3}, {3, 4, 3}, {3, 4, 6}), ""},
        {attend({}, {}, {}), ""},
        {numpy({2}), "[causal_self_attention] Expected (tokens, d_model) but received (2,)."},
        {numpy({2, 3}), ""},
    };
    for (const auto& row : refused) {
        const std::string said = refusal_of(row.first);
        CHECK_MESSAGE((row.second.empty() ? !said.empty() : said == row.second), said);
    }
    CHECK(self(Tensor({0, 3})).shape() == Shape{0, 2});
    CHECK(linear(Tensor({0, 3})).shape() == Shape{0, 2});
    CHECK(model(Tensor({0, 3, 6})).shape() == Shape{0, 3, 6});
    CHECK(heads(Tensor({2, 0, 3}), {&g}).shape() == Shape{2, 0, 4});
    CHECK(scaled_dot_product_attention(Tensor({2, 4, 3}), Tensor({2, 5, 3}), Tensor({2, 5, 6})).shape() ==
          Shape{2, 4, 6});
    CHECK(scaled_dot_product_attention(Tensor({0, 3}), Tensor({0, 3}), Tensor({0, 2})).shape() ==
          Shape{0, 2});
}
