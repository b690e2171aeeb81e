#include "printed/sentences.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "text/ascii.hpp"

namespace attn {

namespace {

class SentenceReader {
public:
    SentenceReader(std::string_view text, std::size_t begin, std::size_t end, std::size_t room)
        : text_(text.substr(0, end)), at_(begin), room_(room) {}

    PrintedSentence read() {
        while (at_ < text_.size()) {
            if (const auto number = this->number()) {
                if (room_ == 0) {
                    sentence_.problem = {.kind = ListProblem::Kind::too_many, .offset = number->offset};
                    return std::move(sentence_);
                }
                --room_;
                numbers_.push_back(*number);
                end_ = at_;
                skip_between();
            } else {
                end_list();
                skip_word();
            }
        }
        end_list();
        return std::move(sentence_);
    }

private:
    // As read_number, but a full stop may follow.
    std::optional<PrintedNumber> number() {
        constexpr std::size_t enough = 2;
        std::size_t end = at_ + (text_[at_] == '-' || text_[at_] == '+' ? 1 : 0);
        const auto skip_digits = [&] {
            while (end < text_.size() && is_digit(text_[end])) {
                ++end;
            }
        };
        skip_digits();
        end += end < text_.size() && text_[end] == '.' ? 1 : 0;
        skip_digits();
        if (end + 2 < text_.size() && text_[end] == 'e') {
            end += 2;
            skip_digits();
        }
        end += end < text_.size() && text_[end] == '%' ? 1 : 0;
        const std::string_view rest = text_.substr(end);
        const std::size_t point = rest.starts_with('.') ? 1 : 0;  // `1.13.1` is no number
        if (point < rest.size() && is_word_character(rest[point])) {
            return std::nullopt;
        }
        std::size_t behind = at_;
        const auto number = read_number(text_.substr(0, end), behind);
        if (!number || number->decimals < enough) {
            return std::nullopt;
        }
        at_ = end;
        return number;
    }

    // `, `, ` and `.
    void skip_between() {
        const auto skip_separators = [&] {
            at_ = std::min(text_.find_first_not_of(" \t\r,;|&", at_), text_.size());
        };
        skip_separators();
        constexpr std::array conjunctions{std::string_view("and "), std::string_view("和"),
                                          std::string_view("与"), std::string_view("及")};
        for (const std::string_view conjunction : conjunctions) {
            at_ += text_.substr(at_).starts_with(conjunction) ? conjunction.size() : 0;
        }
        skip_separators();
    }

    // Up to where the next number may begin.
    void skip_word() {
        const auto within = [](char c) { return is_word_character(c) || c == '.'; };
        const bool word = within(text_[at_]);
        do {
            ++at_;
        } while (at_ < text_.size() && word && within(text_[at_]));
    }

    void end_list() {
        if (numbers_.size() > 1) {
            PrintedList& list = sentence_.lists.emplace_back();
            list.shown = {numbers_.size()};
            list.numbers = std::move(numbers_);
            list.end = end_;
        }
        numbers_.clear();
    }

    std::string_view text_;  // to the end of the line
    std::size_t at_;
    std::size_t room_;     // for so many more numbers
    std::size_t end_ = 0;  // of the last number
    std::vector<PrintedNumber> numbers_;
    PrintedSentence sentence_;
};

}  // namespace

PrintedSentence read_sentence(std::string_view text, std::size_t begin, std::size_t end, std::size_t room) {
    return SentenceReader(text, begin, end, room).read();
}

}  // namespace attn
