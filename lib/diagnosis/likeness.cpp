#include "diagnosis/likeness.hpp"

#include <algorithm>
#include <cmath>

namespace attn {

bool agrees(const PastedNumber& pasted, float x, bool full_precision) {
    const auto value = static_cast<double>(x);
    if (!std::isfinite(value) || !std::isfinite(pasted.value)) {
        return value == pasted.value || (std::isnan(value) && std::isnan(pasted.value));
    }
    // The fiftieth of half a unit is the slack of every comparison here: 1e-6 beside four decimals. Digits
    // that were not rounded for print show float32's own noise.
    constexpr double slack = 1.02;
    constexpr double relative_noise = 1e-6;
    constexpr double noise = 2e-7;
    const double bound =
        slack * pasted.half_unit + relative_noise * std::abs(pasted.value) + (full_precision ? noise : 0.0);
    return std::abs(value - pasted.value) <= bound;
}

std::optional<double> likeness(const PastedTensor& pasted, const Tensor& computed) {
    double largest = 0.0;
    const bool whole = !pasted.summarised();
    for (std::size_t n = 0; n < pasted.numbers.size(); ++n) {
        const float x = whole ? computed.values()[n] : computed.at(pasted.index_in(computed.shape(), n));
        if (!agrees(pasted.numbers[n], x, pasted.full_precision)) {
            return std::nullopt;
        }
        if (std::isfinite(x)) {
            largest = std::max(largest, std::abs(static_cast<double>(x) - pasted.numbers[n].value));
        }
    }
    return largest;
}

}  // namespace attn
