// Finds each row of a step in memory; its position is the sum of index times stride.
#include "views/text/memory_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "notebook/strides.hpp"
#include "text/width.hpp"

namespace attn {

namespace {

constexpr std::size_t line_width = 80;
constexpr std::size_t most_rows = 8;

struct MemoryLine {
    std::string label;
    std::vector<std::string> cells;
};

// Describes the content of memory. Each inner axis of the tensor that owns the memory gets a line with the
// index of every chunk.
std::vector<MemoryLine> owner_lines(const Node& owner, std::size_t chunk, std::size_t columns,
                                    const Words& phrases) {
    std::vector<MemoryLine> lines;
    const Shape& shape = owner.value.shape();
    for (std::size_t axis = 1; axis + 1 < shape.rank() && axis < owner.axes.size(); ++axis) {
        MemoryLine line{phrases.axis(owner.axes[axis]), {}};
        for (std::size_t column = 0; column < columns; ++column) {
            line.cells.push_back(fmt::format("{}", owner.value.index(column * chunk)[axis]));
        }
        lines.push_back(std::move(line));
    }
    return lines;
}

std::vector<MemoryLine> reader_lines(const Node& reader, const Strides& strides, std::size_t columns,
                                     const Words& phrases) {
    std::vector<MemoryLine> lines;
    const Shape& shape = reader.value.shape();
    for (std::size_t outer = 0; outer < std::min(shape[1], most_rows); ++outer) {
        MemoryLine line{fmt::format("{} {}", phrases.axis(reader.axes[1]), outer),
                        std::vector<std::string>(columns)};
        for (std::size_t inner = 0; inner < shape[2]; ++inner) {
            const std::size_t column = (outer * strides[1] + inner * strides[2]) / shape[3];
            if (column < columns) {
                line.cells[column] = fmt::format("{}", inner);
            }
        }
        lines.push_back(std::move(line));
    }
    return lines;
}

}  // namespace

std::vector<Exchange> layout_exchanges(const Notebook& notebook, std::size_t id, Language language) {
    const Node& node = notebook.nodes()[id];
    if (node.value.rank() < 3 || language == Language::cpp) {
        return {};
    }
    const bool array = language == Language::numpy;
    const std::string shape = fmt::format("{}", fmt::join(node.value.shape(), ", "));
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

    std::vector<MemoryLine> lines{{phrases("memory"), {}}};
    for (std::size_t column = 0; column < columns; ++column) {
        lines[0].cells.push_back(fmt::format("{}", column * chunk));
    }
    for (const auto& more : {owner_lines(notebook.nodes()[memory_of(notebook, id)], chunk, columns, phrases),
                             reader_lines(node, steps, columns, phrases)}) {
        lines.insert(lines.end(), more.begin(), more.end());
    }
    std::string text;
    for (const MemoryLine& line : lines) {
        std::string row = pad_right(line.label, label_width);
        for (const std::string& cell : line.cells) {
            row += fmt::format(" {:>{}}", cell, width);
        }
        row += columns < all && &line == &lines[0] ? " …" : "";
        row.erase(row.find_last_not_of(' ') + 1);
        text += row + "\n";
    }
    return text + (node.value.size(1) > most_rows ? "…\n" : "");
}

}  // namespace attn
