#include "views/explain/explanation_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "notebook/render.hpp"
#include "text/prose.hpp"
#include "text/split.hpp"
#include "text/width.hpp"
#include "views/explain/arithmetic_text.hpp"
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

// A range of lines of the same kind, such as all exponentials.
struct Group {
    std::size_t first, last;  // first ≤ lines < last
};

std::vector<Group> groups(const std::vector<DerivationLine>& lines) {
    std::vector<Group> result;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const bool goes_on =
            i > 0 && lines[i].node == lines[i - 1].node && lines[i].part == lines[i - 1].part;
        if (!goes_on) {
            result.push_back({i, i});
        }
        result.back().last = i + 1;
    }
    return result;
}

class ExplanationWriter {
public:
    ExplanationWriter(const StageTrace& trace, const Explanations& cells, std::string_view language,
                      const PrintOptions& options)
        : trace_(trace),
          cells_(cells),
          words_(language, "explanation"),
          precision_(options.precision),
          explained_(cells.size()),
          code_shown_(trace.notebook.nodes().size()) {}

    std::string text_of(std::size_t place, std::size_t depth) {
        const ExplainedCell& cell = cells_[place];
        const std::size_t indent = 2 * depth;
        const std::string position = position_text(words_, trace_, cell.node, cell.index);
        std::string text = std::string(indent, ' ') + cell_name(node(cell.node), cell.index);
        explained_[place] = true;
        text += (position.empty() ? "" : " · " + position) + "\n";
        text += code(cell.node, indent) + reasons(cell.derivation, indent);
        for (const Group& group : groups(cell.derivation.lines)) {
            text += text_of(cell.derivation.lines, group, indent);
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
    const Node& node(std::size_t id) const { return trace_.notebook.nodes()[id]; }

    // Writes the code once for each tensor. Only the first line of a long literal is written.
    std::string code(std::size_t id, std::size_t indent) {
        if (code_shown_[id]) {
            return "";
        }
        code_shown_[id] = true;
        const std::string all = statement(trace_.notebook, id, trace_.language);
        constexpr std::ptrdiff_t most_lines = 4;
        const bool is_long = std::ranges::count(all, '\n') >= most_lines;
        std::string text = ">>> ";
        for (const char c : is_long ? all.substr(0, all.find('\n')) + "…" : all) {
            text += c == '\n' ? "\n... " : std::string(1, c);
        }
        return indented(text, indent);
    }

    std::string reasons(const Derivation& derivation, std::size_t indent) const {
        std::string text;
        for (const CellReason& reason : derivation.reasons) {
            add_sentence(text, reason_text(words_, trace_, reason, precision_));
        }
        return text.empty() ? "" : indented(wrapped(text, prose_width - indent), indent);
    }

    std::string text_of(const std::vector<DerivationLine>& lines, const Group& group,
                        std::size_t indent) const {
        constexpr std::size_t most_lines = 12;
        constexpr std::size_t first_lines = 4;
        std::string text;
        std::size_t told = 0;
        for (std::size_t i = group.first; i < group.last; ++told) {
            if (told == first_lines && group.last - i > most_lines) {
                const std::string count = std::to_string(group.last - i - 1);
                text += std::string(indent, ' ') + words_("more", {{"count", count}}) + "\n";
                i = group.last - 1;
            }
            std::size_t alike = i + 1;
            while (alike < group.last && numbers(lines[alike]) == numbers(lines[i])) {
                ++alike;
            }
            std::string equation = text_of(lines[i], indent);
            if (alike - i > 1) {
                const std::string more = alike - i > 2 ? index_text(lines[i + 1]) + " … " : "";
                const std::string remark =
                    "(" + words_("alike", {{"cells", more + index_text(lines[alike - 1])}}) + ")";
                equation.pop_back();
                const bool fits = display_width(equation + remark) + 2 <= prose_width;
                equation += fits ? "  " + remark + "\n" : "\n" + indented(remark, indent + 4);
            }
            text += equation;
            i = alike;
        }
        return text;
    }

    ArithmeticText arithmetic(const DerivationLine& line) const {
        return arithmetic_text(trace_.notebook, line, words_, precision_, trace_.language);
    }

    std::string numbers(const DerivationLine& line) const { return arithmetic(line).equation(); }

    std::string index_text(const DerivationLine& line) const {
        Node unnamed = node(line.node);
        unnamed.name.clear();
        return cell_name(unnamed, line.index);
    }

    std::string text_of(const DerivationLine& line, std::size_t indent) const {
        const ArithmeticText text = arithmetic(line);
        const std::string name = text.label + (line.part == "exp" ? index_text(line) : "");
        std::vector<TextPiece> end = text.pieces;
        if (!text.exact) {
            end.push_back({" ≈ " + text.result});
        } else if (attn::text_of(end) != text.result) {
            end = end + equals({{text.result}});
        }
        const auto named = [&](const std::vector<TextPiece>& side) {
            const std::vector<TextPiece> begin{{name}};
            return name.empty() ? side : begin + equals(side);
        };
        std::string told;
        if (text.names.empty()) {
            told = wrapped_equation(named(end), indent);
        } else if (const std::vector<TextPiece> one = named(text.names) + equals(end);
                   name.empty() || indent + display_width(attn::text_of(one)) <= prose_width) {
            told = wrapped_equation(one, indent);
        } else {
            told = wrapped_equation(named(text.names), indent) + wrapped_equation(named(end), indent);
        }
        if (line.part == "largest") {
            told += indented("(" + words_("why_largest") + ")", indent + 4);
        }
        return told + (text.remark.empty() ? "" : indented("(" + text.remark + ")", indent + 4));
    }

    const StageTrace& trace_;
    const Explanations& cells_;
    Words words_;
    int precision_;
    std::vector<bool> explained_;
    bool has_repeated_cell_ = false;
    std::vector<bool> code_shown_;
};

}  // namespace

std::string explanation_text(const StageTrace& trace, const Explanations& cells, std::string_view language,
                             const PrintOptions& options) {
    ExplanationWriter writer(trace, cells, language, options);
    const std::string text = writer.text_of(0, 0);
    return fmt::format("{} · {}{}", trace.stage->name, text, writer.see_above());
}

}  // namespace attn
