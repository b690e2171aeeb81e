// The compact modules of document 003: the results of their stages' last steps, and their errors.
#include "attention/modules.hpp"

#include <doctest/doctest.h>

#include <array>

#include "files/resources.hpp"
#include "stages/catalogue.hpp"
#include "stages/lesson_reader.hpp"
#include "stages/trace.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"
#include "tensor/numpy.hpp"

using attn::CausalSelfAttention;
using attn::Generator;
using attn::Shape;
using attn::Tensor;

namespace {

Tensor last_step(std::string_view name, const attn::Parameters& parameters) {
    const attn::Lesson lesson = attn::read_lesson(attn::resource("journey.json"), "journey.json");
    const attn::StageTrace trace = attn::walk(*attn::find_stage(name), lesson, parameters);
    return trace.node(trace.steps.back()).value;
}

struct Size {
    std::uint64_t seed;
    std::size_t d_model, num_heads, batch;
};

}  // namespace

TEST_CASE("CausalSelfAttention gives the last step of its stage, bit for bit") {
    for (const Size& size : {Size{123, 512, 8, 2}, {7, 12, 3, 1}, {0, 6, 1, 3}}) {
        CAPTURE(size.d_model);
        attn::Parameters parameters = attn::find_stage("causal-self-attention")->defaults;
        parameters.seed = size.seed;
        parameters.d_out = size.d_model;
        parameters.num_heads = size.num_heads;
        parameters.batch = size.batch;
        Generator generator(size.seed);
        const CausalSelfAttention model(generator, size.d_model, size.num_heads);
        const Tensor x = randn(generator, Shape{size.batch, 10, size.d_model});
        CHECK(identical(model(x), last_step("causal-self-attention", parameters)));
    }
}

TEST_CASE("causal_self_attention gives the last step of the NumPy stage, bit for bit") {
    for (const std::size_t d : {1U, 4U, 9U}) {
        CAPTURE(d);
        attn::Parameters parameters = attn::find_stage("numpy")->defaults;
        parameters.d_out = d;
        Generator generator(parameters.seed);
        const Tensor x = attn::numpy::randn(generator, Shape{5, d});
        std::array<Tensor, 4> weights;
        for (Tensor& weight : weights) {
            weight = attn::numpy::randn(generator, Shape{d, d});
        }
        CHECK(identical(attn::numpy::causal_self_attention(x, weights[0], weights[1], weights[2], weights[3]),
                        last_step("numpy", parameters)));
    }
}

TEST_CASE("a later token never changes an earlier row of CausalSelfAttention") {
    Generator generator(1);
    const CausalSelfAttention model(generator, 6, 2);
    const Tensor x = randn(generator, Shape{1, 5, 6});
    Tensor changed = x;
    changed.values().back() += 1.0F;
    const Tensor before = model(x);
    const Tensor after = model(changed);
    constexpr std::size_t earlier = 4 * 6;
    for (std::size_t i = 0; i < earlier; ++i) {
        CHECK(before.values()[i] == after.values()[i]);
    }
    CHECK_FALSE(identical(before, after));
}

TEST_CASE("CausalSelfAttention refuses heads that do not divide its width, and inputs it was not made for") {
    Generator generator(1);
    CHECK_THROWS_WITH_AS(CausalSelfAttention(generator, 6, 4),
                         "[MultiHeadAttention] Expected heads that divide 6 but received 4.", attn::Error);
    CHECK_THROWS_AS(CausalSelfAttention(generator, 6, 0), attn::Error);
    const CausalSelfAttention model(generator, 6, 2, 3);
    CHECK_THROWS_WITH_AS(
        model(attn::ones(Shape{1, 4, 6})),
        "[MultiHeadAttention] Expected at most 3 tokens, the context length, but received 4.", attn::Error);
    CHECK_THROWS_AS(model(attn::ones(Shape{1, 3, 5})), attn::Error);
    CHECK_THROWS_AS(model(attn::ones(Shape{3, 6})), attn::Error);
    CHECK(model(attn::ones(Shape{2, 3, 6})).shape() == Shape{2, 3, 6});
    CHECK(model(Tensor(Shape{0, 3, 6})).shape() == Shape{0, 3, 6});

    const Tensor square(Shape{2, 2});
    CHECK_THROWS_WITH_AS(attn::numpy::causal_self_attention(Tensor(Shape{2}), square, square, square, square),
                         "[causal_self_attention] Expected (tokens, d_model) but received (2,).",
                         attn::Error);
    CHECK_THROWS_AS(attn::numpy::causal_self_attention(Tensor(Shape{2, 3}), square, square, square, square),
                    attn::Error);
}
