// Captions, headings and cells. The end tags of cells and rows, which HTML lets out, are a seventh of a page.
#include "views/page/page_table.hpp"

#include <fmt/format.h>

#include "views/page/html.hpp"
#include "views/page/page_part.hpp"

namespace attn {

namespace {

constexpr std::size_t most_characters = 24;  // of a label at the head of a row or column

// The last two axes as rows and columns; a vector is one row, a number one cell.
struct Grid {
    std::size_t matrices = 1, rows = 1, columns = 1;

    explicit Grid(const Shape& shown) {
        const std::size_t rank = shown.rank();
        rows = rank > 1 ? shown[rank - 2] : 1;
        columns = rank > 0 ? shown[rank - 1] : 1;
        matrices = rank > 0 ? shown.count() / (rows * columns) : 1;
    }
};

class Tables {
public:
    Tables(const Notebook& notebook, std::size_t node, const TableSettings& settings)
        : notebook_(notebook),
          step_(notebook.nodes()[node]),
          settings_(settings),
          rank_(step_.value.rank()),
          grid_(shown_part(step_.value.shape())),
          cells_(shown_cells(step_.value.shape())),
          shading_(shading_of(notebook, node)),
          write_(number_writer(step_.value, settings.print)) {}

    std::string html() const {
        std::string text;
        for (std::size_t matrix = 0; matrix < grid_.matrices; ++matrix) {
            append_table(matrix, text);
        }
        return text;
    }

private:
    const Index& cell(std::size_t matrix, std::size_t row, std::size_t column) const {
        return cells_[(matrix * grid_.rows + row) * grid_.columns + column];
    }

    void append_table(std::size_t matrix, std::string& text) const {
        text += fmt::format("<table>\n<caption>{}</caption>\n<thead><tr>{}", caption(matrix), corner());
        for (std::size_t column = 0; column < grid_.columns; ++column) {
            text += fmt::format("<th scope=col>{}", rank_ > 0 ? heading(rank_ - 1, column)
                                                              : escaped(settings_.words->at("value")));
        }
        text += "</thead>\n<tbody>\n";
        for (std::size_t row = 0; row < grid_.rows; ++row) {
            text += fmt::format("<tr><th scope=row>{}",
                                rank_ > 1 ? heading(rank_ - 2, row) : escaped(step_.name));
            for (std::size_t column = 0; column < grid_.columns; ++column) {
                const std::size_t place = step_.value.offset(cell(matrix, row, column));
                const float value = step_.value.values()[place];
                text += fmt::format("<td class={}>{}", colour_class(shading_, place, value), write_(value));
            }
            text += "\n";
        }
        text += "</tbody>\n</table>\n";
    }

    std::string caption(std::size_t matrix) const {
        std::string text = fmt::format("<code>{}</code>", escaped(step_.name));
        const Index& first = cell(matrix, 0, 0);
        for (std::size_t axis = 0; axis + 2 < rank_; ++axis) {
            text += fmt::format(" <b>{} {}</b>", escaped(axis_name(axis)), first[axis]);
        }
        if (rank_ > 1) {
            text += fmt::format(" <span>{} {}, {} {}</span>", escaped(settings_.words->at("rows")),
                                escaped(axis_name(rank_ - 2)), escaped(settings_.words->at("columns")),
                                escaped(axis_name(rank_ - 1)));
        }
        return text;
    }

    std::string corner() const {
        if (rank_ < 2) {
            return "<td class=corner>";
        }
        return fmt::format("<td class=corner>{} ↓ {} →", escaped(axis_name(rank_ - 2)),
                           escaped(axis_name(rank_ - 1)));
    }

    std::string axis_name(std::size_t axis) const { return settings_.phrases->axis(step_.axes.at(axis)); }

    std::string heading(std::size_t axis, std::size_t position) const {
        const std::size_t size = step_.value.shape()[axis];
        const std::vector<std::string>& labels = notebook_.labels(step_.axes.at(axis));
        if (labels.size() == size) {
            return fmt::format("<i>{}</i> {}", position, escaped(labels[position], most_characters));
        }
        return size == 1 && axis + 1 == rank_ ? escaped(axis_name(axis)) : fmt::format("{}", position);
    }

    const Notebook& notebook_;
    const Node& step_;
    const TableSettings& settings_;
    std::size_t rank_;
    Grid grid_;
    std::vector<Index> cells_;
    Shading shading_;
    std::function<std::string(float)> write_;
};

std::string sizes(const Shape& shape) {
    std::string text;
    for (const std::size_t size : shape) {
        text += fmt::format("{}{}", text.empty() ? "" : " × ", size);
    }
    return text;
}

}  // namespace

std::string step_tables(const Notebook& notebook, std::size_t node, const TableSettings& settings) {
    const Node& step = notebook.nodes()[node];
    const Shape shown = shown_part(step.value.shape());
    std::string text = Tables(notebook, node, settings).html();
    if (shown != step.value.shape()) {
        text +=
            fmt::format("<p class=part>{}: {} / {}. {}</p>\n", escaped(settings.words->at("part")),
                        sizes(shown), sizes(step.value.shape()), escaped(settings.words->at("part_rest")));
    }
    return text;
}

}  // namespace attn
