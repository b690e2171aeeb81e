// The documents compile with Debian's texlive-latex-base; Chinese ones need XeLaTeX or LuaLaTeX and ctex.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "files/json.hpp"
#include "files/json_view.hpp"
#include "files/resources.hpp"
#include "text/lists.hpp"
#include "text/split.hpp"
#include "text/utf8.hpp"
#include "views/document/blocks.hpp"
#include "views/document/document.hpp"

namespace attn {

namespace {

constexpr std::string_view preamble = R"(\usepackage{alltt,amsmath}
\usepackage[margin=2cm]{geometry}
\setcounter{MaxMatrixCols}{20}
\setlength{\arraycolsep}{3pt}
\raggedright
\setlength{\parindent}{0pt}
\setlength{\parskip}{0.5\baselineskip}
% A character that pdfTeX's fonts lack is shown as its number.
\ifdefined\pdftexversion\newcommand{\character}[2]{\texttt{U+#1}}\else\newcommand{\character}[2]{#2}\fi
\begin{document}
)";

// Escapes all characters that LaTeX might read as commands; in code, only a few. Characters that its usual
// fonts lack are written with \character, which the document defines.
std::string latex_text(std::string_view text, bool is_code = false) {
    static const JsonView commands = parse_json(resource("latex.json"), "latex.json");
    constexpr std::string_view escaped_in_code = "\\{}";
    std::string latex;
    for (std::size_t at = 0; at < text.size();) {
        const CodePoint point = decode_utf8(text, at);
        const std::string_view bytes = text.substr(at, point.length);
        at += point.length;
        const bool stays = point.value < 0x80 && is_code && !contains(escaped_in_code, bytes);
        const std::optional<JsonView> command = stays ? std::nullopt : commands.find(bytes);
        if (command) {
            latex += command->string();
        } else if (point.value < 0x180) {  // Latin letters, which inputenc knows
            latex += bytes;
        } else {
            latex += fmt::format("\\character{{{:04X}}}{{{}}}", std::uint32_t{point.value}, bytes);
        }
    }
    return latex;
}

// Breaks lines that do not fit the page, and indents their continuation.
std::string listing(std::string_view text) {
    constexpr std::size_t most = 113;
    constexpr std::string_view indent = "    ";
    std::string lines;
    for (std::string_view line : split_lines(text)) {
        std::string_view begin;
        for (std::size_t space = line.rfind(' ', most);
             line.size() > most && space != std::string_view::npos && space > indent.size();
             space = line.rfind(' ', most)) {
            lines += fmt::format("{}{}\n", begin, latex_text(line.substr(0, space), true));
            line.remove_prefix(space + 1);
            begin = indent;
        }
        lines += fmt::format("{}{}\n", begin, latex_text(line, true));
    }
    return fmt::format("{{\\footnotesize\\begin{{alltt}}\n{}\\end{{alltt}}}}\n\n", lines);
}

// Writes -1.5000e-05 in LaTeX's notation.
std::string latex_number(std::string_view text) {
    return text == "inf"    ? "\\infty"
           : text == "-inf" ? "-\\infty"
           : text == "nan"  ? "\\mathrm{nan}"
                            : latex_digits(text);
}

// The positions of an axis that are shown; `not_shown` stands for the others.
constexpr std::size_t not_shown = std::string::npos;
std::vector<std::size_t> shown_places(std::size_t size, std::size_t most) {
    constexpr std::size_t edge = 3;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < size; ++i) {
        if (size <= most || i < edge || i + edge >= size) {
            places.push_back(i);
        } else if (i == edge) {
            places.push_back(not_shown);
        }
    }
    return places;
}

// Writes the matrices of a tensor, with the numbers as print() shows them. If there are more than 10 rows or
// columns, or 7 in scientific notation, only the first and last three are shown, as in PyTorch's summaries.
std::string matrices_of(const Tensor& x, const PrintOptions& options) {
    const auto number = number_writer(x, options);
    if (x.rank() == 0) {
        return latex_number(number(x.values()[0]));
    }
    const std::size_t most = number(0).find('e') != std::string::npos ? 7 : 10;
    const std::size_t columns = x.size(-1);
    const std::size_t rows = x.rank() == 1 ? 1 : x.size(-2);
    const std::size_t cells = rows * columns;
    std::string text;
    for (const std::size_t matrix : shown_places(cells == 0 ? 0 : x.count() / cells, most)) {
        text += text.empty() ? "" : ",\\allowbreak\\ ";
        if (matrix == not_shown) {
            text += "\\cdots";
            continue;
        }
        text += "\\begin{bmatrix}\n";
        for (const std::size_t i : shown_places(rows, most)) {
            std::vector<std::string> line;
            for (const std::size_t j : shown_places(columns, most)) {
                line.push_back(i == not_shown ? "\\vdots"
                               : j == not_shown
                                   ? "\\cdots"
                                   : latex_number(number(x.values()[matrix * cells + i * columns + j])));
            }
            text += fmt::format("{} \\\\\n", fmt::join(line, " & "));
        }
        text += "\\end{bmatrix}";
    }
    return text;
}

// Writes a block as text.
struct LatexWriter {
    const Words& phrases;
    const PrintOptions& options;

    std::string operator()(const Prose& prose) const {
        constexpr const char* frames[] = {"\\section*{{{}}}\n\n", "\\subsection*{{{}}}\n\n",
                                          "\\textbf{{{}}}\n\n", "{}\n\n",
                                          "\\begin{{quote}}\n{}\n\n\\end{{quote}}\n\n"};
        return fmt::format(fmt::runtime(frames[std::size_t(prose.kind)]), latex_text(prose.text));
    }
    std::string operator()(const Expr& formula) const {
        return fmt::format("\\[ {} \\]\n\n", formula_latex(formula));
    }
    std::string operator()(const Output& output) const { return listing(output.text); }
    std::string operator()(const Code& code) const {
        std::string text = code.statements.empty() ? "" : listing(excerpts(code.statements, phrases));
        if (code.shows != nullptr) {
            text += fmt::format("\\(\\displaystyle {} = {}\\)\n\n", formula_latex(letter(code.shows->name)),
                                matrices_of(code.shows->value, options));
        }
        return text + (code.drawing.empty() ? "" : listing(code.drawing));
    }
    std::string operator()(const AnswerLine& answer) const {
        return fmt::format("\\textbf{{{}}} {}\n\n", latex_text(answer.label),
                           answer.text ? latex_text(*answer.text) : "\\underline{\\hspace{5cm}}");
    }
    std::string operator()(const Comment& comment) const { return fmt::format("% {}\n\n", comment.text); }
};

}  // namespace

void write_latex(const WriteBytes& write, const Blocks& blocks, const Style& style) {
    const Words phrases(style.language, "program");
    // Values take the place of the class's braces, which would be read as a place for a value themselves.
    write(fmt::format("{}\n{}", phrases("latex_beginning", "{", "}"), preamble));
    for (const Block& block : blocks) {
        write(std::visit(LatexWriter{phrases, style.print}, block));
    }
    write("\\end{document}\n");
}

}  // namespace attn
