// The escapes are those of CommonMark, section 2.4: a backslash before any ASCII punctuation makes it text.
#include "views/document/markdown.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "text/ascii.hpp"
#include "text/lists.hpp"
#include "views/document/blocks.hpp"
#include "views/document/document.hpp"

namespace attn {

namespace {

// Returns true if a position is inside a word: there, an underscore does not begin emphasis.
bool is_inside_word(std::string_view text, std::size_t at) {
    return at > 0 && at + 1 < text.size() && is_word_character(text[at - 1]) &&
           is_word_character(text[at + 1]);
}

// Returns at least so many backticks, and more than stand together anywhere in the text, which cannot end
// them.
std::string backticks(std::string_view text, std::size_t least) {
    std::size_t longest = 0;
    std::size_t together = 0;
    for (const char c : text) {
        together = c == '`' ? together + 1 : 0;
        longest = std::max(longest, together);
    }
    return std::string(std::max(least, longest + 1), '`');
}

}  // namespace

std::string markdown_prose(std::string_view text) {
    constexpr std::string_view marks = "\\`*[]<>$|~#&";
    constexpr std::string_view at_the_start = "+-=";
    std::string escaped;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_link =
            text.substr(i).starts_with("://") ||  // GitHub makes links of https://a and www.a
            (text[i] == '.' && text.substr(0, i).ends_with("www"));
        const bool is_mark = is_link || contains(marks, text[i]) ||
                             (text[i] == '_' && !is_inside_word(text, i)) ||
                             (i == 0 && contains(at_the_start, text[i]));
        escaped += is_mark ? "\\" : "";
        escaped += text[i];
    }
    return escaped;
}

std::string markdown_code(std::string_view line) {
    const std::string quotes = backticks(line, 1);
    const std::string_view blank = quotes.size() > 1 ? " " : "";
    return fmt::format("{0}{1}{2}{1}{0}", quotes, blank, line);
}

std::string markdown_fenced(std::string_view lines, std::string_view language) {
    if (lines.empty()) {
        return "";
    }
    const std::string fence = backticks(lines, 3);
    return fmt::format("{0}{1}\n{2}{3}{0}\n\n", fence, language, lines, lines.ends_with('\n') ? "" : "\n");
}

namespace {

// Writes a block as text.
struct MarkdownWriter {
    const Words& phrases;

    std::string operator()(const Prose& prose) const {
        constexpr const char* frames[] = {"# {}\n\n", "## {}\n\n", "**{}**\n\n", "{}\n\n", "> {}\n\n"};
        return fmt::format(fmt::runtime(frames[std::size_t(prose.kind)]), markdown_prose(prose.text));
    }
    std::string operator()(const Expr& formula) const {
        return fmt::format("$$\n{}\n$$\n\n", formula_latex(formula));
    }
    std::string operator()(const Output& output) const { return markdown_fenced(output.text, "text"); }
    std::string operator()(const Code& code) const {
        const std::string_view language = code.language == Language::cpp ? "cpp" : "python";
        if (code.shows == nullptr) {
            return markdown_fenced(excerpts(code.statements, phrases), language);
        }
        return markdown_fenced(excerpt(code.cell.statement, phrases), language) +
               markdown_fenced(code.cell.answer, "text") + markdown_fenced(code.drawing, "text");
    }
    std::string operator()(const AnswerLine& answer) const {
        return fmt::format("**{}**{}\n\n", answer.label,
                           answer.text ? fmt::format(" `{}`", *answer.text) : "");
    }
    std::string operator()(const Comment& comment) const {
        return fmt::format("<!-- {} -->\n\n", comment.text);
    }
};

}  // namespace

std::string markdown(const Block& block, const Words& phrases) {
    return std::visit(MarkdownWriter{phrases}, block);
}

void write_markdown(const WriteBytes& write, const Blocks& blocks, const Style& style) {
    const Words phrases(style.language, "program");
    for (const Block& block : blocks) {
        write(markdown(block, phrases));
    }
}

}  // namespace attn
