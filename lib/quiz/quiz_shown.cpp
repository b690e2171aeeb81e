#include "quiz/quiz_shown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "notebook/render.hpp"
#include "notebook/rows.hpp"
#include "text/ascii.hpp"

namespace attn {

namespace {

constexpr std::size_t most_numbers = 100;  // in all operands of a cell together

bool mentions(const std::string& line, std::string_view name) {
    const std::string padded = " " + line + " ";  // so that there is a character on either side
    for (std::size_t at = padded.find(name); at != std::string::npos; at = padded.find(name, at + 1)) {
        if (!is_word_character(padded[at - 1]) && !is_word_character(padded[at + name.size()])) {
            return true;
        }
    }
    return false;
}

// The operand's part that a cell of the result depends on, as far as leading axes tell.
struct NeededPart {
    std::string name;
    Tensor value;
};

NeededPart needed_part(const Node& operand, const Node& result, const Index& cell) {
    const Shape& shape = operand.value.shape();
    const std::size_t rank = shape.rank();
    const bool layout = result.call.operation == &rows::swap_axes || result.call.operation == &rows::view;
    std::size_t leading = 0;
    if (rank > 2 && rank == result.value.rank()) {
        const std::size_t most = layout ? 1 : rank - 2;
        while (leading < most && shape[leading] == result.value.shape()[leading]) {
            ++leading;
        }
    }
    NeededPart part{operand.name, Tensor(Shape(std::span(shape.begin(), shape.end()).subspan(leading)))};
    Index first{};
    for (std::size_t axis = 0; axis < leading; ++axis) {
        first[axis] = cell[axis];
        part.name += fmt::format("[{}]", cell[axis]);
    }
    const auto from = operand.value.values().subspan(operand.value.offset(first), part.value.count());
    std::ranges::copy(from, part.value.values().begin());
    return part;
}

}  // namespace

std::string ShownStep::line() const {
    return statement(trace_.notebook, trace_.steps[position_], trace_.language) + "\n";
}

std::string ShownStep::code() const {
    const std::string own = line();
    return numbers([&](std::string_view name) { return mentions(own, name); }) + own;
}

std::string ShownStep::numbers(const std::function<bool(std::string_view)>& is_wanted) const {
    std::string text;
    for (std::size_t id = 0; id < trace_.steps[position_]; ++id) {
        const Node& number = trace_.notebook.nodes()[id];
        if (number.call.operation == &rows::host_number && is_wanted(number.name)) {
            text += fmt::format("{} = {}\n", number.name, number.value.values().front());
        }
    }
    return text;
}

std::vector<const Node*> ShownStep::operands() const {
    std::vector<const Node*> tensors;
    for (const std::size_t id : named_operands(trace_.notebook, trace_.steps[position_])) {
        const Node& operand = trace_.notebook.nodes()[id];
        if (operand.call.operation != &rows::numpy_seed) {
            tensors.push_back(&operand);
        }
    }
    return tensors;
}

std::string ShownStep::shapes(const Phrases& phrases) const {
    std::string text;
    for (const Node* operand : operands()) {
        text += phrases("has_shape", operand->name, operand->value.shape().text()) + "\n";
    }
    return text;
}

std::string ShownStep::operands_for(const Index& cell, const PrintOptions& options) const {
    std::string text;
    std::size_t numbers = 0;
    for (const Node* operand : operands()) {
        const NeededPart needed = needed_part(*operand, node(), cell);
        numbers += needed.value.count();
        if (numbers > most_numbers) {
            return "";
        }
        text += fmt::format("\n{} =\n{}\n", needed.name, tensor_text(needed.value, {}, options));
    }
    return text;
}

}  // namespace attn
