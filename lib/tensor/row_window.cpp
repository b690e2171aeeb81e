// Python's rules for slices without a step.
#include "tensor/row_window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <utility>
#include <vector>

namespace attn {

namespace {

// Far beyond the rows of any tensor, and well within what PyTorch slices by: it rejects numbers near 2^63.
constexpr std::int64_t furthest = 1'000'000'000;

// False where the text is neither empty nor a number.
bool read_end(std::string_view text, std::optional<std::int64_t>& end) {
    if (text.empty()) {
        return true;
    }
    const char* const last = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), last, end.emplace());
    return error == std::errc() && stop == last && *end >= -furthest && *end <= furthest;
}

std::size_t position(std::int64_t end, std::size_t size) {
    const auto rows = static_cast<std::int64_t>(size);
    return static_cast<std::size_t>(std::clamp<std::int64_t>(end < 0 ? end + rows : end, 0, rows));
}

std::string end_text(const std::optional<std::int64_t>& end, const char* open = "") {
    return end ? std::to_string(*end) : open;
}

}  // namespace

std::optional<RowWindow> read_row_window(std::string_view text) {
    const std::size_t colon = text.find(':');
    RowWindow window;
    if (colon == std::string_view::npos || !read_end(text.substr(0, colon), window.from) ||
        !read_end(text.substr(colon + 1), window.to)) {
        return std::nullopt;
    }
    return window;
}

std::string subscript(const RowWindow& window, std::size_t rank) {
    const std::string rows = end_text(window.from) + ":" + end_text(window.to);
    return rank <= 2 ? fmt::format("[{}]", rows) : fmt::format("[..., {}, :]", rows);
}

std::string cpp_text(const RowWindow& window) {
    return fmt::format("{{{}, {}}}", end_text(window.from, "{}"), end_text(window.to, "{}"));
}

Tensor rows_in(const RowWindow& window, const Tensor& x) {
    assert(x.rank() > 0);
    Shape shape = x.shape();
    const std::size_t row_axis = x.rank() == 1 ? 0 : x.rank() - 2;
    const std::size_t rows = shape[row_axis];
    const std::size_t width = x.rank() == 1 ? 1 : shape[x.rank() - 1];
    const std::size_t from = window.from ? position(*window.from, rows) : 0;
    const std::size_t to = std::max(from, window.to ? position(*window.to, rows) : rows);
    shape[row_axis] = to - from;

    std::vector<float> values;
    values.reserve(shape.count());
    for (std::size_t matrix = 0; matrix < x.count(); matrix += rows * width) {
        const auto kept = x.values().subspan(matrix + from * width, (to - from) * width);
        values.insert(values.end(), kept.begin(), kept.end());
    }
    return Tensor(shape, std::move(values));
}

}  // namespace attn
