#include "views/explain/cell_address.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "tensor/error.hpp"
#include "text/printable.hpp"
#include "text/suggest.hpp"

namespace attn {

namespace {

// Splits STEP[i][j] into "STEP" and {"i", "j"}. A token may contain a bracket, so only `][` separates two
// indices; `[i, j]` is read as in Python if one index is not enough.
struct Parts {
    std::string name;
    std::vector<std::string> indices;
};

std::vector<std::string> split(std::string_view text, std::string_view separator) {
    std::vector<std::string> parts;
    for (std::size_t at = text.find(separator); at != std::string_view::npos; at = text.find(separator)) {
        parts.emplace_back(text.substr(0, at));
        text.remove_prefix(at + separator.size());
    }
    parts.emplace_back(text);
    return parts;
}

Parts parse(std::string_view address) {
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
                did_you_mean(name, names), fmt::format("{}", fmt::join(names, ", ")));
}

// `attn_weights[query][key]`
std::string pattern(const Node& node) {
    std::string text = node.name;
    for (const std::string& axis : node.axes) {
        text += "[" + axis + "]";
    }
    return text;
}

// Returns a cell of a node: the given indices, or 0 for those that are missing.
std::string with_indices(const Node& node, const std::vector<std::string>& given) {
    std::string cell = node.name;
    for (std::size_t axis = 0; axis < node.value.rank(); ++axis) {
        cell += "[" + (axis < given.size() ? given[axis] : "0") + "]";
    }
    return cell;
}

std::optional<std::ptrdiff_t> read_index(std::string_view text) {
    std::ptrdiff_t index = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    const bool is_index = error == std::errc() && end == text.data() + text.size();
    return is_index ? std::optional(index) : std::nullopt;
}

std::size_t find_token(const Notebook& notebook, const Node& node, std::size_t axis,
                       const std::string& word) {
    const std::string name = node.axes[axis];
    const std::size_t size = node.value.shape()[axis];
    std::vector<std::string_view> tokens;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < size; ++i) {
        if (const std::string* const token = notebook.label(name, i)) {
            tokens.push_back(*token);
            if (*token == word) {
                places.push_back(i);
            }
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
                    in_quotes(word), fmt::format("{}", fmt::join(places, ", ")));
    }
    return places.front();
}

}  // namespace

std::string name_in(std::string_view address) {
    return parse(address).name;
}

CellAddress find_cell(const StageTrace& trace, std::string_view address) {
    const std::size_t node = find_node(trace, name_in(address));
    return {node, find_index(trace.notebook, node, address)};
}

Index find_index(const Notebook& notebook, std::size_t id, std::string_view address) {
    Parts parts = parse(address);
    const Node& node = notebook.nodes()[id];
    const Shape& shape = node.value.shape();
    if (parts.indices.size() == 1 && shape.rank() > 1 && parts.indices[0].find(',') != std::string::npos) {
        parts.indices = split(parts.indices[0], ",");
        for (std::string& index : parts.indices) {
            index.erase(0, index.find_first_not_of(' '));
        }
    }
    if (parts.indices.size() != shape.rank()) {
        throw Error(Message("{} has shape {}: expected {} but received {}.", node.name, shape.text(),
                            pattern(node), in_quotes(address))
                        .correcting(address, with_indices(node, parts.indices)));
    }
    Index cell{};
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
        const auto size = static_cast<std::ptrdiff_t>(shape[axis]);
        const std::optional<std::ptrdiff_t> index = read_index(parts.indices[axis]);
        if (!index) {
            cell[axis] = find_token(notebook, node, axis, parts.indices[axis]);
            continue;
        }
        if (*index >= size || *index < -size) {
            const std::string given = "[" + parts.indices[axis] + "]";
            throw Error(Message("{} has shape {}: expected an index from {} to {} for {} but received {}.",
                                node.name, shape.text(), -size, size - 1, node.axes[axis], *index)
                            .correcting(given, "[" + std::to_string(size - 1) + "]"));
        }
        cell[axis] = static_cast<std::size_t>(*index < 0 ? *index + size : *index);
    }
    return cell;
}

}  // namespace attn
