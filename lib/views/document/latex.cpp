// The documents compile with Debian's texlive-latex-base; Chinese ones need XeLaTeX or LuaLaTeX and ctex.
#include "views/document/latex.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "text/split.hpp"
#include "text/utf8.hpp"
#include "text/width.hpp"
#include "views/document/document.hpp"

namespace attn {

namespace {

constexpr std::array<std::pair<char32_t, std::string_view>, 30> commands{{
    {U'\\', "\\textbackslash{}"},
    {U'{', "\\{"},
    {U'}', "\\}"},
    {U'$', "\\$"},
    {U'&', "\\&"},
    {U'#', "\\#"},
    {U'%', "\\%"},
    {U'_', "\\_"},
    {U'^', "\\textasciicircum{}"},
    {U'~', "\\textasciitilde{}"},
    {U'<', "\\textless{}"},
    {U'>', "\\textgreater{}"},
    {U'|', "\\textbar{}"},
    {U'"', "''"},
    {U'-', "{-}"},  // LaTeX would turn two hyphens into a dash
    {U'√', "\\(\\surd\\)"},
    {U'²', "\\(^{2}\\)"},
    {U'×', "\\(\\times\\)"},
    {U'−', "\\(-\\)"},
    {U'±', "\\(\\pm\\)"},
    {U'≈', "\\(\\approx\\)"},
    {U'≤', "\\(\\le\\)"},
    {U'≥', "\\(\\ge\\)"},
    {U'Σ', "\\(\\Sigma\\)"},
    {U'∞', "\\(\\infty\\)"},
    {U'·', "\\(\\cdot\\)"},
    {U'ᵀ', "\\(^{\\top}\\)"},
    {U'“', "``"},
    {U'”', "''"},
    {U'…', "\\dots{}"},
}};

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

std::string latex_escaped(std::string_view text, bool is_code) {
    constexpr std::string_view escaped_in_code = "\\{}";
    std::string latex;
    for (std::size_t at = 0; at < text.size();) {
        const CodePoint point = decode_utf8(text, at);
        const std::string_view bytes = text.substr(at, point.length);
        at += point.length;
        const auto found =
            std::ranges::find(commands, point.value, &std::pair<char32_t, std::string_view>::first);
        const bool stays =
            point.value < 0x80 && is_code && escaped_in_code.find(bytes) == std::string_view::npos;
        if (found != commands.end() && !stays) {
            latex += found->second;
        } else if (point.value < 0x180) {  // Latin letters, which inputenc knows
            latex += bytes;
        } else {
            latex +=
                fmt::format("\\character{{{:04X}}}{{{}}}", static_cast<std::uint32_t>(point.value), bytes);
        }
    }
    return latex;
}

// Breaks lines that do not fit the page at the smallest font size, and indents their continuation.
std::string folded(std::string_view text) {
    constexpr std::size_t most = 170;
    constexpr std::string_view indent = "    ";
    std::string lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::size_t space = end > most ? text.rfind(' ', most) : std::string_view::npos;
        const bool folds = space != std::string_view::npos && space > indent.size();
        lines += folds ? fmt::format("{}\n{}", text.substr(0, space), indent)
                       : std::string(text.substr(0, end + 1));
        text.remove_prefix(folds ? space + 1 : std::min(end + 1, text.size()));
    }
    return lines;
}

// Uses the largest font size at which the longest line fits the page.
std::string listing(std::string_view text) {
    const std::string lines = folded(text);
    constexpr std::array<std::pair<std::size_t, std::string_view>, 3> sizes{
        {{113, "footnotesize"}, {128, "scriptsize"}, {std::string_view::npos, "tiny"}}};
    std::size_t longest = 0;
    for (const std::string_view line : split_lines(lines)) {
        longest = std::max(longest, display_width(line));
    }
    const auto size = std::ranges::find_if(sizes, [&](const auto& one) { return longest <= one.first; });
    return fmt::format("{{\\{}\\begin{{alltt}}\n{}{}\\end{{alltt}}}}\n\n", size->second,
                       latex_escaped(lines, true), lines.ends_with('\n') ? "" : "\n");
}

// Writes -1.5000e-05 in LaTeX's notation.
std::string latex_number(std::string_view text) {
    if (text == "inf" || text == "-inf") {
        return text == "inf" ? "\\infty" : "-\\infty";
    }
    return text == "nan" ? "\\mathrm{nan}" : latex_digits(text);
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
class MatrixWriter {
public:
    MatrixWriter(const Tensor& x, const PrintOptions& options)
        : x_(x), number_(number_writer(x, options)), most_(is_scientific() ? 7 : 10) {}

    std::string operator()() const {
        if (x_.rank() == 0) {
            return latex_number(number_(x_.values()[0]));
        }
        const std::size_t columns = x_.size(-1);
        const std::size_t rows = x_.rank() == 1 ? 1 : x_.size(-2);
        const std::size_t cells = rows * columns;
        std::string text;
        for (const std::size_t i : shown_places(cells == 0 ? 0 : x_.count() / cells, most_)) {
            text += text.empty() ? "" : ",\\allowbreak\\ ";
            text += i == not_shown ? "\\cdots" : matrix(x_.values().subspan(i * cells, cells), rows, columns);
        }
        return text;
    }

private:
    bool is_scientific() const {
        return std::ranges::any_of(
            x_.values(), [&](float value) { return number_(value).find('e') != std::string::npos; });
    }

    std::string matrix(std::span<const float> values, std::size_t rows, std::size_t columns) const {
        std::string text = "\\begin{bmatrix}\n";
        for (const std::size_t i : shown_places(rows, most_)) {
            std::vector<std::string> cells;
            for (const std::size_t j : shown_places(columns, most_)) {
                cells.push_back(i == not_shown   ? "\\vdots"
                                : j == not_shown ? "\\cdots"
                                                 : latex_number(number_(values[i * columns + j])));
            }
            text += fmt::format("{} \\\\\n", fmt::join(cells, " & "));
        }
        return text + "\\end{bmatrix}";
    }

    const Tensor& x_;
    std::function<std::string(float)> number_;
    // At most this many rows, columns or matrices are shown completely; fewer for wide numbers.
    std::size_t most_;
};

// Returns prose in which all characters that LaTeX might read as commands are escaped. Characters that its
// usual fonts lack are written with \character, which the document defines.
std::string latex_prose(std::string_view text) {
    return latex_escaped(text, false);
}

// Writes a block as text.
struct LatexWriter {
    const Words& phrases;
    const PrintOptions& options;

    std::string operator()(const Heading& heading) const {
        return fmt::format("\\{}section*{{{}}}\n\n", heading.level == 1 ? "" : "sub",
                           latex_prose(heading.text));
    }
    std::string operator()(const Label& label) const {
        return fmt::format("\\textbf{{{}}}\n\n", latex_prose(label.text));
    }
    std::string operator()(const Prose& paragraph) const {
        return paragraph.text.empty() ? "" : latex_prose(paragraph.text) + "\n\n";
    }
    std::string operator()(const Remark& remark) const {
        return fmt::format("\\begin{{quote}}\n{}\n\n\\end{{quote}}\n\n", latex_prose(remark.text));
    }
    std::string operator()(const Expr& formula) const {
        return fmt::format("\\[ {} \\]\n\n", formula_latex(formula));
    }
    std::string operator()(const Output& output) const { return listing(output.text); }
    std::string operator()(const Code& code) const {
        std::string text = code.statements.empty() ? "" : listing(excerpts(code.statements, phrases));
        if (code.shows != nullptr) {
            text += fmt::format("\\(\\displaystyle {} = {}\\)\n\n", formula_latex(letter(code.shows->name)),
                                MatrixWriter(code.shows->value, options)());
        }
        return text + (code.drawing.empty() ? "" : listing(code.drawing));
    }
    std::string operator()(const AnswerLine& answer) const {
        return fmt::format("\\textbf{{{}}} {}\n\n", latex_prose(answer.label),
                           answer.text ? latex_prose(*answer.text) : "\\underline{\\hspace{5cm}}");
    }
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
