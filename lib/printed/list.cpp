// Reads a list bracket by bracket, with one counter per axis. At each depth, the first row sets the size; a
// later row of a different size is reported at its end. Reading stops at the fifth nested bracket. So if a
// caller tries every bracket, no part of the text is read more than five times.
#include "printed/list.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "text/printable.hpp"

namespace attn {

namespace {

class ListReader {
    using enum ListProblem::Kind;

public:
    ListReader(std::span<const Token> tokens, std::size_t at, std::size_t text_size)
        : tokens_(tokens), at_(at), text_size_(text_size) {}

    std::variant<PlacedTensor, ListProblem> read() {
        const bool bracket = at_ < tokens_.size() && tokens_[at_].opens();
        if (bracket ? !brackets() : !number()) {
            return problem_;
        }
        std::vector<std::size_t> sizes;
        for (std::size_t axis = 0; axis < rank_; ++axis) {
            sizes.push_back(rows_[axis].size);
        }
        list_.tensor.shown = Shape(sizes);
        list_.end = at_;
        return std::move(list_);
    }

private:
    // A row that is open, and the number of items of the first row at its depth.
    struct Row {
        std::size_t opening = 0;  // the bracket's position in the text
        char bracket = '[';
        std::size_t count = 0;
        std::optional<std::size_t> gap{};
        std::size_t size = 0;  // how many items the first row has; 0 until it is closed
    };

    std::size_t place() const { return at_ < tokens_.size() ? tokens_[at_].begin : text_size_; }

    bool fail(ListProblem::Kind kind, std::size_t offset, std::size_t found = 0, std::size_t expected = 0) {
        const bool meant = problem_.meant || !list_.tensor.numbers.empty();
        problem_ = {kind, offset, found, expected, meant, at_};
        return false;
    }

    bool brackets() {
        // True where no comma may come: at the beginning of a row, and after a comma.
        bool comma = true;
        do {
            if (at_ == tokens_.size()) {
                return fail(cut_off, text_size_, depth_);
            }
            const Token& token = tokens_[at_];
            bool is_item = true;
            if (token.is(",")) {
                if (comma) {
                    return fail(stray_comma, token.begin);
                }
                is_item = false;
                ++at_;
            } else if (token.kind == TokenKind::gap || is_remark()) {
                Row& row = rows_[depth_ - 1];
                if (row.gap) {
                    return fail(second_gap, token.begin);
                }
                row.gap = row.count;
                at_ = end_of_words(at_ + 1) + (token.opens() ? 1 : 0);
            } else if (token.is(";")) {  // Rust's `Tensor[0.1, 0.2; f64]`
                if (depth_ != 1 || !is_word(at_ + 1)) {
                    return fail(no_number, token.begin);
                }
                at_ += 2;
                is_item = !comma;
            } else if (token.is("#") && skip_comment()) {
                is_item = !comma;
            } else if (token.opens()) {
                is_item = false;
                if (!open()) {
                    return false;
                }
            } else if (token.closes() ? !close() : !item()) {
                return false;
            }
            comma = !is_item;
        } while (depth_ > 0);
        return true;
    }

    bool is_word(std::size_t at) const { return at < tokens_.size() && tokens_[at].kind == TokenKind::word; }

    // Returns the end of words after this token, such as `... and so on ...`: a bracket, or the line's end.
    std::size_t end_of_words(std::size_t at) const {
        const std::size_t begin = at;
        while (is_word(begin) && at < tokens_.size() && tokens_[at].line == tokens_[at_].line &&
               !tokens_[at].opens() && !tokens_[at].closes()) {
            ++at;
        }
        return at;
    }

    // Returns true for a remark in place of rows, such as `[identical for batch 2]`.
    bool is_remark() const {
        if (!tokens_[at_].opens() || !is_word(at_ + 1) || depth_ == 0 || rows_[depth_ - 1].count == 0) {
            return false;
        }
        const std::size_t end = end_of_words(at_ + 1);
        return end < tokens_.size() && tokens_[end].is("]");
    }

    // Skips the rest of a line and returns true. Returns false for a long rest, because skipping it would be
    // slow.
    bool skip_comment() {
        constexpr std::size_t longest = 200;
        std::size_t end = at_;
        while (end < tokens_.size() && end < at_ + longest && tokens_[end].line == tokens_[at_].line) {
            ++end;
        }
        const bool ends = end < at_ + longest;
        at_ = ends ? end : at_;
        return ends;
    }

    bool open() {
        if (depth_ == Shape::max_read_rank) {
            problem_.meant = true;
            return fail(too_deep, place());
        }
        if (!list_.tensor.numbers.empty() && depth_ == rank_) {
            return fail(bracket_among_numbers, place());
        }
        Row& row = rows_[depth_++];
        row = {.opening = place(), .bracket = tokens_[at_].first, .size = row.size};
        ++at_;
        return true;
    }

    bool close() {
        Row& row = rows_[depth_ - 1];
        constexpr std::string_view brackets = "[](){}";
        const bool fits = brackets[brackets.find(row.bracket) + 1] == tokens_[at_].first;
        if (!fits && (tokens_[at_].first != ')' || rows_[0].bracket == '(')) {
            return fail(no_number, place());
        }
        --depth_;
        at_ += fits ? 1 : 0;  // the end of a call closes all open brackets
        if (row.count == 0) {
            return fail(empty, row.opening);
        }
        if (row.size == 0) {
            row.size = row.count;
            list_.tensor.gaps[depth_] = row.gap;
        } else if (row.size != row.count) {
            const auto kind = depth_ + 1 == rank_ ? uneven_numbers : uneven_rows;
            return fail(kind, row.opening, row.count, row.size);
        } else if (list_.tensor.gaps[depth_] != row.gap) {
            return fail(gap_elsewhere, row.opening);
        }
        if (depth_ > 0) {
            ++rows_[depth_ - 1].count;
        }
        return true;
    }

    bool item() {
        if (list_.tensor.numbers.empty()) {
            rank_ = depth_;
        } else if (rank_ != depth_) {
            const bool counts_line =
                tokens_[at_].is_whole() && at_ + 1 < tokens_.size() && tokens_[at_ + 1].opens();
            if (counts_line) {
                ++at_;
                return true;
            }
            return fail(number_beside_rows, place());
        }
        ++rows_[depth_ - 1].count;
        return number();
    }

    bool number() {
        if (at_ == tokens_.size() || !tokens_[at_].is_number()) {
            return fail(no_number, place());
        }
        constexpr auto truth = PrintedNumber::Notation::truth;
        const auto notation = tokens_[at_].number.notation;
        const std::vector<PrintedNumber>& before = list_.tensor.numbers;
        if (!before.empty() && (notation == truth) != (before.front().notation == truth)) {
            return fail(mixed_truth, place());
        }
        list_.add(tokens_[at_++]);
        return true;
    }

    std::span<const Token> tokens_;
    std::size_t at_;
    std::size_t text_size_;
    std::size_t depth_ = 0;
    std::size_t rank_ = 0;  // the number of axes
    std::array<Row, Shape::max_read_rank> rows_;
    PlacedTensor list_;
    ListProblem problem_;
};

}  // namespace

Message problem_text(const ListProblem& problem, std::string_view text) {
    const auto number_here = [&] {
        constexpr std::size_t longest = 24;
        const std::string_view rest = text.substr(problem.offset, longest);
        return in_quotes(rest.substr(0, std::min(rest.find_first_of(",] \t\r\n)", 1), rest.size())));
    };
    const bool one = problem.found == 1;
    using enum ListProblem::Kind;
    switch (problem.kind) {
        case cut_off:
            return Message(one ? "the text was cut off inside a tensor; {} closing bracket is missing."
                               : "the text was cut off inside a tensor; {} closing brackets are missing.",
                           problem.found);
        case no_number:
            return problem.offset == text.size()
                       ? Message("the text was cut off where a number was expected.")
                       : Message("{} is not a number.", number_here());
        case stray_comma:
            return "a comma with nothing before it.";
        case bracket_among_numbers:
            return "a bracket among numbers; the previous row was cut off, or its closing bracket is "
                   "missing.";
        case number_beside_rows:
            return "a number between rows; a bracket was expected.";
        case too_deep:
            return Message("brackets nested more than {0} deep; tensors have at most {0} axes.",
                           Shape::max_read_rank);
        case empty:
            return "an empty bracket; there is nothing to compare.";
        case uneven_rows:
        case uneven_numbers:
            return Message(
                problem.kind == uneven_rows
                    ? (one ? "{} row here, but {} in the first matrix; all matrices need equally many rows."
                           : "{} rows here, but {} in the first matrix; all matrices need equally many rows.")
                : one ? "{} number here, but {} in the first row; all rows need the same length."
                      : "{} numbers here, but {} in the first row; all rows need the same length.",
                problem.found, problem.expected);
        case other_length:
            return Message(one ? "{} number here, where the other rows have {}."
                               : "{} numbers here, where the other rows have {}.",
                           problem.found, problem.expected);
        case second_gap:
            return "a second ... in one row; a row can have only one.";
        case gap_elsewhere:
            return "... is not in the same place in every row.";
        case mixed_truth:
            return "booleans and numbers in one tensor; use only one of them.";
        case not_used:
            break;
    }
    return Message("{} is not part of a tensor and is not compared.", number_here());
}

std::variant<PlacedTensor, ListProblem> read_list(std::span<const Token> tokens, std::size_t at,
                                                  std::size_t text_size) {
    return ListReader(tokens, at, text_size).read();
}

}  // namespace attn
