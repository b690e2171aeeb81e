// A number's text is checked here, because from_chars reads more than is meant ("nan(1)", "infinity"), and
// because a typing slip should be shown, not split into two numbers.
#include "printed/written_number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "tensor/digits.hpp"
#include "text/ascii.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

constexpr std::string_view minus_sign = "\u2212";  // what web pages and PDFs make of a minus

class NumberReader {
public:
    NumberReader(std::string_view text, std::size_t& at) : text_(text), at_(at) {}

    WrittenNumber read() {
        const std::size_t begin = at_;
        const bool wrapped = take("np.float32(") || take("np.float64(");  // NumPy 2 shows scalars in lists so
        const bool negative = take("-") || take(minus_sign);
        if (!negative) {
            take("+");
        }
        WrittenNumber written;
        if (!word(written) && !digits(written)) {
            const std::size_t shown = std::min(text_.find_first_of(",] \t\r\n)", begin + 1), begin + 24);
            at_ = begin;
            fail(begin, at_ >= text_.size()
                            ? "the text ends where a number was expected; it was cut off."
                            : fmt::format("{} is no number.", in_quotes(text_.substr(begin, shown - begin))));
        }
        if (negative) {
            written.value = -written.value;
        }
        if (wrapped && !take(")")) {
            fail(at_, "expected ) behind the number.");
        }
        if (is_word_character(peek()) || peek() == '.' || (peek() == '+' || peek() == '-')) {
            const std::size_t end = std::min(text_.find_first_of(",] \t\r\n)", at_), begin + 24);
            fail(begin, fmt::format("{} is no number.", in_quotes(text_.substr(begin, end - begin))));
        }
        return written;
    }

private:
    bool word(WrittenNumber& written) {
        struct Word {
            std::string_view text;
            double value;
            bool boolean;
        };
        constexpr double inf = std::numeric_limits<double>::infinity();
        constexpr double nan = std::numeric_limits<double>::quiet_NaN();
        constexpr std::array words{
            Word{"Infinity", inf, false}, Word{"inf", inf, false},  Word{"\u221e", inf, false},
            Word{"nan", nan, false},      Word{"NaN", nan, false},  Word{"True", 1.0, true},
            Word{"true", 1.0, true},      Word{"False", 0.0, true}, Word{"false", 0.0, true}};
        for (const Word& one : words) {
            if (take(one.text)) {
                written.value = one.value;
                written.kind = WrittenNumber::Kind::word;
                written.boolean = one.boolean;
                return true;
            }
        }
        return false;
    }

    std::size_t count_digits(std::size_t& significant) {
        const std::size_t begin = at_;
        for (; is_digit(peek()); ++at_) {
            significant += significant > 0 || peek() != '0' ? 1 : 0;
        }
        return at_ - begin;
    }

    bool digits(WrittenNumber& written) {
        const std::size_t begin = at_;
        std::size_t significant = 0;
        const std::size_t whole = count_digits(significant);
        written.point = take(".");
        const std::size_t decimals = written.point ? count_digits(significant) : 0;
        if (whole + decimals == 0) {
            return false;
        }
        written.kind = decimals > 0 ? WrittenNumber::Kind::fixed : WrittenNumber::Kind::whole;
        if ((peek() == 'e' || peek() == 'E') && at_ + 1 < text_.size()) {
            std::size_t power = at_ + 1;
            power += text_[power] == '+' || text_[power] == '-' ? 1 : 0;
            if (power < text_.size() && is_digit(text_[power])) {
                const bool plus = text_[at_ + 1] == '+';
                int exponent = 0;
                const auto end = std::from_chars(text_.data() + at_ + (plus ? 2 : 1),
                                                 text_.data() + text_.size(), exponent);
                at_ = static_cast<std::size_t>(end.ptr - text_.data());
                written.exponent = static_cast<std::int16_t>(std::clamp(exponent, -9999, 9999));
                written.kind = WrittenNumber::Kind::scientific;
            }
        }
        constexpr std::size_t most = 255;  // more digits than any number needs
        written.decimals = static_cast<std::int16_t>(std::min(decimals, most));
        written.significant = static_cast<std::uint8_t>(std::min(significant, most));
        const auto read = std::from_chars(text_.data() + begin, text_.data() + at_, written.value);
        if (read.ec != std::errc() && written.exponent < 0) {
            written.value = 0.0;  // too small, as in PyTorch
        } else if (read.ec != std::errc()) {
            fail(begin, "a number beyond double, ±1.8e308.");
        }
        return true;
    }

    [[noreturn]] static void fail(std::size_t offset, std::string problem) {
        throw Unreadable{offset, std::move(problem), false};
    }

    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    bool take(std::string_view word) {
        if (!text_.substr(at_).starts_with(word)) {
            return false;
        }
        at_ += word.size();
        return true;
    }

    std::string_view text_;
    std::size_t& at_;
};

}  // namespace

WrittenNumber read_number(std::string_view text, std::size_t& at) {
    return NumberReader(text, at).read();
}

WrittenNumber written_word(double value, bool boolean) {
    return {.value = value, .kind = WrittenNumber::Kind::word, .boolean = boolean};
}

WrittenNumber written_number(double value) {
    if (!std::isfinite(value)) {
        return written_word(value, false);
    }
    const std::string text = shortest_digits(static_cast<float>(value));
    std::size_t at = 0;
    WrittenNumber written = read_number(text, at);
    if (text.ends_with(".0")) {  // a whole number, which Python writes with a point
        written.kind = WrittenNumber::Kind::whole;
        written.decimals = 0;
    }
    written.value = value;
    return written;
}

}  // namespace attn
