#include "printed/runs.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "text/ascii.hpp"

namespace attn {

namespace {

// The text before a row on its line: `row 3: `, `w[3] = `, `- `.
struct RowLabel {
    std::string words{};                  // the label with each digit replaced by #
    std::optional<std::size_t> number{};  // the last number in the label

    bool operator==(const RowLabel&) const = default;
};

// Stands for a word that differs from row to row, such as the row's token.
constexpr std::string_view any_word = "@:";

RowLabel row_label(std::string_view before) {
    constexpr std::size_t longest = 80;
    constexpr std::size_t most_digits = 9;
    before = before.substr(before.size() - std::min(before.size(), longest));
    RowLabel label;
    for (std::size_t at = 0; at < before.size();) {
        std::size_t end = at;
        while (end < before.size() && is_digit(before[end])) {
            ++end;
        }
        if (end > at && end - at <= most_digits) {
            label.number = std::stoul(std::string(before.substr(at, end - at)));
            label.words += '#';
        } else {
            label.words += before[at];
        }
        at = std::max(end, at + 1);
    }
    // Indents are ignored, because they depend on the number of digits.
    label.words.erase(0, std::min(label.words.find_first_not_of(' '), label.words.size()));
    const std::size_t word =
        std::min(label.words.find_first_of(" :[](){}<>#=,.;*-|_\"'"), label.words.size());
    if (word > 0 && (label.words.substr(word) == ":" || label.words.substr(word) == ": ")) {
        label.words = any_word;
    }
    return label;
}

// Appends a tensor to the first of a run, along a new first axis.
void append(PrintedTensor& first, const PrintedTensor& next) {
    first.numbers.insert(first.numbers.end(), next.numbers.begin(), next.numbers.end());
    first.mended = first.mended || next.mended;
}

class Runs {
public:
    Runs(std::vector<PlacedTensor> placed, std::string_view text, const std::vector<Line>& lines)
        : placed_(std::move(placed)), text_(text), lines_(lines) {}

    std::vector<PrintedTensor> join() {
        for (std::size_t begin = 0; begin < placed_.size();) {
            const bool scalars = placed_[begin].tensor.shown.rank() == 0;
            begin = scalars ? join_scalars(begin) : join_rows(begin);
        }
        for (PrintedTensor& tensor : joined_) {
            settle_precision(tensor.numbers);
        }
        return std::move(joined_);
    }

private:
    RowLabel label(const PlacedTensor& row) const {
        const std::size_t line_begin = lines_[row.line].begin;
        return row_label(text_.substr(line_begin, row.begin - line_begin));
    }

    // Returns true if a row is directly below another, with nothing between them.
    bool follows(const PlacedTensor& above, const PlacedTensor& row) const {
        const Line& line = lines_[above.last_line];
        const std::string_view rest = text_.substr(above.end, line.end - std::min(above.end, line.end));
        return row.line == above.last_line + 1 && !lines_[row.line].apart &&
               rest.find_first_not_of(" \t\r,;.)|\\") == std::string_view::npos &&
               row.tensor.shown == above.tensor.shown && row.tensor.gaps == above.tensor.gaps;
    }

    std::size_t join_rows(std::size_t begin) {
        const PlacedTensor& head = placed_[begin];
        RowLabel last = label(head);
        std::size_t end = begin + 1;
        if (head.tensor.shown.rank() == 1 && head.tensor.shown[0] > 1) {
            for (; end < placed_.size() && follows(placed_[end - 1], placed_[end]); ++end) {
                RowLabel next = label(placed_[end]);
                if (next.words != last.words ||
                    (next.number && *next.number != last.number.value_or(0) + 1)) {
                    break;
                }
                last = std::move(next);
            }
        }
        constexpr std::size_t many = 4;
        const std::size_t count = end - begin;
        if (count < (last.number ? 2 : many)) {
            joined_.push_back(std::move(placed_[begin].tensor));
            return begin + 1;
        }
        PrintedTensor& first = joined_.emplace_back(std::move(placed_[begin].tensor));
        const bool subscript = last.words.find("[#]") != std::string::npos;
        first.name = subscript                               ? first.name.substr(0, first.name.find('['))
                     : last.number || last.words == any_word ? ""
                                                             : first.name;
        first.shown = {count, first.shown[0]};
        first.gaps[1] = std::exchange(first.gaps[0], std::nullopt);
        first.grad_fn = "";
        for (std::size_t i = begin + 1; i < end; ++i) {
            append(first, placed_[i].tensor);
        }
        return end;
    }

    std::size_t join_scalars(std::size_t begin) {
        constexpr std::size_t least = 3;
        std::size_t end = begin + 1;
        while (end < placed_.size() && placed_[end].tensor.shown.rank() == 0 &&
               placed_[end].tensor.line <= placed_[end - 1].tensor.line + 1) {
            ++end;
        }
        if (end - begin < least) {
            joined_.push_back(std::move(placed_[begin].tensor));
            return begin + 1;
        }
        PrintedTensor& first = joined_.emplace_back(std::move(placed_[begin].tensor));
        for (std::size_t i = begin + 1; i < end; ++i) {
            append(first, placed_[i].tensor);
            first.name = first.name == placed_[i].tensor.name ? first.name : "";
        }
        first.shown = {end - begin};
        return end;
    }

    std::vector<PlacedTensor> placed_;
    std::string_view text_;
    const std::vector<Line>& lines_;
    std::vector<PrintedTensor> joined_;
};

}  // namespace

std::vector<PrintedTensor> join_runs(std::vector<PlacedTensor> placed, std::string_view text,
                                     const std::vector<Line>& lines) {
    return Runs(std::move(placed), text, lines).join();
}

}  // namespace attn
