// Reads lines while they contain only numbers and separators. If there are brackets, they end rows, because a
// printed row may be wrapped; otherwise lines end rows.
#include "printed/rows.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace attn {

namespace {

struct Row {
    std::size_t first = 0;  // the token of the row's first number
    std::vector<Token> numbers{};
    bool commas = false;   // there are commas between the row's numbers
    bool goes_on = false;  // a comma ends the row's line
    bool labelled = false;
    bool scales = false;                   // LibTorch's `0.01 *`, a factor of all other rows
    std::optional<std::size_t> misread{};  // the place of a word that is not a number
    std::size_t line = 0;

    std::size_t count() const { return numbers.size(); }
};

bool is_triangle(const std::vector<Row>& rows) {
    constexpr std::size_t least = 3;
    const auto does_not_grow = [](const Row& above, const Row& row) {
        return row.count() != above.count() + 1;
    };
    return rows.size() >= least && std::ranges::adjacent_find(rows, does_not_grow) == rows.end();
}

void fill_triangle(std::vector<Row>& rows) {
    const std::size_t width = rows.back().count();
    if (!is_triangle(rows) || width > 2 * rows.size()) {
        return;
    }
    for (Row& row : rows) {
        Token zero = row.numbers.back();
        zero.number.value = 0.0;
        row.numbers.resize(width, zero);
    }
}

// LibTorch and MATLAB print a common power of ten once, above the rows.
void scale(std::vector<Row>& rows) {
    if (rows.size() < 2 || !rows[0].scales) {
        return;
    }
    const double by = rows[0].numbers[0].number.value;
    const double exponent = std::log10(by);
    constexpr double furthest = 30.0;
    if (exponent != std::trunc(exponent) || std::abs(exponent) > furthest) {
        return;
    }
    rows.erase(rows.begin());
    for (Row& row : rows) {
        for (Token& token : row.numbers) {
            const double decimals = static_cast<double>(token.number.decimals) - exponent;
            if (token.number.notation != PrintedNumber::Notation::word && decimals >= 0.0) {
                token.number.value *= by;
                token.number.decimals = static_cast<std::uint8_t>(decimals);
            }
        }
    }
}

// Returns the length that most rows have; if two are equally frequent, the longer.
std::size_t common_length(const std::vector<Row>& rows) {
    std::map<std::size_t, std::size_t> of_length;
    for (const Row& row : rows) {
        of_length[row.count()] += row.misread ? 0 : 1;
    }
    std::size_t best = 0;
    for (const auto& [length, count] : of_length) {
        best = best == 0 || count >= of_length[best] ? length : best;
    }
    return best;
}

// `1.` of a numbered list counts as an index, too.
bool is_index(const Token& token) {
    return token.is_whole() || (token.is_fraction() && token.number.decimals == 0);
}

// Returns true if a row consists of column numbers, and the numbers below are not whole.
bool counts_columns(const Row& row, const Row& next) {
    constexpr std::size_t telling = 3;
    const double first = row.numbers[0].number.value;
    if ((row.count() < telling && !row.labelled) || (first != 0.0 && first != 1.0)) {
        return false;
    }
    for (std::size_t i = 0; i < row.count(); ++i) {
        const bool counts = row.numbers[i].number.value == first + static_cast<double>(i);
        if (!counts || !row.numbers[i].is_whole() || next.numbers[i].is_whole()) {
            return false;
        }
    }
    return true;
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
PrintedRows together(std::vector<Row> rows, std::span<const Token> tokens, bool bracketed) {
    scale(rows);
    if (std::ranges::none_of(rows, [](const Row& row) { return row.misread.has_value(); })) {
        fill_triangle(rows);
    }
    PrintedRows read;
    const std::size_t width = common_length(rows);
    std::vector<Row> kept;
    for (Row& row : rows) {
        const bool whole = std::ranges::all_of(row.numbers, &Token::is_whole);
        if (row.misread) {
            read.rejected.push_back({.kind = ListProblem::Kind::no_number, .offset = *row.misread});
        } else if (row.count() == width) {
            kept.push_back(std::move(row));
        } else if (!whole || !kept.empty()) {  // it counts the columns, so it is a heading
            read.rejected.push_back({.kind = ListProblem::Kind::other_length,
                                     .offset = tokens[row.first].begin,
                                     .found = row.count(),
                                     .expected = width});
        }
    }
    if (kept.size() > 1 && counts_columns(kept[0], kept[1])) {
        kept.erase(kept.begin());
    }
    const std::size_t index = counts_rows(kept) ? 1 : 0;
    for (const Row& row : kept) {
        for (std::size_t i = index; i < row.count(); ++i) {
            read.list.add(row.numbers[i]);
            read.fractions = read.fractions || !row.numbers[i].is_whole();
        }
    }
    const std::size_t columns = width - index;
    read.rows = kept.size();
    read.list.shown = read.rows == 1               ? Shape{columns}
                      : columns == 1 && !bracketed ? Shape{read.rows}
                                                   : Shape{read.rows, columns};
    return read;
}

class RowsReader {
public:
    RowsReader(std::span<const Token> tokens, std::span<const Line> lines, std::size_t at, bool brackets)
        : tokens_(tokens), lines_(lines), at_(at), brackets_(brackets) {}

    std::optional<PrintedRows> read() {
        while (at_ < tokens_.size() && line()) {
        }
        std::optional<ListProblem> cut_off;
        if (row_.count() > 0) {
            if (bracketed_ && !is_whole_row()) {
                cut_off = {
                    .kind = ListProblem::Kind::cut_off, .offset = tokens_[row_.first].begin, .found = 1};
            } else {
                end_row();
            }
        }
        if (std::ranges::all_of(rows_, [](const Row& row) { return row.misread.has_value(); })) {
            return std::nullopt;
        }
        PrintedRows read = together(std::move(rows_), tokens_, bracketed_);
        if (cut_off) {
            read.rejected.push_back(*cut_off);
        }
        read.list.end = at_;
        return read;
    }

private:
    bool in_line(std::size_t at) const { return at < tokens_.size() && tokens_[at].line == line_; }
    bool glued(std::size_t at) const { return tokens_[at].begin == tokens_[at - 1].end; }

    // Reads a line if it is a row. Returns true if more rows may follow.
    bool line() {
        line_ = tokens_[at_].line;
        // MATLAB's common factor is on a line of its own.
        const bool scaled = rows_.size() == 1 && rows_[0].scales;
        const bool begun = count_ > 0 || !rows_.empty();
        if (begun && ((lines_[line_].apart && !bracketed_ && !scaled))) {
            return false;
        }
        const std::size_t begin = at_;
        const std::size_t rows = rows_.size();
        const Row row = bracketed_ ? row_ : Row();
        const bool was_bracketed = bracketed_;
        numbers_ = misread_ = 0;
        label();
        const bool labelled = at_ > begin;
        bool ends = false;
        bool fits = true;
        while (fits && !ends && in_line(at_)) {
            ends = is_suffix();
            fits = ends || token();
        }
        if (!fits || numbers_ < misread_) {
            at_ = begin;
            row_ = row;
            rows_.resize(rows);
            bracketed_ = was_bracketed;
            return false;
        }
        while (in_line(at_)) {
            ++at_;
        }
        if (!bracketed_ && row_.count() > 0) {
            row_.goes_on = tokens_[at_ - 1].kind == TokenKind::comma;
            row_.labelled = labelled;
            row_.scales = row_.count() == 1 && tokens_[at_ - 1].is(TokenKind::sign, '*');
            end_row();
        }
        return !ends && count_ > 0;
    }

    // Skips a label: `Your | `, `journey: `, `x = `, R's `[1,]`, or the part of a call before its bracket.
    void label() {
        const auto is = [&](std::size_t ahead, TokenKind kind) {
            return in_line(at_ + ahead) && tokens_[at_ + ahead].kind == kind;
        };
        if (is(0, TokenKind::open) && in_line(at_ + 1) && tokens_[at_ + 1].is_whole()) {
            const std::size_t comma = is(2, TokenKind::comma) ? 1 : 0;
            const std::size_t behind = at_ + 3 + comma;
            const bool counts =
                is(2 + comma, TokenKind::close) && in_line(behind) && tokens_[behind].is_number();
            at_ = counts ? behind : at_;
            return;
        }
        if (!is(0, TokenKind::word)) {
            return;
        }
        if (is(1, TokenKind::number)) {
            ++at_;
            return;
        }
        constexpr std::size_t longest = 12;
        for (std::size_t end = at_ + 1; end < at_ + longest && in_line(end); ++end) {
            const Token& token = tokens_[end];
            const bool wide_gap = token.begin - tokens_[end - 1].end > 1;
            const bool stops = token.kind == TokenKind::comma || token.kind == TokenKind::semicolon ||
                               token.kind == TokenKind::open ||
                               (token.kind == TokenKind::sign &&
                                std::string_view("|:=&").find(token.sign) != std::string_view::npos);
            if (wide_gap || stops) {
                const bool is_call = token.kind == TokenKind::open && glued(end);
                at_ = is_call && !brackets_ ? at_ : end;
                return;
            }
        }
    }

    // Returns true at `, grad_fn=<…>)` and similar ends, after which no more numbers come.
    bool is_suffix() const {
        return tokens_[at_].kind == TokenKind::word && in_line(at_ + 1) &&
               tokens_[at_ + 1].is(TokenKind::sign, '=') &&
               std::string_view("gdr").find(tokens_[at_].sign) != std::string_view::npos;
    }

    void add_number() {
        row_.first = row_.count() == 0 ? at_ : row_.first;
        row_.line = row_.count() == 0 ? line_ : row_.line;
        row_.numbers.push_back(tokens_[at_]);
        ++count_;
    }

    bool token() {
        const Token& token = tokens_[at_];
        switch (token.kind) {
            case TokenKind::number:
                add_number();
                ++numbers_;
                break;
            case TokenKind::word:
                if (!brackets_ || !bracketed_) {
                    return false;
                }
                [[fallthrough]];
            case TokenKind::damaged:
                row_.misread = row_.misread.value_or(token.begin);
                add_number();
                ++misread_;
                break;
            case TokenKind::open:
            case TokenKind::close:
                if (token.sign == '[' || token.sign == ']') {
                    return bracket(token.sign == ']');
                }
                break;
            case TokenKind::row_end:
                end_row();
                break;
            case TokenKind::semicolon:  // a semicolon ends a row in MATLAB, and if commas separate numbers
                if (row_.commas || (brackets_ && bracketed_)) {
                    end_row();
                }
                break;
            case TokenKind::comma:
                row_.commas = row_.commas || row_.count() > 0;
                break;
            case TokenKind::absent:
                if (row_.count() == 0) {
                    return false;
                }
                break;
            case TokenKind::command:
                break;
            case TokenKind::gap:
            case TokenKind::string:
                return false;
            case TokenKind::sign:
                if (std::string_view("&|$*:+=-").find(token.sign) == std::string_view::npos) {
                    return false;
                }
        }
        ++at_;
        return true;
    }

    bool bracket(bool closes) {
        if (closes && !bracketed_) {
            join();
        } else if (!closes && !brackets_ && !bracketed_) {
            return false;
        } else if (!closes && row_.count() == 1 && row_.line == line_ && row_.numbers[0].is_whole()) {
            row_ = {};  // the number before it is only a line number
        }
        bracketed_ = true;
        end_row();
        ++at_;
        return true;
    }

    void end_row() {
        if (row_.count() > 0) {
            rows_.push_back(std::move(row_));
        }
        row_ = {};
    }

    // Joins all lines so far to one row, because each ends with a comma and the bracket is missing.
    void join() {
        if (rows_.empty() || !std::ranges::all_of(rows_, &Row::goes_on)) {
            return;
        }
        Row joined = std::move(rows_[0]);
        for (std::size_t i = 1; i < rows_.size(); ++i) {
            joined.numbers.insert(joined.numbers.end(), rows_[i].numbers.begin(), rows_[i].numbers.end());
            joined.misread = joined.misread ? joined.misread : rows_[i].misread;
        }
        joined.numbers.insert(joined.numbers.end(), row_.numbers.begin(), row_.numbers.end());
        joined.misread = joined.misread ? joined.misread : row_.misread;
        rows_.clear();
        row_ = std::move(joined);
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
    std::size_t line_ = 0;
    std::size_t count_ = 0;    // how many numbers were read so far
    std::size_t numbers_ = 0;  // how many numbers were read in this line
    std::size_t misread_ = 0;  // misread words in this line
    std::vector<Row> rows_;
    Row row_;
};

// A line with a single cell: two indices and a number, sometimes after words.
struct Cell {
    const Token* row;
    const Token* column;
    const Token* number;
    std::size_t end;
};

std::optional<Cell> read_cell(std::span<const Token> tokens, std::size_t at) {
    std::vector<const Token*> numbers;
    const std::uint32_t line = tokens[at].line;
    for (; at < tokens.size() && tokens[at].line == line; ++at) {
        const Token& token = tokens[at];
        if (token.is_number()) {
            numbers.push_back(&token);
        }
        const bool is_between = token.kind != TokenKind::word && token.kind != TokenKind::damaged;
        if (numbers.size() > 3 || (!numbers.empty() && !is_between)) {
            return std::nullopt;
        }
    }
    const bool fits =
        numbers.size() == 3 && numbers[0]->is_whole() && numbers[1]->is_whole() && !numbers[2]->is_whole();
    return fits ? std::optional(Cell{numbers[0], numbers[1], numbers[2], at}) : std::nullopt;
}

}  // namespace

std::optional<PrintedRows> read_rows(std::span<const Token> tokens, std::span<const Line> lines,
                                     std::size_t at, bool brackets) {
    return RowsReader(tokens, lines, at, brackets).read();
}

std::optional<PrintedRows> read_cells(std::span<const Token> tokens, std::size_t at) {
    constexpr std::size_t least = 4;
    std::vector<Row> rows;
    std::optional<Cell> first;
    std::optional<Cell> last;
    std::size_t count = 0;
    while (at < tokens.size()) {
        const auto cell = read_cell(tokens, at);
        if (!cell) {
            break;
        }
        const double down = last ? cell->row->number.value - last->row->number.value : 1.0;
        const double right = last ? cell->column->number.value - last->column->number.value : 0.0;
        first = first ? first : cell;
        if (down == 1.0 && cell->column->number.value == first->column->number.value) {
            rows.push_back({.first = at});
        } else if (down != 0.0 || right != 1.0) {
            return std::nullopt;
        }
        rows.back().numbers.push_back(*cell->number);
        at = cell->end;
        last = cell;
        ++count;
    }
    const auto differs = [](const Row& a, const Row& b) { return a.count() != b.count(); };
    const bool even = std::ranges::adjacent_find(rows, differs) == rows.end();
    if (count < least || !(even || is_triangle(rows))) {
        return std::nullopt;
    }
    PrintedRows read = together(std::move(rows), tokens, true);
    read.list.end = at;
    return read;
}

}  // namespace attn
