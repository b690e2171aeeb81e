#include "documents/python_tokens.hpp"

#include <algorithm>
#include <array>

#include "text/ascii.hpp"

namespace attn::python {

namespace {

constexpr std::string_view blanks = " \t\r\f";

// Longer operators come first.
constexpr std::array<std::string_view, 24> operators{"**=", "//=", ">>=", "<<=", "...", "**", "//", ">>",
                                                     "<<",  "==",  "!=",  "<=",  ">=",  "->", ":=", "+=",
                                                     "-=",  "*=",  "/=",  "@=",  "%=",  "&=", "|=", "^="};

// A bracket that is never closed ends before a line that begins with one of these.
constexpr std::array<std::string_view, 6> statements{"def", "class", "import", "return", "while", "with"};

// Letters of other scripts are letters, too.
bool is_letter(char c) {
    return is_word_character(c) || static_cast<unsigned char>(c) >= 0x80;
}

class Tokenizer {
public:
    Tokenizer(std::string_view source, std::size_t line) : source_(source), line_(line) {}

    Tokens read() {
        while (at_ < source_.size()) {
            begin_line();
            while (at_ < source_.size() && source_[at_] != '\n') {
                read_one();
            }
            at_ = std::min(at_ + 1, source_.size());
            ++line_;
            if (depth_ == 0 && !continued_) {
                end_logical_line();
            }
        }
        end_logical_line();
        return std::move(found_);
    }

private:
    std::string_view rest() const { return source_.substr(at_); }

    // Returns true if only blanks follow in this line.
    bool ends_line(std::size_t at) const {
        const std::size_t next = source_.find_first_not_of(blanks, at);
        return next == std::string_view::npos || source_[next] == '\n';
    }

    std::string_view word_here() const {
        std::size_t end = at_;
        while (end < source_.size() && is_letter(source_[end])) {
            ++end;
        }
        return source_.substr(at_, end - at_);
    }

    void begin_line() {
        const std::size_t begin = at_;
        at_ = std::min(source_.find_first_not_of(blanks, at_), source_.size());
        const bool is_statement =
            depth_ > 0 && std::ranges::find(statements, word_here()) != statements.end();
        if (is_statement) {
            end_logical_line();
        }
        if (found_.tokens.size() == begin_) {  // the first line of a logical line
            indent_ = at_ - begin;
            if (at_ < source_.size() && is_one_of(source_[at_], "!%?")) {
                read_magic();
            }
        }
        continued_ = false;
    }

    // `%time x = 1` runs the rest of the line; all other magics are one token. Most magics of cells take the
    // whole cell as text.
    void read_magic() {
        constexpr std::string_view time = "%time ";
        if (rest().starts_with(time)) {
            at_ += time.size();
            return;
        }
        const bool is_text =
            rest().starts_with("%%") && !rest().starts_with("%%time") && !rest().starts_with("%%capture");
        add(Token::Kind::sign, is_text ? source_.size() : std::min(source_.find('\n', at_), source_.size()));
    }

    void end_logical_line() {
        if (found_.tokens.size() > begin_) {
            found_.lines.push_back({begin_, found_.tokens.size(), indent_});
        }
        begin_ = found_.tokens.size();
        depth_ = 0;
    }

    void add(Token::Kind kind, std::size_t end) {
        const std::string_view source = source_.substr(at_, end - at_);
        found_.tokens.push_back({kind, source, source, line_});
        at_ = end;
    }

    void read_one() {
        const char c = source_[at_];
        if (is_one_of(c, blanks)) {
            ++at_;
        } else if (c == '#') {
            const std::size_t end = std::min(source_.find('\n', at_), source_.size());
            found_.comments.push_back({line_, source_.substr(at_ + 1, end - at_ - 1)});
            at_ = end;
        } else if (c == '\\' && ends_line(at_ + 1)) {
            continued_ = true;
            at_ = std::min(source_.find('\n', at_), source_.size());
        } else if (is_digit(c) || (c == '.' && at_ + 1 < source_.size() && is_digit(source_[at_ + 1]))) {
            read_number();
        } else if (is_letter(c)) {
            read_word();
        } else if (c == '"' || c == '\'') {
            read_string(at_, false, false);
        } else {
            read_sign();
        }
    }

    void read_number() {
        std::size_t end = at_;
        while (end < source_.size() && (is_letter(source_[end]) || source_[end] == '.' ||
                                        (is_one_of(source_[end], "+-") && is_one_of(source_[end - 1], "eE") &&
                                         !source_.substr(at_).starts_with("0x")))) {
            ++end;
        }
        add(Token::Kind::number, end);
    }

    void read_word() {
        const std::string_view word = word_here();
        const std::size_t end = at_ + word.size();
        const bool is_prefix =
            word.size() <= 2 && word.find_first_not_of("rRbBuUfF") == std::string_view::npos;
        if (is_prefix && end < source_.size() && is_one_of(source_[end], "\"'")) {
            read_string(end, word.find_first_of("fF") != std::string_view::npos,
                        word.find_first_of("rR") != std::string_view::npos);
        } else {
            add(Token::Kind::name, end);
        }
    }

    // A string without its closing quote ends with the line, or with the source if it has three quotes.
    void read_string(std::size_t quote, bool is_format, bool is_raw) {
        const bool is_long = source_.substr(quote, 3) == std::string(3, source_[quote]);
        const std::string closing(is_long ? 3 : 1, source_[quote]);
        const std::size_t begin = quote + closing.size();
        std::size_t end = begin;
        while (end < source_.size() && source_.substr(end, closing.size()) != closing &&
               (is_long || source_[end] != '\n')) {
            end += source_[end] == '\\' && !is_raw ? 2 : 1;
        }
        end = std::min(end, source_.size());
        const bool is_closed = source_.substr(end, closing.size()) == closing;
        const std::string_view contents = source_.substr(begin, end - begin);
        add(is_format ? Token::Kind::format : Token::Kind::string, is_closed ? end + closing.size() : end);
        found_.tokens.back().text = contents;
        line_ += static_cast<std::size_t>(std::ranges::count(contents, '\n'));
    }

    void read_sign() {
        const char c = source_[at_];
        depth_ += is_one_of(c, "([{") ? 1 : 0;
        depth_ -= is_one_of(c, ")]}") && depth_ > 0 ? 1 : 0;
        const auto longer =
            std::ranges::find_if(operators, [&](std::string_view one) { return rest().starts_with(one); });
        add(Token::Kind::sign, at_ + (longer == operators.end() ? 1 : longer->size()));
    }

    std::string_view source_;
    std::size_t at_ = 0;
    std::size_t line_;
    std::size_t depth_ = 0;   // open brackets
    bool continued_ = false;  // the line ends in a backslash
    std::size_t begin_ = 0;   // the first token of the logical line
    std::size_t indent_ = 0;
    Tokens found_;
};

}  // namespace

Tokens tokenize(std::string_view source, std::size_t line) {
    return Tokenizer(source, line).read();
}

}  // namespace attn::python
