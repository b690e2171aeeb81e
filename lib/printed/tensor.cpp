#include "printed/tensor.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace attn {

namespace {

using Notation = PrintedNumber::Notation;

// Returns the decimals that show the precision. Whole numbers have 0 decimals, because Python writes them as
// 2.0.
int telling_decimals(const PrintedNumber& number) {
    const bool whole = number.decimals == 1 && number.value == std::trunc(number.value);
    return whole && number.notation == Notation::fixed ? 0 : number.decimals;
}

// Returns the common number of decimals of numbers without an exponent. NumPy omits trailing zeros, so the
// longest number decides. If most others are shorter and equally long, the longest is an exception and their
// length decides. Equal numbers count once.
int decimals_in_common(std::span<const PrintedNumber> numbers) {
    std::map<double, int> of_value;
    for (const PrintedNumber& number : numbers) {
        if (number.notation == Notation::fixed && number.value != std::trunc(number.value)) {
            of_value[number.value] = number.decimals;
        }
    }
    std::map<int, std::size_t> of_length;
    for (const auto& [value, decimals] : of_value) {
        ++of_length[decimals];
    }
    constexpr std::size_t enough = 5;
    int longest = 0;
    for (const auto& [length, count] : of_length) {
        if (of_value.size() >= enough && 2 * count > of_value.size()) {
            return length;
        }
        longest = length;
    }
    return longest;
}

}  // namespace

bool PrintedTensor::summarised() const {
    return std::ranges::any_of(gaps, [](const auto& gap) { return gap.has_value(); });
}

bool PrintedTensor::fits(const Shape& shape) const {
    if (shape.rank() != shown.rank()) {
        return false;
    }
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
        if (gaps[axis] ? shape[axis] <= shown[axis] : shape[axis] != shown[axis]) {
            return false;
        }
    }
    return true;
}

void settle_precision(std::span<PrintedNumber> numbers) {
    int decimals = 0;           // decimals of the longest number without an exponent
    int mantissa_decimals = 0;  // decimals of the longest number with an exponent
    for (const PrintedNumber& number : numbers) {
        if (number.notation == Notation::scientific) {
            mantissa_decimals = std::max<int>(mantissa_decimals, number.decimals);
        } else if (number.notation == Notation::fixed) {
            decimals = std::max(decimals, telling_decimals(number));
        }
    }
    const int common = std::max(decimals_in_common(numbers), mantissa_decimals > 0 ? decimals : 0);
    for (PrintedNumber& number : numbers) {
        if (number.notation == Notation::scientific) {
            // Only Python and JSON mix both notations in one tensor, and both print all digits.
            const int beside = decimals > 0 ? decimals + number.exponent : 0;
            const int known = std::max(mantissa_decimals, beside);
            number.decimals = static_cast<std::uint8_t>(std::clamp<int>(known, 0, PrintedNumber::exact));
        } else if (number.notation == Notation::fixed || number.notation == Notation::whole) {
            const int known = common == 0 ? decimals : std::max(common, telling_decimals(number));
            number.decimals = decimals == 0 ? PrintedNumber::exact : static_cast<std::uint8_t>(known);
        }
    }
}

Agreement agreement(const PrintedTensor& printed, const Tensor& computed) {
    Agreement result{.numbers = printed.numbers.size()};
    for (std::size_t n = 0; n < printed.numbers.size(); ++n) {
        const auto x = static_cast<double>(computed.values()[n]);
        const double difference = std::abs(x - printed.numbers[n].value);
        if (std::isfinite(difference)) {
            result.largest_difference = std::max(result.largest_difference, difference);
        }
        if (!agrees(printed.numbers[n], x)) {
            result.disagreeing.push_back(n);
        }
    }
    return result;
}

}  // namespace attn
