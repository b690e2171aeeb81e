// The compact modules compute what the stages explain: each gives the last step of its stage, bit for bit.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "attention/modules.hpp"
#include "files/resources.hpp"
#include "stages/catalogue.hpp"
#include "stages/lesson_reader.hpp"
#include "stages/trace.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"

using attn::CausalAttention;
using attn::DropoutRng;
using attn::Generator;
using attn::MultiHeadAttention;
using attn::MultiHeadAttentionWrapper;
using attn::Parameters;
using attn::Shape;
using attn::Tensor;

namespace {

const attn::Lesson& journey() {
    static const attn::Lesson lesson = attn::read_lesson(attn::resource("journey.json"), "journey.json");
    return lesson;
}

Tensor batch_of(const Parameters& p) {
    return attn::stack(std::vector<Tensor>(p.batch, journey().embeddings));
}

Tensor last_step(std::string_view stage, const Parameters& p) {
    const attn::StageTrace trace = attn::walk(*attn::find_stage(stage), journey(), p);
    return trace.node(trace.steps.back()).value;
}

// Uses training mode if there is dropout.
template <typename Module>
Tensor run(const Module& module, const Parameters& p) {
    Generator draws(p.dropout_seed);
    return p.dropout == 0.0 ? module(batch_of(p)) : module(batch_of(p), {&draws, p.dropout_rng});
}

// Calls `check` on runs that differ in every argument of a module.
template <typename Check>
void for_many_runs(Check check) {
    for (const std::uint64_t seed : {123U, 789U, 1U}) {
        for (const std::size_t heads : {1U, 2U, 3U}) {
            for (const std::size_t d_out : {6U, 12U}) {
                for (const bool bias : {false, true}) {
                    for (const double dropout : {0.0, 0.5, 1.0}) {
                        Parameters p{.seed = seed, .d_in = 3, .d_out = d_out, .num_heads = heads, .batch = 2};
                        p.context_length = 6 + heads;
                        p.qkv_bias = bias;
                        p.dropout = dropout;
                        p.dropout_rng = heads == 3 ? DropoutRng::mkl : DropoutRng::mt19937;
                        check(p);
                    }
                }
            }
        }
    }
}

}  // namespace

TEST_CASE("CausalAttention gives the context vectors of its stage bit for bit") {
    for_many_runs([](const Parameters& p) {
        Generator generator(p.seed);
        const CausalAttention module(generator, p.d_in, p.d_out, p.context_length, p.dropout, p.qkv_bias);
        CHECK(attn::identical(run(module, p), last_step("causal-batch", p)));
    });
}

TEST_CASE("MultiHeadAttentionWrapper gives the context vectors of its stage bit for bit") {
    for_many_runs([](const Parameters& p) {
        Generator generator(p.seed);
        const MultiHeadAttentionWrapper module(generator, p.d_in, p.d_out, p.context_length, p.dropout,
                                               p.num_heads, p.qkv_bias);
        CHECK(attn::identical(run(module, p), last_step("multi-head-wrapper", p)));
    });
}

TEST_CASE("MultiHeadAttention gives the context vectors of its stage bit for bit") {
    for_many_runs([](const Parameters& p) {
        Generator generator(p.seed);
        const MultiHeadAttention module(generator, p.d_in, p.d_out, p.context_length, p.dropout, p.num_heads,
                                        p.qkv_bias);
        CHECK(attn::identical(run(module, p), last_step("multi-head", p)));
    });
}

TEST_CASE("evaluation drops nothing, whatever the module's dropout") {
    Generator one(5);
    Generator other(5);
    const Tensor x = batch_of({.batch = 2});
    CHECK(attn::identical(MultiHeadAttention(one, 3, 4, 6, 0.5, 2)(x),
                          MultiHeadAttention(other, 3, 4, 6, 0.0, 2)(x)));
}

TEST_CASE("the modules refuse what they cannot compute, and say why") {
    Generator generator(1);
    const Tensor x = batch_of({.batch = 1});
    CHECK_THROWS_WITH_AS(CausalAttention(generator, 3, 2, 5, 0.0)(x),
                         "[CausalAttention] Expected at most 5 tokens, the context length, but received 6.",
                         attn::Error);
    CHECK_THROWS_WITH_AS(CausalAttention(generator, 3, 2, 6, 0.0)(journey().embeddings),
                         "[CausalAttention] Expected (batch, tokens, d_in) but received (6, 3).",
                         attn::Error);
    CHECK_THROWS_WITH_AS(MultiHeadAttention(generator, 3, 5, 6, 0.0, 2),
                         "[MultiHeadAttention] Expected heads that divide 5 but received 2.", attn::Error);
    CHECK_THROWS_AS(MultiHeadAttention(generator, 3, 4, 6, 0.0, 0), attn::Error);
    CHECK_THROWS_AS(MultiHeadAttentionWrapper(generator, 3, 4, 6, 0.0, 0), attn::Error);
    CHECK_THROWS_AS(CausalAttention(generator, 3, 2, 6, 1.5), attn::Error);
    CHECK_THROWS_WITH_AS(CausalAttention(generator, 3, 2, 6, -0.5),
                         "[CausalAttention] Expected a dropout from 0 to 1 but received -0.5.", attn::Error);
    CHECK_THROWS_WITH_AS(CausalAttention(generator, 4, 2, 6, 0.0)(x),
                         "[Linear] Expected (…, 4) but received (1, 6, 3).", attn::Error);
    CHECK_THROWS_AS(MultiHeadAttention(generator, 3, 4, 6, 0.0, 2)(Tensor()), attn::Error);
    CHECK_THROWS_AS(MultiHeadAttentionWrapper(generator, 3, 4, 5, 0.0, 2)(x), attn::Error);
    CHECK_THROWS_AS(CausalAttention(generator, 3, 2, 6, std::nan("")), attn::Error);
    CHECK(MultiHeadAttention(generator, 3, 4, 6, 0.5, 2)(Tensor(Shape{2, 0, 3}), {&generator}).shape() ==
          Shape{2, 0, 4});
    CHECK(MultiHeadAttention(generator, 3, 4, 6, 0.5, 2)(Tensor(Shape{0, 6, 3})).shape() == Shape{0, 6, 4});
}
