#include "judge/number_patterns.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace attn {

bool all_ones(const Tensor& x) {
    return std::ranges::all_of(x.values(), [](float one) { return std::abs(one - 1.0F) < 1e-4F; });
}

bool is_binary(const Tensor& x) {
    return std::ranges::all_of(x.values(),
                               [](float one) { return one == 0.0F || one == 1.0F || std::isinf(one); });
}

bool is_window(const Tensor& x) {
    const std::size_t n = x.rank() < 2 || x.size(-1) != x.size(-2) ? 0 : x.size(-1);
    const auto changes = [&](std::size_t row) {
        std::size_t count = 0;
        for (std::size_t i = row * n + 1; i < (row + 1) * n; ++i) {
            count += x.values()[i] != x.values()[i - 1] ? 1 : 0;
        }
        return count;
    };
    bool is_banded = n > 3;
    bool has_middle = false;
    for (std::size_t row = 0; is_banded && row < n; ++row) {
        is_banded = changes(row) <= 2 &&
                    (row == 0 || x.values()[row * n + row] == x.values()[(row - 1) * n + row - 1]);
        has_middle = has_middle || changes(row) == 2;
    }
    return is_banded && has_middle;
}

std::optional<double> common_factor(std::span<const float> y, std::span<const float> x) {
    std::optional<double> factor;
    for (std::size_t i = 0; i < y.size(); ++i) {
        if (std::abs(x[i]) < 1e-2F || !(std::abs(y[i]) < 1e6F) || y[i] == 0.0F) {
            continue;
        }
        const double here = static_cast<double>(y[i]) / static_cast<double>(x[i]);
        if (factor && std::abs(here / *factor - 1.0) > 1e-3) {
            return std::nullopt;
        }
        factor = factor.value_or(here);
    }
    return factor && *factor > 0.0 ? factor : std::nullopt;
}

}  // namespace attn
