// The parser of Python: what statements and expressions mean, and that errors stay in their statement.
#include "documents/python_code.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using attn::python::Code;
using attn::python::Expression;
using attn::python::parse;
using attn::python::Statement;

namespace {

// Writes an expression with all brackets: `(a / (b ** 0.5))`.
std::string written(const Expression& one) {
    using enum Expression::Kind;
    const auto all = [&](std::size_t from) {
        std::string text;
        for (std::size_t i = from; i < one.operands.size(); ++i) {
            text += i == from ? "" : ", ";
            if (one.is(call) && !one.keywords[i - 1].empty()) {
                text += std::string(one.keywords[i - 1]) + '=';
            }
            text += written(one.operands[i]);
        }
        return text;
    };
    switch (one.kind) {
        case attribute:
            return written(one.operands[0]) + '.' + std::string(one.text);
        case call:
            return written(one.operands[0]) + '(' + all(1) + ')';
        case subscript:
            return written(one.operands[0]) + '[' + written(one.operands[1]) + ']';
        case slice:
            return '<' + all(0) + '>';
        case unary:
            return '(' + std::string(one.text) + written(one.operands[0]) + ')';
        case binary:
            return '(' + written(one.operands[0]) + ' ' + std::string(one.text) + ' ' +
                   written(one.operands[1]) + ')';
        case list:
            return '[' + all(0) + ']';
        case tuple:
            return '(' + all(0) + ')';
        case format:
            return 'f' + all(0);
        case comprehension:
            return "{" + all(0) + " for " + std::string(one.text) + '}';
        default:
            return std::string(one.text);
    }
}

std::string value_of(std::string_view source) {
    const Code code = parse(source);
    return code.statements.size() == 1 ? written(code.statements[0].value) : "several statements";
}

}  // namespace

TEST_CASE("expressions bind as in Python") {
    CHECK(value_of("torch.softmax(masked / keys.shape[-1]**0.5, dim=-1)") ==
          "torch.softmax((masked / (keys.shape[(-1)] ** 0.5)), dim=(-1))");
    CHECK(value_of("-a ** 2 @ b.T + c") == "(((-(a ** 2)) @ b.T) + c)");
    CHECK(value_of("x[:2, ..., ::-1]") == "x[(<, 2, >, ..., <, , (-1)>)]");
    CHECK(value_of("[h(x) for h in self.heads if h]") == "{h(x), h, self.heads,  for }");
    CHECK(value_of("print(f\"{keys=} {w[0]['a']!r:>8} {{no}} {(a @ b).sum():.4f}\", end='')") ==
          "print(fkeys, w[0][a], (a @ b).sum(), end=)");
    CHECK(value_of("a if b in c and not d else (e,)") == "");
    CHECK(value_of("权重 = [1, -2.5e-3,\n      # a comment\n      True]") == "[1, (-2.5e-3), True]");
}

TEST_CASE("statements keep their lines and bodies") {
    const Code code = parse(
        "%matplotlib inline\n"
        "from torch import nn, tensor as t\n"
        "class A(nn.Module):\n"
        "    def __init__(self, d_in: int, dropout=0.1, *rest, **more) -> None:\n"
        "        super().__init__(); self.n = d_in\n"
        "\n"
        "    def forward(self, x):\n"
        "        if x: return x\n"
        "        elif y:\n"
        "            pass\n"
        "        else:\n"
        "            y += 1\n"
        "for i, row in enumerate(a): a, (b, c) = row\n"
        "with torch.no_grad(), b as c:\n"
        "    q = k = 1  # both\n");
    REQUIRE(code.statements.size() == 5);
    CHECK(code.statements[1].targets[2].text == "tensor");
    CHECK(code.statements[1].targets[3].text == "t");
    const Statement& a = code.statements[2];
    CHECK(a.last_line == 12);
    REQUIRE(a.body.size() == 2);
    CHECK(a.body[0].parameters[2].name == "dropout");
    CHECK(written(*a.body[0].parameters[2].value) == "0.1");
    CHECK(a.body[0].parameters[4].name == "**more");
    REQUIRE(a.body[0].body.size() == 2);
    CHECK(a.body[0].body[1].source == "self.n = d_in");
    REQUIRE(a.body[1].body[0].otherwise.size() == 2);
    CHECK(a.body[1].body[0].otherwise[1].body[0].text == "+");
    CHECK(code.statements[3].body[0].targets.size() == 1);
    CHECK(code.statements[4].body[0].targets.size() == 2);
    REQUIRE(code.comments.size() == 1);
    CHECK(code.comments[0].line == 15);
}

TEST_CASE("an error ends its statement, and the next one is read") {
    const Code code = parse("x = = 1\ny = 2 $\nz = (1,\ndef f():\n    u = 3\nw = 'open\nv = 4");
    std::string read;
    for (const Statement& statement : code.statements) {
        read += statement.kind == Statement::Kind::assignment ? written(statement.targets[0]) : "?";
    }
    CHECK(read == "????wv");
    for (const std::string_view hostile :
         {"(", "[", "-", "not ", "x.", "a+", "a if b else ", "f'{", "if x:\n ", "lambda:"}) {
        std::string deep;
        while (deep.size() < 200'000) {
            deep += hostile;
        }
        CHECK(parse(deep).statements.size() > 0);
    }
}
