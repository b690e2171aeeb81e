// Reads lines while they contain only numbers and separators. If there are brackets, they end rows, because a
// printed row may be wrapped; otherwise lines end rows.
#include "printed/rows.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "text/ascii.hpp"

namespace attn {

namespace {

struct Row {
    std::vector<Token> numbers{};
    bool commas = false;                   // there are commas between the row's numbers
    bool cut_off = false;                  // the text ends within the row
    std::optional<std::size_t> misread{};  // the place of a word that is not a number

    std::size_t count() const { return numbers.size(); }
};

// Fills the rows with zeros if each has one number more than the row above.
void fill_triangle(std::vector<Row>& rows) {
    constexpr std::size_t least = 3;
    const auto no_step = [](const Row& above, const Row& row) {
        return row.misread || row.count() != above.count() + 1;
    };
    const std::size_t width = rows.back().count();
    if (rows.size() < least || width > 2 * rows.size() ||
        std::ranges::adjacent_find(rows, no_step) != rows.end()) {
        return;
    }
    for (Row& row : rows) {
        Token zero = row.numbers.back();
        zero.number.value = 0.0;
        row.numbers.resize(width, zero);
    }
}

// Returns the length that most rows have; if two are equally frequent, the longer.
std::size_t common_length(const std::vector<Row>& rows) {
    std::map<std::size_t, std::size_t> of_length;
    for (const Row& row : rows) {
        of_length[row.count()] += row.misread || row.cut_off ? 0 : 1;
    }
    const auto fewer = [](const auto& a, const auto& b) { return a.second <= b.second; };
    return std::ranges::max_element(of_length, fewer)->first;
}

// `1.` of a numbered list counts as an index, too.
bool is_index(const Token& token) {
    return token.number.decimals == 0;
}

// Returns true if a row consists of column numbers, and the numbers below are not whole.
bool counts_columns(const Row& row, const Row& next) {
    double expected = row.numbers[0].number.value;
    return row.count() > 1 && (expected == 0.0 || expected == 1.0) &&
           std::ranges::none_of(next.numbers, &Token::is_whole) &&
           std::ranges::all_of(row.numbers, [&](const Token& token) {
               return token.is_whole() && token.number.value == expected++;
           });
}

// Returns true if the first column counts the rows, and the other numbers are not whole.
bool counts_rows(const std::vector<Row>& rows) {
    if (rows.size() < 2 || rows[0].count() < 2) {
        return false;
    }
    double expected = rows[0].numbers[0].number.value;
    return std::ranges::all_of(rows, [&](const Row& row) {
        return is_index(row.numbers[0]) && row.numbers[0].number.value == expected++ &&
               !is_index(row.numbers[1]);
    });
}

// Joins the rows that have the most frequent length, and rejects the others.
PrintedRows together(std::vector<Row> rows, bool bracketed) {
    using Kind = ListProblem::Kind;
    PrintedRows read;
    fill_triangle(rows);
    const std::size_t width = common_length(rows);
    std::vector<Row> kept;
    for (Row& row : rows) {
        const std::size_t begin = row.numbers[0].begin;
        if (row.cut_off) {
            read.rejected.push_back({Kind::cut_off, begin, 1});
        } else if (row.misread) {
            read.rejected.push_back({Kind::no_number, *row.misread});
        } else if (row.count() == width) {
            kept.push_back(std::move(row));
        } else if (!kept.empty() || !std::ranges::all_of(row.numbers, &Token::is_whole)) {
            read.rejected.push_back({Kind::other_length, begin, row.count(), width});
        }  // otherwise it is a heading that counts the columns
    }
    if (kept.size() > 1 && counts_columns(kept[0], kept[1])) {
        kept.erase(kept.begin());
    }
    const std::size_t index = counts_rows(kept) ? 1 : 0;
    for (const Row& row : kept) {
        for (std::size_t i = index; i < row.count(); ++i) {
            read.list.add(row.numbers[i]);
        }
    }
    const std::size_t columns = width - index;
    read.rows = kept.size();
    read.list.tensor.shown = read.rows == 1               ? Shape{columns}
                             : columns == 1 && !bracketed ? Shape{read.rows}
                                                          : Shape{read.rows, columns};
    return read;
}

class RowsReader {
public:
    RowsReader(std::span<const Token> tokens, std::span<const Line> lines, std::size_t at, bool brackets)
        : tokens_(tokens), lines_(lines), at_(at), brackets_(brackets) {}

    std::size_t end() const { return at_; }

    std::optional<PrintedRows> read() {
        while (at_ < tokens_.size() && line()) {
        }
        row_.cut_off = bracketed_ && !is_whole_row();
        end_row();
        if (std::ranges::all_of(rows_, [](const Row& row) { return row.misread || row.cut_off; })) {
            return std::nullopt;
        }
        PrintedRows read = together(std::move(rows_), bracketed_);
        read.list.end = at_;
        return read;
    }

private:
    using enum TokenKind;

    bool in_line(std::size_t at) const { return at < tokens_.size() && tokens_[at].line == line_; }
    bool glued(std::size_t at) const { return tokens_[at].begin == tokens_[at - 1].end; }

    // Reads a line if it is a row. Returns true if more rows may follow.
    bool line() {
        line_ = tokens_[at_].line;
        if (!rows_.empty() && lines_[line_].apart && !bracketed_) {
            return false;
        }
        const std::size_t begin = at_;
        label();
        const std::optional<std::size_t> end = end_of_numbers();
        if (!end) {
            at_ = begin;
            return false;
        }
        while (at_ < *end) {
            token(tokens_[at_++]);
        }
        const bool ends = in_line(at_);
        while (in_line(at_)) {
            ++at_;
        }
        if (!bracketed_) {
            joins_ = joins_ && tokens_[at_ - 1].is(",");
            end_row();
        }
        return !ends && any_;
    }

    // Skips a label: `Your | `, `journey: `, `x = `, R's `[1,]`, or the part of a call before its bracket.
    void label() {
        const auto is_sign = [&](std::size_t at, std::string_view signs) {
            return in_line(at) && tokens_[at].is(signs);
        };
        const auto is_number = [&](std::size_t at) { return in_line(at) && tokens_[at].is_number(); };
        if (is_sign(at_, "[({") && is_number(at_ + 1) && tokens_[at_ + 1].is_whole()) {
            const std::size_t closing = at_ + (is_sign(at_ + 2, ",") ? 3 : 2);
            at_ = is_sign(closing, "])}") && is_number(closing + 1) ? closing + 1 : at_;
            return;
        }
        if (tokens_[at_].kind != word) {
            return;
        }
        if (is_number(at_ + 1)) {
            ++at_;
            return;
        }
        constexpr std::size_t longest = 12;
        for (std::size_t end = at_ + 1; end < at_ + longest && in_line(end); ++end) {
            const Token& token = tokens_[end];
            const bool wide_gap = token.begin - tokens_[end - 1].end > 1;
            if (wide_gap || token.is(",;[({|:=&")) {
                const bool is_call = token.opens() && glued(end);
                at_ = is_call && !brackets_ ? at_ : end;
                return;
            }
        }
    }

    // Returns true at `, grad_fn=<…>)` and similar ends, after which no more numbers come.
    bool is_suffix(std::size_t at) const {
        return tokens_[at].kind == word && in_line(at + 1) && tokens_[at + 1].is("=") &&
               is_one_of(tokens_[at].first, "gdr");
    }

    // Returns the end of the line's numbers. Returns nothing if the line is not a row, or if most of it is
    // misread.
    std::optional<std::size_t> end_of_numbers() const {
        bool in_brackets = bracketed_;
        int surplus = 0;  // numbers less misread words
        std::size_t at = at_;
        for (; in_line(at) && !is_suffix(at); ++at) {
            const Token& token = tokens_[at];
            const bool word_fits = brackets_ && in_brackets;
            in_brackets = in_brackets || token.is(brackets_ ? "[]" : "]");
            if (token.kind == gap || (token.kind == word && !word_fits) ||
                (token.kind == sign && !token.is("[](){},;\\&|$*:+=-")) || (token.is("[") && !in_brackets)) {
                return std::nullopt;
            }
            surplus += token.is_number() ? 1 : token.kind == word || token.kind == damaged ? -1 : 0;
        }
        return surplus < 0 ? std::nullopt : std::optional(at);
    }

    void token(const Token& token) {
        // A semicolon ends a row in MATLAB, and if commas separate numbers.
        const bool separates = token.is(";") && (row_.commas || (brackets_ && bracketed_));
        if (token.is("[]")) {
            bracket(token.closes());
        } else if (token.is("\\") || separates) {
            end_row();
        } else if (token.is(",")) {
            row_.commas = row_.commas || row_.count() > 0;
        } else if (token.kind != sign && token.kind != command) {
            if (!token.is_number()) {
                row_.misread = row_.misread.value_or(token.begin);
            }
            row_.numbers.push_back(token);
            any_ = true;
        }
    }

    void bracket(bool closes) {
        if (closes && !bracketed_ && joins_) {
            join();
        } else if (!closes && row_.count() == 1 && row_.numbers[0].is_whole()) {
            row_ = {};  // a line number
        }
        bracketed_ = true;
        end_row();
    }

    void end_row() {
        if (row_.count() > 0) {
            rows_.push_back(std::move(row_));
        }
        row_ = {};
    }

    // Joins all lines so far to one row, because its opening bracket is missing.
    void join() {
        rows_.push_back(std::move(row_));
        row_ = std::move(rows_[0]);
        for (const Row& row : std::span(rows_).subspan(1)) {
            row_.numbers.insert(row_.numbers.end(), row.numbers.begin(), row.numbers.end());
            row_.misread = row_.misread ? row_.misread : row.misread;
        }
        rows_.clear();
    }

    // Returns true if the last row is complete and only brackets are missing: it has as many numbers as the
    // others, and its last number has as many digits.
    bool is_whole_row() const {
        constexpr std::size_t enough = 2;
        const std::size_t count = row_.count();
        return rows_.size() >= enough && count == common_length(rows_) && count > 1 &&
               row_.numbers[count - 1].number.decimals == row_.numbers[count - 2].number.decimals;
    }

    std::span<const Token> tokens_;
    std::span<const Line> lines_;
    std::size_t at_;
    bool brackets_;           // rows may be in brackets
    bool bracketed_ = false;  // some rows were in brackets
    bool joins_ = true;       // a comma ends every line so far
    std::size_t line_ = 0;
    bool any_ = false;  // a number was read
    std::vector<Row> rows_;
    Row row_;
};

}  // namespace

std::optional<PrintedRows> read_rows(std::span<const Token> tokens, std::span<const Line> lines,
                                     std::size_t at, bool brackets, std::size_t& tokens_read) {
    RowsReader reader(tokens, lines, at, brackets);
    std::optional<PrintedRows> rows = reader.read();
    tokens_read += reader.end() - at;
    return rows;
}

}  // namespace attn
