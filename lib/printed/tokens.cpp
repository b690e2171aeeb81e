#include "printed/tokens.hpp"

#include <algorithm>
#include <array>
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

    std::vector<Token> read(std::span<const Line> lines) {
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

    Token& add(TokenKind kind, std::size_t length) {
        Token& token = tokens_.emplace_back(Token{kind, peek()});
        token.line = line_;
        token.begin = static_cast<std::uint32_t>(at_);
        at_ += length;
        token.end = static_cast<std::uint32_t>(at_);
        return token;
    }

    void add_number(const PrintedNumber& number, std::size_t length) {
        add(TokenKind::number, length).number = number;
    }

    void token() {
        const char c = peek();
        std::size_t end = at_;
        if (is_one_of(c, " \t\r\v\f\"'`")) {
            ++at_;
        } else if (rest().starts_with("...") || rest().starts_with("\u2026")) {
            add(TokenKind::gap, 3);
        } else if (const auto number = read_number(text_.substr(0, end_), end)) {
            add_number(*number, end - at_);
        } else if (is_word_character(c) || (is_one_of(c, "+-.") && begins_digits())) {
            word();
        } else if (is_foreign(c)) {
            foreign_word();
        } else if (c == '\\') {
            command();
        } else {
            const bool alone = is_one_of(c, "[](){},;");
            add(TokenKind::sign, alone ? 1 : std::min(rest().find_first_not_of(c), rest().size()));
        }
    }

    bool begins_digits() const { return is_digit(peek(peek() != '.' && peek(1) == '.' ? 2 : 1)); }

    void word() {
        const bool signs = !is_letter(peek()) && peek() != '_';  // a sign within a number, as in `1e-`
        std::size_t length = 1;
        while (is_word_character(peek(length)) || peek(length) == '.' ||
               (signs && is_one_of(peek(length), "+-"))) {
            ++length;
        }
        const std::size_t last = rest().substr(0, length).find_last_not_of('.');
        length = last == npos ? length : last + 1;  // a full stop at the end of a word is not part of it
        const std::string_view word = rest().substr(0, length);
        const bool suffix = is_one_of(word.back(), "fF") && word.find('.') != npos;  // `0.1f` of C++
        if (const auto number = read_only_number(word.substr(0, length - (suffix ? 1 : 0)))) {
            add_number(*number, length);
            return;
        }
        const auto digits = static_cast<std::size_t>(std::ranges::count_if(word, is_digit));
        // Whole numbers joined by signs are a date: `2026-11-28`.
        const bool is_damaged = 2 * digits >= length && signs && word.find_first_of(".eE") != npos;
        add(is_damaged ? TokenKind::damaged : TokenKind::word, length);
    }

    void foreign_word() {
        std::size_t length = 1;
        while (is_foreign(peek(length))) {
            ++length;
        }
        add(TokenKind::word, length);
    }

    // Reads a sequence that begins with a backslash: an escape of a string or of Markdown, or a LaTeX
    // command.
    void command() {
        const char next = peek(1);
        if (next == '\\') {
            add(TokenKind::sign, 2);
        } else if (next == 'n' && (!is_letter(peek(2)) || rest().substr(2).starts_with("grad_fn"))) {
            at_ += 2;  // `\n`: the end of a line in a saved notebook
            at_ += peek() == '"' ? 1 : 0;
            at_ += peek() == ',' ? 1 : 0;
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
    Mender(std::string_view text, std::vector<Token>& tokens) : text_(text), tokens_(tokens) {}

    void mend() {
        const bool commas = uses_decimal_commas();
        std::size_t kept = 0;
        for (at_ = 0; at_ < tokens_.size(); ++at_, ++kept) {
            Token token = tokens_[at_];
            if (const std::size_t parts = token.is_number() ? parts_of_number(commas) : 1; parts > 1) {
                join(token, tokens_[at_ + parts - 1]);
                at_ += parts - 1;
            } else if (commas && token.is(";")) {
                token.first = ',';
            }
            tokens_[kept] = token;
        }
        tokens_.resize(kept);
    }

private:
    // Returns how many tokens this broken number consists of.
    std::size_t parts_of_number(bool commas) const {
        const Token& first = tokens_[at_];
        if (at_ + 1 == tokens_.size() || tokens_[at_ + 1].line != first.line) {
            return 1;
        }
        const Token& second = tokens_[at_ + 1];
        const bool blank = second.begin == first.end + 1 && text_[first.end] == ' ';
        if (blank && second.is_number() && first.is_whole() && second.first == '.') {
            return 2;  // 0 .5517
        }
        if (blank && second.is_whole() && first.is_fraction() && text_[first.end - 1] == '.') {
            return is_fraction_part(second, first) ? 2 : 1;  // 0. 5517
        }
        if (is_comma_number(at_)) {
            return commas || is_fraction_part(tokens_[at_ + 2], first) ? 3 : 1;  // 0,5517
        }
        return 1;
    }

    // Returns true if a comma without blanks separates this whole number from digits.
    bool is_comma_number(std::size_t at) const {
        return at + 2 < tokens_.size() && tokens_[at].is_whole() && tokens_[at + 1].is(",") &&
               tokens_[at + 2].is_number() && is_digit(tokens_[at + 2].first) &&
               !tokens_[at + 2].is_fraction() && tokens_[at].end == tokens_[at + 1].begin &&
               tokens_[at + 1].end == tokens_[at + 2].begin;
    }

    // Returns true if the text uses decimal commas throughout: `0,5517; 0,4483`, `0,5517, 0,4483`.
    bool uses_decimal_commas() const {
        bool even = true;         // all have the same number of decimals, at least two
        bool neighbours = false;  // two such numbers stand side by side
        bool separated = false;   // by a sign other than a comma
        std::size_t decimals = 0;
        std::size_t next = tokens_.size();  // the token after the last such number
        for (std::size_t at = 0; at < tokens_.size(); ++at) {
            if (tokens_[at].is_fraction() && tokens_[at].number.decimals > 0) {
                return false;
            }
            if (!is_comma_number(at)) {
                continue;
            }
            if (is_comma_number(at + 2)) {
                return false;  // `1,2,3`
            }
            const std::size_t length = tokens_[at + 2].end - tokens_[at + 2].begin;
            const bool comma = at == next + 1 && tokens_[next].is(",");
            const bool sign = at == next || (at == next + 1 && tokens_[next].is(";|&"));
            separated = separated || (sign && tokens_[at].line == tokens_[at - 1].line);
            neighbours = neighbours || sign || comma;
            even = even && length > 1 && (decimals == 0 || length == decimals);
            decimals = length;
            next = at + 3;
            at += 2;
        }
        const bool brackets = std::ranges::any_of(tokens_, [](const Token& token) { return token.is("[{"); });
        return decimals > 0 && (brackets ? even && neighbours : even || separated);
    }

    // Returns true if this token has as many digits as nearby numbers have decimals.
    bool is_fraction_part(const Token& digits, const Token& before) const {
        constexpr std::size_t telling = 3;
        const std::size_t length = digits.end - digits.begin;
        const std::size_t nearby = decimals_nearby();
        const bool alone = nearby == 0 && before.is_fraction() && before.number.value == 0.0;
        return is_digit(digits.first) && (alone ? length >= telling : length > 1 && length == nearby);
    }

    // Returns how many decimals the nearest number with a point has, or 0 if none is near.
    std::size_t decimals_nearby() const {
        constexpr std::size_t furthest = 20;
        for (std::size_t distance = 1; distance <= furthest; ++distance) {
            for (const std::size_t i : {at_ - distance, at_ + distance}) {
                if (i < tokens_.size() && tokens_[i].is_fraction() && tokens_[i].number.decimals > 0) {
                    return tokens_[i].number.decimals;
                }
            }
        }
        return 0;
    }

    void join(Token& token, const Token& last) const {
        std::string digits(text_.substr(token.begin, last.end - token.begin));
        token.mended = std::erase(digits, ' ') > 0;
        std::ranges::replace(digits, ',', '.');
        token.number = read_only_number(digits).value_or(token.number);
        token.end = last.end;
    }

    std::string_view text_;
    std::vector<Token>& tokens_;
    std::size_t at_ = 0;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view text, std::span<const Line> lines) {
    std::vector<Token> tokens = Lexer(text).read(lines);
    Mender(text, tokens).mend();
    return tokens;
}

bool begins_call(std::string_view text, std::span<const Token> tokens, std::size_t at) {
    if (tokens[at].kind != TokenKind::word || at + 1 == tokens.size() || !tokens[at + 1].is("(")) {
        return false;
    }
    std::string_view name = text.substr(tokens[at].begin, tokens[at].end - tokens[at].begin);
    name.remove_prefix(name.rfind('.') + 1);
    return name == "tensor" || name == "array" || name == "Parameter";
}

}  // namespace attn
