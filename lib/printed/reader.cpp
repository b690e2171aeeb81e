// Decodes a paste, removes the margins of its lines, splits it into tokens, and then goes through the tokens
// once. At every token, rows of numbers and a sentence with numbers are tried. At the end, numbers outside
// all tensors are reported.
#include "printed/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "files/located.hpp"
#include "printed/assembly.hpp"
#include "printed/decode.hpp"
#include "printed/json_arrays.hpp"
#include "printed/names.hpp"
#include "printed/rows.hpp"
#include "tensor/error.hpp"
#include "text/ascii.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

class Reader {
public:
    Reader(std::string_view text, std::string_view origin)
        : text_(text), origin_(origin), lines_(lines_of(text)), tokens_(tokens_of(text, lines_)) {
        if (tokens_.size() > max_tokens) {
            throw OverLimit(
                Message("{}: {}", printable(origin),
                        Message("more than {} words, numbers and signs, the limit for text; paste "
                                "only the tensors, or save them with np.save.",
                                max_tokens)));
        }
    }

    PrintedText read(bool joins_rows) {
        while (at_ < tokens_.size()) {
            if (!(begins_line() && read_lines()) && !read_brackets() && !read_sentence()) {
                ++at_;
            }
        }
        if (placed_.empty() && nearest_) {
            fail_at(text_, nearest_->offset, origin_, leftover_text(*nearest_, text_));
        }
        if (!placed_.empty()) {
            report_unused();
        }
        return {join_runs(placed_, text_, lines_, tokens_, joins_rows), messages(), leaves_out_};
    }

private:
    using enum TokenKind;

    bool begins_line() const { return at_ == 0 || tokens_[at_ - 1].line != tokens_[at_].line; }

    std::size_t line_end(std::size_t at) const {
        const auto behind = [](std::size_t line, const Token& token) { return line < token.line; };
        const auto end =
            std::upper_bound(tokens_.begin() + std::ptrdiff_t(at), tokens_.end(), tokens_[at].line, behind);
        return static_cast<std::size_t>(end - tokens_.begin());
    }

    bool is(std::size_t at, std::string_view signs) const {
        return at < tokens_.size() && tokens_[at].is(signs);
    }

    bool is_number(std::size_t at) const { return at < tokens_.size() && tokens_[at].is_number(); }

    bool is_whole_text(const PlacedTensor& read) const { return at_ == 0 && read.end == tokens_.size(); }

    // ---- rows -------------------------------------------------------------------------------------------

    bool read_lines() {
        if (may_begin_list(at_) && !tokens_[at_].is("[")) {
            return false;
        }
        PastedRows rows = rows_.in_lines(at_);
        if (rows.all.empty()) {
            return false;
        }
        PlacedTensor read = assembled(std::move(rows), text_.size());
        const bool is_tensor = is_whole_text(read) || (read.has_fractions() && read.count() > 1);
        take(std::move(read), is_tensor, false, false);
        return true;
    }

    // Returns true for `[`, for `{{` of C++ and `((` of tuples; but not after a name, where a bracket begins
    // an index.
    bool may_begin_list(std::size_t at) const {
        const Token& token = tokens_[at];
        const char before = token.begin == 0 ? ' ' : text_[token.begin - 1];
        return token.opens() && (token.is("[") || is(at + 1, {&token.first, 1})) &&
               !is_word_character(before) && !is_one_of(before, ")]\"'");
    }

    // Reads a list that begins at this token, or a call of tensor(). Returns false if neither begins here.
    bool read_brackets() {
        const bool in_call = begins_call(text_, tokens_, at_);
        const std::size_t first = in_call ? at_ + 2 : at_;
        if (in_call && is_number(first)) {
            PlacedTensor read{.end = first + 1};
            read.add(tokens_[first]);
            take(std::move(read), true, true, true);
            return true;
        }
        if (in_call ? !is(first, "[({") : !may_begin_list(at_)) {
            return false;
        }
        PastedRows rows = rows_.in_brackets(first, in_call);
        const bool is_list = !rows.all.empty();
        rows.end = std::max(rows.end, at_ + 1);
        const bool is_two_deep = is(first, "[") && is(first + 1, "[");
        const bool is_meant = std::ranges::any_of(rows.all, [&](const Row& row) {
            return std::ranges::any_of(row.numbers, [&](const Token& token) {
                return in_call || is_two_deep || token.is_fraction();
            });
        });
        PlacedTensor read = assembled(std::move(rows), text_.size());
        const bool is_tensor = in_call || is_whole_text(read) || read.tensor.shown.rank() > 1 ||
                               (read.has_fractions() && (is(read.end, ",[({])}") || read.count() > 1));
        constexpr std::size_t enough = 3;  // numbers of a list that is damaged
        const bool is_read = is_list && is_tensor && (read.leftovers.empty() || read.count() >= enough);
        take(std::move(read), is_read, in_call, is_meant);
        return true;
    }

    // Adds what was read if it is a tensor: `[3]` may be a citation, and `[6, 6]` a shape. Reports rows that
    // are left out.
    void take(PlacedTensor read, bool is_tensor, bool in_call, bool is_meant) {
        for (const Leftover& one : read.leftovers) {
            nearest_ = nearest_ || !is_meant ? nearest_ : one;
            if (is_tensor || is_meant) {
                leave_out(one);
            }
        }
        if (is_tensor && read.count() > 0) {
            add(at_, in_call, std::move(read));
        } else {
            at_ = read.end;
        }
    }

    // ---- sentences --------------------------------------------------------------------------------------

    // Reads two or more numbers in a sentence: `0.19, 0.16 and 0.17`. One must have at least two decimals,
    // because numbers with fewer are often counts or citations. Reads a single number if it is a result.
    bool read_sentence() {
        if (at_ > 0 && tokens_[at_ - 1].is("[")) {
            return false;  // this is an index, or a list with other content
        }
        PlacedTensor list;
        std::size_t decimals = 0;
        for (std::size_t next = at_; next < tokens_.size() && tokens_[next].line == tokens_[at_].line &&
                                     tokens_[next].is_number() && tokens_[next].number.decimals > 0 &&
                                     tokens_[next].number.decimals != PrintedNumber::exact;) {
            decimals = std::max<std::size_t>(decimals, tokens_[next].number.decimals);
            list.add(tokens_[next]);
            list.end = ++next;
            while (next < tokens_.size() && is_between_numbers(tokens_[next])) {
                ++next;
            }
        }
        if (list.count() > 1) {
            list.tensor.shown = {list.count()};
        }
        if (list.count() > 1 ? decimals < 2 : !is_result(tokens_[at_])) {
            return false;
        }
        add(at_, false, std::move(list));
        return true;
    }

    // Returns true for a number at the end of a line, behind a tensor or a label such as `Sum:` or `Sum ->`.
    // It must have as many decimals as PyTorch prints.
    bool is_result(const Token& token) const {
        constexpr int printed_decimals = 4;
        if (!token.is_fraction() || token.number.decimals < printed_decimals || line_end(at_) != at_ + 1 ||
            begins_line()) {
            return false;
        }
        const Token& before = tokens_[at_ - 1];
        const bool labelled =
            before.is(">=:") && is_one_of(text_[before.end - 1], ">=:") && text_[token.begin - 1] == ' ';
        return labelled ||
               (!placed_.empty() && placed_.back().end == at_ && placed_.back().tensor.shown.rank() > 0);
    }

    bool is_between_numbers(const Token& token) const {
        constexpr std::array<std::string_view, 4> conjunctions{"and", "和", "与", "及"};
        const std::string_view text = text_.substr(token.begin, token.end - token.begin);
        return token.is(",;|&") || std::ranges::find(conjunctions, text) != conjunctions.end();
    }

    // ---- results ----------------------------------------------------------------------------------------

    void add(std::size_t begin, bool in_call, PlacedTensor read) {
        const Token& first = tokens_[begin];
        read.tensor.line = lines_[first.line].number;
        read.tensor.place = fmt::format("line {}", read.tensor.line);
        read.tensor.name = name(first);
        at_ = read.end;
        if (in_call) {
            read_suffixes(read.tensor);
        }
        read.begin = begin;
        read.end = at_;
        placed_.push_back(std::move(read));
    }

    // Searches only the end of the tensor's line, so that a long line does not take longer than many short
    // ones.
    std::string name(const Token& first) const {
        const std::size_t line_begin = lines_[first.line].begin;
        std::size_t begin = first.begin;
        while (begin > line_begin &&
               (is_word_character(text_[begin - 1]) || text_[begin - 1] == '.' || text_[begin - 1] == '(')) {
            --begin;  // skips the call `torch.tensor(` or `tf.Tensor(`
        }
        constexpr std::size_t enough = 200;
        const std::size_t from = std::max(line_begin, begin - std::min(begin, enough));
        return tensor_name(text_.substr(from, begin - from), line_above(first.line));
    }

    // Returns the last line above that may contain a name.
    std::string_view line_above(std::size_t line) const {
        const std::size_t last = placed_.empty() ? 0 : tokens_[placed_.back().end - 1].line;
        while (line > last) {
            const Line& above = lines_[--line];
            const std::string_view said = text_.substr(above.begin, above.end - above.begin);
            const bool is_prompt = said.starts_with("Out[") && said.ends_with("]:");
            const bool goes_on = above.code && said.starts_with("...");
            if (!is_prompt && !goes_on && !said.empty() && said != "Parameter containing:" && said != "```") {
                return said;
            }
        }
        return "";
    }

    // Reads `, grad_fn=<MmBackward0>, dtype=torch.float64)`; anything else is treated as prose.
    void read_suffixes(PrintedTensor& tensor) {
        constexpr std::size_t longest = 100;
        std::size_t depth = 0;
        for (std::size_t at = at_; at < std::min(at_ + longest, tokens_.size()); ++at) {
            const Token& token = tokens_[at];
            depth += token.is("(") ? 1 : 0;
            if (token.is("[")) {
                return;
            }
            if (token.is(")") && depth-- == 0) {
                const std::string_view suffixes =
                    text_.substr(tokens_[at_].begin, token.begin - tokens_[at_].begin);
                tensor.grad_fn = value_of("grad_fn=<", suffixes);
                tensor.dtype = value_of("dtype=", suffixes);
                at_ = at + 1;
                return;
            }
        }
    }

    static std::string value_of(std::string_view key, std::string_view suffixes) {
        const std::size_t at = suffixes.find(key);
        const std::string_view value = at == std::string_view::npos ? "" : suffixes.substr(at + key.size());
        return std::string(value.substr(0, value.find_first_of(",> \n")));
    }

    // ---- problems ---------------------------------------------------------------------------------------

    // Reports numbers that belong neither to a tensor nor to a sentence, if they have as many decimals as
    // PyTorch prints, or are misread.
    void report_unused() {
        auto used = placed_.begin();
        for (std::size_t begin = 0; begin < tokens_.size();) {
            const std::size_t end = line_end(begin);
            std::size_t fractions = 0;
            std::size_t others = 0;
            const Token* printed = nullptr;
            const Token* misread = nullptr;
            for (; begin < end; ++begin) {
                while (used != placed_.end() && used->end <= begin) {
                    ++used;
                }
                const Token& token = tokens_[begin];
                fractions += token.is_fraction() && !is_aside(token) ? 1 : 0;
                others += token.kind == word || token.kind == damaged ? 1 : 0;
                if (used != placed_.end() && used->begin <= begin) {
                    continue;
                }
                constexpr int decimals = 4;
                const bool is_time = token.begin > 0 && text_[token.begin - 1] == ':';
                if (token.is_fraction() && token.number.decimals >= decimals && !is_time &&
                    printed == nullptr) {
                    printed = &token;
                }
                misread = token.kind == damaged && misread == nullptr ? &token : misread;
            }
            if (fractions < others) {
                continue;  // these numbers are in a sentence
            }
            if (misread != nullptr && fractions > 1) {
                leave_out({.kind = Leftover::Kind::no_number, .offset = misread->begin});
            } else if (printed != nullptr) {
                leave_out({.kind = Leftover::Kind::not_used, .offset = printed->begin});
            }
        }
    }

    // Returns true for a number in parentheses within a sentence: "itself (0.4483)".
    bool is_aside(const Token& token) const {
        return token.begin > 0 && text_[token.begin - 1] == '(' && token.end < text_.size() &&
               text_[token.end] == ')' &&
               (token.begin == 1 || text_[token.begin - 2] == ' ' || text_[token.begin - 2] == '\n');
    }

    void leave_out(const Leftover& leftover) {
        skipped_.push_back(leftover);
        leaves_out_ = leaves_out_ || leftover.kind != Leftover::Kind::cut_off;
    }

    // Returns the first problems, in the order of the text, one per line.
    std::vector<Message> messages() {
        constexpr std::size_t most = 20;
        std::ranges::stable_sort(skipped_, {}, &Leftover::offset);
        std::vector<Message> all;
        std::size_t last = 0;
        for (const Leftover& leftover : skipped_) {
            const auto next = std::ranges::upper_bound(lines_, leftover.offset, {}, &Line::begin);
            const std::size_t line = std::prev(next)->number;
            if (line != last && all.size() < most) {
                all.emplace_back("line {}: {}", line, leftover_text(leftover, text_));
                last = line;
            }
        }
        return all;
    }

    std::string_view text_;
    std::string_view origin_;
    std::vector<Line> lines_;
    std::vector<Token> tokens_;
    RowsReader rows_{text_, lines_, tokens_};
    std::size_t at_ = 0;
    std::vector<PlacedTensor> placed_;
    std::vector<Leftover> skipped_;
    bool leaves_out_ = false;
    std::optional<Leftover> nearest_;  // the first row that was meant, for texts without a tensor
};

void check_limits(const std::vector<PrintedTensor>& tensors, std::string_view origin) {
    if (tensors.size() > max_printed_tensors) {
        throw OverLimit(
            Message("{}: more than {} tensors, the limit.", printable(origin), max_printed_tensors));
    }
    std::size_t count = 0;
    for (const PrintedTensor& tensor : tensors) {
        count += tensor.numbers.size();
    }
    if (count > max_printed_numbers) {
        throw OverLimit(Message("{}: {}", printable(origin),
                                Message("more than {} numbers, the limit for text; save them with np.save.",
                                        max_printed_numbers)));
    }
}

}  // namespace

PrintedText read_tensors(std::string_view pasted, std::string_view origin, bool joins_rows) {
    std::string text = decode_paste(pasted, origin);
    PrintedText read;
    read.tensors = read_json_arrays(text, origin);
    if (read.tensors.empty()) {
        text = with_ascii_signs(text);
        read = Reader(text, origin).read(joins_rows);
    }
    if (read.tensors.empty()) {
        throw Error(
            "{}: no tensor found; expected tensor([…]) from PyTorch, array([…]) or [[0.1 0.2] …] from NumPy, "
            "nested lists such as [[0.1, 0.2], [0.3, 0.4]], JSON, or rows of numbers.",
            printable(origin));
    }
    check_limits(read.tensors, origin);
    return read;
}

}  // namespace attn
