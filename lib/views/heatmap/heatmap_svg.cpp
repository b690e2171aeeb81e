// Everything is placed in pixels. The font is monospaced, so the number of columns gives the width of a text.
// All text from outside passes through text().
#include "views/heatmap/heatmap_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "tensor/error.hpp"
#include "text/width.hpp"
#include "views/document/document.hpp"
#include "views/page/html.hpp"
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
    return static_cast<int>(columns) * letter;
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

std::string written(int x, int y, std::string_view content, std::string_view more = "") {
    return fmt::format("<text x=\"{}\" y=\"{}\"{}{}>{}</text>\n", x, y, more.empty() ? "" : " ", more,
                       text(content));
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
          has_heading_(!map.heading(0).empty()),
          top_((has_heading_ ? line : 0) + 2 * line) {}

    std::string svg() {
        std::string body;
        int y = margin + line;
        body += written(margin, y, caption_.name, "font-weight=\"bold\" font-size=\"17\"");
        body += written(margin, y += line + 4, caption_.title);
        int right = margin + px(display_width(caption_.title)) + margin;
        y += line;
        const int width = label_width_ + std::max(static_cast<int>(part_.columns) * cell_width_,
                                                  px(display_width(map_.column.name)));
        const std::size_t fitting = static_cast<std::size_t>(std::max(1, widest / (width + gap)));
        const std::size_t abreast = std::min(map_.abreast(), fitting);
        for (std::size_t first = 0; first < part_.matrices; first += abreast) {
            const std::size_t end = std::min(first + abreast, part_.matrices);
            for (std::size_t matrix = first; matrix < end; ++matrix) {
                const int x = margin + static_cast<int>(matrix - first) * (width + gap);
                append_matrix(matrix, x, y, body);
                right = std::max(right, x + width + margin);
            }
            y += top_ + 8 + static_cast<int>(part_.rows) * cell_height + line;
        }
        for (const std::string_view axis : {"rows", "columns", "matrices"}) {
            if (const std::string note = part_.left_out(axis, phrases_); !note.empty()) {
                body += written(margin, y += line, note);
            }
        }
        y += line;
        right = std::max(right, append_legend(margin, y, body) + margin);
        return head(right, y + 2 * line + margin) + body + "</svg>\n";
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
        std::string rows;
        if (part_.matrices * part_.rows * part_.columns <= most_described) {
            for (std::size_t matrix = 0; matrix < part_.matrices; ++matrix) {
                rows += has_heading_ ? " " + map_.heading(matrix) + "." : "";
                for (std::size_t i = 0; i < part_.rows; ++i) {
                    rows += described_row(matrix, i);
                }
            }
        }
        return phrases_("picture", caption_.name, map_.row.labels.size(), map_.row.name,
                        map_.column.labels.size(), map_.column.name, map_.matrices(), map_.least(),
                        map_.greatest()) +
               rows;
    }

    std::string described_row(std::size_t matrix, std::size_t i) const {
        std::string numbers;
        for (std::size_t j = 0; j < part_.columns; ++j) {
            const HeatCell cell = map_.cell(matrix, i, j);
            const std::string kind = cell.kind == CellKind::masked    ? " " + phrases_("is_masked")
                                     : cell.kind == CellKind::dropped ? " " + phrases_("is_dropped")
                                                                      : "";
            numbers += fmt::format("{}{} {}{}", j == 0 ? "" : ", ", map_.column.labels[j], cell.number, kind);
        }
        const std::string& label = map_.row.labels[i];
        return label.empty() ? fmt::format(" {}.", numbers) : fmt::format(" {}: {}.", label, numbers);
    }

    void append_matrix(std::size_t matrix, int x, int y, std::string& body) const {
        if (has_heading_) {
            body += written(x, y + line, map_.heading(matrix), "font-weight=\"bold\"");
        }
        const int left = x + label_width_;
        body += written(left, y + top_ - line, map_.column.name, "fill=\"#555555\"");
        body += written(x, y + top_, map_.row.name, "fill=\"#555555\"");
        for (std::size_t j = 0; j < part_.columns; ++j) {
            const int middle = left + static_cast<int>(j) * cell_width_ + cell_width_ / 2;
            body += written(middle, y + top_, cut_to(map_.column.labels[j], picture_room.heading),
                            "text-anchor=\"middle\"");
        }
        for (std::size_t i = 0; i < part_.rows; ++i) {
            const int top = y + top_ + 8 + static_cast<int>(i) * cell_height;
            body += written(x, top + cell_height / 2 + 5, cut_to(map_.row.labels[i], picture_room.label));
            for (std::size_t j = 0; j < part_.columns; ++j) {
                append_cell(map_.cell(matrix, i, j), left + static_cast<int>(j) * cell_width_, top, body);
            }
        }
    }

    void append_cell(const HeatCell& cell, int x, int y, std::string& body) const {
        append_ground(cell.kind, cell.colour, x, y, cell_width_, cell_height, body);
        const bool struck = cell.kind == CellKind::dropped;
        const std::string ink = fmt::format("text-anchor=\"middle\" fill=\"{}\"{}", hex(text_on(cell.colour)),
                                            struck ? " text-decoration=\"line-through\"" : "");
        body += written(x + cell_width_ / 2, y + cell_height / 2 + 5, cell.number, ink);
    }

    static void append_ground(CellKind kind, Colour colour, int x, int y, int width, int height,
                              std::string& body) {
        const std::string fill = kind == CellKind::masked ? "url(#hatch)" : hex(colour);
        body += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", x, y, width,
                            height, fill);
    }

    // Returns the right end of the legend.
    int append_legend(int x, int y, std::string& body) const {
        constexpr int bar = 200;
        const auto append = [&](std::string_view words) {
            body += written(x, y + 13, words);
            x += px(display_width(words) + 1);
        };
        append(map_.scale_start());
        body += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"16\" fill=\"url(#scale)\"/>\n", x,
                            y, bar);
        x += bar + letter;
        append(map_.scale_end());
        for (const auto& [kind, key] :
             {std::pair(CellKind::masked, "is_masked"), std::pair(CellKind::dropped, "is_dropped")}) {
            if (map_.has(kind)) {
                const Colour zero = colour_at(map_.scale(), 0);
                x += 2 * letter;
                append_ground(kind, zero, x, y, 3 * letter, 16, body);
                if (kind == CellKind::dropped) {
                    body += written(
                        x + 3 * letter / 2, y + 13, "0",
                        fmt::format("text-anchor=\"middle\" fill=\"{}\" text-decoration=\"line-through\"",
                                    hex(text_on(zero))));
                }
                x += 4 * letter;
                append(phrases_(key));
            }
        }
        const int end = x;
        x = margin;
        y += line + 4;
        append(phrases_("least_and_greatest", map_.least(), map_.greatest()));
        return std::max(end, x);
    }

    const Heatmap& map_;
    const Words& phrases_;
    const Caption& caption_;
    HeatmapPart part_;
    int cell_width_, label_width_;
    bool has_heading_;
    int top_;  // the upper edge of the cells, below the headings
};

}  // namespace

std::string heatmap_svg(const Heatmap& map, const Words& phrases, const Caption& caption) {
    return Picture(map, phrases, caption).svg();
}

void require_picture(const Trace& trace) {
    if (trace.stages.size() != 1 || trace.stages.front().shown.size() != 1) {
        throw Error(Message("an .svg shows one step of one stage: choose it with `step` NAME.")
                        .correcting("", one_step(trace)));
    }
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
        map.show_matrix(head_index(stage, id, style.head));
    }
    write(heatmap_svg(map, phrases, {name, words.title({stage, id}), std::string(style.language)}));
}

}  // namespace attn
