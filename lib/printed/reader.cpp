// Decodes a paste, removes the margins of its lines, splits it into tokens, and then goes through the tokens
// once. At every token, a list, rows and a pair of numbers are tried. At the end, numbers outside all tensors
// are reported.
#include "printed/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "files/located.hpp"
#include "printed/columns.hpp"
#include "printed/decode.hpp"
#include "printed/json_arrays.hpp"
#include "printed/list.hpp"
#include "printed/names.hpp"
#include "printed/rows.hpp"
#include "printed/runs.hpp"
#include "tensor/error.hpp"
#include "text/ascii.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

class Reader {
public:
    Reader(std::string_view text, std::string_view origin)
        : text_(text), origin_(origin), lines_(lines_of(text)), tokens_(tokens_of(text, lines_)) {
        separate_columns(text_, tokens_);
    }

    PrintedText read() {
        while (at_ < tokens_.size()) {
            const bool is_list = may_begin_list(at_) && !tokens_[at_].is("[");
            const bool taken = begins_line() && !is_list && read_bare_rows();
            if (!taken && !read_list_here() && !read_sentence()) {
                ++at_;
            }
        }
        if (placed_.empty() && nearest_) {
            fail_at(text_, nearest_->offset, origin_, problem_text(*nearest_, text_));
        }
        if (!placed_.empty()) {
            report_unused();
        }
        return {join_runs(placed_, text_, lines_, tokens_), messages(), leaves_out_};
    }

private:
    using enum TokenKind;

    bool begins_line() const { return at_ == 0 || tokens_[at_ - 1].line != tokens_[at_].line; }

    std::size_t line_end(std::size_t at) const {
        if (at >= tokens_.size()) {
            return at;
        }
        const auto behind = [](std::size_t line, const Token& token) { return line < token.line; };
        const auto end =
            std::upper_bound(tokens_.begin() + std::ptrdiff_t(at), tokens_.end(), tokens_[at].line, behind);
        return static_cast<std::size_t>(end - tokens_.begin());
    }

    // ---- rows -------------------------------------------------------------------------------------------

    // Attempts that fail read the same tokens again. So that this takes no longer for a long text, no more
    // rows are tried when all attempts together have read so many times the text.
    std::optional<PrintedRows> rows_at(std::size_t at, bool in_brackets) {
        constexpr std::size_t most = 40;
        return rows_read_ / most > tokens_.size() ? std::nullopt
                                                  : read_rows(tokens_, lines_, at, in_brackets, rows_read_);
    }

    bool read_bare_rows() {
        auto rows = rows_at(at_, false);
        if (!rows) {
            return false;
        }
        const bool is_all = at_ == 0 && rows->list.end == tokens_.size();
        if (is_all || (rows->list.has_fractions() && rows->list.count() > 1)) {
            add_rows(at_, std::move(*rows));
        } else {
            at_ = rows->list.end;
        }
        return true;
    }

    void add_rows(std::size_t begin, PrintedRows rows) {
        for (const ListProblem& problem : rows.rejected) {
            leave_out(problem);
        }
        add(begin, false, std::move(rows.list));
    }

    // ---- lists ------------------------------------------------------------------------------------------

    bool is(std::size_t at, std::string_view signs) const {
        return at < tokens_.size() && tokens_[at].is(signs);
    }

    // Returns true for `[`, for `{{` of C++ and `((` of tuples; but not after a name, where a bracket begins
    // an index.
    bool may_begin_list(std::size_t at) const {
        const Token& token = tokens_[at];
        if (!token.opens() || (!token.is("[") && !is(at + 1, {&token.first, 1}))) {
            return false;
        }
        const char before = token.begin == 0 ? ' ' : text_[token.begin - 1];
        if (text_.substr(0, token.begin).ends_with("Tensor")) {  // Rust
            return at + 1 < tokens_.size() && tokens_[at + 1].is_number();
        }
        return !is_word_character(before) && !is_one_of(before, ")]\"'");
    }

    // Tries to read a list that begins at this token, and moves past what was read. Returns false if no list
    // begins here.
    bool read_list_here() {
        const std::size_t begin = at_;
        const bool in_call = begins_call(text_, tokens_, begin);
        if (!in_call && !may_begin_list(begin)) {
            return false;
        }
        const std::size_t first = in_call ? begin + 2 : begin;
        auto read = read_list(tokens_, first, text_.size());
        if (auto* const list = std::get_if<PlacedTensor>(&read)) {
            if (in_call || is_tensor(begin, *list)) {
                add(begin, in_call, std::move(*list));
            } else {
                at_ = list->end;
            }
            return true;
        }
        const ListProblem& problem = std::get<ListProblem>(read);
        const bool two_deep = is(first, "[") && is(first + 1, "[");
        const bool of_matlab = is(problem.token, ";");
        const bool meant = problem.meant && (in_call || two_deep || of_matlab);
        const bool mixed = problem.kind == ListProblem::Kind::mixed_truth;
        if (meant && !mixed && add_rows_of_list(begin, problem)) {
            return true;
        }
        const bool is_argument = in_call && (is(first, "[") || problem.offset == text_.size());
        const int rank = problem.meant ? 2 : is_argument ? 1 : 0;
        if (rank > nearest_rank_) {
            nearest_ = problem;
            nearest_rank_ = rank;
        }
        const auto part = std::span(tokens_).subspan(first, problem.token - first);
        if (meant || (problem.meant && std::ranges::any_of(part, &Token::is_fraction))) {
            leave_out(problem);
        }
        at_ = meant ? line_end(problem.token) : std::max(begin + 1, first);
        return true;
    }

    // Returns true if brackets outside a call contain a tensor: "[3]" may be a citation, and "[6, 6]" a
    // shape.
    bool is_tensor(std::size_t begin, const PlacedTensor& list) const {
        const bool is_all = begin == 0 && list.end == tokens_.size();
        return is_all || list.tensor.shown.rank() > 1 ||
               (list.has_fractions() && (is(list.end, ",[({])}") || list.count() > 1));
    }

    // If a list cannot be read, takes its complete rows and reports the rest.
    bool add_rows_of_list(std::size_t begin, const ListProblem& problem) {
        auto rows = rows_at(begin, true);
        const bool may_be_column =
            rows && rows->list.has_fractions() && problem.kind == ListProblem::Kind::cut_off;
        if (!rows || rows->list.count() < (rows->rows == 1 ? 3
                                           : may_be_column ? rows->rows
                                                           : 2 * rows->rows)) {
            return false;
        }
        if (rows->rejected.empty()) {
            skipped_.push_back(problem);
        }
        add_rows(begin, std::move(*rows));
        return true;
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
                leave_out({.kind = ListProblem::Kind::no_number, .offset = misread->begin});
            } else if (printed != nullptr) {
                leave_out({.kind = ListProblem::Kind::not_used, .offset = printed->begin});
            }
        }
    }

    // Returns true for a number in parentheses within a sentence: "itself (0.4483)".
    bool is_aside(const Token& token) const {
        return token.begin > 0 && text_[token.begin - 1] == '(' && token.end < text_.size() &&
               text_[token.end] == ')' &&
               (token.begin == 1 || text_[token.begin - 2] == ' ' || text_[token.begin - 2] == '\n');
    }

    void leave_out(const ListProblem& problem) {
        skipped_.push_back(problem);
        leaves_out_ = leaves_out_ || problem.kind != ListProblem::Kind::cut_off;
    }

    // Returns the first problems, in the order of the text, one per line.
    std::vector<Message> messages() {
        constexpr std::size_t most = 20;
        std::ranges::stable_sort(skipped_, {}, &ListProblem::offset);
        std::vector<Message> all;
        std::size_t last = 0;
        for (const ListProblem& problem : skipped_) {
            const auto next = std::ranges::upper_bound(lines_, problem.offset, {}, &Line::begin);
            const std::size_t line = std::prev(next)->number;
            if (line != last && all.size() < most) {
                all.emplace_back("line {}: {}", line, problem_text(problem, text_));
                last = line;
            }
        }
        return all;
    }

    std::string_view text_;
    std::string_view origin_;
    std::vector<Line> lines_;
    std::vector<Token> tokens_;
    std::size_t at_ = 0;
    std::vector<PlacedTensor> placed_;
    std::vector<ListProblem> skipped_;
    bool leaves_out_ = false;
    // The problem of the list that came closest to a tensor: one with a number, or an argument of a call.
    std::optional<ListProblem> nearest_;
    int nearest_rank_ = 0;
    std::size_t rows_read_ = 0;  // the tokens that attempts to read rows have read
};

void check_limits(const std::vector<PrintedTensor>& tensors, std::string_view origin) {
    if (tensors.size() > max_printed_tensors) {
        throw Error("{}: more than {} tensors, the limit.", printable(origin), max_printed_tensors);
    }
    std::size_t count = 0;
    for (const PrintedTensor& tensor : tensors) {
        count += tensor.numbers.size();
    }
    if (count > max_printed_numbers) {
        fail_at_pointer(origin, "",
                        Message("more than {} numbers, the limit for text; save them with np.save.",
                                max_printed_numbers));
    }
}

}  // namespace

PrintedText read_tensors(std::string_view pasted, std::string_view origin) {
    std::string text = decode_paste(pasted, origin);
    PrintedText read;
    read.tensors = read_json_arrays(text, origin);
    if (read.tensors.empty()) {
        text = with_ascii_signs(text);
        read = Reader(text, origin).read();
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
