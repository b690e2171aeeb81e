#include "mistakes/bits.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>

namespace attn {

namespace {

// A product of many factors, which may be larger than a double.
class Product {
public:
    void multiply_by(double factor) {
        int exponent = 0;
        mantissa_ = std::frexp(mantissa_ * factor, &exponent);
        exponent_ += exponent;
    }

    // Returns log2 in sixteenths. Squaring doubles the logarithm, so each square gives one binary digit of
    // it.
    double bits() const {
        constexpr int digits = 5;  // one more than the result has, to round it
        double x = 2.0 * mantissa_;
        std::int64_t log = exponent_ - 1;
        for (int i = 0; i < digits; ++i) {
            x *= x;
            log = 2 * log + (x >= 2.0 ? 1 : 0);
            x = x >= 2.0 ? x / 2.0 : x;
        }
        return std::floor(static_cast<double>(log + 1) / 2.0) / 16.0;
    }

private:
    double mantissa_ = 0.5;
    std::int64_t exponent_ = 1;
};

// Returns the probability of a number that has not occurred yet. Half of the probability belongs to common
// numbers. The rest is uniform from minus to plus the largest number, at the printed precision.
double chance(const PrintedNumber& number, double largest, double slack) {
    if (number.value == 0.0) {
        return 0.25;
    }
    if (number.value == 1.0 || !std::isfinite(number.value)) {
        return 0.125;
    }
    const bool whole = number.decimals == PrintedNumber::exact && number.value == std::trunc(number.value);
    const double width = whole ? 1.0 : 2.0 * (tolerance(number) + slack);
    return 0.5 * std::min(width / (2.0 * largest + width), 1.0);
}

}  // namespace

double largest(const PrintedTensor& printed) {
    double most = 0.0;
    for (const PrintedNumber& number : printed.numbers) {
        most = std::isfinite(number.value) ? std::max(most, std::abs(number.value)) : most;
    }
    return most;
}

// The numbers are modelled as a Chinese restaurant process: if k of the first n numbers equal the next one,
// its probability is (k + p) / (n + 1). Here p is the probability of a new number. The product over all
// numbers does not depend on their order. So a column of zeros costs almost nothing, and a number with four
// decimals about 13 bits.
double surprise(const PrintedTensor& printed, double slack) {
    std::vector<PrintedNumber> numbers = printed.numbers;
    // NaN counts as equal to itself and is sorted to the end.
    const auto nan = std::partition(numbers.begin(), numbers.end(),
                                    [](const PrintedNumber& n) { return !std::isnan(n.value); });
    std::ranges::sort(numbers.begin(), nan, {}, &PrintedNumber::value);
    const double most = largest(printed);
    Product improbability;
    double p = 0.0;
    double equal = 0.0;
    for (auto number = numbers.begin(); number != numbers.end(); ++number) {
        const bool is_new = number == numbers.begin() || number == nan ||
                            (number < nan && number->value != std::prev(number)->value);
        equal = is_new ? 0.0 : equal + 1.0;
        p = is_new ? chance(*number, most, slack) : p;
        improbability.multiply_by(static_cast<double>(number - numbers.begin() + 1) / (equal + p));
    }
    return improbability.bits();
}

double bits_for(double choices) {
    Product one;
    one.multiply_by(std::max(choices, 1.0));
    return one.bits();
}

// By Bayes, the odds of an explanation against chance are
//
//     P(explanation | numbers)   P(numbers | explanation)   P(explanation)
//     ------------------------ = ------------------------ · --------------
//        P(chance | numbers)        P(numbers | chance)       P(chance)
//
// If all numbers agree with an explanation, P(numbers | explanation) is 1. As logarithms,
// in bits, the odds are a difference: the bits that the numbers cost by chance, minus the bits that the
// explanation costs. An explanation costs −log2 of its probability. This is the sum of the costs of choosing
// one step among all, the parameters, one piece of the step, and each mistake. Half of all labels are assumed
// to name the right step; after such a label, only the stage must be chosen. A stage's default parameters and
// those of the documents' tables cost nothing. So among explanations of the same numbers, the most usual
// comes first, and a right step comes before any mistake.
double worth(double surprise, const Claim& claim) {
    double cost = claim.parameters + claim.piece + claim.precision;
    cost += claim.named ? 1.0 : 0.0;
    cost += bits_for(claim.named.value_or(false) ? claim.stages : claim.steps);
    for (const double mistake : claim.mistakes) {
        cost += mistake;
    }
    return surprise - cost;
}

}  // namespace attn
