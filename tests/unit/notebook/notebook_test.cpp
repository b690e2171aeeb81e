// The operations' rows, and the text of recorded calls: brackets, names, attributes.
#include "notebook/notebook.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "notebook/ops.hpp"
#include "notebook/render.hpp"
#include "page.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"

using attn::Language;
using attn::literal;
using attn::Notebook;
using attn::Page;
using attn::Shape;
using attn::Tensor;
using attn::Var;

namespace {

std::string torch(Var node) {
    return attn::expression(*node.notebook, node.id, Language::torch);
}

std::string numpy(Var node) {
    return attn::expression(*node.notebook, node.id, Language::numpy);
}

std::string cpp(Var node) {
    return attn::expression(*node.notebook, node.id, Language::cpp);
}

}  // namespace

TEST_CASE("brackets stand where an operand holds less tightly, and only there") {
    Page p;
    CHECK(torch(attn::matmul(p.x + p.q, p.k)) == "(inputs + queries) @ keys");
    CHECK(torch(attn::matmul(p.x, p.q + p.k)) == "inputs @ (queries + keys)");
    CHECK(torch(attn::matmul(p.x, p.q) + p.k) == "inputs @ queries + keys");
    CHECK(torch(p.x + attn::matmul(p.q, p.k)) == "inputs + queries @ keys");
    CHECK(torch(attn::transpose(p.x + p.q)) == "(inputs + queries).T");
    CHECK(torch(attn::transpose(attn::matmul(p.x, p.q))) == "(inputs @ queries).T");
    CHECK(torch(attn::transpose(attn::transpose(p.x))) == "inputs.T.T");
    CHECK(torch(attn::matmul(p.q, attn::transpose(p.k))) == "queries @ keys.T");
    CHECK(torch(attn::sum(p.x * p.q, -1, true)) == "(inputs * queries).sum(dim=-1, keepdim=True)");
}

TEST_CASE("operators of one rank group from the left") {
    Page p;
    CHECK(torch(p.x - p.q - p.k) == "inputs - queries - keys");
    CHECK(torch(p.x - (p.q - p.k)) == "inputs - (queries - keys)");
    CHECK(torch(p.x * p.q / p.k) == "inputs * queries / keys");
    CHECK(torch(p.x / (p.q * p.k)) == "inputs / (queries * keys)");
    CHECK(torch(p.x / (p.q / p.k)) == "inputs / (queries / keys)");
    CHECK(torch(attn::matmul(p.x, attn::matmul(p.q, p.k))) == "inputs @ (queries @ keys)");
    CHECK(torch(attn::matmul(attn::matmul(p.x, p.q), p.k)) == "inputs @ queries @ keys");
    CHECK(torch((p.x * p.q) / literal(2)) == "inputs * queries / 2");
    CHECK(torch((p.x + p.q) / literal(2)) == "(inputs + queries) / 2");
    CHECK(torch(attn::matmul(p.x, p.q / literal(2))) == "inputs @ (queries / 2)");
}

TEST_CASE("inside the brackets of a call an operand needs none of its own") {
    Page p;
    CHECK(torch(attn::softmax(p.x / literal(2), -1)) == "torch.softmax(inputs / 2, dim=-1)");
    CHECK(torch(attn::softmax(p.x + p.q, 0)) == "torch.softmax(inputs + queries, dim=0)");
    CHECK(torch(attn::tril(p.x + p.q)) == "torch.tril(inputs + queries)");
    CHECK(torch(attn::masked_fill(p.x + p.q, attn::as_bool(p.k), attn::minus_infinity())) ==
          "(inputs + queries).masked_fill(keys.bool(), -torch.inf)");
    CHECK(torch(attn::masked_fill(p.x, attn::eq(p.k, literal(0)), attn::minus_infinity())) ==
          "inputs.masked_fill(keys == 0, -torch.inf)");
    CHECK(torch(attn::softmax(attn::matmul(p.q, attn::transpose(p.k + p.x)) / attn::root_dk(p.k), -1) *
                p.v) == "torch.softmax(queries @ (keys + inputs).T / keys.shape[-1]**0.5, dim=-1) * values");
    CHECK(numpy(attn::masked_fill(p.x + p.q, attn::as_bool(p.k + p.v), attn::minus_infinity())) ==
          "np.where((keys + values).astype(bool), np.float32(-np.inf), inputs + queries)");
    CHECK(cpp(attn::matmul(p.x + p.q, attn::transpose(p.k))) ==
          "matmul(add(inputs, queries), transpose(keys, 0, 1))");
}

TEST_CASE("an operand with a name is its name") {
    Page p;
    const Var sum = p.nb.line("sum", p.x + p.q);
    CHECK(torch(attn::matmul(sum, p.k)) == "sum @ keys");
    CHECK(torch(sum) == "sum");
    CHECK(attn::statement(p.nb, sum.id, Language::torch) == "sum = inputs + queries");
    CHECK(attn::statement(p.nb, sum.id, Language::cpp) == "const auto sum = add(inputs, queries);");
}

TEST_CASE("attributes and numbers read as they do in each language") {
    Page p;
    const Var size = attn::ones(p.nb, {literal(2), attn::extent(p.x, 1, "d_in")});
    CHECK(torch(size) == "torch.ones(2, inputs.shape[1])");
    CHECK(numpy(size) == "np.ones((2, inputs.shape[1]), dtype=np.float32)");
    CHECK(cpp(size) == "ones({2, inputs.size(1)})");
    CHECK(torch(attn::triu(p.x, -1)) == "torch.triu(inputs, diagonal=-1)");
    CHECK(numpy(attn::softmax(p.x, 0)) == "softmax(inputs, axis=0)");
    CHECK(torch(p.x * (p.q / (literal(1) - literal(0.3)))) == "inputs * (queries / (1 - 0.3))");
    const attn::Number n = p.nb.line("context_length", literal(6));
    CHECK(torch(attn::ones(p.nb, {n, n})) == "torch.ones(context_length, context_length)");
    CHECK(cpp(attn::masked_fill(p.x, p.k, attn::minus_infinity())) == "masked_fill(inputs, keys, -INFINITY)");
    const Var numpy_seed = attn::numpy::seed(p.nb, 5'000'000'000);
    CHECK(numpy(numpy_seed) == "np.random.seed(5000000000 % 2**32)");
    CHECK(cpp(numpy_seed) == "Generator(5000000000U)");
    const Var large_seed = p.nb.line("seeded", attn::manual_seed(p.nb, 5'000'000'000));
    CHECK(attn::statement(p.nb, large_seed.id, Language::numpy) ==
          "seeded = np.random.RandomState(5000000000 % 2**32)");
    CHECK(attn::statement(p.nb, large_seed.id, Language::cpp) == "auto seeded = Generator(5000000000U);");
    CHECK(torch(attn::manual_seed(p.nb, std::numeric_limits<std::uint64_t>::max())) ==
          "torch.manual_seed(18446744073709551615)");
    CHECK(torch(p.nb.given(Tensor(Shape{2}, {0.43F, 2}))) == "torch.tensor([0.43, 2.0])");
    CHECK(torch(attn::cat({p.x, p.q + p.k}, -1)) == "torch.cat((inputs, queries + keys), dim=-1)");
    const Var generator = p.nb.line("generator", attn::manual_seed(p.nb, 1));
    CHECK(torch(attn::linear(generator, literal(3), literal(2), false)) ==
          "torch.nn.Linear(3, 2, bias=False)");
    CHECK(cpp(attn::linear(generator, literal(3), literal(2), true)) == "Linear(generator, 3, 2, true)");
}

TEST_CASE("a reduction reads after its arguments, and rows are reduced along the last axis alone") {
    Page p;
    CHECK(torch(attn::sum(p.x)) == "inputs.sum()");
    CHECK(torch(attn::sum(p.x, 1, false)) == "inputs.sum(dim=1)");
    CHECK(torch(attn::amax(p.x, -1, true)) == "inputs.amax(dim=-1, keepdim=True)");
    CHECK(numpy(attn::sum(p.x, -1, false)) == "inputs.sum(axis=-1)");
    CHECK(numpy(attn::amax(p.x, -1, true)) == "np.max(inputs, axis=-1, keepdims=True)");
    CHECK(cpp(attn::sum(p.x, -1, false)) == "sum(inputs, -1)");
    CHECK(cpp(attn::amax(p.x, -1, true)) == "amax(inputs, -1, true)");
    CHECK(attn::sum(p.x, -1, false).value().shape() == Shape{2});
    CHECK(attn::sum(p.x, -1, true).value().shape() == Shape{2, 1});
    CHECK_THROWS_AS(attn::sum(p.x, 0, true), std::logic_error);
    CHECK_THROWS_AS(attn::mean(p.x, 0), std::logic_error);
}

TEST_CASE("a whole number reads as all of its digits") {
    CHECK(literal(100000).in(Language::torch) == "100000");
    CHECK(literal(std::numeric_limits<std::uint64_t>::max()).in(Language::cpp) == "18446744073709551615");
    CHECK(formula_text(literal(-1)) == "−1");
    CHECK(literal(1e5).in(Language::torch) == "1e+05");
}

TEST_CASE("dropout in NumPy and C++ draws its mask from the generator") {
    Page p;
    const Var g = p.nb.line("generator", attn::manual_seed(p.nb, 1));
    CHECK(numpy(attn::dropout(g, p.x, literal(0.25))) == "dropout(generator, inputs, p=0.25)");
    CHECK(cpp(attn::dropout(g, p.x + p.q, literal(1))) == "dropout(generator, add(inputs, queries), 1)");
}

TEST_CASE("in C++ a name is declared once, and a function that a variable hides is qualified") {
    Page p;
    const Var first = p.nb.line("generator", attn::manual_seed(p.nb, 1));
    const Var second = p.nb.line("generator", attn::manual_seed(p.nb, 2));
    CHECK(attn::statement(p.nb, first.id, Language::cpp) == "auto generator = Generator(1U);");
    CHECK(attn::statement(p.nb, second.id, Language::cpp) == "generator = Generator(2U);");
    const Var mask = p.nb.line("keep", p.nb.given(Tensor(Shape{}, {1})));
    p.nb.line("keep", p.nb.given(Tensor(Shape{}, {0})));
    CHECK(attn::statement(p.nb, mask.id, Language::cpp) == "auto keep = Tensor(Shape{}, {1.0F});");
    CHECK(cpp(attn::sum(p.x, -1, true)) == "sum(inputs, -1, true)");
    const Var sums = p.nb.line("sum", attn::sum(p.x, -1, true));
    CHECK(attn::statement(p.nb, sums.id, Language::cpp) == "const auto sum = attn::sum(inputs, -1, true);");
    CHECK(numpy(attn::sum(p.x, -1, true)) == "inputs.sum(axis=-1, keepdims=True)");
}

TEST_CASE("numbers written out in C++ stand row by row") {
    Page p;
    CHECK(cpp(p.nb.given(Tensor(Shape{2, 2}, {0.43F, 2, -1, 1e-5F}))) ==
          "Tensor(Shape{2, 2}, {\n    0.43F, 2.0F,\n    -1.0F, 1e-05F})");
    CHECK(cpp(p.nb.given(Tensor(Shape{2}, {1, 2}))) == "Tensor(Shape{2}, {1.0F, 2.0F})");
    CHECK(cpp(p.nb.given(Tensor(Shape{}, {0.5F}))) == "Tensor(Shape{}, {0.5F})");
}

TEST_CASE("every parameter of a call changes how it reads") {
    Page p;
    CHECK(torch(attn::softmax(p.x, 0)) != torch(attn::softmax(p.x, 1)));
    CHECK(torch(attn::triu(p.x, 0)) != torch(attn::triu(p.x, 1)));
    CHECK(torch(p.x / literal(2)) != torch(p.x / literal(3)));
    const Var g = p.nb.line("generator", attn::manual_seed(p.nb, 1));
    CHECK(torch(attn::dropout(g, p.x, literal(0.5))) == "torch.dropout(inputs, p=0.5, train=True)");
    CHECK(torch(attn::dropout(g, p.x, literal(0.25))) == "torch.dropout(inputs, p=0.25, train=True)");
}

TEST_CASE("named operands are listed once, in the order in which they are mentioned") {
    Page p;
    const Var node = attn::softmax(attn::matmul(p.q, attn::transpose(p.k)) + p.q * p.x, -1);
    CHECK(attn::named_operands(p.nb, node.id) == std::vector<std::size_t>{p.q.id, p.k.id, p.x.id});
    CHECK(attn::named_operands(p.nb, p.x.id).empty());
}

TEST_CASE("a node takes one name") {
    Page p;
    CHECK_THROWS_AS(p.nb.step("again", p.x), std::logic_error);
    CHECK_THROWS_AS(p.nb.line("again", p.x), std::logic_error);
    CHECK_THROWS_AS(p.nb.setup("again", p.x), std::logic_error);
    CHECK(torch(p.x) == "inputs");
}

TEST_CASE("operands and names belong to one notebook") {
    Page p;
    Page other;
    CHECK_THROWS_AS(p.x + other.x, std::logic_error);
    CHECK_THROWS_AS(attn::matmul(p.x, other.x), std::logic_error);
    CHECK_THROWS_AS(attn::masked_fill(p.x, other.x, literal(0)), std::logic_error);
    const Var sum = other.x + other.q;
    CHECK_THROWS_AS(p.nb.step("sum", sum), std::logic_error);
    CHECK(p.nb.nodes().size() == 4);
}

TEST_CASE("a call without the attribute asked for is the row's mistake") {
    Page p;
    const attn::Node& node = p.nb.nodes()[attn::triu(p.x, 1).id];
    CHECK(node.call.integer("diagonal") == 1);
    CHECK(node.call.find("diagonal")->value() == 1.0);
    CHECK(node.call.find("dim") == nullptr);
    CHECK_THROWS_AS(node.call.number("dim"), std::logic_error);
}

TEST_CASE("a probability of dropout that is none is refused") {
    Page p;
    const Var g = attn::manual_seed(p.nb, 1);
    CHECK_THROWS_AS(attn::dropout(g, p.x, literal(1.5)), attn::Error);
    CHECK_THROWS_AS(attn::dropout(g, p.x, literal(-1)), attn::Error);
    CHECK_THROWS_AS(attn::dropout(g, p.x, literal(std::numeric_limits<double>::quiet_NaN())), attn::Error);
}

TEST_CASE(
    "a gradient is recorded where a parameter takes part, and dropout of nothing hands on its operand's") {
    Notebook nb;
    const Var g = attn::manual_seed(nb, 123);
    const Var W = attn::weight(attn::linear(g, literal(3), literal(3), false));
    const Var x = nb.given(attn::ones(Shape{3, 3}));
    const auto grad_fn = [&](Var node) { return std::string(nb.nodes()[node.id].grad_fn); };
    CHECK(grad_fn(attn::matmul(x, x)).empty());
    CHECK(grad_fn(W).empty());
    const Var product = attn::matmul(x, attn::transpose(W));
    CHECK(grad_fn(product) == "MmBackward0");
    CHECK(grad_fn(attn::softmax(product, -1)) == "SoftmaxBackward0");
    CHECK(grad_fn(attn::dropout(g, product, literal(0))) == "MmBackward0");
    CHECK(grad_fn(attn::dropout(g, product, literal(0.5))) == "MulBackward0");
}
