// The step that a label in a paste names, and the steps that a reader may call by it.
#include "diagnosis/labels.hpp"

#include <doctest/doctest.h>

using attn::labelled_step;
using attn::may_be_called;
using attn::Piece;
using attn::PieceKind;

namespace {

const Piece whole{};

Piece row(std::size_t first) {
    return {.kind = PieceKind::row, .first = first};
}

}  // namespace

TEST_CASE("a label names a step, whatever it is an attribute of") {
    CHECK(labelled_step("keys") == "keys");
    CHECK(labelled_step("self.W_query.weight") == "W_query");
    CHECK(labelled_step("attn_scores.T") == "attn_scores");
    CHECK(labelled_step("keys.grad") == "keys_grad");
    CHECK(labelled_step("query_2") == "query_2");
    CHECK(labelled_step("result").empty());
    CHECK(labelled_step("query_").empty());
}

TEST_CASE("one name stands for the forms of a step, and for no other step") {
    CHECK(may_be_called("attn_weights", "attn_weights_dropped", whole));
    CHECK(may_be_called("attn_weights", "masked_simple_norm", whole));
    CHECK(may_be_called("K", "keys", whole));
    CHECK(may_be_called("context_vec", "head_1", whole));
    CHECK_FALSE(may_be_called("keys", "queries", whole));
    CHECK_FALSE(may_be_called("keys_grad", "keys", whole));
    CHECK_FALSE(may_be_called("attn_weights_causal", "attn_weights", whole));
}

TEST_CASE("a label of one token names that row, counted from 1") {
    CHECK(may_be_called("query_2", "queries", row(1)));
    CHECK_FALSE(may_be_called("query_2", "queries", row(2)));
    CHECK_FALSE(may_be_called("attn_scores_2", "attn_scores", {.kind = attn::PieceKind::column, .first = 1}));
    CHECK_FALSE(may_be_called("query_2", "queries", whole));
}
