#include "printed/rows.hpp"

#include <algorithm>
#include <utility>

#include "tensor/tensor.hpp"
#include "text/ascii.hpp"

namespace attn {

namespace {

// True if only commas and brackets are before the next list. In NumPy's lists, rows are indented below each
// other.
bool goes_on(const Paste& paste, std::size_t at) {
    const std::size_t begin = at;
    bool has_comma = false;
    for (; paste[at].is(",]"); ++at) {
        has_comma = has_comma || paste[at].is(",");
    }
    const Token& next = paste[at];
    return next.is("[") && (has_comma || (at == begin && next.line == paste[at - 1].line + 1 &&
                                          paste.text[next.begin - 1] == ' '));
}

// Returns true if a number is here, in this line.
bool has_number(const Paste& paste, std::size_t at, std::size_t line) {
    return paste[at].is_number() && paste[at].line == line;
}

// Returns the place behind the label at the begin of a line.
std::size_t behind_label(const Paste& paste, std::size_t at) {
    const Token& first = paste[at];
    if (first.opens() && paste[at + 1].is_whole()) {
        const std::size_t closing = at + (paste[at + 2].is(",") ? 3 : 2);
        return paste[closing].closes() && has_number(paste, closing + 1, first.line) ? closing + 1 : at;
    }
    if (first.kind != TokenKind::word) {
        return at;
    }
    if (has_number(paste, at + 1, first.line)) {
        return at + 1;
    }
    constexpr std::size_t longest = 12;
    for (std::size_t end = at + 1; end < at + longest && !paste.begins_line(end); ++end) {
        const std::size_t blanks = paste[end].begin - paste[end - 1].end;
        if (blanks > 1 || paste[end].is(",;[({|:=&")) {
            return paste[end].opens() && blanks == 0 ? at : end;  // not in the name of an element
        }
    }
    return at;
}

// Returns the end of the line's numbers: its end, a closing bracket, or `, grad_fn=<…>)`. Returns nothing if
// there is anything else in the line, or if most of it is misread.
std::optional<std::size_t> end_of_numbers(const Paste& paste, std::size_t at) {
    using enum TokenKind;
    const std::size_t end = paste.find_in_line(at, "]");
    int surplus = 0;  // numbers less misread words
    for (; at < end; ++at) {
        const Token& token = paste[at];
        if (token.kind == word && paste[at + 1].is("=") && is_one_of(token.first, "gdr")) {
            break;
        }
        if (token.kind == gap || token.kind == word ||
            (token.kind == sign && !token.is("(){},;\\&|$*:+=-"))) {
            return std::nullopt;
        }
        surplus += token.is_number() ? 1 : token.kind == damaged ? -1 : 0;
    }
    return surplus < 0 ? std::nullopt : std::optional(at);
}

}  // namespace

PastedRows rows_in_brackets(const Paste& paste, std::size_t at, bool in_call) {
    using enum TokenKind;
    PastedRows rows;
    Row row;
    int depth = 0;
    const char bracket = paste[at].first;
    const auto end_row = [&](std::size_t closes) {
        row.closes = closes;
        rows.all.push_back(std::exchange(row, {}));
    };
    for (std::size_t last_line = paste[at].line; at < paste.tokens.size(); ++at) {
        const bool has_items = !row.numbers.empty() || row.misread;
        const bool is_between = !has_items && row.opens == 0 && !rows.all.empty();
        if (is_between && paste.begins_line(at) && paste[at].kind != gap && !paste[at].is("])},")) {
            const std::size_t next =
                paste.find_in_line(at, "[({");  // behind a mark, a date, or a line's number
            if (paste[next].line == paste[at].line) {
                at = next;
            } else if (!paste[at].is_number()) {
                break;
            }
        }
        const Token& token = paste[at];
        const bool is_before_word = paste[at + 1].kind == word && !paste.begins_line(at + 1);
        if (token.opens()) {
            if (is_between && is_before_word) {
                rows.all.back().gap_after = rows.all.back().closes;  // [identical for batch 2]
                at = paste.find_in_line(at, "]");
                continue;
            }
            if (has_items) {  // its bracket is missing
                end_row(1);
                --depth;
            }
            ++row.opens;
            if (++depth > static_cast<int>(Shape::max_read_rank)) {  // no tensor has so many axes
                while (paste[at].opens()) {
                    ++at;
                }
                return {.end = at};
            }
        } else if (token.closes()) {
            if (token.is(")") && bracket != '(') {  // the end of a call closes all brackets
                if (has_items) {
                    end_row(1);
                }
                depth = 0;
                break;
            }
            if (has_items) {
                end_row(0);
            } else if (row.opens > 0 || rows.all.empty()) {
                break;  // nothing in brackets
            }
            ++rows.all.back().closes;
            if (--depth <= 0 && (in_call || !goes_on(paste, at + 1))) {
                ++at;
                break;
            }
        } else if (token.is_number()) {
            row.numbers.push_back(token);
        } else if (token.kind == gap) {
            if (is_between) {
                rows.all.back().gap_after = rows.all.back().closes;
            } else {
                row.gap = row.count();
            }
            at = is_before_word ? paste.find_in_line(at, "[({])}") - 1 : at;
        } else if (token.is(";\\")) {
            if (has_items) {
                end_row(1);
                row.opens = 1;
            }
        } else if (token.is("#")) {
            at = paste.find_in_line(at) - 1;
        } else if (paste.begins_call(at)) {
            if (!paste[at + 2].is_number()) {
                break;
            }
            row.numbers.push_back(paste[at + 2]);  // [tensor(0.5), …]
            at = std::max(paste.find_in_line(at, ")"), at + 2);
        } else if (token.kind != command && !token.is(",|&")) {
            if (is_between || token.line != last_line) {
                break;
            }
            row.misread = row.misread.value_or(token.begin);
        }
        last_line = paste[at].line;
    }
    if (!row.numbers.empty()) {
        row.is_cut = true;
        end_row(0);
    }
    rows.missing = rows.all.empty() ? 0 : std::max(depth, 0);
    if (rows.missing > 0) {  // the text ends here, so the gap has no known size
        rows.all.back().gap_after.reset();
    }
    rows.end = std::min(at, paste.tokens.size());
    return rows;
}

PastedRows rows_in_lines(const Paste& paste, std::size_t at) {
    PastedRows rows{.end = at, .are_lines = true};
    bool have_commas = true;  // at the end of all lines so far
    std::optional<std::size_t> first;
    while (rows.end < paste.tokens.size()) {
        const std::size_t line = paste[rows.end].line;
        const std::size_t begin = behind_label(paste, rows.end);
        const bool is_apart = first && paste.lines[line].number > paste.lines[line - 1].number + 1;
        const std::optional<std::size_t> end = is_apart ? std::nullopt : end_of_numbers(paste, begin);
        if (!end || *end == begin) {
            break;
        }
        first = first.value_or(begin);
        if (paste[*end].is("]") && paste[*end].line == line) {  // the opening bracket is lost
            return have_commas ? rows_in_brackets(paste, *first, false) : rows;
        }
        Row row;
        bool has_commas = false;
        const auto end_row = [&] {
            if (!row.numbers.empty()) {
                rows.all.push_back(std::exchange(row, {}));
            }
        };
        for (std::size_t i = begin; i < *end; ++i) {
            const Token& token = paste[i];
            if (token.is("\\") || (token.is(";") && has_commas)) {
                end_row();
            } else if (token.is_number()) {
                row.numbers.push_back(token);
            } else if (token.kind == TokenKind::damaged) {
                row.numbers.push_back(token);
                row.misread = row.misread.value_or(token.begin);
            } else {
                has_commas = has_commas || (token.is(",") && !row.numbers.empty());
            }
        }
        end_row();
        have_commas = have_commas && paste[*end - 1].is(",");
        rows.end = paste.find_in_line(rows.end);
        if (*end < rows.end || rows.all.empty()) {
            break;
        }
    }
    return rows;
}

}  // namespace attn
