#include "printed/runs.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "printed/number.hpp"
#include "text/ascii.hpp"

namespace attn {

namespace {

// The text before a row on its line: `row 3: `, `w[3] = `, `- `.
struct RowLabel {
    std::string words{};                  // the label without digits and blanks
    std::optional<std::size_t> number{};  // the last number in the label
};

RowLabel row_label(std::string_view before) {
    RowLabel label;
    bool in_number = false;
    for (const char c : before) {
        if (is_digit(c)) {
            label.number = (in_number ? 10 * *label.number : 0) + static_cast<std::size_t>(c - '0');
        } else if (c != ' ') {
            label.words += c;
        }
        in_number = is_digit(c);
    }
    // A single word, such as the row's token, may differ from row to row.
    if (label.words.find_first_of(":[](){}<>#=,.;*-|_\"'") + 1 == label.words.size() &&
        label.words.ends_with(':')) {
        label.words = ":";
    }
    return label;
}

std::string stem(const std::string& name) {
    return name.substr(0, name.find('['));
}

class Runs {
public:
    Runs(std::string_view text, std::span<const Line> lines, std::span<const Token> tokens)
        : text_(text), lines_(lines), tokens_(tokens) {}

    std::vector<PrintedTensor> join(std::span<PlacedTensor> placed) const {
        std::vector<PrintedTensor> joined;
        while (!placed.empty()) {
            std::vector<std::size_t> outer = sort_blocks(placed);
            std::size_t count = Shape(outer).count();
            if (outer.empty()) {
                const std::size_t needed = placed.size() > 1 ? count_needed(placed[0], placed[1]) : 0;
                while (needed > 0 && count < placed.size() &&
                       count_needed(placed[count - 1], placed[count]) == needed) {
                    ++count;
                }
                count = count < needed ? 1 : count;
                if (count > 1) {
                    outer = {count};
                }
            }
            joined.push_back(together(placed.first(count), std::move(outer)));
            placed = placed.subspan(count);
        }
        return joined;
    }

private:
    // The matrices of LibTorch and R have labels with the indices of the outer axes, from 1: `(2,1,.,.) =`.
    // Returns them, or nothing for other names.
    static std::vector<std::size_t> block_indices(const PlacedTensor& placed) {
        constexpr std::string_view end = ",.,.)";
        constexpr double largest = 1000.0;
        const std::string_view name = placed.tensor.name;
        std::vector<std::size_t> indices;
        if (name.starts_with('(') && name.ends_with(end)) {
            const auto numbers = read_numbers(name.substr(1, name.size() - 1 - end.size()));
            for (const PrintedNumber& number : numbers.value_or(std::vector<PrintedNumber>())) {
                if (number.value >= 1.0 && number.value <= largest) {
                    indices.push_back(static_cast<std::size_t>(number.value));
                }
            }
        }
        return indices;
    }

    // If the first tensors are the matrices of one tensor, sorts them and returns the sizes of its outer
    // axes. LibTorch's first index counts fastest.
    static std::vector<std::size_t> sort_blocks(std::span<PlacedTensor> placed) {
        std::vector<std::size_t> last;
        std::size_t count = 0;
        for (const PlacedTensor& one : placed) {
            const std::vector<std::size_t> indices = block_indices(one);
            const bool follows = last.empty()
                                     ? std::ranges::all_of(indices, [](auto i) { return i == 1; })
                                     : indices.size() == last.size() &&
                                           std::ranges::lexicographical_compare(
                                               last.rbegin(), last.rend(), indices.rbegin(), indices.rend());
            if (indices.empty() || indices.size() + 2 > Shape::max_read_rank || !follows ||
                one.tensor.shown != placed[0].tensor.shown || one.tensor.shown.rank() != 2) {
                break;
            }
            last = indices;
            ++count;
        }
        if (last.empty() || count != Shape(last).count()) {
            return {};
        }
        std::ranges::sort(placed.first(count), {}, block_indices);
        for (PlacedTensor& block : placed.first(count)) {
            block.tensor.name.clear();
        }
        return last;
    }

    // Returns how many such tensors in a row it takes to join them, or 0 if these two are not joined.
    std::size_t count_needed(const PlacedTensor& above, const PlacedTensor& below) const {
        const Shape& shape = above.tensor.shown;
        const Token& first = tokens_[below.begin];
        const Token& last = tokens_[above.end - 1];
        if (below.tensor.shown != shape || below.tensor.gaps != above.tensor.gaps ||
            shape.rank() == Shape::max_read_rank) {
            return 0;
        }
        if (shape.rank() == 0) {
            // On one line, `tensor(0.1) tensor(0.2)` and the parts of a tuple are different results.
            const bool in_calls = tokens_[above.begin].kind == TokenKind::word;
            const bool are_apart =
                in_calls && (!tokens_[above.end].is(",") || text_[lines_[first.line].begin] == '(');
            const std::size_t lines = below.tensor.line - above.tensor.line;
            return lines == 1 || (lines == 0 && !are_apart) ? 3 : 0;
        }
        if (are_siblings(above, below)) {
            return 2;
        }
        const Line& line = lines_[last.line];
        const std::string_view rest =
            text_.substr(last.end, line.end - std::min<std::size_t>(last.end, line.end));
        if (shape.rank() > 1 || shape[0] == 1 || first.line != last.line + 1 || lines_[first.line].apart ||
            rest.find_first_not_of(" \t\r,;.)|\\") != std::string_view::npos) {
            return 0;
        }
        const RowLabel label = row_label(before(tokens_[above.begin]));
        const RowLabel next = row_label(before(first));
        return next.words != label.words                                     ? 0
               : !next.number                                                ? 4
               : *next.number == label.number.value_or(*next.number - 2) + 1 ? 2
                                                                             : 0;
    }

    // Returns true for lists from which the brackets around all of them were cut off. In NumPy's lists
    // without commas, rows are indented below each other.
    bool are_siblings(const PlacedTensor& above, const PlacedTensor& below) const {
        const Token& first = tokens_[below.begin];
        if (!tokens_[above.begin].is("[") || !first.is("[")) {
            return false;
        }
        bool comma = false;
        for (std::size_t at = above.end; at < below.begin; ++at) {
            if (!tokens_[at].is(",]")) {
                return false;
            }
            comma = comma || tokens_[at].is(",");
        }
        const std::size_t begin = lines_[first.line].begin;
        return comma || (above.end == below.begin && first.line == tokens_[above.end - 1].line + 1 &&
                         first.begin == begin && text_[begin - 1] == ' ');
    }

    std::string_view before(const Token& token) const {
        constexpr std::size_t longest = 80;
        const std::size_t begin = lines_[token.line].begin;
        const std::size_t length = std::min(token.begin - begin, longest);
        return text_.substr(token.begin - length, length);
    }

    // Joins tensors along new axes of these sizes.
    static PrintedTensor together(std::span<PlacedTensor> run, std::vector<std::size_t> outer) {
        PrintedTensor tensor = std::move(run[0].tensor);
        for (const PlacedTensor& placed : run.subspan(1)) {
            const PrintedTensor& next = placed.tensor;
            tensor.numbers.insert(tensor.numbers.end(), next.numbers.begin(), next.numbers.end());
            tensor.mended = tensor.mended || next.mended;
            if (!next.name.empty()) {
                tensor.name = stem(next.name) == stem(tensor.name) ? stem(next.name) : "";
            }
        }
        if (!outer.empty()) {
            std::rotate(tensor.gaps.begin(), tensor.gaps.end() - static_cast<std::ptrdiff_t>(outer.size()),
                        tensor.gaps.end());
            outer.insert(outer.end(), tensor.shown.begin(), tensor.shown.end());
            tensor.shown = Shape(outer);
            tensor.grad_fn = "";
        }
        settle_precision(tensor.numbers);
        return tensor;
    }

    std::string_view text_;
    std::span<const Line> lines_;
    std::span<const Token> tokens_;
};

}  // namespace

std::vector<PrintedTensor> join_runs(std::span<PlacedTensor> placed, std::string_view text,
                                     std::span<const Line> lines, std::span<const Token> tokens) {
    return Runs(text, lines, tokens).join(placed);
}

}  // namespace attn
