// Reads answers in the forms that people type, if they are unambiguous.
#include "quiz/answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "printed/decode.hpp"
#include "printed/number.hpp"
#include "printed/typed_number.hpp"
#include "tensor/layout.hpp"
#include "text/ascii.hpp"
#include "text/lists.hpp"
#include "text/replace.hpp"
#include "words/first_guesses.hpp"

namespace attn {

namespace {

// Removes the words at the beginning and end that do not change an answer, such as those of `line 4` and
// `第4行`. A digit may follow a word directly.
std::string without_words(std::string text) {
    static const std::vector<std::string> words = guess_words("words around answers");
    const auto ends_word = [](char c) { return !is_lower(c) && c != '_'; };
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        text = without_marks(text);
        const bool is_abbreviated = text.starts_with(". ");  // the rest of `no. 4`
        text.erase(0, is_abbreviated ? 2 : 0);
        for (const std::string& word : words) {
            const bool has_letters = is_lower(word.back());
            if (text.size() > word.size() && text.starts_with(word) &&
                (!has_letters || ends_word(text[word.size()]))) {
                text.erase(0, word.size());
                has_changed = true;
            }
            if (text.size() > word.size() && text.ends_with(word) &&
                (!has_letters || ends_word(text[text.size() - word.size() - 1]))) {
                text.erase(text.size() - word.size());
                has_changed = true;
            }
        }
    }
    return text;
}

// Writes `minus infinity` and `负无穷` as -inf.
std::string with_signs(std::string text) {
    for (const auto& [word, sign] : guess_entries("signs in answers")) {
        replace_all(text, word, sign);
    }
    return without_marks(text);
}

// Returns 4 for `four`, `四`, `4th` and `fourth`; other texts as they are.
std::string with_figures(const std::string& text) {
    for (const std::string_view list : {"numbers", "ordinal numbers"}) {
        if (const std::optional<std::string> figures = guess_entry(list, text)) {
            return *figures;
        }
    }
    const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
    const bool is_ordinal = end > 0 && contains(std::array{"st", "nd", "rd", "th"}, text.substr(end));
    return is_ordinal ? text.substr(0, end) : text;
}

// Returns the 4 of `4  keys = inputs @ W_key.T`, a numbered line that is copied as an answer.
std::string number_of_line(std::string_view text) {
    const std::string line = without_words(lowered(text));
    const std::size_t end = std::min(line.find_first_not_of("0123456789"), line.size());
    const std::size_t code = line.find_first_not_of(" .:)", end);
    const bool is_copied = end > 0 && code != std::string::npos && code > end && is_lower(line[code]) &&
                           line.find(" = ", code) != std::string::npos;
    return is_copied ? line.substr(0, end) : "";
}

// Reads a number. If it stands beside relation signs, as in `keys[1][0] = 0.5`, there must be no other one.
std::optional<Typed> read_number_answer(std::string_view text, bool is_count) {
    if (const std::string line = is_count ? number_of_line(text) : ""; !line.empty()) {
        return Typed{*read_only_number(line), {}};
    }
    std::optional<Typed> found;
    for (const std::string& side : sides_of_relations(text)) {
        std::string plain = with_signs(without_words(side));
        plain = is_count ? with_figures(plain) : plain;
        const std::optional<PrintedNumber> number = read_only_number(plain);
        if (!number || (number->notation == PrintedNumber::Notation::truth && !is_count)) {
            continue;
        }
        if (found && found->number.value != number->value) {
            return std::nullopt;
        }
        found = Typed{*number, {}};
    }
    return found;
}

std::optional<Typed> read_shape_answer(std::string_view text) {
    std::string plain = lowered(text);
    replace_all(plain, "torch.size", " ");
    replace_all(plain, "\\times", " ");
    for (const std::string& word : guess_words("words around shapes")) {
        for (std::size_t at = plain.find(word); at != std::string::npos; at = plain.find(word, at + 1)) {
            const std::size_t end = at + word.size();
            const bool is_whole = !is_lower(word.back()) || ((at == 0 || !is_lower(plain[at - 1])) &&
                                                             (end == plain.size() || !is_lower(plain[end])));
            if (is_whole) {
                plain.replace(at, word.size(), word.size(), ' ');
            }
        }
    }
    for (const std::string_view around : {"[", "]", "(", ")", "{", "}", "=", "`", "$", "\"", "'", ":", "≈"}) {
        replace_all(plain, around, " ");
    }
    for (const std::string_view between : {"x", "×", "*", "by", ",", "、", "\t", "\r"}) {
        replace_all(plain, between, " ");
    }
    plain.erase(plain.find_last_not_of(" .;!") + 1);
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
        const bool is_whole = x >= 0.0F && x == std::trunc(x) && std::isfinite(x);
        return is_whole ? std::optional<Answer>(Count{std::size_t(x)}) : std::nullopt;
    };
}

FindAnswer shape_of_step() {
    return [](const Tensor& x) { return x.shape(); };
}

std::optional<Typed> read_answer(std::string_view text, const Answer& right) {
    const std::string plain = with_ascii_signs(text);
    return std::holds_alternative<Shape>(right)
               ? read_shape_answer(plain)
               : read_number_answer(plain, std::holds_alternative<Count>(right));
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
