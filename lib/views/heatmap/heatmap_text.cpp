// All cells are as wide as the widest number or heading. The mark of a cell is its last character.
#include "views/heatmap/heatmap_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>
#include <vector>

#include "text/width.hpp"

namespace attn {

namespace {

constexpr std::string_view ramp = " .:-=+*#%@";

char ramp_sign(double position) {
    const auto darkness = std::size_t(std::abs(position) * double(ramp.size()));
    return ramp[std::min(darkness, ramp.size() - 1)];
}

std::string painted(std::string_view text, Scale scale, Colour background, ColourDepth depth) {
    if (depth == ColourDepth::none) {
        return std::string(text);
    }
    if (depth == ColourDepth::indexed) {
        const std::uint8_t nearest = nearest_indexed(scale, background);
        const int ink = text_on(indexed_colour(nearest)) == black ? 16 : 231;
        return fmt::format("\x1b[38;5;{};48;5;{}m{}\x1b[0m", ink, nearest, text);
    }
    const Colour ink = text_on(background);
    return fmt::format("\x1b[38;2;{};{};{};48;2;{};{};{}m{}\x1b[0m", ink.red, ink.green, ink.blue,
                       background.red, background.green, background.blue, text);
}

// Appends a line without the spaces at its end, which a terminal would colour.
void append_line(std::string line, std::string& text) {
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
}

constexpr HeatmapRoom text_room{
    .rows = 32, .columns = std::string::npos, .matrices = 8, .label = 16, .heading = 10};

class Drawing {
public:
    Drawing(const Heatmap& map, const Words& phrases, const HeatmapStyle& style)
        : map_(map),
          phrases_(phrases),
          style_(style),
          part_(map, text_room),
          cell_width_(part_.cell_width()) {
        constexpr std::size_t ellipsis = 2;
        const std::size_t width = cell_width_ + 2;
        const std::size_t left = style.width - std::min(style.width, part_.label_width);
        if (part_.columns * width > left) {
            part_.columns = std::max<std::size_t>(1, (left - std::min(left, ellipsis)) / width);
        }
    }

    std::string text() const {
        std::string text;
        for (std::size_t matrix = 0; matrix < part_.matrices; ++matrix) {
            append_matrix(matrix, text);
        }
        text += left_out("matrices", map_.matrices.size() - part_.matrices, phrases_);
        append_legend(text);
        return text;
    }

private:
    void append_matrix(std::size_t matrix, std::string& text) const {
        const bool is_cut = part_.columns < map_.column.labels.size();
        const std::string& heading = map_.matrices[matrix].heading;
        text += heading.empty() ? "" : heading + "\n";
        append_line(cut_to(pad_right("", part_.label_width) + " " + map_.column.name,
                           std::max<std::size_t>(1, style_.width)),
                    text);
        std::string headings = pad_right(map_.row.name, part_.label_width);
        for (std::size_t j = 0; j < part_.columns; ++j) {
            headings += " " + pad_left(cut_to(map_.column.labels[j], cell_width_), cell_width_) + " ";
        }
        append_line(headings + (is_cut ? " …" : ""), text);
        for (std::size_t i = 0; i < part_.rows; ++i) {
            std::string line = pad_right(
                cut_to(map_.row.labels[i], std::max<std::size_t>(1, part_.label_width)), part_.label_width);
            for (std::size_t j = 0; j < part_.columns; ++j) {
                line += cell(map_.cell(matrix, i, j));
            }
            append_line(line + (is_cut ? " …" : ""), text);
        }
        text += left_out("rows", map_.row.labels.size() - part_.rows, phrases_);
        text += left_out("columns", map_.column.labels.size() - part_.columns, phrases_);
        text += "\n";
    }

    std::string cell(const HeatCell& cell) const {
        const char sign = style_.colours == ColourDepth::none ? ramp_sign(cell.position) : ' ';
        const char mark = cell.kind == CellKind::masked ? '/' : cell.kind == CellKind::dropped ? 'x' : sign;
        return painted(" " + pad_left(cell.number, cell_width_) + mark, map_.scale(), cell.colour,
                       style_.colours);
    }

    // Writes the parts of the legend side by side while there is room.
    void append_legend(std::string& text) const {
        std::size_t used = 0;
        for (const auto& [part, width] : legend()) {
            const bool fits = used > 0 && used + 3 + width <= style_.width;
            text += (used == 0 ? "" : fits ? " · " : "\n") + part;
            used = fits ? used + 3 + width : width;
        }
        text += "\n";
    }

    struct Part {
        std::string text;
        std::size_t columns;
    };

    std::vector<Part> legend() const {
        std::vector<Part> parts{scale_bar()};
        const auto add = [&](const std::string& text) { parts.push_back({text, display_width(text)}); };
        add(phrases_("least_and_greatest", map_.least, map_.greatest));
        for (const auto& [kind, mark, key] : {std::tuple(CellKind::masked, "/", "is_masked"),
                                              std::tuple(CellKind::dropped, "x", "is_dropped")}) {
            if (map_.has(kind)) {
                const Colour colour = kind == CellKind::masked ? masked_grey : colour_at(map_.scale(), 0);
                const std::string word = " " + phrases_(key);
                parts.push_back(
                    {painted(mark, map_.scale(), colour, style_.colours) + word, 1 + display_width(word)});
            }
        }
        return parts;
    }

    Part scale_bar() const {
        const Scale scale = map_.scale();
        if (style_.colours == ColourDepth::none) {
            const std::string_view sign = scale == Scale::sequential ? "" : "±";
            const std::string text =
                fmt::format("{} [{}] {}{}", map_.scale_middle, ramp, sign, map_.scale_end);
            return {text, display_width(text)};
        }
        constexpr std::size_t steps = 20;
        std::string bar;
        for (std::size_t i = 0; i < steps; ++i) {
            const double share = double(i) / double{steps - 1};
            bar += painted(" ", scale, legend_colour(scale, share), style_.colours);
        }
        return {fmt::format("{} {} {}", map_.scale_start, bar, map_.scale_end),
                map_.scale_start.size() + steps + map_.scale_end.size() + 2};
    }

    const Heatmap& map_;
    const Words& phrases_;
    HeatmapStyle style_;
    HeatmapPart part_;
    std::size_t cell_width_;  // the width of a number, without the space before it and the mark after it
};

}  // namespace

std::string heatmap_text(const Heatmap& map, const Words& phrases, const HeatmapStyle& style) {
    return Drawing(map, phrases, style).text();
}

}  // namespace attn
