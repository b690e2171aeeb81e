// Parses Python as people write it in notebooks: statements and expressions with their line and source text.
// Code that cannot be parsed becomes a statement of kind `other`, and the next statement is parsed again.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace attn::python {

struct Expression {
    enum class Kind {
        name,           // text: the name
        number,         // text: the literal
        string,         // text: the contents between the quotes; escapes are not replaced
        format,         // an f-string; operands: the expressions in braces
        constant,       // True, False, None or ...
        attribute,      // operands: object; text: the attribute's name
        call,           // operands: function, arguments; keywords: one per argument
        subscript,      // operands: object, index
        slice,          // operands: lower, upper, step; absent ones have the kind `nothing`
        unary,          // text: the operator; operands: one
        binary,         // text: the operator, also of comparisons, `and` and `or`; operands: two
        conditional,    // operands: value, condition, alternative
        list,           // operands: the elements
        tuple,          // operands: the elements
        dictionary,     // operands: key, value, key, value, …; a set is `other`
        comprehension,  // operands: element, target and iterated in turn, filters; text: { for dictionaries
        starred,        // text: * or **; operands: one
        walrus,         // name := value; operands: both
        filter,         // of a comprehension; operands: the condition
        nothing,
        lambda,  // operands: the result, the defaults of the parameters; keywords: the parameters
        other,   // yield, await and the like
    };

    Kind kind = Kind::nothing;
    std::string_view text{};
    std::string_view source{};  // the whole expression as written
    std::size_t line = 0;       // counted from 1
    std::vector<Expression> operands{};
    std::vector<std::string_view> keywords{};  // of a call: one per argument, empty for positional ones
    std::size_t height = 0;                    // levels of operands below

    bool is(Kind one) const { return kind == one; }
    bool is_name(std::string_view name) const { return kind == Kind::name && text == name; }
    // Returns a call's argument by keyword or position, or null.
    const Expression* argument(std::string_view keyword, std::size_t position) const;
    // Returns the last name of a dotted function: "softmax" for `torch.softmax(…)`, for all other expressions
    // of no call an empty text.
    std::string_view called() const;
};

struct Argument {
    std::string_view name;              // with * or ** before it
    std::optional<Expression> value{};  // the default
};

struct Statement {
    enum class Kind {
        expression,  // value
        assignment,  // targets, of `a = b = value` two; value
        augmented,   // targets: one; text: the operator without =; value
        function,    // text: the name; parameters; body
        class_,      // text: the name; targets: the base classes; body
        import,      // targets: pairs of an imported name, with the module in `source`, and its local name
        for_,        // targets: one; value: iterated; body
        with,        // value: the first context; targets: its name; body; also try, finally and else
        if_,         // value: the condition; body; otherwise: one statement for each elif and else
        while_,      // value: the condition; body
        return_,     // value
        other,       // not parsed, or without effect on values; text: the first word, such as `break` or @
    };

    Kind kind = Kind::other;
    std::string_view text{};
    std::string_view source{};  // the statement as written; of a compound one, with its body
    std::size_t line = 0;       // the first line, counted from 1
    std::size_t last_line = 0;
    std::vector<Expression> targets{};
    Expression value{};
    std::vector<Argument> parameters{};
    std::vector<Statement> body{};
    std::vector<Statement> otherwise{};
};

struct Comment {
    std::size_t line;
    std::string_view text;  // without the #
};

struct Code {
    std::vector<Statement> statements{};
    std::vector<Comment> comments{};
};

// Parses the source of a cell, session or script in linear time. `source` must outlive the result. Magics and
// shell lines of notebooks (`%time`, `!pip`) are statements of kind `other`. More than two megabytes are no
// code, and have no statements.
Code parse(std::string_view source);

}  // namespace attn::python
