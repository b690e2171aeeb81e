// Reads answers in the forms that people type, if they are unambiguous.
#include "quiz/answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "printed/decode.hpp"
#include "printed/number.hpp"
#include "tensor/layout.hpp"
#include "text/ascii.hpp"
#include "text/replace.hpp"

namespace attn {

namespace {

std::optional<Typed> read_number_answer(std::string_view text) {
    std::string plain = lowered(text);
    for (const std::string_view around :
         {"tensor(", "float(", "torch.", "np.", "math.", "(", ")", "'", "\"", "`"}) {
        replace_all(plain, around, "");
    }
    replace_all(plain, "infinity", "inf");
    replace_all(plain, ",", ".");  // a decimal comma
    plain.erase(plain.find_last_not_of(" \t\r") + 1);
    std::size_t at = std::min(plain.find_first_not_of(" \t"), plain.size());
    const std::optional<PrintedNumber> number = read_number(plain, at);
    const bool is_answer = number && at == plain.size() && number->notation != PrintedNumber::Notation::truth;
    return is_answer ? std::optional(Typed{*number, {}}) : std::nullopt;
}

std::optional<Typed> read_shape_answer(std::string_view text) {
    std::string plain = lowered(text);
    for (const std::string_view around : {"torch.size", "shape", "[", "]", "(", ")", "=", "`"}) {
        replace_all(plain, around, " ");
    }
    for (const std::string_view between : {"x", "×", "*", "by", ",", "、", "\t", "\r"}) {
        replace_all(plain, between, " ");
    }
    const std::optional<std::vector<PrintedNumber>> numbers = read_numbers(plain);
    const bool none = numbers && numbers->empty() && text.find_first_of("[(") == std::string_view::npos;
    if (!numbers || none || numbers->size() > Shape::max_read_rank) {
        return std::nullopt;
    }
    std::vector<std::size_t> sizes;
    for (const PrintedNumber& number : *numbers) {
        if (number.notation != PrintedNumber::Notation::whole || !(number.value >= 0.0) ||
            number.value > 1e9) {
            return std::nullopt;
        }
        sizes.push_back(std::size_t(number.value));
    }
    return Typed{{}, Shape(sizes)};
}

}  // namespace

Tensor transposed(const Tensor& x) {
    const auto rank = int(x.rank());
    return rank < 2 ? x : transpose(x, rank - 2, rank - 1);
}

FindAnswer number_in(const Index& cell) {
    return [cell](const Tensor& x) -> std::optional<Answer> {
        for (std::size_t axis = 0; axis < Shape::max_rank; ++axis) {
            if (axis < x.rank() ? cell[axis] >= x.shape()[axis] : cell[axis] != 0) {
                return std::nullopt;
            }
        }
        return x.at(cell);
    };
}

FindAnswer count_in(const Index& cell) {
    return [find = number_in(cell)](const Tensor& tensor) -> std::optional<Answer> {
        const std::optional<Answer> number = find(tensor);
        const float x = number ? std::get<float>(*number) : -1.0F;
        return x >= 0.0F && x == std::trunc(x) ? std::optional<Answer>(Count{std::size_t(x)}) : std::nullopt;
    };
}

FindAnswer shape_of_step() {
    return [](const Tensor& x) { return x.shape(); };
}

std::optional<Typed> read_answer(std::string_view text, const Answer& right) {
    const std::string plain = with_ascii_signs(text);
    return std::holds_alternative<Shape>(right) ? read_shape_answer(plain) : read_number_answer(plain);
}

bool agrees(const Typed& typed, const Answer& answer, int decimals) {
    if (const auto* shape = std::get_if<Shape>(&answer)) {
        return typed.shape == *shape;
    }
    if (const auto* count = std::get_if<Count>(&answer)) {
        return typed.number.value == double(count->value);
    }
    // The operands shown are rounded, so the last digit may be off by one; for numbers beyond 1 the tolerance
    // is relative.
    const auto right = double(std::get<float>(answer));
    PrintedNumber asked{.value = typed.number.value, .decimals = std::uint8_t(decimals)};
    return agrees(asked, right, 1.5 * std::max(1.0, std::abs(right)));
}

bool too_short(const Typed& typed, const Answer& answer, int decimals) {
    const auto* right = std::get_if<float>(&answer);
    const int typed_decimals = typed.number.decimals - typed.number.exponent;
    if (right == nullptr || !std::isfinite(*right) || typed_decimals < 1 || typed_decimals >= decimals) {
        return false;
    }
    return agrees(typed.number, double(*right), 1.0);
}

std::string answer_text(const Answer& answer, int decimals) {
    if (const auto* shape = std::get_if<Shape>(&answer)) {
        return shape->text();
    }
    if (const auto* count = std::get_if<Count>(&answer)) {
        return std::to_string(count->value);
    }
    const float number = std::get<float>(answer);
    if (std::isnan(number)) {
        return "nan";
    }
    return std::isinf(number) ? (number < 0 ? "-inf" : "inf")
                              : fmt::format("{:.{}f}", double(number), decimals);
}

}  // namespace attn
