#include "watch/value_match.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace attn {

namespace {

constexpr float hidden = -1e4F;  // a score at or below this counts as -inf

std::vector<std::size_t> without_ones(const std::vector<std::size_t>& sizes) {
    std::vector<std::size_t> longer;
    std::ranges::copy_if(sizes, std::back_inserter(longer), [](std::size_t size) { return size != 1; });
    return longer;
}

// Returns the numbers of elements behind the beginning of each axis.
std::vector<std::size_t> borders(const std::vector<std::size_t>& sizes) {
    std::vector<std::size_t> products;
    std::size_t product = 1;
    for (std::size_t axis = sizes.size(); axis-- > 1;) {
        product *= sizes[axis];
        products.push_back(product);
    }
    return products;
}

// Returns true if one shape joins axes of the other.
bool joins(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) {
    const std::vector<std::size_t> of_a = borders(a);
    const std::vector<std::size_t> of_b = borders(b);
    return of_a.size() < of_b.size() ? std::ranges::includes(of_b, of_a) : std::ranges::includes(of_a, of_b);
}

// Returns true if the last axis has the width of a head outside, and the heads inside; or tokens in place of
// the heads.
bool merges_other_axes(const std::vector<std::size_t>& sizes, const WalkedTensor& walked,
                       const std::vector<std::size_t>& order, const std::vector<std::size_t>& permuted) {
    const std::size_t rank = order.size();
    return rank > 2 && sizes.back() == permuted[rank - 1] * permuted[rank - 2] &&
           (order[rank - 2] == rank - 1 || (walked.tokens > 0 && order[rank - 2] == rank - walked.tokens));
}

bool is_near(float a, float b, double most) {
    if (std::isinf(b) && b < 0) {
        return a <= hidden;
    }
    return a == b || (std::isnan(a) && std::isnan(b)) ||
           std::abs(static_cast<double>(a) - static_cast<double>(b)) <= most;
}

double largest_size(std::span<const float> numbers) {
    float largest = 0.0F;
    for (const float x : numbers) {
        largest = std::isfinite(x) ? std::max(largest, std::abs(x)) : largest;
    }
    return static_cast<double>(largest);
}

// Calls `visit` with the offsets of the walked tensor in the order of the permuted axes, until it returns
// false.
bool each_offset(const WalkedTensor& walked, const std::vector<std::size_t>& order, const auto& visit) {
    std::vector<std::size_t> strides(order.size(), 1);
    for (std::size_t axis = order.size(); axis-- > 1;) {
        strides[axis - 1] = strides[axis] * walked.sizes[axis];
    }
    std::vector<std::size_t> index(order.size());
    std::size_t at = 0;
    for (std::size_t i = 0; i < walked.numbers.size(); ++i) {
        if (!visit(i, at)) {
            return false;
        }
        for (std::size_t place = order.size(); place-- > 0;) {
            at += strides[order[place]];
            if (++index[place] < walked.sizes[order[place]]) {
                break;
            }
            at -= strides[order[place]] * index[place];
            index[place] = 0;
        }
    }
    return true;
}

}  // namespace

double rounding_of(const RecordedTensor& tensor) {
    return tensor.type == "bfloat16"  ? 3e-2
           : tensor.type == "float16" ? 4e-3
           : tensor.is_on_cpu         ? 2e-5
                                      : 4e-3;  // TF32
}

std::optional<ValueMatch> match_value(const RecordedTensor& tensor, std::span<const WalkedTensor> walked,
                                      double tolerance, unsigned roles, bool is_row) {
    if (!tensor.has_numbers || tensor.numbers.size() < 2) {
        return std::nullopt;
    }
    const std::vector<std::size_t> sizes = without_ones(tensor.shape);
    const double own = largest_size(tensor.numbers);
    for (const WalkedTensor& one : walked) {
        const bool has_rows =
            is_row && sizes.size() == 1 && one.sizes.size() == 2 && one.sizes[1] == sizes[0];
        if ((one.numbers.size() != tensor.numbers.size() && !has_rows) ||
            (one.roles != 0 && (roles & ~one.roles) != 0)) {
            continue;
        }
        const double most = tolerance * (has_rows ? own : std::min(own, largest_size(one.numbers)));
        for (std::size_t row = 0; has_rows && row < one.sizes[0]; ++row) {
            const auto from = one.numbers.begin() + static_cast<std::ptrdiff_t>(row * sizes[0]);
            if (std::ranges::equal(tensor.numbers, std::span(from, sizes[0]),
                                   [&](float a, float b) { return is_near(a, b, most); })) {
                return ValueMatch{.node = one.node, .order = {}, .row = row, .head = one.head};
            }
        }
        if (has_rows) {
            continue;
        }
        ValueMatch match{one.node, std::vector<std::size_t>(one.sizes.size())};
        std::iota(match.order.begin(), match.order.end(), std::size_t{0});
        do {
            std::vector<std::size_t> permuted;
            for (const std::size_t axis : match.order) {
                permuted.push_back(one.sizes[axis]);
            }
            if (!joins(sizes, permuted) || merges_other_axes(sizes, one, match.order, permuted) ||
                !each_offset(one, match.order, [&](std::size_t i, std::size_t at) {
                    return is_near(tensor.numbers[i], one.numbers[at], most);
                })) {
                continue;
            }
            match.head = one.head;
            std::vector<std::size_t> others = match.order;
            std::erase_if(others, [&](std::size_t axis) { return one.has_batch && axis == 0; });
            match.is_permuted = !std::ranges::is_sorted(others);
            const std::size_t rank = one.sizes.size();
            match.is_swapped = one.is_square && rank > 1 &&
                               std::ranges::find(others, rank - 1) < std::ranges::find(others, rank - 2);
            return match;
        } while (std::ranges::next_permutation(match.order).found);
    }
    return std::nullopt;
}

bool is_among(const RecordedTensor& tensor, std::span<const float> sorted, double tolerance) {
    const double most = tolerance * largest_size(tensor.numbers);
    return std::ranges::all_of(tensor.numbers, [&](float x) {
        const auto next = std::ranges::lower_bound(sorted, x);
        return (next != sorted.end() && is_near(x, *next, most)) ||
               (next != sorted.begin() && is_near(x, *(next - 1), most));
    });
}

std::vector<float> in_walked_order(const RecordedTensor& tensor, const WalkedTensor& walked,
                                   const ValueMatch& match) {
    std::vector<float> numbers(walked.numbers.size());
    each_offset(walked, match.order, [&](std::size_t i, std::size_t at) {
        numbers[at] = tensor.numbers[i];
        return true;
    });
    return numbers;
}

}  // namespace attn
