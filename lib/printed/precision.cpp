// PyTorch prints all numbers of a tensor with the same digits. NumPy and Python leave zeros at the end out,
// so that "0.5" beside "0.1921" is known to four places too: the longest number tells for all in its
// notation.
#include "printed/precision.hpp"

#include <algorithm>
#include <cmath>

namespace attn {

namespace {

using Kind = WrittenNumber::Kind;

// Seven significant digits tell one float32 from nearly every other; PyTorch and NumPy print fewer unless
// asked.
constexpr int full_digits = 7;

}  // namespace

void set_numbers(PastedTensor& tensor, const std::vector<WrittenNumber>& numbers) {
    int decimals = 0;           // of the longest number without an exponent
    int mantissa_decimals = 0;  // of the longest with one
    int significant = 0;
    std::size_t booleans = 0;
    for (const WrittenNumber& number : numbers) {
        int& longest = number.kind == Kind::scientific ? mantissa_decimals : decimals;
        longest = std::max<int>(longest, number.decimals);
        significant = std::max<int>(significant, number.significant);
        booleans += number.boolean ? 1 : 0;
    }
    tensor.boolean = booleans == numbers.size();
    tensor.full_precision = significant >= full_digits && decimals + mantissa_decimals > 0;
    tensor.numbers.clear();
    tensor.numbers.reserve(numbers.size());
    for (const WrittenNumber& number : numbers) {
        const bool scientific = number.kind == Kind::scientific;
        const bool exact = number.kind == Kind::word || (!scientific && decimals == 0);
        const int places = scientific ? mantissa_decimals - number.exponent : decimals;
        tensor.numbers.push_back({number.value, exact ? 0.0 : 0.5 * std::pow(10.0, -places)});
    }
}

}  // namespace attn
