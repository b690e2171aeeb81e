// Reads on from bracket to bracket with as many counters as there may be axes. Sizes are those of the first
// row at each depth; a later one that differs is reported where it ends. Reading stops at the fifth bracket,
// so that a caller who tries every bracket of a text reads none of it more than five times.
#include "printed/list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "text/printable.hpp"

namespace attn {

namespace {

using Kind = ListProblem::Kind;

constexpr std::string_view no_break_space = "\u00a0";

bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

class ListReader {
public:
    ListReader(std::string_view text, std::size_t at, std::size_t room) : text_(text), at_(at), room_(room) {}

    std::variant<PrintedList, ListProblem> read() {
        if (peek() == '[' ? !brackets() : !number()) {
            return problem_;
        }
        std::vector<std::size_t> sizes;
        for (std::size_t axis = 0; axis < rank_; ++axis) {
            sizes.push_back(rows_[axis].size);
        }
        list_.shown = Shape(sizes);
        list_.end = at_;
        return std::move(list_);
    }

private:
    // The row that is open at a depth, and the first that was.
    struct Row {
        std::size_t opening = 0;
        std::size_t count = 0;
        std::optional<std::size_t> gap;
        std::size_t size = 0;  // items of the first one; 0 until it is closed
    };

    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    bool take(std::string_view word) {
        if (!text_.substr(at_).starts_with(word)) {
            return false;
        }
        at_ += word.size();
        return true;
    }

    bool fail(Kind kind, std::size_t offset, std::size_t found = 0, std::size_t expected = 0) {
        problem_.kind = kind;
        problem_.offset = offset;
        problem_.found = found;
        problem_.expected = expected;
        problem_.meant = problem_.meant || !list_.numbers.empty();
        return false;
    }

    // Space, comments, and what quotations and commented-out output put before each line.
    void skip() {
        for (;;) {
            const std::size_t from = at_;
            at_ = skip_space(text_, at_);
            const bool begins_line = text_.substr(from, at_ - from).find('\n') != std::string_view::npos;
            if (begins_line && (peek() == '>' || peek() == '#' || peek() == '|')) {
                at_ = std::min(text_.find_first_not_of(" \t>#|/", at_), text_.size());
            } else if (peek() != '#' || !skip_comment()) {
                return;
            }
        }
    }

    bool skip_comment() {
        constexpr std::size_t longest = 2000;  // so that looking for its end costs no more
        const std::string_view rest = text_.substr(at_, longest);
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        at_ += end == longest ? 0 : end;
        return end < longest;
    }

    bool brackets() {
        bool comma = true;  // whether a comma may not follow; it may be left out throughout
        do {
            skip();
            const std::size_t begin = at_;
            if (at_ == text_.size()) {
                return fail(Kind::cut_off, at_, depth_);
            }
            if (peek() == '[') {
                if (!open()) {
                    return false;
                }
                comma = true;
            } else if (peek() == ']') {
                ++at_;
                if (!close()) {
                    return false;
                }
                comma = false;
            } else if (peek() == ',') {
                if (comma) {
                    return fail(Kind::stray_comma, at_);
                }
                comma = true;
                ++at_;
            } else if (take("...") || take("\u2026")) {
                if (rows_[depth_ - 1].gap) {
                    return fail(Kind::second_gap, begin);
                }
                rows_[depth_ - 1].gap = rows_[depth_ - 1].count;
                comma = false;
            } else {
                if (!item()) {
                    return false;
                }
                comma = false;
            }
        } while (depth_ > 0);
        return true;
    }

    bool open() {
        if (depth_ == Shape::max_rank) {
            std::size_t behind = at_;
            while (behind < text_.size() && (text_[behind] == '[' || is_space(text_[behind]))) {
                ++behind;
            }
            problem_.resume = behind;
            problem_.meant = read_number(text_, behind).has_value();
            return fail(Kind::too_deep, at_);
        }
        if (!list_.numbers.empty() && depth_ == rank_) {
            return fail(Kind::bracket_among_numbers, at_);
        }
        rows_[depth_].opening = at_;
        rows_[depth_].count = 0;
        rows_[depth_].gap.reset();
        ++depth_;
        ++at_;
        return true;
    }

    bool close() {
        --depth_;
        Row& row = rows_[depth_];
        if (row.count == 0) {
            return fail(Kind::empty, row.opening);
        }
        if (row.size == 0) {
            row.size = row.count;
            list_.gaps[depth_] = row.gap;
        } else if (row.size != row.count) {
            const Kind kind = depth_ + 1 == rank_ ? Kind::uneven_numbers : Kind::uneven_rows;
            return fail(kind, row.opening, row.count, row.size);
        } else if (list_.gaps[depth_] != row.gap) {
            return fail(Kind::gap_elsewhere, row.opening);
        }
        if (depth_ > 0) {
            ++rows_[depth_ - 1].count;
        }
        return true;
    }

    bool item() {
        const std::size_t begin = at_;
        if (list_.numbers.empty()) {
            rank_ = depth_;
        } else if (rank_ != depth_) {
            return fail(Kind::number_beside_rows, begin);
        }
        ++rows_[depth_ - 1].count;
        return number();
    }

    bool number() {
        const std::size_t begin = at_;
        if (list_.numbers.size() == room_) {
            return fail(Kind::too_many, begin);
        }
        const std::optional<PrintedNumber> number = read_number(text_, at_);
        if (!number) {
            return fail(Kind::no_number, begin);
        }
        constexpr auto truth = PrintedNumber::Notation::truth;
        const std::vector<PrintedNumber>& before = list_.numbers;
        if (!before.empty() && (number->notation == truth) != (before.front().notation == truth)) {
            return fail(Kind::mixed_truth, begin);
        }
        list_.numbers.push_back(*number);
        return true;
    }

    std::string_view text_;
    std::size_t at_;
    std::size_t room_;
    std::size_t depth_ = 0;
    std::size_t rank_ = 0;  // of the numbers
    std::array<Row, Shape::max_rank> rows_;
    PrintedList list_;
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
    switch (problem.kind) {
        case Kind::cut_off:
            return Message(
                one ? "the text ends inside a tensor, {} bracket short of its end; it was cut off."
                    : "the text ends inside a tensor, {} brackets short of its end; it was cut off.",
                problem.found);
        case Kind::no_number:
            return problem.offset == text.size()
                       ? Message("the text ends where a number was expected; it was cut off.")
                       : Message("{} is not a number.", number_here());
        case Kind::stray_comma:
            return "a comma with nothing before it.";
        case Kind::bracket_among_numbers:
            return "a bracket among numbers; the row before it was cut off, or its closing bracket is "
                   "missing.";
        case Kind::number_beside_rows:
            return "a number beside rows, where a bracket was expected.";
        case Kind::too_deep:
            return Message("brackets nested more than {0} deep; tensors have at most {0} axes.",
                           Shape::max_rank);
        case Kind::empty:
            return "an empty bracket; there is nothing to compare.";
        case Kind::uneven_rows:
        case Kind::uneven_numbers:
            return Message(
                problem.kind == Kind::uneven_rows
                    ? (one ? "{} row here, but {} in the first of these; all must be of one length."
                           : "{} rows here, but {} in the first of these; all must be of one length.")
                : one ? "{} number here, but {} in the first of these; all must be of one length."
                      : "{} numbers here, but {} in the first of these; all must be of one length.",
                problem.found, problem.expected);
        case Kind::other_length:
            return Message(one ? "{} number here, where the other rows have {}."
                               : "{} numbers here, where the other rows have {}.",
                           problem.found, problem.expected);
        case Kind::second_gap:
            return "a second ... in one row; a summary has one.";
        case Kind::gap_elsewhere:
            return "... stands in another place than in the first row, or in one of them only.";
        case Kind::mixed_truth:
            return "truth values and numbers in one tensor; expected one of the two.";
        case Kind::too_many:
            break;
    }
    return Message("more than {} numbers, the most that are read of a text; save them with np.save.",
                   max_printed_numbers);
}

std::variant<PrintedList, ListProblem> read_list(std::string_view text, std::size_t at, std::size_t room) {
    return ListReader(text, at, room).read();
}

std::optional<std::vector<PrintedNumber>> read_numbers(std::string_view text) {
    std::vector<PrintedNumber> numbers;
    for (std::size_t at = skip_space(text, 0); at < text.size(); at = skip_space(text, at)) {
        if (!numbers.empty() && text[at] == ',') {
            at = skip_space(text, at + 1);
        }
        const std::optional<PrintedNumber> number = read_number(text, at);
        if (!number) {
            return std::nullopt;
        }
        numbers.push_back(*number);
    }
    return numbers;
}

std::size_t skip_space(std::string_view text, std::size_t at) {
    for (;;) {
        if (at < text.size() && is_space(text[at])) {
            ++at;
        } else if (text.substr(std::min(at, text.size())).starts_with(no_break_space)) {
            at += no_break_space.size();
        } else {
            return at;
        }
    }
}

}  // namespace attn
