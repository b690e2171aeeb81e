// Reads line by line as long as a line holds nothing but numbers and what stands between them. Where there
// are brackets, they end rows, for a printed row may be wrapped; without any, lines do.
#include "printed/rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "text/ascii.hpp"

namespace attn {

namespace {

constexpr std::string_view separators = " \t\r,;&(){}|$*:+=-";

class RowsReader {
public:
    RowsReader(std::string_view text, std::size_t at, std::size_t room, bool lists)
        : text_(text), at_(at), end_(at), room_(room), lists_(lists) {}

    std::optional<PrintedRows> read() {
        while (at_ < text_.size() && line()) {
        }
        if (too_many_) {
            return PrintedRows{.list = {}, .too_many = true};
        }
        if (row_.count > 0) {
            bracketed_ && !is_whole_row() ? skip_cut_off() : end_row();
        }
        if (rows_.empty()) {
            return std::nullopt;
        }
        return together();
    }

private:
    struct Row {
        std::size_t offset = 0;
        std::size_t first = 0;  // of numbers_
        std::size_t count = 0;
        bool goes_on = false;  // a comma ends its line
        bool labelled = false;
        bool commas = false;  // between its numbers
        bool scales = false;  // a number that all others are multiplied by: LibTorch's `0.01 *`
    };

    char peek() const { return at_ < line_end_ ? text_[at_] : '\n'; }

    // Whether more may follow a line that belongs to the rows; then it has been read.
    bool line() {
        line_end_ = std::min(text_.find('\n', at_), text_.size());
        const Row row = row_;
        const std::size_t rows = rows_.size();
        const std::size_t numbers = numbers_.size();
        const std::size_t begin = line_begin_ = at_;
        if (text_.substr(at_, line_end_ - at_).find_first_not_of(" \t\r") == std::string_view::npos) {
            at_ = std::min(line_end_ + 1, text_.size());
            const bool is_scaled = rows == 1 && rows_[0].scales;  // MATLAB's factor has a line to itself
            const bool belongs = (bracketed_ || is_scaled) && numbers > 0;
            end_ = belongs ? at_ : end_;
            return belongs;
        }
        skip_prefix();
        const std::size_t unlabelled = at_;
        label();
        const bool labelled = at_ > unlabelled;
        bool fits = true;
        bool ends = false;
        while (fits && !ends && at_ < line_end_) {
            ends = suffix();
            fits = ends || token();
        }
        too_many_ = too_many_ || numbers_.size() > room_;
        if (!fits || numbers_.size() > room_) {
            row_ = row;
            rows_.resize(rows);
            numbers_.resize(numbers);
            at_ = begin;
            return false;
        }
        if (!bracketed_ && row_.count > 0) {
            const std::string_view line = text_.substr(begin, line_end_ - begin);
            row_.goes_on = line.substr(0, line.find_last_not_of(" \t\r") + 1).ends_with(',');
            row_.labelled = labelled;
            row_.scales =
                row_.count == 1 && line.substr(0, line.find_last_not_of(" \t\r") + 1).ends_with('*');
            end_row();
        }
        at_ = end_ = std::min(line_end_ + 1, text_.size());
        return !ends && !numbers_.empty();
    }

    // Of quotations and comments.
    void skip_prefix() {
        while (std::string_view(" \t>#/|").find(peek()) != std::string_view::npos) {
            ++at_;
        }
    }

    // `Your | `, `journey: `, `x = `, and of a call all before its bracket.
    void label() {
        if (peek() == '[') {  // R's `[1,]`
            std::size_t end = at_ + 1;
            while (end < line_end_ && is_digit(text_[end])) {
                ++end;
            }
            const bool counts = end > at_ + 1 && text_.substr(end, 2) == ",]";
            at_ = counts ? end + 2 : at_;
            return;
        }
        std::size_t end = at_;
        const std::size_t furthest = std::min(line_end_, at_ + 60);
        while (end < furthest && std::string_view("|:=\t&,;([").find(text_[end]) == std::string_view::npos &&
               !(text_[end] == ' ' && (end + 1 == furthest || text_[end + 1] == ' '))) {
            ++end;
        }
        const std::string_view word = text_.substr(at_, end - at_);
        const std::string_view first_word = word.substr(0, word.find(' '));
        if (const std::size_t glued = glued_number(first_word); glued < first_word.size()) {
            return at_ += glued, void();
        }
        const bool command = word.find('\\') != std::string_view::npos;
        std::size_t number = at_;
        const bool is_text = std::ranges::any_of(
            word, [](char c) { return is_lower(c) || is_upper(c) || static_cast<unsigned char>(c) >= 0x80; });
        if (command || !is_text || read_number(text_, number)) {
            return;
        }
        if (const std::size_t space = word.find(' '); space != std::string_view::npos) {
            std::size_t behind = at_ + space + 1;  // one word before the first number
            if (!read_number(text_, behind)) {
                return at_ = end < furthest ? end : at_, void();
            }
            end = at_ + space;
        }
        at_ = end < furthest ? end : at_;
    }

    // Where a number with a fraction stands right behind words or signs, as in `≈0.1921` and Chinese; the
    // word's end where none does.
    static std::size_t glued_number(std::string_view word) {
        std::size_t begin = word.size();
        while (begin > 0 && (is_digit(word[begin - 1]) || word[begin - 1] == '.')) {
            --begin;
        }
        std::size_t end = begin;
        const auto number = read_number(word, end);
        const bool is_glued = begin > 0 && !is_word_character(word[begin - 1]) && number &&
                              end == word.size() && number->notation == PrintedNumber::Notation::fixed &&
                              number->decimals > 1 && static_cast<unsigned char>(word[begin - 1]) >= 0x80;
        return is_glued ? begin : word.size();
    }

    // `, grad_fn=<…>)` and the like, behind which there are no more numbers.
    bool suffix() {
        constexpr std::array names{std::string_view("grad_fn="), std::string_view("dtype="),
                                   std::string_view("device="), std::string_view("requires_grad=")};
        return std::ranges::any_of(
            names, [&](std::string_view name) { return text_.substr(at_).starts_with(name); });
    }

    bool token() {
        if (std::size_t behind = at_; const auto number = read_number(text_, behind)) {
            row_.offset = row_.count == 0 ? at_ : row_.offset;
            ++row_.count;
            numbers_.push_back(*number);
            at_ = behind;
            return true;
        }
        const char c = peek();
        if (c == ']' || (c == '[' && lists_)) {
            if (c == ']' && !bracketed_) {
                join();
            } else if (c == '[' && bracketed_ && counts_line()) {
                numbers_.resize(numbers_.size() - row_.count);
                row_ = {};
            }
            bracketed_ = true;
            end_row();
            ++at_;
            return true;
        }
        if (c == '\\') {
            return command();
        }
        // Of MATLAB, and where commas stand between numbers.
        if (c == ';' && (row_.commas || (lists_ && bracketed_))) {
            end_row();
        }
        row_.commas = row_.commas || (c == ',' && row_.count > 0);
        if (const std::size_t length = nothing_length(); length > 0) {
            at_ += length;
            return true;
        }
        const bool separates = separators.find(c) != std::string_view::npos;
        at_ += separates ? 1 : 0;
        return separates;
    }

    // What spreadsheets and data frames write behind the numbers of a row where there are none.
    std::size_t nothing_length() const {
        constexpr std::array<std::string_view, 7> words{"N/A", "n/a", "NA", "null", "None", "#NUM!", "."};
        const std::string_view rest = text_.substr(at_, line_end_ - at_);
        const auto delimits = [](char c) {
            return std::string_view(" \t\r,;|&").find(c) != std::string_view::npos;
        };
        const auto found = std::ranges::find_if(words, [&](std::string_view word) {
            return rest.starts_with(word) && (rest.size() == word.size() || delimits(rest[word.size()]));
        });
        return row_.count > 0 && delimits(text_[at_ - 1]) && found != words.end() ? found->size() : 0;
    }

    // Whether what stands before a bracket, outside of any, is the number of the line, or the time of a log.
    bool counts_line() const {
        const bool is_time = text_.substr(line_begin_, at_ - line_begin_).find(':') != std::string_view::npos;
        return row_.offset >= line_begin_ &&
               ((row_.count == 1 && is_whole(numbers_.size() - 1)) || (row_.count > 1 && is_time));
    }

    // `\\` ends a row; `\begin{pmatrix}`, `\left` and `\hline` are passed over.
    bool command() {
        ++at_;
        if (peek() == '\\') {
            ++at_;
            end_row();
            return true;
        }
        const std::size_t begin = at_;
        while (is_lower(peek()) || is_upper(peek())) {
            ++at_;
        }
        const std::string_view name = text_.substr(begin, at_ - begin);
        if ((name == "left" || name == "right") &&
            std::string_view("[]()|.").find(peek()) != std::string_view::npos) {
            ++at_;
        }
        std::size_t inside = at_ + 1;
        if (const auto number = peek() == '{' ? read_number(text_, inside) : std::nullopt;
            number && number->notation == PrintedNumber::Notation::fixed) {  // \mathbf{0.1}
            return true;
        }
        if (peek() == '{') {
            at_ = std::min(text_.find('}', at_), line_end_ - 1) + 1;
            if (peek() == '{') {  // \begin{array}{cc}
                at_ = std::min(text_.find('}', at_), line_end_ - 1) + 1;
            }
        }
        return at_ > begin;
    }

    void end_row() {
        if (row_.count > 0) {
            row_.first = numbers_.size() - row_.count;
            rows_.push_back(row_);
        }
        row_ = {};
    }

    // All lines so far are one row, whose bracket was cut off, where a comma ends each.
    void join() {
        const bool wrapped = std::ranges::all_of(rows_, [&](const Row& row) { return row.goes_on; });
        for (; wrapped && !rows_.empty(); rows_.pop_back()) {
            row_.count += rows_.back().count;
            row_.offset = rows_.back().offset;
        }
    }

    // Whether only brackets are missing behind the last row: it is as long as all others, and so is its last
    // number.
    bool is_whole_row() const {
        constexpr std::size_t enough = 2;
        return rows_.size() >= enough && row_.count == columns() && row_.count > 1 &&
               numbers_.back().decimals == numbers_[numbers_.size() - 2].decimals;
    }

    void skip_cut_off() {
        ListProblem& problem = skipped_.emplace_back();
        problem.kind = ListProblem::Kind::cut_off;
        problem.offset = row_.offset;
        problem.found = 1;
        row_ = {};
    }

    // How many numbers most rows have.
    std::size_t columns() const {
        std::map<std::size_t, std::size_t> of_length;
        for (const Row& row : rows_) {
            ++of_length[row.count];
        }
        std::size_t best = 0;
        for (const auto& [length, count] : of_length) {  // of as many, the longer
            best = best == 0 || count >= of_length[best] ? length : best;
        }
        return best;
    }

    bool is_whole(std::size_t number) const {
        return numbers_[number].notation == PrintedNumber::Notation::whole;
    }

    // `1.` of a numbered list is, too.
    bool is_index(std::size_t number) const {
        return is_whole(number) || (numbers_[number].notation == PrintedNumber::Notation::fixed &&
                                    numbers_[number].decimals == 0);
    }

    // Whether a row is a heading that counts the columns, above numbers that are not whole.
    bool counts_columns(const Row& row, const Row& next) const {
        constexpr std::size_t telling = 3;
        if (row.count < telling && !row.labelled) {
            return false;
        }
        for (std::size_t i = 0; i < row.count; ++i) {
            const double expected = numbers_[row.first].value + static_cast<double>(i);
            if (!is_whole(row.first + i) || numbers_[row.first + i].value != expected ||
                is_whole(next.first + i)) {
                return false;
            }
        }
        return numbers_[row.first].value == 0.0 || numbers_[row.first].value == 1.0;
    }

    // Whether the first column counts the rows, beside numbers that are not whole.
    bool counts(const std::vector<Row>& rows, std::size_t columns) const {
        if (columns < 2 || rows.size() < 2) {
            return false;
        }
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const double expected = numbers_[rows[0].first].value + static_cast<double>(i);
            if (!is_index(rows[i].first) || numbers_[rows[i].first].value != expected ||
                is_index(rows[i].first + 1)) {
                return false;
            }
        }
        return true;
    }

    // Cells one below the other, `0 1 0.1646`, each behind its two indices, are rows of a matrix or a
    // triangle.
    void join_cells() {
        constexpr std::size_t least = 4;
        const auto index = [&](std::size_t cell, std::size_t axis) {
            return numbers_[rows_[cell].first + axis].value;
        };
        std::vector<Row> rows;
        std::vector<PrintedNumber> numbers;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const std::size_t first = rows_[i].first;
            if (rows_[i].count != 3 || !is_whole(first) || !is_whole(first + 1) || is_whole(first + 2)) {
                return;
            }
            const double down = i == 0 ? 0.0 : index(i, 0) - index(i - 1, 0);
            const double right = i == 0 ? 0.0 : index(i, 1) - index(i - 1, 1);
            if (i == 0 || (down == 1.0 && index(i, 1) == index(0, 1))) {
                rows.push_back({.offset = rows_[i].offset, .first = numbers.size(), .count = 1});
            } else if (down == 0.0 && right == 1.0) {
                ++rows.back().count;
            } else {
                return;
            }
            numbers.push_back(numbers_[first + 2]);
        }
        const bool even =
            std::ranges::all_of(rows, [&](const Row& row) { return row.count == rows[0].count; });
        if (rows_.size() >= least && (even || is_triangle(rows))) {
            rows_ = std::move(rows);
            numbers_ = std::move(numbers);
        }
    }

    // Whether each row has one number more than the one above.
    static bool is_triangle(const std::vector<Row>& rows) {
        constexpr std::size_t least = 3;
        const auto does_not_grow = [](const Row& above, const Row& row) {
            return row.count != above.count + 1;
        };
        return rows.size() >= least && std::ranges::adjacent_find(rows, does_not_grow) == rows.end();
    }

    // LibTorch and MATLAB print a common power of ten once, above the rows.
    void scale() {
        if (rows_.size() < 2 || !rows_[0].scales) {
            return;
        }
        const double by = numbers_[rows_[0].first].value;
        const double exponent = std::log10(by);
        constexpr double furthest = 30.0;
        if (exponent != std::trunc(exponent) || std::abs(exponent) > furthest) {
            return;
        }
        rows_.erase(rows_.begin());
        for (PrintedNumber& number : numbers_) {
            const double decimals = static_cast<double>(number.decimals) - exponent;
            if (number.notation != PrintedNumber::Notation::word && decimals >= 0.0) {
                number.value *= by;
                number.decimals = static_cast<std::uint8_t>(decimals);
            }
        }
    }

    // Above the diagonal of a triangle there are zeros.
    void fill_triangle() {
        const std::size_t width = rows_.back().count;
        if (!is_triangle(rows_) || width * rows_.size() > room_) {
            return;
        }
        std::vector<PrintedNumber> filled;
        for (Row& row : rows_) {
            const auto begin = numbers_.begin() + static_cast<std::ptrdiff_t>(row.first);
            row.first = filled.size();
            filled.insert(filled.end(), begin, begin + static_cast<std::ptrdiff_t>(row.count));
            PrintedNumber zero = filled.back();
            zero.value = 0.0;
            filled.insert(filled.end(), width - row.count, zero);
            row.count = width;
        }
        numbers_ = std::move(filled);
    }

    PrintedRows together() {
        scale();
        join_cells();
        fill_triangle();
        const std::size_t width = columns();
        std::vector<Row> kept;
        for (const Row& row : rows_) {
            bool whole = true;
            for (std::size_t i = 0; i < row.count; ++i) {
                whole = whole && is_whole(row.first + i);
            }
            if (row.count == width) {
                kept.push_back(row);
            } else if (!(whole && kept.empty())) {  // a heading that counts the columns
                ListProblem& problem = skipped_.emplace_back();
                problem.kind = ListProblem::Kind::other_length;
                problem.offset = row.offset;
                problem.found = row.count;
                problem.expected = width;
            }
        }
        if (kept.size() > 1 && counts_columns(kept[0], kept[1])) {
            kept.erase(kept.begin());
        }
        PrintedRows read{.list = {}, .skipped = std::move(skipped_), .rows = kept.size()};
        const std::size_t index = counts(kept, width) ? 1 : 0;
        for (const Row& row : kept) {
            for (std::size_t i = index; i < row.count; ++i) {
                read.list.numbers.push_back(numbers_[row.first + i]);
                read.fractions = read.fractions || !is_whole(row.first + i);
            }
        }
        const std::size_t columns = width - index;
        read.list.shown = kept.size() == 1              ? Shape{columns}
                          : columns == 1 && !bracketed_ ? Shape{kept.size()}
                                                        : Shape{kept.size(), columns};
        read.list.end = end_;
        return read;
    }

    std::string_view text_;
    std::size_t at_;
    std::size_t end_;  // of the last line that belongs to the rows
    std::size_t room_;
    bool lists_;
    std::size_t line_begin_ = 0;
    std::size_t line_end_ = 0;
    bool bracketed_ = false;
    bool too_many_ = false;
    std::vector<PrintedNumber> numbers_;
    std::vector<Row> rows_;
    Row row_;
    std::vector<ListProblem> skipped_;
};

}  // namespace

std::optional<PrintedRows> read_rows(std::string_view text, std::size_t at, std::size_t room, bool lists) {
    return RowsReader(text, at, room, lists).read();
}

}  // namespace attn
