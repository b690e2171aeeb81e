#include "printed/tokens.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include "text/ascii.hpp"

namespace attn {

namespace {

constexpr std::size_t npos = std::string_view::npos;

bool is_letter(char c) {
    return is_lower(c) || is_upper(c);
}

bool is_foreign(char c) {
    return static_cast<unsigned char>(c) >= 0x80;
}

class Lexer {
public:
    explicit Lexer(std::string_view text) : text_(text) {}

    std::vector<Token> read(const std::vector<Line>& lines) {
        for (; line_ < lines.size(); ++line_) {
            if (!lines[line_].code) {
                at_ = lines[line_].begin;
                end_ = lines[line_].end;
                while (at_ < end_ && tokens_.size() <= max_tokens) {
                    token();
                }
            }
        }
        return std::move(tokens_);
    }

private:
    char peek(std::size_t ahead = 0) const { return at_ + ahead < end_ ? text_[at_ + ahead] : '\n'; }
    std::string_view rest() const { return text_.substr(at_, end_ - at_); }
    // Returns how many characters from here on fit.
    template <typename Fits>
    std::size_t count(Fits fits) const {
        const std::string_view characters = rest();
        return static_cast<std::size_t>(std::ranges::find_if_not(characters, fits) - characters.begin());
    }

    Token& add(TokenKind kind, std::size_t length) {
        Token& token = tokens_.emplace_back(Token{kind, peek()});
        token.line = line_;
        token.begin = static_cast<std::uint32_t>(at_);
        at_ += length;
        token.end = static_cast<std::uint32_t>(at_);
        return token;
    }

    void token() {
        const char c = peek();
        std::size_t end = at_;
        if (is_one_of(c, " \t\r\v\f\"'`")) {
            ++at_;
        } else if (rest().starts_with("...") || rest().starts_with("\u2026")) {
            add(TokenKind::gap, 3);
        } else if (const auto number = read_number(text_.substr(0, end_), end)) {
            add(TokenKind::number, end - at_).number = *number;
        } else if (is_word_character(c) || (is_one_of(c, "+-.") && begins_digits())) {
            word();
        } else if (is_foreign(c)) {
            add(TokenKind::word, count(is_foreign));
        } else if (c == '\\') {
            command();
        } else {
            const bool alone = is_one_of(c, "[](){},;");
            add(TokenKind::sign, alone ? 1 : count([c](char other) { return other == c; }));
        }
    }

    bool begins_digits() const { return is_digit(peek(peek() != '.' && peek(1) == '.' ? 2 : 1)); }

    void word() {
        const bool signs = !is_letter(peek()) && peek() != '_';  // a sign within a number, as in `1e-`
        std::size_t length = count(
            [signs](char c) { return is_word_character(c) || c == '.' || (signs && is_one_of(c, "+-")); });
        const std::size_t last = rest().substr(0, length).find_last_not_of('.');
        length = last == npos ? length : last + 1;  // a full stop at the end of a word is not part of it
        const std::string_view word = rest().substr(0, length);
        const bool suffix = is_one_of(word.back(), "fF") && word.find('.') != npos;  // `0.1f` of C++
        if (const auto number = read_only_number(word.substr(0, length - (suffix ? 1 : 0)))) {
            add(TokenKind::number, length).number = *number;
            return;
        }
        const auto digits = static_cast<std::size_t>(std::ranges::count_if(word, is_digit));
        // Whole numbers joined by signs are a date: `2026-11-28`.
        const bool is_damaged = 2 * digits >= length && signs && word.find_first_of(".eE") != npos;
        add(is_damaged ? TokenKind::damaged : TokenKind::word, length);
    }

    // Reads a sequence that begins with a backslash: an escape of a string or of Markdown, or a LaTeX
    // command.
    void command() {
        const char next = peek(1);
        if (next == '\\') {
            add(TokenKind::sign, 2);
        } else if (next == 'n' && (!is_letter(peek(2)) || rest().substr(2).starts_with("grad_fn"))) {
            at_ += 2;  // `\n`: the end of a line in a saved notebook
            at_ += rest().starts_with("\",") ? 2 : 0;
        } else if (is_letter(next)) {
            latex();
        } else {
            at_ = std::min(at_ + (is_one_of(next, "[]_*") ? 1 : 2), end_);
        }
    }

    void latex() {
        std::size_t length = 1;
        while (is_letter(peek(length))) {
            ++length;
        }
        const std::string_view name = rest().substr(1, length - 1);
        if (name == "left" || name == "right") {
            length += is_one_of(peek(length), "[]()|.") ? 1 : 0;
        }
        constexpr std::size_t longest = 100;
        while (peek(length) == '{' && !is_one_of(peek(length + 1), "+-.0123456789")) {
            const std::size_t end = rest().substr(0, length + longest).find('}', length);
            if (end == npos) {
                break;
            }
            length = end + 1;  // \begin{array}{cc}, but not \mathbf{0.1}
        }
        add(TokenKind::command, length);
    }

    std::string_view text_;
    std::size_t end_ = 0;
    std::size_t at_ = 0;
    std::uint32_t line_ = 0;
    std::vector<Token> tokens_;
};

// Joins numbers that were broken.
class Mender {
public:
    explicit Mender(Paste& paste) : paste_(paste) {}

    void mend() {
        const bool commas = uses_decimal_commas();
        std::size_t kept = 0;
        for (at_ = 0; at_ < paste_.tokens.size(); ++at_, ++kept) {
            Token token = paste_[at_];
            if (const std::size_t parts = parts_of_number(commas); parts > 1) {
                at_ += parts - 1;
                join(token, paste_[at_]);
            } else if (commas && token.is(";")) {
                token.first = ',';
            }
            paste_.tokens[kept] = token;
        }
        paste_.tokens.resize(kept);
    }

private:
    // Returns how many tokens the number that begins here consists of.
    std::size_t parts_of_number(bool commas) const {
        const Token& first = paste_[at_];
        const Token& second = paste_[at_ + 1];
        if (first.is_number() && second.begin == first.end + 1 && paste_.text[first.end] == ' ') {
            const bool is_whole_part = first.is_whole() && second.is_number() && second.first == '.';
            const bool has_point = first.is_fraction() && paste_.text[first.end - 1] == '.';
            return is_whole_part || (has_point && second.is_whole() && is_fraction_part(second))
                       ? 2  // 0 .5517 or 0. 5517
                       : 1;
        }
        return is_comma_number(at_) && (commas || is_fraction_part(paste_[at_ + 2])) ? 3 : 1;  // 0,5517
    }

    // Returns true if a comma without blanks separates this whole number from digits.
    bool is_comma_number(std::size_t at) const {
        const Token& digits = paste_[at + 2];
        return paste_[at].is_whole() && paste_[at + 1].is(",") && digits.is_number() &&
               is_digit(digits.first) && !digits.is_fraction() && digits.begin == paste_[at].end + 1;
    }

    // Returns true if the text uses decimal commas throughout: `0,5517; 0,4483`, `0,5517, 0,4483`.
    bool uses_decimal_commas() const {
        bool even = true;         // all have the same number of decimals, at least two
        bool neighbours = false;  // two such numbers stand side by side
        bool separated = false;   // by a sign other than a comma
        bool brackets = false;
        std::size_t decimals = 0;
        std::size_t next = paste_.tokens.size();  // the token after the last such number
        for (std::size_t at = 0; at < paste_.tokens.size(); ++at) {
            const Token& token = paste_[at];
            brackets = brackets || token.is("[{");
            if (!is_comma_number(at)) {
                if (token.is_fraction() && token.number.decimals > 0) {
                    return false;
                }
                continue;
            }
            if (is_comma_number(at + 2)) {
                return false;  // `1,2,3`
            }
            const bool sign = at == next || (at == next + 1 && paste_[next].is(";|&"));
            separated = separated || (sign && !paste_.begins_line(at));
            neighbours = neighbours || sign || (at == next + 1 && paste_[next].is(","));
            const std::size_t length = paste_.text_of(paste_[at + 2]).size();
            even = even && length > 1 && (decimals == 0 || length == decimals);
            decimals = length;
            next = at + 3;
            at += 2;
        }
        return decimals > 0 && (brackets ? even && neighbours : even || separated);
    }

    // Returns true if this token has as many digits as nearby numbers have decimals.
    bool is_fraction_part(const Token& digits) const {
        constexpr std::size_t telling = 3;
        const Token& before = paste_[at_];
        const std::size_t length = paste_.text_of(digits).size();
        const std::size_t nearby = decimals_nearby();
        const bool alone = nearby == 0 && before.is_fraction() && before.number.value == 0.0;
        return is_digit(digits.first) && (alone ? length >= telling : length > 1 && length == nearby);
    }

    // Returns how many decimals the nearest number with a point has, or 0 if none is near.
    std::size_t decimals_nearby() const {
        constexpr std::size_t furthest = 20;
        for (std::size_t distance = 1; distance <= furthest; ++distance) {
            for (const std::size_t i : {at_ - distance, at_ + distance}) {
                if (paste_[i].is_fraction() && paste_[i].number.decimals > 0) {
                    return paste_[i].number.decimals;
                }
            }
        }
        return 0;
    }

    void join(Token& token, const Token& last) const {
        token.end = last.end;
        std::string digits(paste_.text_of(token));
        token.mended = std::erase(digits, ' ') > 0;
        std::ranges::replace(digits, ',', '.');
        token.number = read_only_number(digits).value_or(token.number);
    }

    Paste& paste_;
    std::size_t at_ = 0;
};

}  // namespace

Paste::Paste(std::string_view pasted)
    : text(pasted), lines(lines_of(pasted)), tokens(Lexer(text).read(lines)) {
    Mender(*this).mend();
}

std::size_t Paste::find_in_line(std::size_t at, std::string_view signs) const {
    const std::size_t line = (*this)[at].line;
    while (at < tokens.size() && tokens[at].line == line && !tokens[at].is(signs)) {
        ++at;
    }
    return at;
}

bool Paste::begins_call(std::size_t at) const {
    std::string_view name = text_of((*this)[at]);
    name.remove_prefix(name.rfind('.') + 1);
    return (*this)[at + 1].is("(") && (name == "tensor" || name == "array" || name == "Parameter");
}

}  // namespace attn
