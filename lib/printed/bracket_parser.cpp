// A recursive descent over brackets, four deep at most. Sizes are those of the first list at each depth; a
// later one that differs is reported where it ends.
#include "printed/bracket_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "printed/tensor_reader.hpp"
#include "text/ascii.hpp"

namespace attn {

namespace {

constexpr std::string_view ellipsis_sign = "\u2026";
constexpr std::string_view no_break_space = "\u00a0";

std::string plural(std::size_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

class Parser {
public:
    Parser(std::string_view text, std::size_t at, std::size_t room) : text_(text), at_(at), room_(room) {}

    WrittenList parse() {
        if (peek() == '[') {
            list(0);
        } else {
            number();
        }
        std::vector<std::size_t> sizes;
        for (std::size_t axis = 0; axis < rank_; ++axis) {
            sizes.push_back(*sizes_[axis]);
        }
        list_.shown = Shape(sizes);
        list_.end = at_;
        return std::move(list_);
    }

private:
    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    bool at_end() const { return at_ >= text_.size(); }

    bool take(std::string_view word) {
        if (!text_.substr(at_).starts_with(word)) {
            return false;
        }
        at_ += word.size();
        return true;
    }

    [[noreturn]] void fail(std::size_t offset, std::string problem) const {
        throw Unreadable{offset, std::move(problem), !list_.numbers.empty()};
    }

    // Space, comments, and what quotations and commented-out output put before each line.
    void skip() {
        for (;;) {
            at_ = skip_space(text_, at_);
            const std::size_t before = text_.find_last_not_of(" \t", at_ - 1);  // a bracket at least
            const bool begins_line = text_[before] == '\n';
            if (begins_line && (peek() == '>' || peek() == '#' || peek() == '|')) {
                ++at_;
                for (const char c : {'>', '#', '|', '/'}) {
                    at_ += peek() == c ? 1 : 0;
                }
            } else if (peek() == '#') {
                at_ = std::min(text_.find('\n', at_), text_.size());
            } else {
                return;
            }
        }
    }

    void list(std::size_t depth) {
        const std::size_t opening = at_;
        if (depth == Shape::max_rank) {
            const bool meant = !list_.numbers.empty() || may_hold_numbers(text_, at_);
            throw Unreadable{at_,
                             fmt::format("brackets more than {0} deep; tensors of at most {0} axes are read.",
                                         Shape::max_rank),
                             meant};
        }
        if (!list_.numbers.empty() && depth == rank_) {
            fail(
                at_,
                "a bracket among numbers; the row before it was cut off, or its closing bracket is missing.");
        }
        ++at_;
        std::size_t count = 0;
        std::optional<std::size_t> gap;
        bool comma = true;  // whether another item may follow without one: commas may be left out throughout
        for (;;) {
            skip();
            if (at_end()) {
                fail(text_.size(),
                     fmt::format("the text ends inside a tensor, {} short of its end; it was cut off.",
                                 plural(depth + 1, "bracket")));
            }
            if (peek() == ']') {
                ++at_;
                break;
            }
            if (peek() == ',') {
                if (comma) {
                    fail(at_, "a comma where a number or a bracket was expected.");
                }
                comma = true;
                ++at_;
                continue;
            }
            const std::size_t begin = at_;
            const bool dots = take("...") || take(ellipsis_sign);
            if (dots) {
                if (gap) {
                    fail(begin, "a second ... in one row; a summary has one.");
                }
                gap = count;
            } else {
                peek() == '[' ? list(depth + 1) : item(depth);
                ++count;
            }
            comma = false;
        }
        close(depth, opening, count, gap);
    }

    void close(std::size_t depth, std::size_t opening, std::size_t count, std::optional<std::size_t> gap) {
        if (count == 0) {
            fail(opening, "an empty bracket; there is nothing to compare.");
        }
        if (!sizes_[depth]) {
            sizes_[depth] = count;
            list_.gaps[depth] = gap;
            return;
        }
        if (*sizes_[depth] != count) {
            const std::string_view what = depth + 1 == rank_ ? "number" : "row";
            fail(opening, fmt::format("{} here, but {} in the first of these; all must be of one length.",
                                      plural(count, what), *sizes_[depth]));
        }
        if (list_.gaps[depth] != gap) {
            fail(opening, "... stands in another place than in the first row, or in one of them only.");
        }
    }

    void item(std::size_t depth) {
        if (list_.numbers.empty()) {
            rank_ = depth + 1;
        } else if (rank_ != depth + 1) {
            fail(at_, "a number beside rows, where a bracket was expected.");
        }
        number();
    }

    void number() {
        if (list_.numbers.size() == room_) {
            throw Unreadable{
                at_, fmt::format("more than {} numbers, the most that are read.", max_pasted_numbers), true};
        }
        const std::size_t begin = at_;
        try {
            list_.numbers.push_back(read_number(text_, at_));
        } catch (const Unreadable& problem) {
            fail(problem.offset, problem.problem);
        }
        if (list_.numbers.back().boolean != list_.numbers.front().boolean) {
            fail(begin, "truth values and numbers in one tensor; expected one of the two.");
        }
    }

    std::string_view text_;
    std::size_t at_;
    std::size_t room_;
    std::size_t rank_ = 0;
    std::array<std::optional<std::size_t>, Shape::max_rank> sizes_;
    WrittenList list_;
};

}  // namespace

std::size_t skip_space(std::string_view text, std::size_t at) {
    for (;;) {
        if (at < text.size() && (text[at] == ' ' || (text[at] >= '\t' && text[at] <= '\r'))) {
            ++at;
        } else if (text.substr(std::min(at, text.size())).starts_with(no_break_space)) {
            at += no_break_space.size();
        } else {
            return at;
        }
    }
}

bool may_hold_numbers(std::string_view text, std::size_t at) {
    constexpr std::size_t farthest =
        300;  // more brackets and space than there are before a tensor's first number
    text = text.substr(std::min(at, text.size()), farthest);
    at = 0;
    for (std::size_t depth = 0; depth <= Shape::max_rank + 1; ++depth) {
        at = skip_space(text, at);
        if (at == text.size() || text[at] != '[') {
            break;
        }
        ++at;
    }
    const std::string_view rest = text.substr(at);
    constexpr std::array<std::string_view, 14> words{"np.", "inf", "Inf", "nan",    "NaN",    "tru",    "Tru",
                                                     "fal", "Fal", "...", "\u221e", "\u2026", "\u2212", "#"};
    return !rest.empty() &&
           (is_digit(rest[0]) || rest[0] == '-' || rest[0] == '+' || rest[0] == '.' ||
            std::ranges::any_of(words, [&](std::string_view word) { return rest.starts_with(word); }));
}

WrittenList parse_brackets(std::string_view text, std::size_t at, std::size_t room) {
    return Parser(text, at, room).parse();
}

}  // namespace attn
