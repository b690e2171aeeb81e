#include "diagnosis/bits.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace attn {

namespace {

double log2_gamma(double x) {
    return std::lgamma(x) * std::numbers::log2e;
}

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
// numbers does not depend on their order. A number that occurs c times contributes p (p + 1) … (p + c − 1) =
// Γ(p + c) / Γ(p); the denominator is N!. So a column of zeros costs almost nothing, and a number with four
// decimals about 13 bits.
double surprise(const PrintedTensor& printed, double slack) {
    std::vector<PrintedNumber> numbers = printed.numbers;
    // NaN counts as equal to itself and is sorted to the end.
    const auto nan = std::partition(numbers.begin(), numbers.end(),
                                    [](const PrintedNumber& n) { return !std::isnan(n.value); });
    std::ranges::sort(numbers.begin(), nan, {}, &PrintedNumber::value);
    const double most = largest(printed);
    double bits = log2_gamma(static_cast<double>(numbers.size()) + 1.0);
    // Most numbers of a large tensor occur once and have the same probability as the one before.
    double p_before = 0.0;
    std::ptrdiff_t count_before = 0;
    double bits_of_these = 0.0;
    for (auto first = numbers.begin(); first != numbers.end();) {
        const auto differs = [&](const PrintedNumber& n) { return n.value != first->value; };
        const auto end = first < nan ? std::find_if(first, nan, differs) : numbers.end();
        const double p = chance(*first, most, slack);
        if (p != p_before || end - first != count_before) {
            bits_of_these = log2_gamma(p + static_cast<double>(end - first)) - log2_gamma(p);
            p_before = p;
            count_before = end - first;
        }
        bits -= bits_of_these;
        first = end;
    }
    return bits;
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
    cost += std::log2(claim.named.value_or(false) ? claim.stages : claim.steps);
    for (const double mistake : claim.mistakes) {
        cost += mistake;
    }
    return surprise - cost;
}

}  // namespace attn
