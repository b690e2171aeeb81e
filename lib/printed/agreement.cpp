// The tolerance, number by number. Printed text stays text for as long as possible: its decimals set the
// bound.
#include "printed/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "tensor/error.hpp"
#include "text/ascii.hpp"

namespace attn {

namespace {

// Float32 rounding may put a number that lies half-way between two printed ones on either side.
constexpr double slack = 1e-6;

// Float32 ends at 3.4e+38 and, below the normal numbers, at 1.4e-45.
constexpr int max_exponent = 45;

struct PrintedNumber {
    std::string_view text;
    double value = 0.0;
    int decimals = 0;
    bool has_point = false;
    bool scientific = false;
    int exponent = 0;
};

std::size_t digits_in(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_digit));
}

std::string_view take_digits(std::string_view& rest) {
    const auto end = std::find_if_not(rest.begin(), rest.end(), is_digit);
    const std::string_view digits = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
    rest.remove_prefix(digits.size());
    return digits;
}

bool take(std::string_view& rest, char c) {
    if (!rest.starts_with(c)) {
        return false;
    }
    rest.remove_prefix(1);
    return true;
}

template <typename Number>
bool parse_all(std::string_view text, Number& number) {
    const char* const end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, number);
    return result.ec == std::errc() && result.ptr == end;
}

// What PyTorch prints for one number: digits, a point and decimals, an exponent, or nan, inf, -inf. The
// grammar is checked here because from_chars reads more ("nan(1)", ".5", "infinity").
std::optional<PrintedNumber> parse(std::string_view text) {
    PrintedNumber number{.text = text};
    if (text != "nan" && text != "inf" && text != "-inf") {
        std::string_view rest = text;
        take(rest, '-');
        if (take_digits(rest).empty()) {
            return std::nullopt;
        }
        number.has_point = take(rest, '.');
        if (number.has_point) {
            number.decimals = static_cast<int>(take_digits(rest).size());
        }
        number.scientific = take(rest, 'e');
        if (number.scientific) {
            take(rest, '+');
            if (!parse_all(rest, number.exponent) || std::abs(number.exponent) > max_exponent) {
                return std::nullopt;
            }
        } else if (!rest.empty()) {
            return std::nullopt;
        }
    }
    return parse_all(text, number.value) ? std::optional(number) : std::nullopt;
}

PrintedNumber printed_number(const Reference& reference, std::string_view text) {
    const std::optional<PrintedNumber> number = parse(text);
    if (!number) {
        throw Error(fmt::format(
            "[compare] {} {}: Expected a number such as 0.1921, 2., 1.2e-03 or -inf but received \"{}\".",
            reference.document, reference.step, text));
    }
    return *number;
}

bool agrees(const PrintedNumber& printed, double x) {
    if (std::isnan(printed.value) || std::isnan(x)) {
        return std::isnan(printed.value) && std::isnan(x);
    }
    if (std::isinf(printed.value) || std::isinf(x)) {
        return printed.value == x;
    }
    const double bound = 0.5 * std::pow(10.0, -printed.decimals) + slack;
    return std::abs(x - printed.value) <= bound * std::pow(10.0, printed.exponent);
}

// x as text with the printed number's decimals, point and notation; what stands for no such text is written
// short.
std::string printed_alike(const PrintedNumber& printed, double x) {
    if (!std::isfinite(x) || !std::isfinite(printed.value)) {
        return fmt::format("{}", static_cast<float>(x));
    }
    const std::string layout = fmt::format("{{:{}.{}{}}}", printed.has_point ? "#" : "", printed.decimals,
                                           printed.scientific ? 'e' : 'f');
    return fmt::format(fmt::runtime(layout), x);
}

// Of a number that disagrees: a digit behind the first wrong one is right by chance only, and none is right
// when the sign, the length or the exponent differs.
std::size_t digits_before_difference(const PrintedNumber& printed, double x) {
    const std::string ours = printed_alike(printed, x);
    const auto tail = [](std::string_view text) {
        return text.substr(std::min(text.find('e'), text.size()));
    };
    if (ours.size() != printed.text.size() || tail(ours) != tail(printed.text)) {
        return 0;
    }
    const auto differing = std::mismatch(printed.text.begin(), printed.text.end(), ours.begin()).first;
    return digits_in(printed.text.substr(0, static_cast<std::size_t>(differing - printed.text.begin())));
}

std::string cell(const Index& index, std::size_t rank) {
    std::string text;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        text += fmt::format("[{}]", index[axis]);
    }
    return text;
}

}  // namespace

Agreement compare(const Reference& reference, const Tensor& computed) {
    const std::size_t count = reference.numbers.size();
    if (count != 0 && count != reference.shape.count()) {
        throw Error(fmt::format("[compare] {} {}: Expected {} numbers for shape {} but received {}.",
                                reference.document, reference.step, reference.shape.count(),
                                reference.shape.text(), count));
    }
    Agreement agreement;
    agreement.computed_shape = computed.shape();
    agreement.same_shape = computed.shape() == reference.shape;
    agreement.numbers = count;
    for (std::size_t i = 0; i < count; ++i) {
        const PrintedNumber printed = printed_number(reference, reference.numbers[i]);
        const std::size_t digits = digits_in(printed.text);
        agreement.digits += digits;
        if (!agreement.same_shape) {
            continue;
        }
        const float value = computed.values()[i];
        const double x = static_cast<double>(value);
        if (std::isfinite(printed.value) && std::isfinite(x)) {
            agreement.largest_difference =
                std::max(agreement.largest_difference, std::abs(x - printed.value));
        }
        if (agrees(printed, x)) {
            ++agreement.numbers_agreeing;
            agreement.digits_agreeing += digits;
            continue;
        }
        agreement.disagreeing.push_back(i);
        agreement.digits_agreeing += digits_before_difference(printed, x);
        if (!agreement.first_mismatch) {
            agreement.first_mismatch = Mismatch{computed.index(i), reference.numbers[i], value};
        }
    }
    return agreement;
}

std::string agreement_text(const Reference& reference, const Agreement& agreement, const Words& phrases) {
    if (!agreement.same_shape) {
        return phrases("shape_differs", reference.shape.text(), agreement.computed_shape.text());
    }
    if (agreement.numbers == 0) {
        return phrases("shape_agrees", reference.shape.text());
    }
    const std::string numbers =
        !agreement.agrees() ? phrases("some_numbers", agreement.numbers_agreeing, agreement.numbers)
                            : phrases(agreement.numbers == 1 ? "one_number" : "numbers", agreement.numbers);
    const double largest = agreement.largest_difference;
    std::string line = phrases("digits_agree", agreement.digits_agreeing, agreement.digits, numbers,
                               largest == 0.0 ? "0" : fmt::format("{:.1e}", largest));
    if (const auto& mismatch = agreement.first_mismatch) {
        const std::string computed = printed_alike(printed_number(reference, mismatch->printed),
                                                   static_cast<double>(mismatch->computed));
        const std::size_t rank = reference.shape.rank();
        line += rank == 0
                    ? phrases("only_difference", mismatch->printed, computed)
                    : phrases("first_difference", cell(mismatch->index, rank), mismatch->printed, computed);
    }
    return line;
}

}  // namespace attn
