// The step that a label in a paste names, and the steps that a reader may call by it.
#include "diagnosis/labels.hpp"

#include <doctest/doctest.h>

#include <string_view>
#include <utility>

using namespace attn;

namespace {

Piece row(std::size_t first) {
    return {.kind = PieceKind::row, .first = first};
}

}  // namespace

TEST_CASE("a label names a step, whatever it is an attribute of") {
    const std::pair<std::string_view, std::string_view> rows[] = {
        {"keys", "keys"},
        {"self.W_query.weight", "W_query"},
        {"attn_scores.T", "attn_scores"},
        {"keys.grad", "keys_grad"},
        {"query_2", "query_2"},
        {"Wq", "Wq"},
        {"q_proj", ""},  // can be queries, too
        {"result", ""},
        {"query_", ""},
    };
    for (const auto& [label, step] : rows) {
        CHECK(labelled_step(label) == step);
    }
}

TEST_CASE("one name stands for the forms of a step, a name of one token for its row, counted from 1") {
    struct Case {
        std::string_view label, step;
        bool may = true;
        Piece piece{};
    };
    for (const Case& one :
         {Case{"attn_weights", "attn_weights_dropped"},
          {"attn_weights", "masked_simple_norm"},
          {"K", "keys"},
          {"context_vec", "head_1"},
          {"keys", "queries", false},
          {"keys_grad", "keys", false},
          {"attn_weights_causal", "attn_weights", false},
          {"query_2", "queries", true, row(1)},
          {"query_2", "queries", false, row(2)},
          {"query_2", "queries", false},
          {"attn_scores_2", "attn_scores", false, {.kind = PieceKind::column, .first = 1}}}) {
        CHECK_MESSAGE(may_be_called(one.label, one.step, one.piece) == one.may, one.label);
    }
}
