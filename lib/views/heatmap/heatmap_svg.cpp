// Everything is placed in pixels. The font is monospaced, so the number of columns gives the width of a text.
// All text from outside passes through text().
#include "views/heatmap/heatmap_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tensor/error.hpp"
#include "text/html.hpp"
#include "text/width.hpp"
#include "views/document/csv.hpp"
#include "views/document/document.hpp"
#include "words/narration.hpp"

namespace attn {

namespace {

constexpr int letter = 8;  // a letter of DejaVu Sans Mono at 13 px is this wide
constexpr int line = 20;
constexpr int cell_height = 30;
constexpr int margin = 20;
constexpr int gap = 28;       // distance between matrices
constexpr int widest = 1600;  // matrices side by side are at most this wide

int px(std::size_t columns) {
    return int(columns) * letter;
}

// Escapes a text, and removes the two code points that XML does not allow.
std::string text(std::string_view untrusted) {
    std::string safe = escaped(untrusted);
    for (const std::string_view never : {"\uFFFE", "\uFFFF"}) {
        for (std::size_t at = safe.find(never); at != std::string::npos; at = safe.find(never, at)) {
            safe.replace(at, never.size(), "\uFFFD");
        }
    }
    return safe;
}

// The attributes of a number on a ground of this colour.
std::string ink(CellKind kind, Colour ground) {
    return fmt::format("text-anchor=\"middle\" fill=\"{}\"{}", hex(text_on(ground)),
                       kind == CellKind::dropped ? " text-decoration=\"line-through\"" : "");
}

constexpr HeatmapRoom picture_room{.rows = 48, .columns = 48, .matrices = 16, .label = 14, .heading = 14};

class Picture {
    static constexpr std::size_t most_described = 144;  // the description has at most this many numbers

public:
    Picture(const Heatmap& map, const Words& phrases, const Caption& caption)
        : map_(map),
          phrases_(phrases),
          caption_(caption),
          part_(map, picture_room),
          cell_width_(px(part_.cell_width() + 2)),
          label_width_(px(part_.label_width + 1)),
          has_heading_(!map.matrices[0].heading.empty()),
          top_((has_heading_ ? line : 0) + 2 * line) {}

    std::string svg() {
        int y = margin + line;
        write(margin, y, caption_.name, "font-weight=\"bold\" font-size=\"17\"");
        write(margin, y += line + 4, caption_.title);
        int right = margin + px(display_width(caption_.title));
        y += line;
        const int width =
            label_width_ + std::max(int(part_.columns) * cell_width_, px(display_width(map_.column.name)));
        const auto fitting = std::size_t(std::max(1, widest / (width + gap)));
        const std::size_t abreast = std::min(map_.abreast, fitting);
        for (std::size_t first = 0; first < part_.matrices; first += abreast) {
            for (std::size_t i = 0; i < std::min(abreast, part_.matrices - first); ++i) {
                const int x = margin + int(i) * (width + gap);
                write_matrix(first + i, x, y);
                right = std::max(right, x + width);
            }
            y += top_ + 8 + int(part_.rows) * cell_height + line;
        }
        for (const std::string& note :
             {left_out("rows", map_.row.labels.size() - part_.rows, phrases_),
              left_out("columns", map_.column.labels.size() - part_.columns, phrases_),
              left_out("matrices", map_.matrices.size() - part_.matrices, phrases_)}) {
            if (!note.empty()) {
                write(margin, y += line, note.substr(0, note.size() - 1));
            }
        }
        y += line;
        right = std::max(right, write_legend(y)) + margin;
        return head(right, y + 2 * line + margin) + body_ + "</svg>\n";
    }

private:
    std::string head(int width, int height) const {
        std::string stops;
        constexpr int steps = 16;
        for (int i = 0; i <= steps; ++i) {
            const double share = i / double{steps};
            stops += fmt::format("<stop offset=\"{:.4f}\" stop-color=\"{}\"/>", share,
                                 hex(legend_colour(map_.scale(), share)));
        }
        return fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
            "role=\"img\" aria-labelledby=\"title desc\" xml:lang=\"{2}\" font-size=\"13\" "
            "font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, 'Noto Sans Mono CJK SC', "
            "monospace\">\n"
            "<title id=\"title\">{3}</title>\n<desc id=\"desc\">{4}</desc>\n"
            "<defs>\n<linearGradient id=\"scale\">{5}</linearGradient>\n"
            "<pattern id=\"hatch\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" "
            "patternTransform=\"rotate(45)\"><rect width=\"7\" height=\"7\" fill=\"{6}\"/>"
            "<path d=\"M0 0V7\" stroke=\"#c8c8c8\" stroke-width=\"3\"/></pattern>\n</defs>\n"
            "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
            width, height, text(caption_.language), text(caption_.name + " · " + caption_.title),
            text(description()), stops, hex(masked_grey));
    }

    std::string description() const {
        std::string told = phrases_("picture", caption_.name, map_.row.labels.size(), map_.row.name,
                                    map_.column.labels.size(), map_.column.name, map_.matrices.size(),
                                    map_.least, map_.greatest);
        if (part_.matrices * part_.rows * part_.columns > most_described) {
            return told;
        }
        for (std::size_t matrix = 0; matrix < part_.matrices; ++matrix) {
            told += has_heading_ ? " " + map_.matrices[matrix].heading + "." : "";
            for (std::size_t i = 0; i < part_.rows; ++i) {
                const std::string& label = map_.row.labels[i];
                told += label.empty() ? "" : " " + label + ":";
                for (std::size_t j = 0; j < part_.columns; ++j) {
                    const HeatCell cell = map_.cell(matrix, i, j);
                    told += fmt::format("{} {} {}", j == 0 ? "" : ",", map_.column.labels[j], cell.number);
                    told += cell.kind == CellKind::masked    ? " " + phrases_("is_masked")
                            : cell.kind == CellKind::dropped ? " " + phrases_("is_dropped")
                                                             : "";
                }
                told += ".";
            }
        }
        return told;
    }

    void write(int x, int y, std::string_view content, std::string_view attributes = "") {
        body_ += fmt::format("<text x=\"{}\" y=\"{}\"{}{}>{}</text>\n", x, y, attributes.empty() ? "" : " ",
                             attributes, text(content));
    }

    void write_ground(CellKind kind, Colour colour, int x, int y, int width, int height) {
        body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", x, y,
                             width, height, kind == CellKind::masked ? "url(#hatch)" : hex(colour));
    }

    void write_matrix(std::size_t matrix, int x, int y) {
        if (has_heading_) {
            write(x, y + line, map_.matrices[matrix].heading, "font-weight=\"bold\"");
        }
        const int left = x + label_width_;
        y += top_;
        write(left, y - line, map_.column.name, "fill=\"#555555\"");
        write(x, y, map_.row.name, "fill=\"#555555\"");
        const auto middle = [&](std::size_t j) { return left + int(j) * cell_width_ + cell_width_ / 2; };
        for (std::size_t j = 0; j < part_.columns; ++j) {
            write(middle(j), y, cut_to(map_.column.labels[j], picture_room.heading),
                  "text-anchor=\"middle\"");
        }
        y += 8;
        for (std::size_t i = 0; i < part_.rows; ++i, y += cell_height) {
            const int base = y + cell_height / 2 + 5;
            write(x, base, cut_to(map_.row.labels[i], picture_room.label));
            for (std::size_t j = 0; j < part_.columns; ++j) {
                const HeatCell cell = map_.cell(matrix, i, j);
                write_ground(cell.kind, cell.colour, middle(j) - cell_width_ / 2, y, cell_width_,
                             cell_height);
                write(middle(j), base, cell.number, ink(cell.kind, cell.colour));
            }
        }
    }

    // Returns the right end of the legend.
    int write_legend(int y) {
        constexpr int bar = 200;
        int x = margin;
        const auto add = [&](std::string_view words) {
            write(x, y + 13, words);
            x += px(display_width(words) + 1);
        };
        add(map_.scale_start);
        body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"16\" fill=\"url(#scale)\"/>\n", x,
                             y, bar);
        x += bar + letter;
        add(map_.scale_end);
        for (const CellKind kind : {CellKind::masked, CellKind::dropped}) {
            if (map_.has(kind)) {
                const Colour zero = colour_at(map_.scale(), 0);
                x += 2 * letter;
                write_ground(kind, zero, x, y, 3 * letter, 16);
                if (kind == CellKind::dropped) {
                    write(x + 3 * letter / 2, y + 13, "0", ink(kind, zero));
                }
                x += 4 * letter;
                add(phrases_(kind == CellKind::masked ? "is_masked" : "is_dropped"));
            }
        }
        const int end = std::exchange(x, margin);
        y += line + 4;
        add(phrases_("least_and_greatest", map_.least, map_.greatest));
        return std::max(end, x);
    }

    const Heatmap& map_;
    const Words& phrases_;
    const Caption& caption_;
    HeatmapPart part_;
    int cell_width_, label_width_;
    bool has_heading_;
    int top_;  // the upper edge of the cells, below the headings
    std::string body_;
};

}  // namespace

std::string heatmap_svg(const Heatmap& map, const Words& phrases, const Caption& caption) {
    return Picture(map, phrases, caption).svg();
}

void require_picture(const Trace& trace) {
    require_one_step(trace);
    const StageTrace& stage = trace.stages.front();
    const Node& step = stage.node(stage.shown.front());
    if (!Heatmap::can_show(step.value)) {
        throw Error("an .svg needs more than one number, and {} has only one.", step.name);
    }
}

void write_svg(const WriteBytes& write, const Trace& trace, const Style& style) {
    const StageTrace& stage = trace.stages.front();
    const std::size_t id = stage.shown.front();
    const std::string& name = stage.node(id).name;
    const Words phrases(style.language, "program");
    const Narration words(style.language, stage.stage->name);
    Heatmap map(stage.notebook, id, phrases, style.print);
    if (style.head) {
        map.show_matrices(head_index(stage, id, style.head));
    }
    write(heatmap_svg(map, phrases, {name, words.title({stage, id}), std::string(style.language)}));
}

}  // namespace attn
