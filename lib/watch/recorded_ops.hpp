// Groups the operations of recorded calls: different names in PyTorch for the same arithmetic.
#pragma once

#include <initializer_list>
#include <string_view>

namespace attn {

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words);

// Returns matmul, scale, masked_fill, triangle, softmax, add, sub, cat, repeat or layout for the operations
// that do this, and other names as they are.
std::string_view kind_of(std::string_view op);

// Returns true for a kind of operation that neither the stages nor other ways to compute them have.
bool is_foreign(std::string_view kind);

// Returns true if the result has the shape of an operand, not its numbers.
bool is_unrelated(std::string_view op);

// Returns true if the result is drawn at random.
bool is_random(std::string_view op);

}  // namespace attn
