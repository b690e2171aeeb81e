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

// Finds the answer in a run of the stage, correct or with a mistake, in which the step asked about is this
// node. With `transposed`, the run's tensors are transposed. Returns nothing if there is no such cell.
using FindAnswer = std::function<std::optional<Answer>(const StageTrace&, std::size_t step, bool transposed)>;

// The number in one cell of the step, as a count if it is whole, and the step's shape.
FindAnswer number_in(const Index& cell);
FindAnswer count_in(const Index& cell);
FindAnswer shape_of_step();

// A typed answer.
struct Typed {
    PrintedNumber number;
    Shape shape;
};

// Reads a typed answer of the same kind as `right`: "0.5517", "-inf" with any minus sign, "2", "(6, 2)",
// "6x2", "torch.Size([6, 2])". Returns nothing for other text.
std::optional<Typed> read_answer(std::string_view text, const Answer& right);

// True if the typed answer is right. A number may differ by 1.5 units of the last of `decimals` places,
// relative to the number beyond 1, because the operands shown are rounded.
bool agrees(const Typed& typed, const Answer& answer, int decimals);

// True if a number that does not agree is the right one, cut or rounded too early.
bool too_short(const Typed& typed, const Answer& answer, int decimals);

// Formats an answer: "0.5517", "-inf", "21", "(6, 2)".
std::string answer_text(const Answer& answer, int decimals);

}  // namespace attn
