// Decodes a paste, removes the margins of its lines, splits it into tokens, and then goes through the tokens
// once. At every token, rows of numbers and a sentence with numbers are tried. At the end, numbers outside
// all tensors are reported.
#include "printed/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
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
    Reader(std::string_view text, std::string_view origin) : paste_(text), origin_(origin) {
        if (paste_.tokens.size() > max_tokens) {
            throw OverLimit(
                Message("{}: {}", printable(origin),
                        Message("more than {} words, numbers and signs, the limit for text; paste "
                                "only the tensors, or save them with np.save.",
                                max_tokens)));
        }
    }

    PrintedText read(bool joins_rows) {
        while (at_ < paste_.tokens.size()) {
            if (!read_lines() && !read_brackets() && !read_sentence()) {
                ++at_;
            }
        }
        if (!placed_.empty()) {
            report_unused();
        } else if (!leftovers_.empty()) {
            fail_at(paste_.text, leftovers_[0].offset, origin_, leftover_text(leftovers_[0], paste_.text));
        }
        const bool leaves_out = std::ranges::any_of(
            leftovers_, [](const Leftover& one) { return one.kind != Leftover::Kind::cut_off; });
        return {join_runs(placed_, paste_, joins_rows), messages(), leaves_out};
    }

private:
    bool is_whole_text(const PlacedTensor& read) const {
        return at_ == 0 && read.end == paste_.tokens.size();
    }

    // ---- rows -------------------------------------------------------------------------------------------

    bool read_lines() {
        if (!paste_.begins_line(at_) || (may_begin_list() && !paste_[at_].is("["))) {
            return false;
        }
        PastedRows rows = rows_in_lines(paste_, at_);
        if (rows.all.empty()) {
            return false;
        }
        PlacedTensor read = assembled(std::move(rows), paste_.text.size());
        const bool is_tensor = is_whole_text(read) || (read.has_fractions() && read.count() > 1);
        take(std::move(read), is_tensor, false);
        return true;
    }

    // Returns true for `[`, for `{{` of C++ and `((` of tuples; but not after a name, where a bracket begins
    // an index.
    bool may_begin_list() const {
        const Token& token = paste_[at_];
        const char before = token.begin == 0 ? ' ' : paste_.text[token.begin - 1];
        return token.opens() && (token.is("[") || paste_[at_ + 1].is({&token.first, 1})) &&
               !is_word_character(before) && !is_one_of(before, ")]\"'");
    }

    // Reads a list that begins at this token, or a call of tensor(). Returns false if neither begins here.
    bool read_brackets() {
        const bool in_call = paste_.begins_call(at_);
        const std::size_t first = in_call ? at_ + 2 : at_;
        if (in_call && paste_[first].is_number()) {
            PlacedTensor read{.end = first + 1};
            read.add(paste_[first]);
            read_suffixes(read);
            add(std::move(read));
            return true;
        }
        if (in_call ? !paste_[first].opens() : !may_begin_list()) {
            return false;
        }
        PlacedTensor read = assembled(rows_in_brackets(paste_, first, in_call), paste_.text.size());
        const bool is_two_deep = paste_[first].is("[") && paste_[first + 1].is("[");
        const bool is_meant =
            std::any_of(paste_.tokens.begin() + std::ptrdiff_t(first),
                        paste_.tokens.begin() + std::ptrdiff_t(read.end), [&](const Token& token) {
                            return token.is_fraction() || (token.is_number() && (in_call || is_two_deep));
                        });
        const bool is_tensor = in_call || is_whole_text(read) || read.tensor.shown.rank() > 1 ||
                               (read.has_fractions() && (paste_[read.end].is(",[({])}") || read.count() > 1));
        constexpr std::size_t enough = 3;  // numbers of a list that is damaged
        const bool is_read = is_tensor && (read.leftovers.empty() || read.count() >= enough);
        if (in_call && is_read) {
            read_suffixes(read);
        }
        take(std::move(read), is_read, is_meant);
        return true;
    }

    // Adds what was read if it is a tensor: `[3]` may be a citation, and `[6, 6]` a shape. Reports rows that
    // are left out.
    void take(PlacedTensor read, bool is_tensor, bool is_meant) {
        if (is_tensor || is_meant) {
            leftovers_.insert(leftovers_.end(), read.leftovers.begin(), read.leftovers.end());
        }
        if (is_tensor && read.count() > 0) {
            add(std::move(read));
        } else {
            at_ = read.end;
        }
    }

    // ---- sentences --------------------------------------------------------------------------------------

    // Reads two or more numbers in a sentence: `0.19, 0.16 and 0.17`. One must have at least two decimals,
    // because numbers with fewer are often counts or citations. Reads a single number if it is a result.
    bool read_sentence() {
        if (paste_[at_ - 1].is("[")) {
            return false;  // this is an index, or a list with other content
        }
        PlacedTensor list;
        int decimals = 0;
        for (std::size_t next = at_; paste_[next].line == paste_[at_].line && has_decimals(paste_[next]);) {
            decimals = std::max<int>(decimals, paste_[next].number.decimals);
            list.add(paste_[next]);
            list.end = ++next;
            while (is_between_numbers(paste_[next])) {
                ++next;
            }
        }
        if (list.count() > 1) {
            list.tensor.shown = {list.count()};
        }
        if (list.count() > 1 ? decimals < 2 : !is_result()) {
            return false;
        }
        add(std::move(list));
        return true;
    }

    static bool has_decimals(const Token& token) {
        return token.number.decimals > 0 && token.number.decimals != PrintedNumber::exact;
    }

    // Returns true for a number with as many decimals as PyTorch prints.
    static bool is_printed(const Token& token) {
        constexpr int printed_decimals = 4;
        return token.is_fraction() && token.number.decimals >= printed_decimals;
    }

    // Returns true for a printed number at the end of a line, behind a tensor or a label such as `Sum:` or
    // `Sum ->`.
    bool is_result() const {
        if (!is_printed(paste_[at_]) || !paste_.begins_line(at_ + 1) || paste_.begins_line(at_)) {
            return false;
        }
        const bool is_labelled = paste_[at_ - 1].is(">=:") && paste_.text[paste_[at_].begin - 1] == ' ';
        return is_labelled ||
               (!placed_.empty() && placed_.back().end == at_ && placed_.back().tensor.shown.rank() > 0);
    }

    bool is_between_numbers(const Token& token) const {
        const std::string_view word = paste_.text_of(token);
        return token.is(",;|&") || word == "and" || word == "和" || word == "与" || word == "及";
    }

    // ---- results ----------------------------------------------------------------------------------------

    // Adds a tensor that begins here.
    void add(PlacedTensor read) {
        const Token& first = paste_[at_];
        read.tensor.line = paste_.lines[first.line].number;
        read.tensor.place = fmt::format("line {}", read.tensor.line);
        read.tensor.name = name(first);
        read.begin = at_;
        at_ = read.end;
        placed_.push_back(std::move(read));
    }

    // Searches only the end of the tensor's line, so that a long line does not take longer than many short
    // ones.
    std::string name(const Token& first) const {
        const std::size_t line_begin = paste_.lines[first.line].begin;
        std::string_view before = paste_.text.substr(line_begin, first.begin - line_begin);
        while (!before.empty() && (is_word_character(before.back()) || is_one_of(before.back(), ".("))) {
            before.remove_suffix(1);  // the call `torch.tensor(` or `tf.Tensor(`
        }
        constexpr std::size_t enough = 200;
        return tensor_name(before.substr(before.size() - std::min(before.size(), enough)),
                           line_above(first.line));
    }

    // Returns the last line above that may contain a name.
    std::string_view line_above(std::size_t line) const {
        const std::size_t last = placed_.empty() ? 0 : paste_[placed_.back().end - 1].line;
        while (line > last) {
            const Line& above = paste_.lines[--line];
            const std::string_view said = paste_.text.substr(above.begin, above.end - above.begin);
            const bool is_prompt = said.starts_with("Out[") && said.ends_with("]:");
            const bool goes_on = above.code && said.starts_with("...");
            if (!is_prompt && !goes_on && !said.empty() && said != "Parameter containing:" && said != "```") {
                return said;
            }
        }
        return "";
    }

    // Reads `, grad_fn=<MmBackward0>, dtype=torch.float64)`; anything else is treated as prose.
    void read_suffixes(PlacedTensor& read) const {
        constexpr std::size_t longest = 100;
        std::size_t depth = 0;
        for (std::size_t at = read.end; at < read.end + longest && !paste_[at].is("["); ++at) {
            depth += paste_[at].is("(") ? 1 : 0;
            if (paste_[at].is(")") && depth-- == 0) {
                const std::size_t begin = paste_[read.end].begin;
                const std::string_view suffixes = paste_.text.substr(begin, paste_[at].begin - begin);
                read.tensor.grad_fn = value_of("grad_fn=<", suffixes);
                read.tensor.dtype = value_of("dtype=", suffixes);
                read.end = at + 1;
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
        using enum TokenKind;
        auto used = placed_.begin();
        for (std::size_t at = 0; at < paste_.tokens.size();) {
            const std::size_t end = paste_.find_in_line(at);
            std::size_t fractions = 0;
            std::size_t others = 0;
            const Token* printed = nullptr;
            const Token* misread = nullptr;
            for (; at < end; ++at) {
                while (used != placed_.end() && used->end <= at) {
                    ++used;
                }
                const Token& token = paste_[at];
                fractions += token.is_fraction() && !is_aside(at) ? 1 : 0;
                others += token.kind == word || token.kind == damaged ? 1 : 0;
                if (used != placed_.end() && used->begin <= at) {
                    continue;
                }
                const bool is_time = token.begin > 0 && paste_.text[token.begin - 1] == ':';
                printed = printed == nullptr && is_printed(token) && !is_time ? &token : printed;
                misread = misread == nullptr && token.kind == damaged ? &token : misread;
            }
            if (fractions < others) {
                continue;  // these numbers are in a sentence
            }
            if (misread != nullptr && fractions > 1) {
                leftovers_.push_back({.kind = Leftover::Kind::no_number, .offset = misread->begin});
            } else if (printed != nullptr) {
                leftovers_.push_back({.kind = Leftover::Kind::not_used, .offset = printed->begin});
            }
        }
    }

    // Returns true for a number in parentheses within a sentence: "itself (0.4483)".
    bool is_aside(std::size_t at) const {
        return paste_[at - 1].is("(") && paste_[at + 1].is(")") && paste_[at - 2].end < paste_[at - 1].begin;
    }

    // Returns the first problems, in the order of the text, one per line.
    std::vector<Message> messages() {
        constexpr std::size_t most = 20;
        std::ranges::stable_sort(leftovers_, {}, &Leftover::offset);
        std::vector<Message> all;
        std::size_t last = 0;
        for (const Leftover& leftover : leftovers_) {
            const auto next = std::ranges::upper_bound(paste_.lines, leftover.offset, {}, &Line::begin);
            const std::size_t line = std::prev(next)->number;
            if (line != last && all.size() < most) {
                all.emplace_back("line {}: {}", line, leftover_text(leftover, paste_.text));
                last = line;
            }
        }
        return all;
    }

    Paste paste_;
    std::string_view origin_;
    std::size_t at_ = 0;
    std::vector<PlacedTensor> placed_;
    std::vector<Leftover> leftovers_;  // of tensors, and numbers that are not used
};

void check_limits(const std::vector<PrintedTensor>& tensors, std::string_view origin) {
    require_few_tensors(tensors.size(), origin);
    std::size_t count = 0;
    for (const PrintedTensor& tensor : tensors) {
        count += tensor.numbers.size();
    }
    if (count > max_printed_numbers) {
        throw OverLimit("{}: {}", printable(origin),
                        Message("more than {} numbers, the limit for text; save them with np.save.",
                                max_printed_numbers));
    }
}

}  // namespace

void require_few_tensors(std::size_t count, std::string_view origin) {
    if (count > max_printed_tensors) {
        throw OverLimit("{}: more than {} tensors, the limit.", printable(origin), max_printed_tensors);
    }
}

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
