#include "printed/json_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "files/json.hpp"
#include "files/located.hpp"
#include "printed/list.hpp"
#include "tensor/error.hpp"
#include "text/ascii.hpp"

namespace attn {

namespace {

// An object or array that is still open.
struct Container {
    bool object;
    std::size_t first;                        // the first tensor in this object or array
    std::size_t index = 0;                    // the index of the current element of an array
    std::string key{};                        // the key of the current member of an object
    std::optional<std::string> name{};        // the object's member "name", if it is a string
    std::optional<std::size_t> data_begin{};  // the first tensor in the object's member "data"
    std::size_t data_end = 0;
    PrintedList numbers{};                // members of the object that are numbers
    std::vector<PrintedList> children{};  // members of the object that are objects of numbers
    bool mixed = false;                   // the object has members of other types
};

class JsonReader {
public:
    JsonReader(std::string_view text, std::vector<Line> lines)
        : text_(text), lines_(std::move(lines)), tokens_(tokens_of(text, lines_, true)) {}

    std::vector<PrintedTensor> read() {
        constexpr std::size_t deepest = 32;
        while (at_ < tokens_.size()) {
            if (!token() || open_.size() > deepest) {
                return {};
            }
        }
        while (!open_.empty()) {
            close();
        }
        return std::move(found_);
    }

private:
    bool token() {
        const Token& token = tokens_[at_];
        if (token.is(TokenKind::open, '{') || (token.is(TokenKind::open, '[') && !open_.empty())) {
            return open(token);
        }
        if (token.is(TokenKind::open, '[')) {
            open_.push_back({.object = false, .first = found_.size()});
            ++at_;
            return true;
        }
        if (open_.empty()) {
            return false;
        }
        Container& in = open_.back();
        ++at_;
        switch (token.kind) {
            case TokenKind::string:
                string(token, in);
                return true;
            case TokenKind::comma:
                ++in.index;
                return true;
            case TokenKind::number:
                scalar(token, in);
                return true;
            case TokenKind::close:
                if (in.object == (token.sign == '}')) {
                    close();
                    return true;
                }
                return false;
            default:
                in.mixed = true;
                return written(token) == "null" || at_ == tokens_.size();
        }
    }

    std::string_view written(const Token& token) const {
        return text_.substr(token.begin, token.end - token.begin);
    }

    bool open(const Token& token) {
        if (token.sign == '[') {
            auto read = read_list(tokens_, at_, text_.size());
            if (auto* const list = std::get_if<PrintedList>(&read)) {
                open_.back().mixed = true;
                add(std::move(*list), token.line);
                return true;
            }
            if (std::get<ListProblem>(read).meant) {
                return false;
            }
        }
        open_.push_back({.object = token.sign == '{', .first = found_.size()});
        ++at_;
        return true;
    }

    // Handles a string, which is a key or a value.
    void string(const Token& token, Container& in) {
        if (in.object && at_ < tokens_.size() && tokens_[at_].is(TokenKind::sign, ':')) {
            in.key = string_value(token);
            ++at_;
        } else {
            in.mixed = true;
            in.name = in.key == "name" ? string_value(token) : in.name;
        }
    }

    std::string string_value(const Token& token) const {
        const std::string_view literal = written(token);
        const std::string_view inside = literal.substr(1, literal.size() - 2);
        if (inside.find('\\') != std::string_view::npos) {
            try {
                return parse_json(literal, "").string();
            } catch (const Error&) {  // an invalid escape sequence
            }
        }
        return std::string(inside);
    }

    void scalar(const Token& token, Container& in) {
        PrintedList number;
        number.add(token);
        if (in.object && in.key == "data") {
            number.end = at_;
            add(std::move(number), token.line);
        } else {
            in.numbers.add(token);
        }
    }

    void add(PrintedList list, std::size_t line) {
        at_ = list.end;
        settle_precision(list.numbers);
        PrintedTensor& tensor = found_.emplace_back();
        tensor.line = lines_[line].number;
        tensor.shown = list.shown;
        tensor.gaps = list.gaps;
        tensor.numbers = std::move(list.numbers);
        if (open_.empty()) {
            tensor.place = fmt::format("line {}", tensor.line);
        }
        for (Container& in : open_) {
            tensor.place = json_pointer(tensor.place, in.object ? in.key : std::to_string(in.index));
            tensor.name = in.object ? in.key : tensor.name;
            if (in.object && in.key == "data") {
                in.data_begin = in.data_begin.value_or(found_.size() - 1);
                in.data_end = found_.size();
            }
        }
    }

    void close() {
        Container closed = std::move(open_.back());
        open_.pop_back();
        if (closed.name && closed.data_begin) {
            take_step(closed);
        } else if (closed.object && !closed.mixed && closed.children.empty() &&
                   !closed.numbers.numbers.empty() && !open_.empty()) {
            open_.back().children.push_back(std::move(closed.numbers));
            return;
        } else if (!closed.mixed && closed.numbers.numbers.empty()) {
            add_table(closed);
        } else if (closed.object && !closed.mixed && closed.children.empty() && !closed.key.empty() &&
                   is_digit(closed.key.front())) {
            closed.numbers.shown = {closed.numbers.numbers.size()};
            closed.numbers.end = at_;
            add(std::move(closed.numbers), tokens_[at_ - 1].line);
        }
        if (!open_.empty()) {
            open_.back().mixed = true;
        }
    }

    // An object with a name and data is a step of a walkthrough. Arrays in its other members are dropped,
    // because they are not tensors.
    void take_step(const Container& step) {
        for (std::size_t i = *step.data_begin; i < step.data_end; ++i) {
            found_[i].name = found_[i].name == "data" ? *step.name : found_[i].name;
        }
        const auto at = [&](std::size_t i) { return found_.begin() + static_cast<std::ptrdiff_t>(i); };
        found_.erase(at(step.data_end), found_.end());
        found_.erase(at(step.first), at(*step.data_begin));
    }

    // Adds a table that consists of objects with equally many numbers.
    void add_table(const Container& in) {
        const std::vector<PrintedList>& lines = in.children;
        const auto whole = [](const PrintedList& line) {
            return std::ranges::all_of(line.numbers, [](const PrintedNumber& number) {
                return number.notation == PrintedNumber::Notation::whole;
            });
        };
        const auto differs = [](const PrintedList& a, const PrintedList& b) {
            return a.numbers.size() != b.numbers.size();
        };
        if (lines.empty() || std::ranges::all_of(lines, whole) ||
            std::ranges::adjacent_find(lines, differs) != lines.end()) {
            return;
        }
        const std::size_t length = lines[0].numbers.size();
        PrintedList table;
        table.end = at_;
        table.shown = in.object ? Shape{length, lines.size()} : Shape{lines.size(), length};
        for (std::size_t i = 0; i < length * lines.size(); ++i) {
            table.numbers.push_back(in.object ? lines[i % lines.size()].numbers[i / lines.size()]
                                              : lines[i / length].numbers[i % length]);
        }
        add(std::move(table), tokens_[at_ - 1].line);
    }

    std::string_view text_;
    std::vector<Line> lines_;
    std::vector<Token> tokens_;
    std::size_t at_ = 0;
    std::vector<Container> open_;
    std::vector<PrintedTensor> found_;
};

}  // namespace

std::vector<PrintedTensor> read_json_arrays(std::string_view text) {
    // Only JSON with objects is read here, because nested lists are the same in Python and JSON.
    const auto character = [&](std::size_t at) {
        at = text.find_first_not_of(" \t\r\n", at);
        return std::pair(at == std::string_view::npos ? '\0' : text[at], at);
    };
    const auto [first, place] = character(0);
    const char next = first == '{' || first == '[' ? character(place + 1).first : '\0';
    if (first == '[' ? next != '{' : next != '"' && next != '}') {
        return {};
    }
    return JsonReader(text, raw_lines_of(text)).read();
}

}  // namespace attn
