// A parser by recursive descent. Inside an expression, the first error ends its logical line.
#include "documents/python_code.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "documents/python_tokens.hpp"
#include "text/ascii.hpp"

namespace attn::python {

namespace {

// Limits for the recursion of the parser, and of those who walk its results.
constexpr std::size_t max_depth = 60;  // brackets and blocks within each other
constexpr std::size_t max_height = 300;

using Kind = Expression::Kind;

// Binary operators by precedence, the weakest first. Comparisons are not chained.
constexpr std::array<std::array<std::string_view, 9>, 9> levels{{
    {"or"},
    {"and"},
    {"==", "!=", "<", ">", "<=", ">=", "in", "is", "not"},
    {"|"},
    {"^"},
    {"&"},
    {"<<", ">>"},
    {"+", "-"},
    {"*", "/", "//", "%", "@"},
}};

constexpr std::array<std::string_view, 16> keywords{"if",     "else", "for",    "in",    "and",   "or",
                                                    "not",    "is",   "lambda", "await", "yield", "def",
                                                    "import", "with", "return", "class"};

class Parser {
public:
    Parser(std::string_view source, std::size_t line, std::size_t depth)
        : source_(source), depth_(depth), found_(tokenize(source, line)) {}

    Code read() {
        Code code;
        while (line_ < found_.lines.size()) {
            add_line(code.statements);
        }
        code.comments = std::move(found_.comments);
        return code;
    }

    // Reads the expression that the whole source is.
    Expression read_expression() {
        if (found_.lines.empty()) {
            return {};
        }
        begin_line();
        return expressions();
    }

private:
    // ---- tokens -----------------------------------------------------------------------------------------

    bool at_end() const { return at_ >= end_; }
    const Token& token() const { return found_.tokens[at_]; }
    bool is(std::string_view text) const {
        return !at_end() && token().source == text &&
               (token().kind == Token::Kind::sign || token().kind == Token::Kind::name);
    }
    bool is_any(std::span<const std::string_view> texts) const {
        return std::ranges::any_of(texts, [&](std::string_view text) { return is(text); });
    }
    bool take(std::string_view text) {
        const bool taken = is(text);
        at_ += taken ? 1 : 0;
        return taken;
    }
    void expect(std::string_view text) {
        if (!take(text)) {
            fail();
        }
    }
    void fail() {
        failed_ = true;
        at_ = end_;
    }
    bool is_word() const {
        return !at_end() && token().kind == Token::Kind::name &&
               std::ranges::find(keywords, token().source) == keywords.end();
    }
    std::string_view take_word() {
        if (!is_word()) {
            fail();
            return {};
        }
        return found_.tokens[at_++].source;
    }

    // Returns the source from a token to the last one that was read.
    std::string_view since(std::size_t begin) const {
        if (at_ <= begin) {
            return {};
        }
        const char* const first = found_.tokens[begin].source.data();
        const std::string_view last = found_.tokens[at_ - 1].source;
        return source_.substr(static_cast<std::size_t>(first - source_.data()),
                              static_cast<std::size_t>(last.data() + last.size() - first));
    }

    // ---- expressions ------------------------------------------------------------------------------------

    Expression make(Kind kind, std::size_t begin, std::string_view text = {},
                    std::vector<Expression> operands = {}) {
        Expression made{kind, text, since(begin), 0, std::move(operands)};
        made.line = begin < found_.tokens.size() ? found_.tokens[begin].line : 0;
        for (const Expression& operand : made.operands) {
            made.height = std::max(made.height, operand.height + 1);
        }
        if (made.height > max_height) {
            fail();
            return {};
        }
        return made;
    }

    // Expressions with commas between them make a tuple.
    Expression expressions() {
        const std::size_t begin = at_;
        Expression first = expression();
        if (!is(",")) {
            return first;
        }
        std::vector<Expression> all;
        all.push_back(std::move(first));
        while (take(",")) {
            if (at_end() || is("=") || is(")") || is("]") || is(":") || is("in")) {
                break;
            }
            all.push_back(expression());
        }
        return make(Kind::tuple, begin, {}, std::move(all));
    }

    Expression expression() {
        if (++depth_ > max_depth) {
            fail();
        }
        const std::size_t begin = at_;
        Expression result;
        if (at_end()) {
            fail();
        } else if (is("*") || is("**")) {
            const std::string_view stars = found_.tokens[at_++].source;
            std::vector<Expression> starred;
            starred.push_back(binary(0));
            result = make(Kind::starred, begin, stars, std::move(starred));
        } else if (is("lambda")) {
            result = lambda();
        } else if (is("yield") || is("await")) {
            skip_to_comma();
            result = make(Kind::other, begin);
        } else {
            result = binary(0);
            if (take(":=")) {
                std::vector<Expression> both;
                both.push_back(std::move(result));
                both.push_back(expression());
                result = make(Kind::walrus, begin, {}, std::move(both));
            } else if (is("if")) {
                result = conditional(begin, std::move(result));
            }
        }
        --depth_;
        return result;
    }

    Expression lambda() {
        const std::size_t begin = at_++;
        std::vector<std::string_view> parameters;
        std::vector<Expression> parts(1);
        while (is_word() || is("*") || is("**")) {
            const std::size_t name = at_;
            at_ += is_word() ? 1 : 2;
            parameters.push_back(since(name));
            parts.push_back(take("=") ? expression() : Expression{});
            take(",");
        }
        expect(":");
        parts[0] = expression();
        Expression made = make(Kind::lambda, begin, {}, std::move(parts));
        made.keywords = std::move(parameters);
        return made;
    }

    Expression conditional(std::size_t begin, Expression value) {
        ++at_;
        std::vector<Expression> parts;
        parts.push_back(std::move(value));
        parts.push_back(binary(0));
        if (!take("else")) {  // the filter of a comprehension
            return std::move(parts[0]);
        }
        parts.push_back(expression());
        return make(Kind::conditional, begin, {}, std::move(parts));
    }

    void skip_to_comma() {
        std::size_t open = 0;
        for (; !at_end() && (open > 0 || (!is(",") && !is(")") && !is("]") && !is("}"))); ++at_) {
            open += is("(") || is("[") || is("{") ? 1 : 0;
            open -= is(")") || is("]") || is("}") ? 1 : 0;
        }
    }

    Expression binary(std::size_t level) {
        if (level == levels.size()) {
            return unary();
        }
        const std::size_t begin = at_;
        Expression left = is("not") && level == 2 ? unary() : binary(level + 1);
        while (is_any(levels[level]) && !(is("in") && in_target_)) {
            std::string_view sign = found_.tokens[at_++].source;
            if (sign == "not") {
                expect("in");
                sign = "not in";
            } else if (sign == "is" && take("not")) {
                sign = "is not";
            }
            std::vector<Expression> both;
            both.push_back(std::move(left));
            both.push_back(binary(level + 1));
            left = make(Kind::binary, begin, sign, std::move(both));
        }
        return left;
    }

    Expression unary() {
        const std::size_t begin = at_;
        if (!is("-") && !is("+") && !is("~") && !is("not")) {
            return power();
        }
        if (++depth_ > max_depth) {
            fail();
            return {};
        }
        const std::string_view sign = found_.tokens[at_++].source;
        std::vector<Expression> one;
        one.push_back(unary());
        --depth_;
        return make(Kind::unary, begin, sign, std::move(one));
    }

    Expression power() {
        const std::size_t begin = at_;
        Expression base = primary();
        if (!take("**")) {
            return base;
        }
        if (++depth_ > max_depth) {
            fail();
            return {};
        }
        std::vector<Expression> both;
        both.push_back(std::move(base));
        both.push_back(unary());
        --depth_;
        return make(Kind::binary, begin, "**", std::move(both));
    }

    Expression primary() {
        const std::size_t begin = at_;
        Expression left = atom();
        while (!at_end() && !failed_) {
            if (take(".")) {
                const std::string_view name = take_word();
                std::vector<Expression> object;
                object.push_back(std::move(left));
                left = make(Kind::attribute, begin, name, std::move(object));
            } else if (take("(")) {
                left = call(begin, std::move(left));
            } else if (take("[")) {
                std::vector<Expression> parts;
                parts.push_back(std::move(left));
                parts.push_back(index());
                expect("]");
                left = make(Kind::subscript, begin, {}, std::move(parts));
            } else {
                break;
            }
        }
        return left;
    }

    Expression call(std::size_t begin, Expression function) {
        Expression result;
        result.operands.push_back(std::move(function));
        while (!is(")") && !at_end()) {
            std::string_view keyword;
            if (is_word() && at_ + 1 < end_ && found_.tokens[at_ + 1].source == "=") {
                keyword = token().source;
                at_ += 2;
            }
            result.operands.push_back(expression());
            if (is("for")) {
                result.operands.back() = comprehension(std::move(result.operands.back()));
            }
            result.keywords.push_back(keyword);
            if (!take(",")) {
                break;
            }
        }
        expect(")");
        std::vector<std::string_view> named = std::move(result.keywords);
        result = make(Kind::call, begin, {}, std::move(result.operands));
        result.keywords = std::move(named);
        return result;
    }

    Expression index() {
        const std::size_t begin = at_;
        std::vector<Expression> parts;
        bool is_tuple = false;
        do {
            parts.push_back(index_part());
            is_tuple = is_tuple || is(",");
        } while (take(",") && !is("]"));
        return is_tuple ? make(Kind::tuple, begin, {}, std::move(parts)) : std::move(parts[0]);
    }

    Expression index_part() {
        const std::size_t begin = at_;
        std::vector<Expression> parts(1);
        if (!is(":")) {
            parts[0] = expression();
            if (!is(":")) {
                return std::move(parts[0]);
            }
        }
        while (take(":")) {
            parts.push_back(is(":") || is(",") || is("]") ? Expression{} : expression());
        }
        parts.resize(3);
        return make(Kind::slice, begin, {}, std::move(parts));
    }

    // `text` is { for a dictionary, whose elements are tuples of key and value.
    Expression comprehension(Expression element, std::string_view text = {}) {
        const std::size_t begin = at_;
        std::vector<Expression> parts;
        parts.push_back(std::move(element));
        if (++depth_ > max_depth) {
            fail();
        }
        while (is("for") || is("if")) {
            const std::size_t clause = at_;
            if (take("for")) {
                parts.push_back(target());
                expect("in");
                parts.push_back(binary(0));
            } else {
                ++at_;
                std::vector<Expression> condition;
                condition.push_back(binary(0));
                parts.push_back(make(Kind::filter, clause, {}, std::move(condition)));
            }
        }
        --depth_;
        return make(Kind::comprehension, begin, text, std::move(parts));
    }

    Expression atom() {
        const std::size_t begin = at_;
        if (at_end()) {
            fail();
            return {};
        }
        const Token& first = token();
        switch (first.kind) {
            case Token::Kind::number:
                ++at_;
                return make(Kind::number, begin, first.source);
            case Token::Kind::string:
            case Token::Kind::format:
                return strings();
            case Token::Kind::name: {
                if (!is_word()) {
                    fail();
                    return {};
                }
                ++at_;
                const bool is_constant =
                    first.source == "True" || first.source == "False" || first.source == "None";
                return make(is_constant ? Kind::constant : Kind::name, begin, first.source);
            }
            case Token::Kind::sign:
                break;
        }
        if (take("...")) {
            return make(Kind::constant, begin, "...");
        }
        if (take("(")) {
            return bracketed(begin, Kind::tuple, ")");
        }
        if (take("[")) {
            return bracketed(begin, Kind::list, "]");
        }
        if (take("{")) {
            return braces(begin);
        }
        fail();
        return {};
    }

    // Reads what follows an open bracket: elements of a list or a tuple, or one expression in parentheses.
    Expression bracketed(std::size_t begin, Kind kind, std::string_view closing) {
        const bool in_target = std::exchange(in_target_, false);
        std::vector<Expression> elements;
        bool has_comma = false;
        while (!is(closing) && !at_end()) {
            elements.push_back(expression());
            if (is("for")) {
                elements.back() = comprehension(std::move(elements.back()));
                kind = Kind::comprehension;
            }
            if (!take(",")) {
                break;
            }
            has_comma = true;
        }
        expect(closing);
        in_target_ = in_target;
        if (!elements.empty() && (kind == Kind::comprehension || (kind == Kind::tuple && !has_comma))) {
            elements[0].source = since(begin);
            return std::move(elements[0]);
        }
        return make(kind, begin, {}, std::move(elements));
    }

    Expression braces(std::size_t begin) {
        std::vector<Expression> parts;
        bool is_dictionary = true;
        while (!is("}") && !at_end()) {
            parts.push_back(expression());
            if (take(":")) {
                parts.push_back(expression());
            } else {
                is_dictionary = false;
            }
            if (is("for")) {
                Expression all = comprehension(
                    is_dictionary ? make(Kind::tuple, begin, {}, std::move(parts)) : Expression{},
                    is_dictionary ? "{" : "");
                expect("}");
                all.source = since(begin);
                return is_dictionary ? std::move(all) : make(Kind::other, begin);
            }
            if (!take(",")) {
                break;
            }
        }
        expect("}");
        return is_dictionary ? make(Kind::dictionary, begin, {}, std::move(parts)) : make(Kind::other, begin);
    }

    // Strings side by side are one string, with the text of the first.
    Expression strings() {
        const std::size_t begin = at_;
        std::vector<Expression> shown;
        bool is_format = false;
        while (!at_end() && (token().kind == Token::Kind::string || token().kind == Token::Kind::format)) {
            if (token().kind == Token::Kind::format) {
                is_format = true;
                add_replacements(token(), shown);
            }
            ++at_;
        }
        return make(is_format ? Kind::format : Kind::string, begin, found_.tokens[begin].text,
                    std::move(shown));
    }

    // Parses the expressions in the braces of an f-string: `{keys=}`, `{x:.4f}`, `{x!r}`.
    void add_replacements(const Token& string, std::vector<Expression>& shown) const {
        const std::string_view text = string.text;
        for (std::size_t at = text.find('{'); at < text.size(); at = text.find('{', at)) {
            if (text.substr(at).starts_with("{{")) {
                at += 2;
                continue;
            }
            std::size_t open = 0;
            std::size_t end = ++at;
            for (; end < text.size() && (open > 0 || !ends_replacement(text, end)); ++end) {
                open += is_one_of(text[end], "([{") ? 1 : 0;
                open -= open > 0 && is_one_of(text[end], ")]}") ? 1 : 0;
            }
            shown.push_back(Parser(text.substr(at, end - at), string.line, depth_ + 1).read_expression());
            at = end;
        }
    }

    static bool ends_replacement(std::string_view text, std::size_t at) {
        const char next = at + 1 < text.size() ? text[at + 1] : '}';
        return text[at] == '}' || text[at] == ':' || (text[at] == '!' && next != '=') ||
               (text[at] == '=' && is_one_of(next, "}:!"));
    }

    // ---- statements -------------------------------------------------------------------------------------

    void begin_line() {
        const LogicalLine& line = found_.lines[line_++];
        at_ = line.begin;
        end_ = line.end;
        failed_ = false;
        in_target_ = false;
    }

    void add_line(std::vector<Statement>& statements) {
        const std::size_t indent = found_.lines[line_].indent;
        begin_line();
        add_statements(statements, indent);
    }

    void add_statements(std::vector<Statement>& statements, std::size_t indent) {
        do {
            add_statement(statements, indent);
        } while (take(";") && !at_end());
    }

    void add_statement(std::vector<Statement>& statements, std::size_t indent) {
        const std::size_t begin = at_;
        const std::size_t end = end_;
        Statement statement;
        statement.line = token().line;
        const std::size_t depth = depth_;
        read_statement(statement, indent);
        depth_ = depth;
        const bool is_simple = statement.body.empty() && end_ == end;
        if (is_simple && (failed_ || (!at_end() && !is(";")))) {
            statement.kind = Statement::Kind::other;
            at_ = end_ = end;
        }
        statement.source = since(begin);
        const Token& last = found_.tokens[at_ - 1];
        statement.last_line = last.line + static_cast<std::size_t>(std::ranges::count(last.source, '\n'));
        const bool is_branch = found_.tokens[begin].source == "elif" || found_.tokens[begin].source == "else";
        if (is_branch && !statements.empty() && statements.back().kind == Statement::Kind::if_) {
            statements.back().last_line = statement.last_line;
            statements.back().otherwise.push_back(std::move(statement));
        } else {
            statements.push_back(std::move(statement));
        }
    }

    void read_statement(Statement& statement, std::size_t indent) {
        take("async");
        if (take("def")) {
            statement.kind = Statement::Kind::function;
            statement.text = take_word();
            read_parameters(statement);
            skip_to_body();
        } else if (take("class")) {
            statement.kind = Statement::Kind::class_;
            statement.text = take_word();
            if (take("(")) {
                read_bases(statement);
            }
            skip_to_body();
        } else if (take("for")) {
            statement.kind = Statement::Kind::for_;
            statement.targets.push_back(target());
            expect("in");
            statement.value = expressions();
        } else if (take("with")) {
            statement.kind = Statement::Kind::with;
            statement.value = expression();
            if (take("as")) {
                statement.targets.push_back(target());
            }
            skip_to_body();
        } else if (take("if") || take("elif") || is("except")) {
            statement.kind = Statement::Kind::if_;
            if (take("except")) {
                skip_to_body();
            } else {
                statement.value = expression();
            }
        } else if (take("while")) {
            statement.kind = Statement::Kind::while_;
            statement.value = expression();
        } else if (take("try") || take("finally") || take("else")) {
            statement.kind = Statement::Kind::with;
        } else {
            return read_simple(statement);
        }
        read_body(statement, indent);
    }

    void skip_to_body() {
        std::size_t open = 0;
        for (; !at_end() && (open > 0 || !is(":")); ++at_) {
            open += is("(") || is("[") || is("{") ? 1 : 0;
            open -= open > 0 && (is(")") || is("]") || is("}")) ? 1 : 0;
        }
    }

    void read_body(Statement& statement, std::size_t indent) {
        failed_ = failed_ || !is(":");
        if (failed_ || ++depth_ > max_depth) {  // the lines of the body are read as statements of their own
            at_ = end_;
            failed_ = true;
            return;
        }
        ++at_;
        if (!at_end()) {
            add_statements(statement.body, indent);
            return;
        }
        while (line_ < found_.lines.size() && found_.lines[line_].indent > indent) {
            add_line(statement.body);
        }
    }

    void read_parameters(Statement& statement) {
        expect("(");
        while (!is(")") && !at_end()) {
            Argument parameter;
            if (take("/")) {
                take(",");
                continue;
            }
            const std::size_t begin = at_;
            if (take("*") || take("**")) {
                if (is_word()) {
                    ++at_;
                }
            } else {
                take_word();
            }
            parameter.name = since(begin);
            if (take(":")) {
                expression();
            }
            if (take("=")) {
                parameter.value = expression();
            }
            statement.parameters.push_back(std::move(parameter));
            if (!take(",")) {
                break;
            }
        }
        expect(")");
    }

    void read_bases(Statement& statement) {
        while (!is(")") && !at_end()) {
            if (is_word() && at_ + 1 < end_ && found_.tokens[at_ + 1].source == "=") {
                at_ += 2;
            }
            statement.targets.push_back(expression());
            take(",");
        }
        expect(")");
    }

    Expression target() {
        in_target_ = true;
        Expression result = expressions();
        in_target_ = false;
        return result;
    }

    void read_simple(Statement& statement) {
        if (is("import") || is("from")) {
            return read_import(statement);
        }
        if (take("return")) {
            statement.kind = Statement::Kind::return_;
            if (!at_end() && !is(";")) {
                statement.value = expressions();
            }
            return;
        }
        constexpr std::array<std::string_view, 10> without_value{
            "pass", "break", "continue", "del", "global", "nonlocal", "assert", "raise", "print", "@"};
        const bool is_print = is("print") && at_ + 1 < end_ && found_.tokens[at_ + 1].source == "(";
        if ((is_any(without_value) && !is_print) || is_magic()) {
            statement.text = token().source;
            at_ = end_;
            return;
        }
        statement.value = expressions();
        if (take(":")) {  // an annotation
            expression();
            if (!is("=")) {
                return;
            }
        }
        if (!at_end() && token().source.size() > 1 && token().source.back() == '=' && !is("==")) {
            statement.kind = Statement::Kind::augmented;
            statement.text = found_.tokens[at_++].source;
            statement.text.remove_suffix(1);
            statement.targets.push_back(std::move(statement.value));
            statement.value = expressions();
            return;
        }
        statement.kind = Statement::Kind::expression;
        while (take("=")) {
            statement.kind = Statement::Kind::assignment;
            statement.targets.push_back(std::move(statement.value));
            statement.value = expressions();
        }
    }

    bool is_magic() const {
        return token().kind == Token::Kind::sign && is_one_of(token().source[0], "!%?$");
    }

    void read_import(Statement& statement) {
        statement.kind = Statement::Kind::import;
        std::string_view module;
        if (take("from")) {
            module = dotted();
            expect("import");
            take("(");
        } else {
            expect("import");
        }
        do {
            const std::size_t begin = at_;
            const std::string_view name = is("*") ? "*" : dotted();
            take("*");
            Expression imported = make(Kind::name, begin, name);
            imported.source = module;
            statement.targets.push_back(std::move(imported));
            const std::size_t local = at_;
            const std::string_view as = take("as") ? take_word() : name.substr(0, name.find('.'));
            statement.targets.push_back(make(Kind::name, local, as));
        } while (take(",") && !is(")"));
        take(")");
    }

    std::string_view dotted() {
        const std::size_t begin = at_;
        while (take(".") || take("...")) {
        }
        while (is_word()) {
            ++at_;
            if (!take(".")) {
                break;
            }
        }
        return since(begin);
    }

    std::string_view source_;
    std::size_t depth_ = 0;
    Tokens found_;
    std::size_t line_ = 0;  // the next logical line
    std::size_t at_ = 0;    // the next token
    std::size_t end_ = 0;   // the end of the current logical line
    bool failed_ = false;
    bool in_target_ = false;  // between `for` and `in`
};

}  // namespace

const Expression* Expression::argument(std::string_view keyword, std::size_t position) const {
    std::size_t next = 0;
    for (std::size_t i = 0; kind == Kind::call && i < keywords.size(); ++i) {
        if (keywords[i].empty() ? next++ == position : keywords[i] == keyword) {
            return &operands[i + 1];
        }
    }
    return nullptr;
}

std::string_view Expression::called() const {
    return kind == Kind::call ? operands[0].text : std::string_view();
}

Code parse(std::string_view source) {
    constexpr std::size_t most_bytes = 2'000'000;  // nobody writes more
    return source.size() > most_bytes ? Code() : Parser(source, 1, 0).read();
}

}  // namespace attn::python
