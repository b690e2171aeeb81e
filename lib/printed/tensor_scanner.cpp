// Walks over a text line by line and bracket by bracket. Whatever begins like a tensor is tried; only what
// has turned out to hold numbers may fail, for prose and code have brackets too.
#include "printed/tensor_scanner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "files/located.hpp"
#include "printed/tensor_names.hpp"
#include "printed/tensor_reader.hpp"
#include "tensor/error.hpp"
#include "text/ascii.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

// Each costs some microseconds.
constexpr std::size_t most_failures = 50'000;

constexpr std::array<std::string_view, 3> openings{"tensor(", "array(", "Parameter("};

std::string_view before_line_end(std::string_view line) {
    return line.substr(0, line.find_last_not_of(" \t\r") + 1);
}

class Scanner {
public:
    Scanner(std::string_view text, std::string_view origin) : text_(text), origin_(origin) {}

    std::vector<FoundTensor> scan() {
        while (at_ < text_.size()) {
            if (at_ == line_begin_ && skip_code_line()) {
                continue;
            }
            const char c = text_[at_];
            if (c == '\n') {
                end_line(at_ + 1);
            } else if (c == '[' && may_begin_list()) {
                attempt(at_, at_, false);
            } else if (const std::size_t opening = opening_length(); opening > 0) {
                attempt(at_, at_ + opening, true);
            } else {
                ++at_;
            }
        }
        if (found_.empty() && nearest_) {
            fail_at(text_, nearest_->offset, origin_, nearest_->problem);
        }
        return std::move(found_);
    }

private:
    void end_line(std::size_t next) {
        const std::string_view line = before_line_end(text_.substr(line_begin_, next - 1 - line_begin_));
        constexpr std::string_view parameter = "Parameter containing:";
        const bool is_prompt = line.starts_with("Out[") && line.ends_with("]:");
        if (!line.empty() && !is_prompt && line != parameter && line != "```") {
            above_ = line;
        }
        at_ = line_begin_ = next;
        ++line_;
    }

    // `>>> …` and the lines behind `...` that belong to it.
    bool skip_code_line() {
        const std::string_view line = text_.substr(at_, text_.find('\n', at_) - at_);
        const std::string_view said = line.substr(std::min(line.find_first_not_of(' '), line.size()));
        const bool more = said.starts_with("... ") || before_line_end(said) == "...";
        in_code_ = said.starts_with(">>>") || (in_code_ && more);
        if (!in_code_) {
            return false;
        }
        if (at_ + line.size() == text_.size()) {
            at_ = text_.size();
        } else if (more) {
            at_ = line_begin_ = at_ + line.size() + 1;  // the name is in the line with the prompt
            ++line_;
        } else {
            end_line(at_ + line.size() + 1);
        }
        return true;
    }

    // Not behind a name, where a bracket is an index.
    bool may_begin_list() const {
        const char before = at_ == 0 ? ' ' : text_[at_ - 1];
        return !is_word_character(before) && before != ')' && before != ']' && before != '"' &&
               before != '\'';
    }

    std::size_t opening_length() const {
        if (at_ > 0 && is_word_character(text_[at_ - 1])) {
            return 0;
        }
        for (const std::string_view opening : openings) {
            if (text_.substr(at_).starts_with(opening)) {
                return opening.size();
            }
        }
        return 0;
    }

    // Reads the numbers whose first bracket, or single number, stands at `numbers` or behind space from
    // there.
    void attempt(std::size_t begin, std::size_t numbers, bool in_call) {
        numbers = skip_space(text_, numbers);
        const bool bracket = text_.substr(numbers).starts_with('[');
        const bool tells =
            in_call && !nearest_ && (bracket || numbers == text_.size());  // something, if it fails
        if (!tells && !may_hold_numbers(text_, numbers)) {
            pass(begin, in_call ? numbers : begin);
            return;
        }
        try {
            WrittenList list = parse_brackets(text_, numbers, max_pasted_numbers - numbers_);
            if (!in_call && !is_tensor(list, numbers)) {
                at_ = list.end;
                count_lines(begin);
                return;
            }
            add(begin, in_call, std::move(list));
        } catch (const Unreadable& problem) {
            const bool two_deep = bracket && text_.substr(skip_space(text_, numbers + 1)).starts_with('[');
            if (problem.began && (in_call || two_deep)) {
                fail_at(text_, problem.offset, origin_, problem.problem);
            }
            const bool cut_off = problem.offset == text_.size();
            if (problem.began ? !nearest_ || !nearest_->began
                              : in_call && (bracket || cut_off) && !nearest_) {
                nearest_ = problem;
            }
            if (++failures_ == most_failures) {
                throw Error(fmt::format(
                    "{}: more than {} brackets in it are no tensor; give the part that has the tensors.",
                    printable(origin_), most_failures));
            }
            pass(begin, in_call ? numbers : begin);
        }
    }

    // Goes on at `next`, or behind what began there.
    void pass(std::size_t begin, std::size_t next) {
        at_ = std::max(next, begin + 1);
        count_lines(begin);
    }

    // Of brackets without a call around them: "[3]" is a citation, and "[6, 6]" a shape.
    bool is_tensor(const WrittenList& list, std::size_t begin) const {
        const bool fractions = std::ranges::any_of(list.numbers, [](const WrittenNumber& number) {
            return number.point || number.kind != WrittenNumber::Kind::whole;
        });
        const bool all = first_ == begin && skip_space(text_, list.end) == text_.size();
        return all || list.shown.rank() > 1 || (fractions && list.numbers.size() > 1);
    }

    void add(std::size_t begin, bool in_call, WrittenList list) {
        if (found_.size() == max_pasted_tensors) {
            throw Error(fmt::format("{}: holds more than {} tensors, the most that are read.",
                                    printable(origin_), max_pasted_tensors));
        }
        numbers_ += list.numbers.size();
        FoundTensor tensor{.list = {}, .name = name(begin), .grad_fn = {}, .dtype = {}, .line = line_};
        std::size_t end = list.end;
        if (in_call) {
            end = suffixes(list.end, tensor);
        }
        tensor.list = std::move(list);
        found_.push_back(std::move(tensor));
        above_ = {};
        at_ = end;
        count_lines(begin);
    }

    // Of the line with the tensor only its end, so that a text of one line takes no longer than one of many.
    std::string name(std::size_t begin) const {
        while (begin > line_begin_ &&
               (is_word_character(text_[begin - 1]) || text_[begin - 1] == '.' || text_[begin - 1] == '(')) {
            --begin;  // of `torch.tensor(` and `tf.Tensor(` what stands before the call
        }
        constexpr std::size_t enough = 200;
        const std::size_t from = std::max(line_begin_, begin - std::min(begin, enough));
        return tensor_name(text_.substr(from, begin - from), above_);
    }

    // `, grad_fn=<MmBackward0>, dtype=torch.float64)`; what cannot be made out is left for prose.
    std::size_t suffixes(std::size_t end, FoundTensor& tensor) const {
        constexpr std::size_t longest = 400;
        const std::string_view rest = text_.substr(end, longest);
        std::size_t depth = 0;
        std::size_t close = 0;
        for (; close < rest.size(); ++close) {
            depth += rest[close] == '(' ? 1 : 0;
            if (rest[close] == '[') {
                return end;
            }
            if (rest[close] == ')' && depth-- == 0) {
                break;
            }
        }
        if (close == rest.size()) {
            return end;
        }
        const std::string_view text = rest.substr(0, close);
        const auto value = [&](std::string_view key) -> std::string {
            const std::size_t at = text.find(key);
            if (at == std::string_view::npos) {
                return "";
            }
            const std::string_view word = text.substr(at + key.size());
            return std::string(word.substr(0, word.find_first_of(",> \n")));
        };
        tensor.grad_fn = value("grad_fn=<");
        tensor.dtype = value("dtype=");
        return end + close + 1;
    }

    // After a jump from `from` to at_: lines that ended between them.
    void count_lines(std::size_t from) {
        const std::string_view passed = text_.substr(from, at_ - from);
        if (const std::size_t last = passed.rfind('\n'); last != std::string_view::npos) {
            line_ += static_cast<std::size_t>(std::ranges::count(passed, '\n'));
            line_begin_ = from + last + 1;
        }
    }

    std::string_view text_;
    std::string_view origin_;
    std::size_t at_ = 0;
    std::size_t line_begin_ = 0;
    std::size_t line_ = 1;
    std::string_view above_;  // the last line before this one that is not blank and was not a tensor's
    bool in_code_ = false;
    std::size_t numbers_ = 0;
    std::size_t failures_ = 0;
    std::size_t first_ = skip_space(text_, 0);
    std::vector<FoundTensor> found_;
    std::optional<Unreadable> nearest_;
};

}  // namespace

std::vector<FoundTensor> scan_tensors(std::string_view text, std::string_view origin) {
    return Scanner(text, origin).scan();
}

}  // namespace attn
