#include "printed/assembly.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "text/ascii.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

// How many numbers a row has, and where it is shortened. The commonest form is that of a tensor's rows; of
// two that are equally common, the longer.
using Form = std::pair<std::size_t, std::optional<std::size_t>>;

Form form_of(const Row& row) {
    return {row.count(), row.gap};
}

Form common_form(const std::vector<Row>& rows) {
    std::map<Form, std::size_t> times;
    for (const Row& row : rows) {
        times[form_of(row)] += row.misread || row.is_cut ? 0 : 1;
    }
    const auto fewer = [](const auto& a, const auto& b) { return a.second <= b.second; };
    return std::ranges::max_element(times, fewer)->first;
}

// True if a row at the end of the text is complete: its last number has as many digits as the others.
bool is_whole(const Row& row, std::size_t width) {
    return row.count() == width && width > 1 &&
           row.numbers[width - 1].number.decimals == row.numbers[width - 2].number.decimals;
}

// True if a line consists of column numbers, and the numbers below are not whole.
bool counts_columns(const Row& row, const Row& next) {
    double expected = row.numbers[0].number.value;
    return row.count() > 1 && (expected == 0.0 || expected == 1.0) &&
           std::ranges::none_of(next.numbers, &Token::is_whole) &&
           std::ranges::all_of(row.numbers, [&](const Token& token) {
               return token.is_whole() && token.number.value == expected++;
           });
}

// True if the first column counts the lines, and the other numbers are not whole. `1.` counts, too.
bool counts_rows(const std::vector<Row>& rows) {
    if (rows.size() < 2 || rows[0].count() < 2) {
        return false;
    }
    double expected = rows[0].numbers[0].number.value;
    return std::ranges::all_of(rows, [&](const Row& row) {
        return row.numbers[0].number.decimals == 0 && row.numbers[0].number.value == expected++ &&
               row.numbers[1].number.decimals != 0;
    });
}

// Sets the shape by the brackets between rows of this width. Returns false if blocks of rows differ.
bool set_shape(std::vector<Row>& rows, std::size_t width, PrintedTensor& tensor) {
    std::size_t rank = std::max({std::size_t{1}, rows.front().opens, rows.back().closes});
    for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
        rows[i].closes = std::max<std::size_t>(rows[i].closes, 1);
        rank = std::max(rank, rows[i].closes + 1);
    }
    rows.back().closes = rank;
    if (rank > Shape::max_read_rank) {
        return false;
    }
    std::vector<std::size_t> sizes(rank);
    std::vector<std::size_t> counts(rank);  // of the items of the block that is open
    for (const Row& row : rows) {
        counts.back() = width;
        for (std::size_t closed = 1; closed <= row.closes; ++closed) {
            const std::size_t axis = rank - closed;
            const std::size_t count = std::exchange(counts[axis], 0);
            if (sizes[axis] != 0 && sizes[axis] != count) {
                return false;
            }
            sizes[axis] = count;
            if (axis > 0) {
                ++counts[axis - 1];
                tensor.gaps[axis - 1] = row.gap_after == closed ? counts[axis - 1] : tensor.gaps[axis - 1];
            }
        }
    }
    tensor.gaps[rank - 1] = rows[0].gap;
    tensor.shown = Shape(sizes);
    return true;
}

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

// Returns the text before a token in its line.
std::string_view before(const Paste& paste, const Token& token) {
    constexpr std::size_t longest = 80;
    const std::size_t length = std::min(token.begin - paste.lines[token.line].begin, longest);
    return paste.text.substr(token.begin - length, length);
}

std::string stem(const std::string& name) {
    return name.substr(0, name.find('['));
}

// Returns how many such tensors one after the other it takes to join them, or 0 if these two are not joined.
std::size_t count_needed(const Paste& paste, const PlacedTensor& above, const PlacedTensor& below) {
    const Shape& shape = above.tensor.shown;
    const Token& first = paste[below.begin];
    const Token& last = paste[above.end - 1];
    if (below.tensor.shown != shape || below.tensor.gaps != above.tensor.gaps || shape.rank() > 1) {
        return 0;
    }
    if (shape.rank() == 0) {
        // On one line, `tensor(0.1) tensor(0.2)` and the parts of a tuple are different results.
        const bool in_calls = paste[above.begin].kind == TokenKind::word;
        const bool are_apart =
            in_calls && (!paste[above.end].is(",") || paste.text[paste.lines[first.line].begin] == '(');
        const std::size_t lines = below.tensor.line - above.tensor.line;
        return lines == 1 || (lines == 0 && !are_apart) ? 3 : 0;
    }
    const std::string_view rest = paste.text.substr(last.end, paste.lines[last.line].end - last.end);
    if (shape[0] == 1 || paste.lines[first.line].number != paste.lines[last.line].number + 1 ||
        rest.find_first_not_of(" \t\r,;.)|\\") != std::string_view::npos) {
        return 0;
    }
    const RowLabel label = row_label(before(paste, paste[above.begin]));
    const RowLabel next = row_label(before(paste, first));
    if (next.words != label.words) {
        return 0;
    }
    return !next.number ? 4 : label.number && *next.number == *label.number + 1 ? 2 : 0;
}

PrintedTensor together(std::span<PlacedTensor> run) {
    PrintedTensor tensor = std::move(run[0].tensor);
    for (const PlacedTensor& placed : run.subspan(1)) {
        const PrintedTensor& next = placed.tensor;
        tensor.numbers.insert(tensor.numbers.end(), next.numbers.begin(), next.numbers.end());
        tensor.mended = tensor.mended || next.mended;
        if (!next.name.empty()) {
            tensor.name = stem(next.name) == stem(tensor.name) ? stem(next.name) : "";
        }
    }
    if (run.size() > 1) {
        tensor.gaps = {std::nullopt, tensor.gaps[0]};
        tensor.shown = tensor.shown.rank() == 0 ? Shape{run.size()} : Shape{run.size(), tensor.shown[0]};
        tensor.grad_fn = "";
    }
    settle_precision(tensor.numbers);
    return tensor;
}

}  // namespace

Message leftover_text(const Leftover& leftover, std::string_view text) {
    constexpr std::size_t longest = 24;
    const std::string_view rest = text.substr(leftover.offset, longest);
    const auto word = in_quotes(rest.substr(0, std::min(rest.find_first_of(",] \t\r\n)", 1), rest.size())));
    const bool one = leftover.found == 1;
    using enum Leftover::Kind;
    switch (leftover.kind) {
        case cut_off:
            return Message(one ? "the text was cut off inside a tensor; {} closing bracket is missing."
                               : "the text was cut off inside a tensor; {} closing brackets are missing.",
                           leftover.found);
        case no_number:
            return Message("{} is not a number.", word);
        case other_length:
            return Message(one ? "{} number here, where the other rows have {}."
                               : "{} numbers here, where the other rows have {}.",
                           leftover.found, leftover.expected);
        case not_used:
            break;
    }
    return Message("{} is not part of a tensor and is not compared.", word);
}

PlacedTensor assembled(PastedRows rows, std::size_t text_size) {
    using enum Leftover::Kind;
    PlacedTensor placed{.end = rows.end};
    const Form form = rows.all.empty() ? Form() : common_form(rows.all);
    std::vector<Row> kept;
    for (Row& row : rows.all) {
        const std::size_t begin = row.count() > 0 ? row.numbers[0].begin : row.misread.value_or(0);
        if (row.is_cut && (rows.all.size() < 3 || !is_whole(row, form.first))) {
            placed.leftovers.push_back({cut_off, begin, static_cast<std::size_t>(rows.missing)});
        } else if (row.misread) {
            placed.leftovers.push_back({no_number, *row.misread});
        } else if (form_of(row) == form) {
            kept.push_back(std::move(row));
        } else if (!rows.are_lines || !kept.empty() || !std::ranges::all_of(row.numbers, &Token::is_whole)) {
            placed.leftovers.push_back({other_length, begin, row.count(), form.first});
        }  // otherwise it is a heading that counts the columns
    }
    if (rows.missing > 0 && placed.leftovers.empty()) {
        placed.leftovers.push_back({cut_off, text_size, static_cast<std::size_t>(rows.missing)});
    }
    if (kept.empty()) {
        return placed;
    }
    if (rows.are_lines && kept.size() > 1 && counts_columns(kept[0], kept[1])) {
        kept.erase(kept.begin());
    }
    const std::size_t index = rows.are_lines && counts_rows(kept) ? 1 : 0;
    for (const Row& row : kept) {
        std::for_each(row.numbers.begin() + std::ptrdiff_t(index), row.numbers.end(),
                      [&](const Token& token) { placed.add(token); });
    }
    const std::size_t columns = form.first - index;
    PrintedTensor& tensor = placed.tensor;
    if (rows.are_lines || kept.size() != rows.all.size() || !set_shape(kept, columns, tensor)) {
        const bool is_vector = kept.size() == 1 || (columns == 1 && rows.are_lines);
        tensor.shown = is_vector ? Shape{placed.count()} : Shape{kept.size(), columns};
        tensor.gaps = {};
    }
    return placed;
}

std::vector<PrintedTensor> join_runs(std::span<PlacedTensor> placed, const Paste& paste, bool joins) {
    std::vector<PrintedTensor> joined;
    while (!placed.empty()) {
        const std::size_t needed = joins && placed.size() > 1 ? count_needed(paste, placed[0], placed[1]) : 0;
        std::size_t count = 1;
        while (needed > 0 && count < placed.size() &&
               count_needed(paste, placed[count - 1], placed[count]) == needed) {
            ++count;
        }
        count = count < needed ? 1 : count;
        joined.push_back(together(placed.first(count)));
        placed = placed.subspan(count);
    }
    return joined;
}

}  // namespace attn
