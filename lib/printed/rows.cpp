#include "printed/rows.hpp"

#include <algorithm>
#include <utility>

#include "tensor/tensor.hpp"
#include "text/ascii.hpp"

namespace attn {

// Returns the first of these signs from this token to the end of its line, or that end.
std::size_t RowsReader::find_in_line(std::size_t at, std::string_view signs) const {
    const std::size_t line = tokens_[at].line;
    while (in_line(at, line) && !tokens_[at].is(signs)) {
        ++at;
    }
    return at;
}

// True if only commas and brackets are before the next list. In NumPy's lists, rows are indented below each
// other.
bool RowsReader::goes_on(std::size_t at) const {
    const std::size_t begin = at;
    bool has_comma = false;
    for (; is(at, ",]"); ++at) {
        has_comma = has_comma || is(at, ",");
    }
    if (!is(at, "[")) {
        return false;
    }
    const Token& next = tokens_[at];
    return has_comma || (at == begin && next.line == tokens_[at - 1].line + 1 &&
                         next.begin == lines_[next.line].begin && text_[next.begin - 1] == ' ');
}

PastedRows RowsReader::in_brackets(std::size_t at, bool in_call) const {
    using enum TokenKind;
    PastedRows rows;
    Row row;
    int depth = 0;
    const char bracket = tokens_[at].first;
    const auto end_row = [&](std::size_t closes) {
        row.closes = closes;
        rows.all.push_back(std::exchange(row, {}));
    };
    for (std::size_t last_line = tokens_[at].line; at < tokens_.size(); ++at) {
        const Token& token = tokens_[at];
        const bool has_items = !row.numbers.empty() || row.misread;
        const bool is_between = !has_items && row.opens == 0 && !rows.all.empty();
        if (is_between && begins_line(at) && token.kind != gap && !token.closes() && !token.is(",")) {
            const std::size_t next = find_in_line(at, "[({");  // behind a mark, a date, or a line's number
            if (!in_line(next, token.line) && !token.is_number()) {
                break;
            }
            at = in_line(next, token.line) ? next : at;
        }
        const Token& one = tokens_[at];
        if (one.opens()) {
            if (is_between && in_line(at + 1, one.line) && tokens_[at + 1].kind == word) {
                rows.all.back().gap_after = rows.all.back().closes;  // [identical for batch 2]
                at = find_in_line(at, "]");
                continue;
            }
            if (has_items) {  // its bracket is missing
                end_row(1);
                --depth;
            }
            ++row.opens;
            if (++depth > static_cast<int>(Shape::max_read_rank)) {  // no tensor has so many axes
                while (is(at, "[({")) {
                    ++at;
                }
                return {.end = at};
            }
        } else if (one.closes()) {
            if (one.is(")") && bracket != '(') {  // the end of a call closes all brackets
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
            if (--depth <= 0 && (in_call || !goes_on(at + 1))) {
                ++at;
                break;
            }
        } else if (one.is_number()) {
            row.numbers.push_back(one);
        } else if (one.kind == gap) {
            (is_between ? rows.all.back().gap_after : row.gap) =
                is_between ? rows.all.back().closes : row.count();
            const bool is_remark = in_line(at + 1, one.line) && tokens_[at + 1].kind == word;
            at = is_remark ? find_in_line(at, "[({])}") - 1 : at;
        } else if (one.is(";\\")) {
            if (has_items) {
                end_row(1);
                row.opens = 1;
            }
        } else if (one.is("#")) {
            at = find_in_line(at, "") - 1;
        } else if (begins_call(text_, tokens_, at)) {
            if (!is_number(at + 2)) {
                break;
            }
            row.numbers.push_back(tokens_[at + 2]);  // [tensor(0.5), …]
            at = std::max(find_in_line(at, ")"), at + 2);
        } else if (one.kind != command && !one.is(",|&")) {
            if (is_between || one.line != last_line) {
                break;
            }
            row.misread = row.misread.value_or(one.begin);
        }
        last_line = at < tokens_.size() ? tokens_[at].line : last_line;
    }
    if (!row.numbers.empty()) {
        row.is_cut = true;
        end_row(0);
    }
    rows.missing = rows.all.empty() ? 0 : std::max(depth, 0);
    if (rows.missing > 0) {  // the text ends here, so the gap has no known size
        rows.all.back().gap_after.reset();
    }
    rows.end = std::min(at, tokens_.size());
    return rows;
}

std::size_t RowsReader::behind_label(std::size_t at) const {
    const std::size_t line = tokens_[at].line;
    if (is(at, "[({") && is_number(at + 1) && tokens_[at + 1].is_whole()) {
        const std::size_t closing = at + (is(at + 2, ",") ? 3 : 2);
        return is(closing, "])}") && in_line(closing + 1, line) && is_number(closing + 1) ? closing + 1 : at;
    }
    if (tokens_[at].kind != TokenKind::word) {
        return at;
    }
    if (in_line(at + 1, line) && is_number(at + 1)) {
        return at + 1;
    }
    constexpr std::size_t longest = 12;
    for (std::size_t end = at + 1; end < at + longest && in_line(end, line); ++end) {
        const std::size_t blanks = tokens_[end].begin - tokens_[end - 1].end;
        if (blanks > 1 || tokens_[end].is(",;[({|:=&")) {
            return tokens_[end].opens() && blanks == 0 ? at : end;  // not in the name of an element
        }
    }
    return at;
}

// Returns the end of the line's numbers: its end, a closing bracket, or `, grad_fn=<…>)`. Returns nothing if
// there is anything else in the line, or if most of it is misread.
std::optional<std::size_t> RowsReader::end_of_numbers(std::size_t at) const {
    using enum TokenKind;
    const std::size_t line = tokens_[at].line;
    int surplus = 0;  // numbers less misread words
    for (; in_line(at, line) && !tokens_[at].is("]"); ++at) {
        const Token& token = tokens_[at];
        if (token.kind == word && is(at + 1, "=") && is_one_of(token.first, "gdr")) {
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

PastedRows RowsReader::in_lines(std::size_t at) const {
    PastedRows rows{.end = at, .are_lines = true};
    bool have_commas = true;  // at the end of all lines so far
    std::optional<std::size_t> first;
    while (rows.end < tokens_.size()) {
        const std::size_t line = tokens_[rows.end].line;
        const std::size_t begin = behind_label(rows.end);
        const std::optional<std::size_t> end =
            first && lines_[line].apart ? std::nullopt : end_of_numbers(begin);
        if (!end || *end == begin) {
            break;
        }
        first = first.value_or(begin);
        if (is(*end, "]") && in_line(*end, line)) {  // the opening bracket is lost
            return have_commas ? in_brackets(*first, false) : rows;
        }
        Row row;
        bool has_commas = false;
        const auto end_row = [&] {
            if (!row.numbers.empty()) {
                rows.all.push_back(std::exchange(row, {}));
            }
        };
        for (std::size_t i = begin; i < *end; ++i) {
            const Token& token = tokens_[i];
            if (token.is("\\") || (token.is(";") && has_commas)) {
                end_row();
            } else if (token.is_number() || token.kind == TokenKind::damaged) {
                if (!token.is_number()) {
                    row.misread = row.misread.value_or(token.begin);
                }
                row.numbers.push_back(token);
            } else {
                has_commas = has_commas || (token.is(",") && !row.numbers.empty());
            }
        }
        end_row();
        have_commas = have_commas && tokens_[*end - 1].is(",");
        rows.end = find_in_line(rows.end, "");
        if (*end < rows.end || rows.all.empty()) {
            break;
        }
    }
    return rows;
}

}  // namespace attn
