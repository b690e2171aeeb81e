#include "views/explain/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "notebook/render.hpp"
#include "text/prose.hpp"
#include "text/split.hpp"
#include "text/width.hpp"
#include "views/explain/reason_text.hpp"

namespace attn {

namespace {

// An equation; a line may be broken between its pieces.
std::vector<TextPiece> operator+(std::vector<TextPiece> left, const std::vector<TextPiece>& right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
}

std::vector<TextPiece> equals(std::vector<TextPiece> side) {
    side[0].text.insert(0, " = ");
    side[0].may_break = true;
    return side;
}

// Breaks an equation into lines of at most `columns` columns; continuation lines are indented.
std::string wrapped_equation(const std::vector<TextPiece>& equation, std::size_t indent) {
    constexpr std::size_t further = 4;
    std::string text(indent, ' ');
    std::size_t column = indent;
    for (auto piece = equation.begin(); piece != equation.end();) {
        std::string unbroken = piece->text;
        while (++piece != equation.end() && !piece->may_break) {
            unbroken += piece->text;
        }
        const std::size_t columns = display_width(unbroken);
        if (column > indent && column + columns > prose_width) {
            text += "\n" + std::string(indent + further, ' ') + unbroken.substr(1);
            column = indent + further + columns - 1;
        } else {
            text += unbroken;
            column += columns;
        }
    }
    return text + "\n";
}

std::string indented(std::string_view text, std::size_t indent) {
    std::string result;
    for (const std::string_view line : split_lines(text)) {
        result += fmt::format("{:{}}{}\n", "", indent, line);
    }
    return result;
}

// A remark on the equation above it.
std::string in_brackets(const std::string& text, std::size_t indent) {
    return text.empty() ? "" : indented("(" + text + ")", indent + 4);
}

class ExplanationWriter {
public:
    ExplanationWriter(const StageTrace& trace, const Explanations& cells, std::string_view language)
        : trace_(trace),
          cells_(cells),
          words_(language, "explanation"),
          explained_(cells.size()),
          code_shown_(trace.notebook.nodes().size()) {}

    std::string text_of(std::size_t place, std::size_t depth) {
        const ExplainedCell& cell = cells_[place];
        const std::size_t indent = 2 * depth;
        const std::string position = position_text(words_, trace_, cell.node, cell.index);
        explained_[place] = true;
        std::string text = indented(cell_name(trace_.node(cell.node), cell.index) +
                                        (position.empty() ? "" : " · " + position),
                                    indent) +
                           code(cell.node, indent);
        std::string reasons;
        for (const auto& [id, reason] : cell.reasons) {
            add_sentence(reasons, reason);
        }
        text += reasons.empty() ? "" : indented(wrapped(reasons, prose_width - indent), indent);
        const std::vector<ExplainedLine>& lines = cell.lines;
        for (auto first = lines.begin(); first != lines.end();) {  // lines of one kind, as all exponentials
            const auto last = std::find_if(first, lines.end(), [&](const ExplainedLine& one) {
                return one.line.node != first->line.node || one.line.part != first->line.part;
            });
            text += text_of({first, last}, indent);
            first = last;
        }
        for (const std::size_t operand : cell.operands) {
            has_repeated_cell_ = has_repeated_cell_ || explained_[operand];
            text += explained_[operand] ? "" : "\n" + text_of(operand, depth + 1);
        }
        return text;
    }

    // For a cell that occurs again, refers to its first explanation.
    std::string see_above() const { return has_repeated_cell_ ? "\n" + wrapped(words_("above")) : ""; }

private:
    // Writes the code once for each tensor. Only the first line of a long literal is written.
    std::string code(std::size_t id, std::size_t indent) {
        if (code_shown_[id]) {
            return "";
        }
        code_shown_[id] = true;
        const std::string all = statement(trace_.notebook, id, trace_.language);
        constexpr std::ptrdiff_t most_lines = 4;
        const bool is_long = std::ranges::count(all, '\n') >= most_lines;
        const std::string shown = is_long ? all.substr(0, all.find('\n')) + "…" : all;
        std::string text;
        for (const std::string_view line : split_lines(shown)) {
            text += fmt::format("{}{}\n", text.empty() ? ">>> " : "... ", line);
        }
        return indented(text, indent);
    }

    std::string text_of(std::span<const ExplainedLine> lines, std::size_t indent) const {
        constexpr std::size_t most_lines = 12;
        constexpr std::size_t first_lines = 4;
        std::string text;
        for (std::size_t told = 0; !lines.empty(); ++told) {
            if (told == first_lines && lines.size() > most_lines) {
                const std::string count = std::to_string(lines.size() - 1);
                text += indented(words_("more", {{"count", count}}), indent);
                lines = lines.last(1);
            }
            text += text_of(lines[0], indent);
            const auto other = std::ranges::find_if(lines, [&](const ExplainedLine& one) {
                return one.text.equation() != lines[0].text.equation();
            });
            const auto alike = std::size_t(other - lines.begin());
            if (alike > 1) {
                const std::string more = alike > 2 ? index_of(lines[1]) + " … " : "";
                text += in_brackets(words_("alike", {{"cells", more + index_of(lines[alike - 1])}}), indent);
            }
            lines = lines.subspan(alike);
        }
        return text;
    }

    std::string index_of(const ExplainedLine& one) const {
        return index_text(one.line.index, trace_.node(one.line.node).value.rank());
    }

    std::string text_of(const ExplainedLine& one, std::size_t indent) const {
        const auto& [line, text] = one;
        const std::string name = text.label + (line.part == "exp" ? index_of(one) : "");
        std::vector<TextPiece> end = text.pieces;
        if (!text.exact) {
            end.push_back({" ≈ " + text.result});
        } else if (attn::text_of(end) != text.result) {
            end = end + equals({{text.result}});
        }
        const auto named = [&name](const std::vector<TextPiece>& side) {
            const std::vector<TextPiece> before{{name}};
            return name.empty() ? side : before + equals(side);
        };
        const std::vector<TextPiece> whole =
            text.names.empty() ? named(end) : named(text.names) + equals(end);
        const bool fits =
            text.names.empty() || name.empty() || indent + display_width(attn::text_of(whole)) <= prose_width;
        std::string told =
            fits ? wrapped_equation(whole, indent)
                 : wrapped_equation(named(text.names), indent) + wrapped_equation(named(end), indent);
        return told + in_brackets(line.part == "largest" ? words_("why_largest") : "", indent) +
               in_brackets(text.remark, indent);
    }

    const StageTrace& trace_;
    const Explanations& cells_;
    Words words_;
    std::vector<bool> explained_;
    bool has_repeated_cell_ = false;
    std::vector<bool> code_shown_;
};

}  // namespace

std::string explanation_text(const StageTrace& trace, const Explanations& cells, const Style& style) {
    ExplanationWriter writer(trace, cells, style.language);
    const std::string text = writer.text_of(0, 0);
    return fmt::format("{} · {}{}", trace.stage->name, text, writer.see_above());
}

}  // namespace attn
