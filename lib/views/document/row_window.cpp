// Follows Python's rules for slices without a step.
#include "views/document/row_window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "tensor/layout.hpp"
#include "text/decimal.hpp"

namespace attn {

namespace {

// More than the rows of any tensor, but small enough for PyTorch, which rejects numbers near 2^63.
constexpr std::int64_t furthest = 1'000'000'000;

// Returns true if the text is empty, or a whole number up to `furthest`.
bool read_end(std::string_view text, std::optional<std::int64_t>& end) {
    return text.empty() || (read_whole(text, end.emplace()) && *end >= -furthest && *end <= furthest);
}

std::string end_text(const std::optional<std::int64_t>& end, const char* open = "") {
    return end ? std::to_string(*end) : open;
}

int row_axis(std::size_t rank) {
    assert(rank > 0);
    return rank == 1 ? -1 : -2;
}

}  // namespace

std::optional<RowWindow> read_row_window(std::string_view text) {
    const std::size_t colon = text.find(':');
    RowWindow window;
    if (std::int64_t row = 0; read_whole(text, row) && row >= 0 && row < furthest) {
        return RowWindow{row, row + 1};
    }
    if (colon == std::string_view::npos || !read_end(text.substr(0, colon), window.from) ||
        !read_end(text.substr(colon + 1), window.to)) {
        return std::nullopt;
    }
    return window;
}

std::pair<std::size_t, std::size_t> rows_of(const RowWindow& window, std::size_t size) {
    const auto all = std::int64_t(size);
    const auto bound = [&](std::int64_t end) {
        return std::clamp(end < 0 ? end + all : end, std::int64_t{0}, all);
    };
    const std::int64_t from = bound(window.from.value_or(0));
    const std::int64_t to = std::max(from, bound(window.to.value_or(all)));
    return {std::size_t(from), std::size_t(to - from)};
}

Tensor rows_in(const RowWindow& window, const Tensor& x) {
    return slice(x, row_axis(x.rank()), window.from, window.to);
}

std::string python_slice(std::string_view name, const RowWindow& window, std::size_t rank) {
    const std::string rows = end_text(window.from) + ":" + end_text(window.to);
    return rank <= 2 ? fmt::format("{}[{}]", name, rows) : fmt::format("{}[..., {}, :]", name, rows);
}

std::string cpp_slice(std::string_view name, const RowWindow& window, std::size_t rank) {
    return fmt::format("slice({}, {}, {}{})", name, row_axis(rank), end_text(window.from, "{}"),
                       window.to ? fmt::format(", {}", *window.to) : "");
}

}  // namespace attn
