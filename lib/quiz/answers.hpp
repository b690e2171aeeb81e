// Answers to quiz questions: what is right, and what somebody typed.
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

// A number that was computed, a count of something, or a shape.
struct Count {
    std::size_t value;
    bool operator==(const Count&) const = default;
};
using Answer = std::variant<float, Count, Shape>;

// The answer in a walk of the stage, right or wrong, in which the step asked about is this node; with
// `transposed` in one whose tensors are. Nothing when there is no such cell.
using FindAnswer = std::function<std::optional<Answer>(const StageTrace&, std::size_t step, bool transposed)>;

// The number in one cell of the step, that of a whole number as a count, and the step's shape.
FindAnswer number_in(const Index& cell);
FindAnswer count_in(const Index& cell);
FindAnswer shape_of_step();

// A typed answer of a kind.
struct Typed {
    PrintedNumber number;
    Shape shape;
};

// Reads a typed answer as one of the same kind as `right`: "0.5517", "-inf" with any minus, "2", "(6, 2)",
// "6x2", "torch.Size([6, 2])". Nothing when it is none.
std::optional<Typed> read_answer(std::string_view text, const Answer& right);

// True if the typed answer is right. A number may differ by one and a half units of the last of `decimals`
// places, relative to the number beyond 1. The operands shown are rounded themselves, so the last digit may
// be off by one.
bool agrees(const Typed& typed, const Answer& answer, int decimals);

// True if a number that does not agree is the beginning of the right one, cut or rounded too early.
bool too_short(const Typed& typed, const Answer& answer, int decimals);

// "0.5517", "-inf", "21", "(6, 2)".
std::string answer_text(const Answer& answer, int decimals);

}  // namespace attn
