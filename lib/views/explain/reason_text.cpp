#include "views/explain/reason_text.hpp"

#include <fmt/format.h>

#include "notebook/render.hpp"
#include "text/printable.hpp"
#include "views/explain/arithmetic_text.hpp"
#include "views/explain/cell_address.hpp"

namespace attn {

namespace {

// Writes a cell as code does: by its name, or as the expression that computes it.
std::string written(const StageTrace& trace, std::size_t id, const Index& index) {
    Node node = trace.node(id);
    if (node.name.empty()) {
        node.name = expression(trace.notebook, id, trace.language);
    }
    return cell_name(node, index);
}

std::string place(const Words& words, const StageTrace& trace, std::string_view axis, std::size_t index) {
    Words::Values values{{"axis", std::string(axis)}, {"index", std::to_string(index)}};
    const std::string* const token = trace.notebook.label(axis, index);
    if (token == nullptr) {
        return words("position", values);
    }
    values["token"] = printable(*token);
    return words("position of token", values);
}

}  // namespace

std::string position_text(const Words& words, const StageTrace& trace, std::size_t id, const Index& index) {
    std::string text;
    const Axes& axes = trace.node(id).axes;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        text += (axis == 0 ? "" : ", ") + place(words, trace, axes[axis], index[axis]);
    }
    return text;
}

std::string reason_text(const Words& words, const StageTrace& trace, const CellReason& reason,
                        int precision) {
    const Node& node = trace.node(reason.node);
    Words::Values values;
    if (const std::size_t rank = node.value.rank(); rank >= 2) {
        const Axes axes = node.name.empty() ? Axes(rank) : node.axes;
        values["row"] = place(words, trace, axes[rank - 2], reason.index[rank - 2]);
        values["column"] = place(words, trace, axes[rank - 1], reason.index[rank - 1]);
    }
    for (const auto& [name, number, text] : reason.reason.facts) {
        const std::string value = text.empty() ? number_text(number.value, precision) : text;
        const bool is_cell = number.from == Leaf::From::cell;
        values[std::string(name)] = is_cell ? written(trace, number.tensor, number.index) : value;
        if (is_cell) {
            values[fmt::format("{}_value", name)] = value;
        }
    }
    return words(reason.reason.id, values);
}

}  // namespace attn
