// A state_dict: the parameters that follow from it, and the errors for tensors that do not fit.
#include "stages/state_dict.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "refusal.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"
#include "texts.hpp"

using namespace attn;

namespace {

StateDict weights(TensorMap tensors) {
    return {std::make_shared<TensorFile>("file", std::move(tensors))};
}

Parameters adopted(const TensorMap& tensors) {
    Parameters parameters{.d_in = 3, .d_out = 2, .num_heads = 1, .context_length = 6};
    adopt(weights(tensors), parameters);
    return parameters;
}

std::string untaken(const TensorMap& tensors, std::size_t context_length = 3) {
    return refusal_of([&] { require_all_taken(weights(tensors), "stage", context_length); });
}

}  // namespace

TEST_CASE("widths, heads, bias and context length are as the tensors' names and shapes say") {
    const Parameters linear = adopted({{"W_q.weight", ones({7, 3})}, {"W_q.bias", ones({7})}});
    CHECK((linear.d_out == 7 && linear.qkv_bias));
    CHECK(adopted({{"query.weight", ones({7, 3})}}).d_out == 7);
    CHECK(adopted({{"W_query", ones({3, 5})}}).d_out == 5);
    CHECK(adopted({{"W_query", ones({5, 3})}}).d_out == 5);  // transposed; take_weight() reports it
    const Parameters heads =
        adopted({{"heads.0.W_query.weight", ones({4, 3})}, {"heads.1.W_query.weight", ones({4, 3})}});
    CHECK((heads.num_heads == 2 && heads.d_out == 4 && !heads.qkv_bias));
    CHECK(adopted({{"mask", ones({9, 9})}}).context_length == 9);
    CHECK(adopted({{"heads.0.mask", ones({8, 8})}}).context_length == 8);
    CHECK(adopted({{"causal_mask", ones({7, 7})}}).context_length == 7);
}

TEST_CASE("what no matrix is says nothing about widths") {
    for (const TensorMap& tensors :
         {TensorMap{}, TensorMap{{"W_query", ones({9})}}, TensorMap{{"W_query.weight", ones({9})}},
          TensorMap{{"mask", ones({81})}}, TensorMap{{"heads.0.scale", ones({8, 8})}}}) {
        const Parameters parameters = adopted(tensors);
        CHECK((parameters.d_out == 2 && parameters.num_heads == 1 && parameters.context_length == 6));
    }
    CHECK_NOTHROW(require_width(weights({{"W_query.weight", ones({9})}}), 3));
    CHECK_NOTHROW(require_width(weights({}), 3));
    CHECK_THROWS_WITH_AS(require_width(weights({{"W_query.weight", ones({9, 4})}}), 3),
                         "file: the weights need embeddings of width 4, but these have width 3; give "
                         "matching embeddings with `input`.",
                         Error);
}

TEST_CASE("a mask must be the one of its name, as large as the context") {
    const Tensor above = triu(ones({3, 3}), 1);
    const Tensor below = tril(ones({3, 3}));
    for (const std::string name : {"mask", "heads.1.mask"}) {
        CHECK(untaken({{name, above}}).empty());
        const std::string message = "file: at /" + name + ": expected the mask of shape ";
        CHECK(untaken({{name, below}}) == message + "(3, 3) with ones above the diagonal.");
        CHECK(untaken({{name, above}}, 4) == message + "(4, 4) with ones above the diagonal.");
    }
    CHECK(untaken({{"causal_mask", below}}).empty());
    CHECK(untaken({{"causal_mask", above}}) ==
          "file: at /causal_mask: expected the mask of shape (3, 3) with ones on and below the diagonal.");
    CHECK(has(untaken({{"other.mask", above}}), "at /other.mask: stage has no such weight."));
}
