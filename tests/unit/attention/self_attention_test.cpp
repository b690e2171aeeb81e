// The compact modules are compared with the stages that take the same steps one by one.
#include "attention/modules.hpp"

#include <doctest/doctest.h>

#include <string>

#include "stages/catalogue.hpp"
#include "stages/trace.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"
#include "weights/weights.hpp"

using attn::Generator;
using attn::Lesson;
using attn::Parameters;
using attn::SelfAttentionV1;
using attn::SelfAttentionV2;
using attn::Tensor;

namespace {

constexpr std::size_t widths[] = {1, 2, 3, 8, 17};
constexpr std::uint64_t seeds[] = {0, 123, 789, 18446744073709551615U};

Lesson random_lesson(std::size_t tokens, std::size_t d_in) {
    Generator generator(tokens * 100 + d_in);
    return {std::vector<std::string>(tokens, "t"), attn::uniform(generator, {tokens, d_in}, -1.0F, 1.0F)};
}

Tensor context_vec(std::string_view stage, const Lesson& lesson, const Parameters& parameters) {
    const attn::StageTrace trace = walk(*attn::find_stage(stage), lesson, parameters);
    return trace.node(trace.find("context_vec").value()).value;
}

// Calls check(lesson, parameters) for every seed and pair of widths.
template <typename Check>
void for_each_run(Check check) {
    for (const std::uint64_t seed : seeds) {
        for (const std::size_t d_in : widths) {
            for (const std::size_t d_out : widths) {
                check(random_lesson(1 + (d_in + d_out) % 9, d_in),
                      Parameters{.seed = seed, .d_in = d_in, .d_out = d_out});
            }
        }
    }
}

}  // namespace

TEST_CASE("version 1 gives the last step of the trainable stage, bit for bit") {
    for_each_run([](const Lesson& lesson, const Parameters& p) {
        Generator generator(p.seed);
        const SelfAttentionV1 attention(generator, p.d_in, p.d_out);
        CHECK(identical(attention(lesson.embeddings), context_vec("trainable", lesson, p)));
    });
}

TEST_CASE("version 2 gives the context vectors of the linear stage, bit for bit, with a bias and without") {
    for_each_run([](const Lesson& lesson, Parameters p) {
        for (const bool qkv_bias : {false, true}) {
            p.qkv_bias = qkv_bias;
            Generator generator(p.seed);
            const SelfAttentionV2 attention(generator, p.d_in, p.d_out, qkv_bias);
            CHECK(identical(attention(lesson.embeddings), context_vec("linear", lesson, p)));
        }
    });
}

TEST_CASE("weights of version 2, transposed, make version 1 give the same numbers") {
    Generator generator(789);
    const Lesson lesson = random_lesson(6, 3);
    const SelfAttentionV2 second(generator, 3, 2);
    SelfAttentionV1 first(generator, 3, 2);
    CHECK_FALSE(identical(first(lesson.embeddings), second(lesson.embeddings)));
    first.W_query = transpose(second.W_query.weight(), 0, 1);
    first.W_key = transpose(second.W_key.weight(), 0, 1);
    first.W_value = transpose(second.W_value.weight(), 0, 1);
    CHECK(identical(first(lesson.embeddings), second(lesson.embeddings)));
}

TEST_CASE("embeddings of another width or rank are refused") {
    Generator generator(1);
    const SelfAttentionV1 first(generator, 3, 2);
    const SelfAttentionV2 second(generator, 3, 2);
    CHECK_THROWS_WITH_AS(first(Tensor(attn::Shape{6, 4})),
                         "[matmul] Expected equal inner sizes but received (6, 4) and (3, 2).", attn::Error);
    CHECK_THROWS_WITH_AS(second(Tensor(attn::Shape{6, 4})), "[Linear] Expected (…, 3) but received (6, 4).",
                         attn::Error);
    for (const attn::Shape& shape : {attn::Shape{}, attn::Shape{3}, attn::Shape{2, 6, 3}}) {
        CHECK_THROWS_WITH_AS(
            first(Tensor(shape)),
            ("[SelfAttentionV1] Expected (tokens, d_in) but received " + shape.text() + ".").c_str(),
            attn::Error);
        CHECK_THROWS_AS(second(Tensor(shape)), attn::Error);
    }
    CHECK(first(Tensor(attn::Shape{0, 3})).shape() == attn::Shape{0, 2});
    CHECK(second(Tensor(attn::Shape{0, 3})).shape() == attn::Shape{0, 2});
}

TEST_CASE("attention of queries, keys and values that do not fit together is refused") {
    const auto attend = [](const attn::Shape& q, const attn::Shape& k, const attn::Shape& v) {
        return attn::scaled_dot_product_attention(Tensor(q), Tensor(k), Tensor(v)).shape();
    };
    CHECK(attend({2, 4, 3}, {2, 5, 3}, {2, 5, 6}) == attn::Shape{2, 4, 6});
    CHECK(attend({0, 3}, {0, 3}, {0, 2}) == attn::Shape{0, 2});
    CHECK_THROWS_WITH_AS(
        attend({4, 3}, {5, 2}, {5, 6}),
        "[scaled_dot_product_attention] Expected (…, n, d_k), (…, m, d_k) and (…, m, d_v) but "
        "received (4, 3), (5, 2) and (5, 6).",
        attn::Error);
    CHECK_THROWS_AS(attend({4, 3}, {5, 3}, {4, 6}), attn::Error);
    CHECK_THROWS_AS(attend({2, 4, 3}, {5, 3}, {5, 6}), attn::Error);
    CHECK_THROWS_AS(attend({2, 4, 3}, {3, 4, 3}, {3, 4, 6}), attn::Error);
    CHECK_THROWS_AS(attend({3}, {3}, {3}), attn::Error);
    CHECK_THROWS_AS(attend({}, {}, {}), attn::Error);
}

TEST_CASE("the reader's own matrices take the place of drawn ones, under either name") {
    const Lesson lesson = random_lesson(6, 3);
    Generator generator(7);
    const SelfAttentionV1 attention(generator, 3, 4);
    for (const bool short_names : {false, true}) {
        const auto weights = attn::weights_in(std::make_shared<attn::TensorFile>(
            "w.json", attn::TensorMap{{short_names ? "W_q" : "W_query", attention.W_query},
                                      {short_names ? "W_k" : "W_key", attention.W_key},
                                      {short_names ? "W_v" : "W_value", attention.W_value}}));
        const attn::Stage& stage = *attn::find_stage("trainable");
        const attn::StageTrace trace = walk(stage, lesson, stage.defaults, {.weights = weights});
        CHECK(trace.parameters.d_out == 4);
        CHECK(identical(trace.node(trace.steps.back()).value, attention(lesson.embeddings)));
    }
}
