// The claims of the errata, recomputed where possible.
#include "words/errata.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "attention/modules.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/layout.hpp"
#include "tensor/matmul.hpp"
#include "tensor/softmax.hpp"
#include "texts.hpp"
#include "walked.hpp"

using namespace attn;

namespace {

std::string words_of(const std::string& id) {
    for (const Erratum& erratum : read_errata("en")) {
        if (erratum.id == id) {
            return erratum.says + "\n" + erratum.right;
        }
    }
    return "";
}

Tensor journey_batch() {
    return stack({journey().embeddings, journey().embeddings});
}

// Computes a head of the wrapper with softmax over the queries, dim=1, instead of the keys.
Tensor softmax_over_queries(const CausalAttention& head, const Tensor& x) {
    const Tensor queries = head.W_query(x);
    const Tensor keys = head.W_key(x);
    const Tensor mask = triu(ones({x.size(1), x.size(1)}), 1);
    const Tensor masked =
        masked_fill(matmul(queries, transpose(keys, 1, 2)), mask, -std::numeric_limits<float>::infinity());
    return matmul(softmax(masked, 1), head.W_value(x));
}

}  // namespace

TEST_CASE("exercise 3.2: softmax over the queries gives the public answer, over the keys ours") {
    Generator generator(123);
    const MultiHeadAttentionWrapper wrapper(generator, 3, 1, 6, 0.0, 2);
    const Tensor batch = journey_batch();
    const Tensor context = wrapper(batch);
    std::string rows;
    for (std::size_t token = 0; token < 6; ++token) {
        rows += fmt::format("{}{:.4f} {:.4f}", token == 0 ? "" : ", ", context.at({0, token, 0}),
                            context.at({0, token, 1}));
    }
    CHECK(has(words_of("exercise-3.2"), rows));
    const std::string public_answer =
        fmt::format("{:.4f}, {:.4f}", softmax_over_queries(wrapper.heads[0], batch).at({0, 0, 0}),
                    softmax_over_queries(wrapper.heads[1], batch).at({0, 0, 0}));
    CHECK(has(words_of("exercise-3.2"), public_answer));
}

TEST_CASE("heads side by side are (2, 6, 4), along dim=1 they would be (2, 12, 2)") {
    Generator generator(123);
    const MultiHeadAttentionWrapper wrapper(generator, 3, 2, 6, 0.0, 2);
    const Tensor batch = journey_batch();
    const Tensor first = wrapper.heads[0](batch);
    const Tensor second = wrapper.heads[1](batch);
    const std::string words = words_of("002-cat-dim");
    CHECK(has(words, wrapper(batch).shape().text()));
    CHECK(has(words, cat({first, second}, 1).shape().text()));
}

TEST_CASE("one seed draws two masks, and each document's table begins with one of them") {
    const auto first_row = [](DropoutRng rng) {
        Generator generator(123);
        const Tensor keep = keep_mask(generator, Shape{6, 6}, 0.5, rng);
        std::string row;
        for (std::size_t column = 0; column < 6; ++column) {
            row += fmt::format("{:.0f}. ", 2.0F * keep.at({0, column}));
        }
        return row;
    };
    CHECK(first_row(DropoutRng::mt19937) == "2. 2. 0. 2. 2. 0. ");  // document 000
    CHECK(first_row(DropoutRng::mkl) == "2. 2. 2. 2. 2. 2. ");      // document 002
    const std::string words = words_of("two-dropout-tables");
    CHECK(has(words, "document 000 for builds with mt19937, document 002 for builds with MKL"));
}

TEST_CASE("an erratum names the documents that err, or what else does") {
    const Words phrases("en", "program");
    const Erratum one{"", {"000"}, "", "", "", "says.", "Right."};
    CHECK(erratum_text(one, phrases) == "Erratum: document 000 says. Right.");
    const Erratum several{"", {"000", "001", "002"}, "", "", "", "say.", "Right."};
    CHECK(erratum_text(several, phrases) == "Erratum: documents 000, 001 and 002 say. Right.");
    const Erratum other{"", {}, "the answers", "", "", "say.", "Right."};
    CHECK(erratum_text(other, phrases) == "Erratum: the answers say. Right.");
}

TEST_CASE("an erratum has words and a step of its stage, and none is of a lesson of the reader's own") {
    std::size_t found = 0;
    for (const Stage* stage : catalogue()) {
        StageTrace trace = walk_defaults(stage->name);
        for (const Erratum& erratum : errata_of("en", trace)) {
            CAPTURE(erratum.id);
            CHECK(erratum.stage == stage->name);
            CHECK((!erratum.says.empty() && !erratum.right.empty()));
            CHECK(trace.shows(erratum.step));
            ++found;
        }
        trace.own_lesson = true;
        CHECK(errata_of("en", trace).empty());
    }
    CHECK(found == read_errata("en").size());
    CHECK(found >= 9);
}
