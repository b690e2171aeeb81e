// Walks over a text once: JSON as long as it is any, then line by line and bracket by bracket. Whatever
// begins like a tensor is tried; only what has turned out to hold numbers is missed, for prose and code have
// brackets too. Rows without brackets are looked for where no tensor is found, and where there are none of
// them either, numbers within sentences.
#include "printed/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "files/json.hpp"
#include "files/located.hpp"
#include "files/utf8_text.hpp"
#include "printed/list.hpp"
#include "printed/names.hpp"
#include "printed/retyped.hpp"
#include "printed/rows.hpp"
#include "printed/sentences.hpp"
#include "tensor/error.hpp"
#include "text/ascii.hpp"
#include "text/printable.hpp"
#include "text/terminal.hpp"

namespace attn {

namespace {

constexpr std::array<std::string_view, 3> openings{"tensor(", "array(", "Parameter("};

std::string_view before_line_end(std::string_view line) {
    return line.substr(0, line.find_last_not_of(" \t\r") + 1);
}

// An object or array of JSON that is open.
struct JsonContainer {
    bool object = false;
    std::size_t index = 0;              // of the element of an array
    std::string key{};                  // of the member of an object
    std::optional<std::string> name{};  // the member "name", if it is a string
    std::size_t first = 0;              // of the tensors found in it
    // Those found in its member "data".
    std::optional<std::size_t> data_begin{};
    std::size_t data_end = 0;
};

class Reader {
public:
    Reader(std::string_view text, std::string_view origin) : text_(text), origin_(origin) {}

    PrintedText read() {
        while (begins_json(skip_space(text_, at_)) && read_json()) {
        }
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
        end_run();
        if (found_.empty() && !first_missed_) {
            read_bare_rows();
            end_run();
        }
        if (found_.empty() && !first_missed_) {
            read_sentences();
            end_run();
        }
        if (found_.empty() && (first_missed_ || nearest_)) {
            fail(first_missed_ ? *first_missed_ : *nearest_);
        }
        join_scalars();
        return {std::move(found_), std::move(skipped_), leaves_out_};
    }

private:
    [[noreturn]] void fail(const ListProblem& problem) const {
        fail_at(text_, problem.offset, origin_, problem_text(problem, text_));
    }

    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

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
        auto read = read_list(text_, numbers, room());
        if (auto* const list = std::get_if<PrintedList>(&read)) {
            if (!in_call) {
                add_siblings(*list);
            }
            if (in_call || is_tensor(*list, numbers)) {
                add_text_tensor(begin, in_call, std::move(*list));
            } else {
                go_to(list->end);
            }
            return;
        }
        const auto& problem = std::get<ListProblem>(read);
        const bool two_deep = bracket && text_.substr(skip_space(text_, numbers + 1)).starts_with('[');
        const bool of_matlab = problem.offset < text_.size() && text_[problem.offset] == ';';
        if (problem.meant && (in_call || two_deep || of_matlab)) {
            if (add_rows(begin, problem)) {
                return;
            }
            miss(problem);
            go_to(std::min(text_.find('\n', problem.offset), text_.size()));
            return;
        }
        if (bracket && !problem.meant && numbers >= no_damage_before_) {
            if (const auto damaged = damage_in(numbers)) {
                leave_out(*damaged);
            }
            no_damage_before_ = std::min(text_.find('\n', numbers), text_.size());
        }
        const bool cut_off = problem.offset == text_.size();
        if (problem.meant ? !nearest_ || !nearest_->meant : in_call && (bracket || cut_off) && !nearest_) {
            nearest_ = problem;
        }
        go_to(std::max({problem.resume, in_call ? numbers : begin, begin + 1}));
    }

    // Lists of the same shape that follow, where the brackets around all of them were cut off.
    void add_siblings(PrintedList& list) const {
        const Shape each = list.shown;
        std::size_t count = 1;
        while (each.rank() > 0 && each.rank() < Shape::max_rank) {
            const std::size_t next = std::min(text_.find_first_not_of(" \t\r\n,]", list.end), text_.size());
            const std::string_view between = text_.substr(list.end, next - list.end);
            const bool of_numpy = between == "\n " || between == "\n  ";
            if (next == text_.size() || text_[next] != '[' ||
                (!of_numpy && between.find(',') == std::string_view::npos)) {
                break;
            }
            auto read = read_list(text_, next, room() - list.numbers.size());
            auto* const other = std::get_if<PrintedList>(&read);
            if (other == nullptr || other->shown != each) {
                break;
            }
            list.numbers.insert(list.numbers.end(), other->numbers.begin(), other->numbers.end());
            list.end = other->end;
            ++count;
        }
        if (count > 1) {
            std::vector<std::size_t> sizes(each.begin(), each.end());
            sizes.insert(sizes.begin(), count);
            list.shown = Shape(sizes);
            std::rotate(list.gaps.begin(), list.gaps.end() - 1, list.gaps.end());
        }
    }

    // Whole rows of a list that is none; what is missing is said.
    bool add_rows(std::size_t begin, const ListProblem& problem) {
        if (begin < no_rows_before_) {
            return false;
        }
        auto rows = read_rows(text_, begin, room(), true);
        constexpr std::size_t enough = 3;
        const bool is_column = problem.kind == ListProblem::Kind::cut_off && rows && rows->rows > 1 &&
                               rows->fractions && rows->list.shown.rank() == 2;
        if (!rows || rows->too_many ||
            (!is_column && rows->list.numbers.size() < (rows->rows == 1 ? enough : 2 * rows->rows))) {
            no_rows_before_ = text_.find('\n', begin);
            return false;
        }
        const bool is_only_marked =
            problem.kind == ListProblem::Kind::number_beside_rows && rows->list.end > problem.offset;
        if (rows->skipped.empty() && !is_only_marked) {
            skip(problem);
        }
        add_rows(begin, std::move(*rows));
        return true;
    }

    void add_rows(std::size_t begin, PrintedRows rows) {
        for (const ListProblem& problem : rows.skipped) {
            leave_out(problem);
        }
        add_text_tensor(begin, false, std::move(rows.list));
    }

    // What is nearly a number in the rest of a line of which most are such, with a fraction.
    std::optional<ListProblem> damage_in(std::size_t row) const {
        constexpr std::string_view between = " \t\r\n,;|&[]()";
        const std::string_view line = text_.substr(row, text_.find('\n', row) - row);
        constexpr std::size_t least = 2;
        constexpr std::size_t none = std::string_view::npos;
        std::size_t fractions = 0;
        std::size_t others = 0;
        std::size_t first_slip = none;  // what would be a number but for a sign or two
        for (std::size_t at = line.find_first_not_of(between); at < line.size();) {
            const std::size_t begin = at;
            const std::size_t end = std::min(line.find_first_of(between, begin), line.size());
            const auto number = read_number(line, at);
            if (number && at == end && number->notation == PrintedNumber::Notation::fixed) {
                ++fractions;
            } else {
                ++others;
                const std::string_view token = line.substr(begin, end - begin);
                const auto digits = static_cast<std::size_t>(std::ranges::count_if(token, is_digit));
                first_slip = first_slip == none && 2 * digits >= token.size() ? begin : first_slip;
            }
            at = line.find_first_not_of(between, end);
        }
        const bool is_row = fractions >= least && fractions >= others && first_slip != none;
        return is_row ? std::optional(ListProblem{.offset = row + first_slip}) : std::nullopt;
    }

    void read_bare_rows() {
        std::optional<ListProblem> damaged;  // in the line above
        std::size_t rows_end = text_.size();
        go_back_to_the_first_line();
        while (at_ < text_.size()) {
            if (skip_code_line()) {
                continue;
            }
            auto rows = read_rows(text_, at_, room(), false);
            if (rows && rows->too_many) {
                fail({.kind = ListProblem::Kind::too_many, .offset = at_});
            }
            const std::size_t line_end = std::min(text_.find('\n', at_), text_.size() - 1) + 1;
            if (!rows) {
                damaged = damage_in(at_);
                if (damaged && at_ == rows_end) {
                    leave_out(*damaged);
                }
                end_line(line_end);
                continue;
            }
            if (damaged) {
                leave_out(*std::exchange(damaged, std::nullopt));
            }
            rows_end = rows->list.end;
            const std::size_t numbers = rows->list.numbers.size();
            const bool all = first_ >= at_ && skip_space(text_, rows->list.end) == text_.size();
            if (all || (rows->fractions && numbers > 1)) {
                add_rows(at_, std::move(*rows));
            } else {
                go_to(rows->list.end);
            }
        }
    }

    void read_sentences() {
        go_back_to_the_first_line();
        while (at_ < text_.size()) {
            if (skip_code_line()) {
                continue;
            }
            const std::size_t line_end = std::min(text_.find('\n', at_), text_.size() - 1) + 1;
            PrintedSentence sentence = read_sentence(text_, at_, line_end, room());
            for (PrintedList& list : sentence.lists) {
                const std::size_t begin = list.numbers.front().offset;
                add_text_tensor(begin, false, std::move(list));
            }
            if (sentence.problem) {
                miss(*sentence.problem);
                return;
            }
            end_line(line_end);
        }
    }

    void go_back_to_the_first_line() {
        at_ = line_begin_ = 0;
        line_ = 1;
        above_ = {};
        in_code_ = false;
    }

    void miss(const ListProblem& problem) {
        first_missed_ = first_missed_ ? first_missed_ : problem;
        leave_out(problem);
    }

    void leave_out(const ListProblem& problem) {
        skip(problem);
        leaves_out_ = leaves_out_ || problem.kind != ListProblem::Kind::cut_off;
    }

    void skip(const ListProblem& problem) {
        constexpr std::size_t most = 20;
        if (skipped_.size() < most) {
            const auto line = std::ranges::count(text_.substr(0, problem.offset), '\n') + 1;
            Message message("line {}: {}", line, problem_text(problem, text_));
            if (skipped_.empty() ||
                skipped_.back().english() != message.english()) {  // brackets within brackets
                skipped_.push_back(std::move(message));
            }
        }
    }

    // Of brackets without a call around them: "[3]" is a citation, and "[6, 6]" a shape.
    bool is_tensor(const PrintedList& list, std::size_t begin) const {
        const bool fractions = std::ranges::any_of(list.numbers, [](const PrintedNumber& number) {
            return number.notation != PrintedNumber::Notation::whole;
        });
        const bool all = first_ == begin && skip_space(text_, list.end) == text_.size();
        return all || list.shown.rank() > 1 || (fractions && list.numbers.size() > 1);
    }

    std::size_t room() const { return max_printed_numbers - numbers_; }

    PrintedTensor& add(PrintedList list) {
        end_run();
        numbers_ += list.numbers.size();
        settle_precision(list.numbers);
        PrintedTensor tensor;
        tensor.line = line_;
        tensor.shown = list.shown;
        tensor.gaps = list.gaps;
        tensor.numbers = std::move(list.numbers);
        return add(std::move(tensor));
    }

    PrintedTensor& add(PrintedTensor tensor) {
        if (found_.size() == max_printed_tensors) {
            throw Error("{}: holds more than {} tensors, the most that are read.", printable(origin_),
                        max_printed_tensors);
        }
        return found_.emplace_back(std::move(tensor));
    }

    void add_text_tensor(std::size_t begin, bool in_call, PrintedList list) {
        std::size_t end = list.end;
        const bool is_row = list.shown.rank() == 1 && list.shown[0] > 1;
        RowLabel label = is_row ? row_label(begin) : RowLabel();
        if (!is_row || !continues_run(list, label)) {
            end_run();
        }
        if (is_row) {
            run_counts_ = run_.empty() || run_counts_ ? label.counts : false;
            numbers_ += list.numbers.size();
            PrintedTensor& row = run_.emplace_back();
            row.line = line_;
            row.shown = list.shown;
            row.gaps = list.gaps;
            row.numbers = std::move(list.numbers);
            run_label_ = std::move(label);
        }
        PrintedTensor& tensor = is_row ? run_.back() : add(std::move(list));
        tensor.place = fmt::format("line {}", line_);
        tensor.name = name(begin);
        if (in_call) {
            end = read_suffixes(end, tensor);
        }
        above_ = {};
        go_to(end);
        run_end_ = end;
    }

    // What stands before a row in its line: `row 3: `, `w[3] = `, `- `.
    struct RowLabel {
        std::string words{};  // with # for digits
        std::size_t number = 0;
        bool counts = false;  // there is a number
    };

    static constexpr std::string_view any_word = "@:";  // such as the row's token

    RowLabel row_label(std::size_t begin) const {
        constexpr std::size_t longest = 80;
        RowLabel label;
        for (std::size_t at = std::max(line_begin_, begin - std::min(begin, longest)); at < begin;) {
            std::size_t end = at;
            while (end < begin && is_digit(text_[end])) {
                ++end;
            }
            constexpr std::size_t most_digits = 9;
            if (end > at && end - at <= most_digits) {
                label.number = std::stoul(std::string(text_.substr(at, end - at)));
                label.counts = true;
                label.words += '#';
            } else {
                label.words += text_[at];
            }
            at = std::max(end, at + 1);
        }
        // Indents differ where numbers have more digits.
        label.words.erase(0, std::min(label.words.find_first_not_of(' '), label.words.size()));
        const std::size_t word =
            std::min(label.words.find_first_of(" :[](){}<>#=,.;*-|_\"'"), label.words.size());
        if (word > 0 && (label.words.substr(word) == ":" || label.words.substr(word) == ": ")) {
            label.words = any_word;
        }
        return label;
    }

    // Whether a row stands in the line below the last one, and is called as that is.
    bool continues_run(const PrintedList& list, const RowLabel& label) const {
        if (run_.empty() || run_.back().shown != list.shown || run_.back().gaps != list.gaps ||
            label.words != run_label_.words || line_begin_ < run_end_) {
            return false;
        }
        const std::string_view between = text_.substr(run_end_, line_begin_ - run_end_);
        const bool next_line = between.find_first_not_of(" \t\r,;.)|\\\n") == std::string_view::npos &&
                               std::ranges::count(between, '\n') == 1;
        const bool next_number = !label.counts || label.number == run_label_.number + 1;
        return next_line && next_number;
    }

    // Rows that are counted are those of one tensor; others are where there are many.
    void end_run() {
        constexpr std::size_t many = 4;
        std::vector<PrintedTensor> rows = std::exchange(run_, {});
        if (rows.empty()) {
            return;
        }
        if (rows.size() >= (run_counts_ ? 2 : many)) {
            PrintedTensor& first = rows.front();
            const std::size_t bracket = run_label_.words.find("[#]");
            const std::string name = first.name.substr(0, first.name.find('['));
            const bool is_of_row = run_counts_ || run_label_.words == any_word;
            first.name = bracket != std::string::npos ? name : is_of_row ? "" : first.name;
            first.shown = {rows.size(), first.shown[0]};
            first.gaps[1] = std::exchange(first.gaps[0], std::nullopt);
            first.grad_fn = "";
            for (std::size_t i = 1; i < rows.size(); ++i) {
                first.numbers.insert(first.numbers.end(), rows[i].numbers.begin(), rows[i].numbers.end());
            }
            rows.resize(1);
        }
        for (PrintedTensor& row : rows) {
            settle_precision(row.numbers);
            add(std::move(row));
        }
    }

    // `[tensor(0.9544), tensor(1.4950), …]`, or one a line: the numbers of one tensor.
    void join_scalars() {
        constexpr std::size_t least = 3;
        const auto is_apart = [](const PrintedTensor& one, const PrintedTensor& next) {
            return one.shown.rank() > 0 || next.shown.rank() > 0 || next.line > one.line + 1 ||
                   !one.place.starts_with("line");
        };
        for (auto begin = found_.begin(); begin != found_.end();) {
            auto end = std::adjacent_find(begin, found_.end(), is_apart);
            end += end == found_.end() ? 0 : 1;
            const auto count = static_cast<std::size_t>(end - begin);
            if (count >= least) {
                for (auto next = begin + 1; next != end; ++next) {
                    begin->numbers.push_back(next->numbers[0]);
                    begin->name = next->name == begin->name ? begin->name : "";
                }
                begin->shown = {count};
                settle_precision(begin->numbers);
                end = found_.erase(begin + 1, end);
            }
            begin = end;
        }
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
    std::size_t read_suffixes(std::size_t end, PrintedTensor& tensor) const {
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

    // Goes on there, over the ends of lines between.
    void go_to(std::size_t next) {
        const std::string_view passed = text_.substr(at_, next - at_);
        if (const std::size_t last = passed.rfind('\n'); last != std::string_view::npos) {
            line_ += static_cast<std::size_t>(std::ranges::count(passed, '\n'));
            line_begin_ = at_ + last + 1;
        }
        at_ = next;
    }

    // JSON with objects in it; nested lists alone read alike in Python and JSON.
    bool begins_json(std::size_t first) const {
        if (first == text_.size() || (text_[first] != '{' && text_[first] != '[')) {
            return false;
        }
        const std::size_t second = skip_space(text_, first + 1);
        const char next = second < text_.size() ? text_[second] : '\0';
        return text_[first] == '[' ? next == '{' : next == '"' || next == '}';
    }

    // Reads one JSON value, sign by sign, as far as it is one. Returns whether it is to its end; otherwise
    // the rest is text of another kind, such as a dict that Python printed.
    bool read_json() {
        constexpr std::size_t deepest = 32;
        std::vector<JsonContainer> open;
        bool is_json = true;
        do {
            go_to(skip_space(text_, at_));
            const char sign = peek();
            const bool ends = sign == '}' || sign == ']';
            if (sign == '{' || (sign == '[' && !read_json_numbers(open))) {
                open.push_back({.object = sign == '{', .first = found_.size()});
                ++at_;
                is_json = open.size() <= deepest;
            } else if (sign == '"') {
                is_json = read_json_string(open.back());
            } else if (ends && open.back().object == (sign == '}')) {
                ++at_;
                close(open);
            } else if (sign == ',') {
                ++at_;
                ++open.back().index;
            } else if (sign != '[') {
                is_json = read_json_scalar(open);
            }
        } while (is_json && !open.empty());
        while (!open.empty()) {
            close(open);
        }
        return is_json;
    }

    // A string that is a key, or a value.
    bool read_json_string(JsonContainer& in) {
        std::size_t end = at_ + 1;
        while (end < text_.size() && text_[end] != '"') {
            end += text_[end] == '\\' ? 2 : 1;
        }
        if (end >= text_.size()) {
            return false;
        }
        const std::string_view literal = text_.substr(at_, end + 1 - at_);
        go_to(skip_space(text_, end + 1));
        const bool is_key = in.object && peek() == ':';
        if (is_key) {
            in.key = string_value(literal);
            ++at_;
        } else if (in.key == "name") {
            in.name = string_value(literal);
        }
        return true;
    }

    static std::string string_value(std::string_view literal) {
        const std::string_view inside = literal.substr(1, literal.size() - 2);
        if (inside.find('\\') != std::string_view::npos) {
            try {
                return parse_json(literal, "").string();
            } catch (const Error&) {  // an escape sequence that is none
            }
        }
        return std::string(inside);
    }

    // Whether an array is one of numbers, nested or not; then it has been read.
    bool read_json_numbers(std::vector<JsonContainer>& open) {
        auto read = read_list(text_, at_, room());
        if (auto* const list = std::get_if<PrintedList>(&read)) {
            const std::size_t end = list->end;
            add_json_tensor(open, std::move(*list));
            go_to(end);
            return true;
        }
        if (std::get<ListProblem>(read).meant) {
            fail(std::get<ListProblem>(read));
        }
        return false;
    }

    bool read_json_scalar(std::vector<JsonContainer>& open) {
        if (text_.substr(at_).starts_with("null")) {
            at_ += 4;
            return true;
        }
        const std::size_t begin = at_;
        const std::optional<PrintedNumber> number = read_number(text_, at_);
        if (number && open.back().object && open.back().key == "data") {
            add_json_tensor(open, std::get<PrintedList>(read_list(text_, begin, room())));
        }
        return number.has_value();
    }

    void add_json_tensor(std::vector<JsonContainer>& open, PrintedList list) {
        PrintedTensor& tensor = add(std::move(list));
        for (JsonContainer& container : open) {
            tensor.place = json_pointer(tensor.place,
                                        container.object ? container.key : std::to_string(container.index));
            tensor.name = container.object ? container.key : tensor.name;
            if (container.object && container.key == "data") {
                container.data_begin = container.data_begin.value_or(found_.size() - 1);
                container.data_end = found_.size();
            }
        }
    }

    // An object with a name and data is a step of a walkthrough; its other arrays describe it.
    void close(std::vector<JsonContainer>& open) {
        const JsonContainer& step = open.back();
        if (step.name && step.data_begin) {
            for (std::size_t i = *step.data_begin; i < step.data_end; ++i) {
                found_[i].name = found_[i].name == "data" ? *step.name : found_[i].name;
            }
            drop(std::min(step.data_end, found_.size()), found_.size());
            drop(step.first, *step.data_begin);
        }
        open.pop_back();
    }

    void drop(std::size_t first, std::size_t last) {
        const auto begin = found_.begin() + static_cast<std::ptrdiff_t>(first);
        const auto end = found_.begin() + static_cast<std::ptrdiff_t>(last);
        for (auto tensor = begin; tensor != end; ++tensor) {
            numbers_ -= tensor->numbers.size();
        }
        found_.erase(begin, end);
    }

    std::string_view text_;
    std::string_view origin_;
    std::size_t at_ = 0;
    std::size_t line_begin_ = 0;
    std::size_t line_ = 1;
    std::string_view above_;  // the last line before this one that is not blank and was not a tensor's
    bool in_code_ = false;
    std::size_t numbers_ = 0;
    std::size_t first_ = skip_space(text_, 0);
    std::vector<PrintedTensor> found_;
    std::vector<Message> skipped_;
    bool leaves_out_ = false;
    std::optional<ListProblem> first_missed_;  // that was meant as a tensor
    std::optional<ListProblem> nearest_;       // to being a tensor, of all that is none
    std::size_t no_rows_before_ = 0;
    std::size_t no_damage_before_ = 0;  // each line is looked through once, however many brackets it has
    // Rows that follow each other line by line, and what stands before the last.
    std::vector<PrintedTensor> run_;
    RowLabel run_label_;
    bool run_counts_ = false;  // all are counted
    std::size_t run_end_ = 0;
};

}  // namespace

PrintedText read_tensors(std::string_view text, std::string_view origin) {
    text = utf8_text(text, origin);
    const std::string pasted = without_escapes(text);
    const std::string plain = as_printed(pasted);
    PrintedText read = Reader(plain, origin).read();
    for (PrintedTensor& tensor : read.tensors) {
        tensor.mended = std::ranges::any_of(
            tensor.numbers, [&](const PrintedNumber& number) { return pasted[number.offset] == ' '; });
    }
    if (read.tensors.empty()) {
        throw Error(
            "{}: there is no tensor in it; expected tensor([…]) as PyTorch prints it, array([…]) "
            "or [[0.1 0.2] …] as NumPy does, nested lists such as [[0.1, 0.2], [0.3, 0.4]], JSON, or rows of "
            "numbers.",
            printable(origin));
    }
    return read;
}

}  // namespace attn
