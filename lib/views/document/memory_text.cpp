// Finds each row of a step in memory; its position is the sum of index times stride.
#include "views/document/memory_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "notebook/strides.hpp"
#include "text/lists.hpp"
#include "text/width.hpp"

namespace attn {

namespace {

constexpr std::size_t line_width = 80;
constexpr std::size_t most_rows = 8;

}  // namespace

std::vector<Exchange> layout_exchanges(const Notebook& notebook, std::size_t id, Language language) {
    const Node& node = notebook.nodes()[id];
    if (node.value.rank() < 3 || language == Language::cpp) {
        return {};
    }
    const bool array = language == Language::numpy;
    const std::string shape = joined(node.value.shape());
    std::vector<Exchange> exchanges{{fmt::format("print({}.shape)", node.name),
                                     fmt::format(fmt::runtime(array ? "({})" : "torch.Size([{}])"), shape)}};
    if (rearranges(notebook, id)) {
        Strides steps = strides(notebook, id);
        for (std::size_t& step : steps) {
            step *= array ? sizeof(float) : 1;  // NumPy's strides are in bytes
        }
        exchanges.push_back(
            {fmt::format("{}.{}", node.name, array ? "strides" : "stride()"),
             fmt::format("({})", fmt::join(std::span(steps).first(node.value.rank()), ", "))});
    }
    return exchanges;
}

std::string memory_drawing(const Notebook& notebook, std::size_t id, const Words& phrases) {
    const Node& node = notebook.nodes()[id];
    const Strides steps = strides(notebook, id);
    if (!rearranges(notebook, id) || node.value.rank() != 4 || (node.value.size(3) > 1 && steps[3] != 1)) {
        return "";
    }
    const std::size_t chunk = node.value.size(3);
    const std::size_t all = node.value.size(1) * node.value.size(2);
    const std::size_t label_width =
        std::max(display_width(phrases("memory")),
                 display_width(phrases.axis(node.axes[1])) + std::to_string(most_rows).size() + 1);
    const std::size_t width = std::max<std::size_t>(2, std::to_string((all - 1) * chunk).size());
    const std::size_t columns = std::min(all, (line_width - label_width - 2) / (width + 1));

    std::string text;
    const auto add_line = [&](const std::string& label, const auto& cell_at, std::string_view end) {
        std::string line = pad_right(label, label_width);
        for (std::size_t column = 0; column < columns; ++column) {
            line += fmt::format(" {:>{}}", cell_at(column), width);
        }
        line += end;
        text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    };
    add_line(
        phrases("memory"), [&](std::size_t column) { return column * chunk; }, columns < all ? " …" : "");
    const Node& owner = notebook.nodes()[memory_of(notebook, id)];
    for (std::size_t axis = 1; axis + 1 < owner.value.rank() && axis < owner.axes.size(); ++axis) {
        const auto index_at = [&](std::size_t column) { return owner.value.index(column * chunk)[axis]; };
        add_line(phrases.axis(owner.axes[axis]), index_at, "");
    }
    for (std::size_t outer = 0; outer < std::min(node.value.size(1), most_rows); ++outer) {
        const auto reader_at = [&](std::size_t column) -> std::string {
            for (std::size_t inner = 0; inner < node.value.size(2); ++inner) {
                if ((outer * steps[1] + inner * steps[2]) / chunk == column) {
                    return std::to_string(inner);
                }
            }
            return "";
        };
        add_line(fmt::format("{} {}", phrases.axis(node.axes[1]), outer), reader_at, "");
    }
    return text + (node.value.size(1) > most_rows ? "…\n" : "");
}

}  // namespace attn
