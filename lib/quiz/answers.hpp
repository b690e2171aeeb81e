// Answers to quiz questions: the right ones, and the typed ones.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "printed/number.hpp"
#include "stages/trace.hpp"
#include "tensor/tensor.hpp"

namespace attn {

// A computed number, a count, or a shape.
struct Count {
    std::size_t value;
    bool operator==(const Count&) const = default;
};
using Answer = std::variant<float, Count, Shape>;

// Returns the answer that a step's tensor gives, correct or with a mistake; nothing if it lacks the cell.
using FindAnswer = std::function<std::optional<Answer>(const Tensor&)>;

// Exchanges the last two axes; vectors and numbers stay.
Tensor transposed(const Tensor& x);

// Return the number in one cell, as a count if it is whole, and the shape of the step.
FindAnswer number_in(const Index& cell);
FindAnswer count_in(const Index& cell);
FindAnswer shape_of_step();

// A typed answer.
struct Typed {
    PrintedNumber number;
    Shape shape;
};

// Reads a typed answer of the same kind as `right`: "0.5517", "≈ **0,5517**", "minus infinity", "2", "line
// 2", "第2行", "(6, 2)", "6x2", "torch.Size([6, 2])". Returns nothing for other text, and for two numbers.
std::optional<Typed> read_answer(std::string_view text, const Answer& right);

// Returns true if the typed answer is right. Because the operands shown are rounded, a number may differ by
// 1.5 units of the last of `decimals` places; for numbers beyond 1, relative to the number.
bool agrees(const Typed& typed, const Answer& answer, int decimals);

// Returns true if a wrong answer is the right number, cut off or rounded too early.
bool too_short(const Typed& typed, const Answer& answer, int decimals);

// Formats an answer: "0.5517", "-inf", "21", "(6, 2)".
std::string answer_text(const Answer& answer, int decimals);

}  // namespace attn
