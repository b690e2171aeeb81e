#include "watch/recorded_masks.hpp"

#include <algorithm>

namespace attn {

bool has_many_values(const RecordedTensor& mask) {
    const std::vector<float>& all = mask.numbers;
    if (all.empty()) {
        return false;
    }
    const auto second = std::ranges::find_if(all, [&](float x) { return x != all.front(); });
    return second != all.end() &&
           std::any_of(second, all.end(), [&](float x) { return x != all.front() && x != *second; });
}

bool is_of_zeros_and_ones(const RecordedTensor& mask) {
    return mask.has_numbers &&
           std::ranges::all_of(mask.numbers, [](float x) { return x == 0.0F || x == 1.0F; });
}

bool may_be_causal_mask(const RecordedTensor& tensor) {
    std::vector<std::size_t> sizes = tensor.shape;
    std::erase(sizes, std::size_t{1});
    const std::size_t n = sizes.empty() ? 0 : sizes.back();
    const std::size_t rows = sizes.size() < 2 ? 0 : sizes[sizes.size() - 2];
    if (rows > n || rows < 2 || !tensor.has_numbers) {
        return true;
    }
    if (rows < n) {  // keys of a cache come before: the first row does not end with the first key
        bool is_triangle = tensor.numbers[0] != tensor.numbers[1];
        for (std::size_t i = 0; i < tensor.numbers.size(); ++i) {
            is_triangle = is_triangle && tensor.numbers[i] == tensor.numbers[i % n > i / n % rows ? 1 : 0];
        }
        return !is_triangle;
    }
    const float above = tensor.numbers[n - 1];
    const float own = tensor.numbers[0];
    const auto is_prefix = [&](std::size_t first, std::size_t column) {  // seen by all tokens
        for (std::size_t row = 0; row < n; ++row) {
            if (tensor.numbers[first + row * n + column] != own) {
                return false;
            }
        }
        return true;
    };
    for (std::size_t i = 0; i < tensor.numbers.size(); ++i) {
        const std::size_t row = i / n % n, column = i % n;
        const float one = tensor.numbers[i];
        if (one != (column > row ? above : own) && (column >= row || one != above) &&
            (column <= row || !is_prefix(i / (n * n) * n * n, column))) {
            return false;
        }
    }
    return true;
}

bool hides_later_only(const RecordedTensor& square) {
    const std::size_t n = square.size(-1);
    for (std::size_t i = 0; i < square.numbers.size(); ++i) {
        if (i % n <= i / n % n && square.numbers[i] != square.numbers[0]) {
            return false;
        }
    }
    return true;
}

bool differs_by_sequence(const RecordedTensor& mask) {
    const std::size_t rank = mask.shape.size();
    if (rank < 3) {
        return false;
    }
    const std::size_t size = mask.shape[rank - 1] * mask.shape[rank - 2];
    for (std::size_t i = size; i < mask.numbers.size(); ++i) {
        if (mask.numbers[i] != mask.numbers[i - size]) {
            return true;
        }
    }
    return false;
}

bool hides_rows(const RecordedTensor& mask) {
    const std::size_t n = mask.size(-1);
    if (!mask.has_numbers || n < 3 || mask.size(-2) != n) {
        return false;
    }
    bool by_rows = true, by_columns = true;
    for (std::size_t i = 0; i < mask.numbers.size(); ++i) {
        const std::size_t row = i / n % n, column = i % n;
        if (column <= row) {  // the diagonal and before it
            by_rows = by_rows && mask.numbers[i] == mask.numbers[i - column];
            by_columns = by_columns && mask.numbers[i] == mask.numbers[i - (row - column) * n];
        }
    }
    return by_rows && !by_columns;
}

bool is_symmetric(const RecordedTensor& mask) {
    const std::vector<float>& all = mask.numbers;
    const std::size_t n = mask.shape.size() < 2 ? 0 : mask.size(-1);
    bool same = n > 1 && all.size() == n * n && std::ranges::count(all, all[0]) != std::ptrdiff_t(n * n);
    for (std::size_t i = 0; same && i < n * n; ++i) {
        same = all[i] == all[i % n * n + i / n];
    }
    return same;
}

}  // namespace attn
