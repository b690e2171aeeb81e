// Recognises the names in a document's code: kinds of functions, and words.
#pragma once

#include <cstddef>
#include <string_view>

#include "dataflow/functions.hpp"

namespace attn {

// True for matrix products.
inline bool multiplies(std::string_view operation) {
    return flow::role_of(operation) == flow::Role::product;
}

// True for functions that only move numbers.
inline bool is_move(std::string_view operation) {
    return flow::role_of(operation) == flow::Role::move;
}

// True for functions that reduce or combine numbers without being a step of attention by themselves.
inline bool is_plain(std::string_view operation) {
    return flow::role_of(operation) == flow::Role::plain || flow::role_of(operation) == flow::Role::test;
}

// True for random numbers.
inline bool is_draw(std::string_view operation) {
    return flow::role_of(operation) == flow::Role::draw;
}

// True for tensors such as torch.ones(2, 3).
inline bool is_constant(std::string_view operation) {
    return flow::role_of(operation) == flow::Role::constant;
}

// The operation of nn.Parameter(layer.weight): a weight (d_out, d_in) that the code does not transpose.
constexpr std::string_view untransposed = "Parameter";

// Where a word stands in a text: `s` in softmax(s), but not in its name. npos if it does not.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t from = 0);

// How many different names and numbers two lines of code have in common.
std::size_t words_in_common(std::string_view line, std::string_view other);

}  // namespace attn
