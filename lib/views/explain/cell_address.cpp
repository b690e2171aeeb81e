#include "views/explain/cell_address.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "tensor/error.hpp"
#include "text/ascii.hpp"
#include "text/decimal.hpp"
#include "text/lists.hpp"
#include "text/printable.hpp"
#include "text/split.hpp"
#include "text/suggest.hpp"
#include "views/explain/arithmetic_text.hpp"

namespace attn {

namespace {

// STEP[i][j] as "STEP" and {"i", "j"}. A token may contain a bracket, so only `][` separates two indices;
// `[i, j]` is read as in Python if one index is not enough.
struct Address {
    std::string name;
    std::vector<std::string_view> indices;
};

Address parse(std::string_view address) {
    const std::size_t open = address.find('[');
    if (open == std::string_view::npos) {
        return {std::string(address), {}};
    }
    if (!address.ends_with(']') || open == 0) {
        throw Error("expected a cell such as attn_weights[1][0] but received {}.", in_quotes(address));
    }
    const std::string_view inside = address.substr(open + 1, address.size() - open - 2);
    return {std::string(address.substr(0, open)), split(inside, "][")};
}

std::size_t find_node(const StageTrace& trace, const std::string& name) {
    if (const std::optional<std::size_t> node = trace.find(name)) {
        return *node;
    }
    std::vector<std::string_view> names;
    for (const std::size_t id : trace.steps) {
        names.push_back(trace.node(id).name);
    }
    throw Error("{} has no step {}.{} Its steps are: {}.", trace.stage->name, in_quotes(name),
                did_you_mean(name, names), joined(names));
}

// `attn_weights[query][key]`, or with indices: those given, and 0 for those that are missing.
std::string pattern(const Node& node) {
    return node.axes.empty() ? node.name : fmt::format("{}[{}]", node.name, fmt::join(node.axes, "]["));
}
std::string with_indices(const Node& node, std::vector<std::string_view> given) {
    given.resize(node.value.rank(), "0");
    return given.empty() ? node.name : fmt::format("{}[{}]", node.name, fmt::join(given, "]["));
}

std::size_t find_token(const Notebook& notebook, const Node& node, std::size_t axis, std::string_view word) {
    const std::string name = node.axes[axis];
    const std::size_t size = node.value.shape()[axis];
    const std::vector<std::string>& labels = notebook.labels(name);
    std::vector<std::string_view> tokens(labels.begin(), labels.end());
    tokens.resize(std::min(tokens.size(), size));
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i] == word) {
            places.push_back(i);
        }
    }
    if (tokens.empty()) {
        throw Error("{}: {} is not a number, and the axis {} has no tokens; give an index below {}.",
                    pattern(node), in_quotes(word), name, size);
    }
    if (places.empty()) {
        throw Error("{}: there is no token {}.{} Give a token or an index below {}.", pattern(node),
                    in_quotes(word), did_you_mean(word, tokens), size);
    }
    if (places.size() > 1) {
        throw Error("{}: the token {} occurs at {}; give one of these indices.", pattern(node),
                    in_quotes(word), joined(places));
    }
    return places.front();
}

// True for `:`, `1:3` and `...`, which choose several cells in Python.
bool is_slice(std::string_view index) {
    return index == "..." ||
           (contains(index, ':') && index.find_first_not_of("0123456789:-+ ") == std::string_view::npos);
}

// The first cell of a slice, as far as it is known: keys[1][0] for `keys[1:3]`.
std::string cell_of_slice(const Node& node, std::vector<std::string_view> indices) {
    const auto rest = std::ranges::find(indices, "...");
    if (rest != indices.end()) {
        *rest = "0";
        const std::size_t missing = node.value.rank() - std::min(node.value.rank(), indices.size());
        indices.insert(rest, missing, "0");
    }
    for (std::size_t axis = 0; axis < std::min(indices.size(), node.value.rank()); ++axis) {
        const std::string_view first = indices[axis].substr(0, indices[axis].find(':'));
        std::uint64_t index = 0;
        if (is_slice(indices[axis])) {
            indices[axis] = read_whole(first, index) && index < node.value.shape()[axis] ? first : "0";
        }
    }
    return with_indices(node, indices);
}

}  // namespace

std::string name_in(std::string_view address) {
    return parse(address).name;
}

std::size_t count_indices(std::string_view address) {
    const std::vector<std::string_view> indices = parse(address).indices;
    return indices.size() == 1 ? split(indices.front(), ",").size() : indices.size();
}

CellAddress find_cell(const StageTrace& trace, std::string_view address) {
    const std::size_t node = find_node(trace, name_in(address));
    return {node, find_index(trace.notebook, node, address)};
}

Index find_index(const Notebook& notebook, std::size_t id, std::string_view address) {
    Address parts = parse(address);
    const Node& node = notebook.nodes()[id];
    const Shape& shape = node.value.shape();
    if (parts.indices.size() == 1 && shape.rank() > 1 && contains(parts.indices[0], ',')) {
        parts.indices = split(parts.indices[0], ",");
        for (std::string_view& index : parts.indices) {
            index.remove_prefix(std::min(index.find_first_not_of(' '), index.size()));
            index = index.substr(0, index.find_last_not_of(' ') + 1);
        }
    }
    const auto is_token = [&](std::string_view index) {
        return std::ranges::any_of(
            node.axes, [&](const std::string& axis) { return contains(notebook.labels(axis), index); });
    };
    const auto slice = std::ranges::find_if(
        parts.indices, [&](std::string_view index) { return is_slice(index) && !is_token(index); });
    if (slice != parts.indices.end()) {
        const std::string cell = cell_of_slice(node, parts.indices);
        throw Error("{}: expected one cell but received the slice {}; name a cell of it, such as {}.",
                    pattern(node), in_quotes(*slice), cell)
            .correcting(address, cell);
    }
    if (parts.indices.size() != shape.rank()) {
        throw Error("{} has shape {}: expected {} but received {}.", node.name, shape.text(), pattern(node),
                    in_quotes(address))
            .correcting(address, with_indices(node, parts.indices));
    }
    Index cell{};
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
        const auto size = std::int64_t(shape[axis]);
        std::int64_t index = 0;
        if (!read_whole(parts.indices[axis], index)) {
            cell[axis] = find_token(notebook, node, axis, parts.indices[axis]);
            continue;
        }
        if (index >= size || index < -size) {
            throw Error("{} has shape {}: expected an index from {} to {} for {} but received {}.", node.name,
                        shape.text(), -size, size - 1, node.axes[axis], index)
                .correcting(fmt::format("[{}]", parts.indices[axis]), fmt::format("[{}]", size - 1));
        }
        cell[axis] = std::size_t(index < 0 ? index + size : index);
    }
    return cell;
}

bool is_number(std::string_view text) {
    double number = 0.0;
    return !text.empty() && read_double(text, number) == text.size();
}

std::vector<std::pair<std::string_view, std::string>> cells_that_print(const Trace& trace,
                                                                       const std::string& digits) {
    double exact = 0.0;
    read_double(digits, exact);
    const std::size_t end = std::min(digits.find_first_of("eE"), digits.size());
    const std::size_t point = std::min(digits.find('.'), end);
    const std::size_t decimals = end - std::min(point + 1, end);
    const auto prints_so = [&](double value) {
        return end < digits.size() ? fmt::format("{:.{}e}", value, decimals) == lowered(digits)
               : point == end      ? value == exact
                                   : fmt::format("{:.{}f}", value, decimals) == digits;
    };
    std::vector<std::pair<std::string_view, std::string>> cells;
    if (std::isinf(exact) && std::ranges::any_of(digits, is_digit)) {
        return cells;  // too large a number, which is not inf
    }
    for (const StageTrace& stage : trace.stages) {
        for (const std::size_t step : stage.shown) {
            const Node& node = stage.node(step);
            for (std::size_t at = 0; at < node.value.count(); ++at) {
                if (prints_so(double(node.value.values()[at]))) {
                    cells.emplace_back(stage.stage->name, cell_name(node, node.value.index(at)));
                }
            }
        }
    }
    return cells;
}

}  // namespace attn
