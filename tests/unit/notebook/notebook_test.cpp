// The text of recorded calls: brackets, names, attributes. tests/oracle and tests/cli/cpp_lines.py run the
// lines of all stages.
#include "notebook/notebook.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>

#include "notebook/ops.hpp"
#include "notebook/render.hpp"
#include "page.hpp"
#include "tensor/error.hpp"

using namespace attn;

namespace {

using WrittenLines = std::vector<std::pair<Var, std::string_view>>;

void check(Language language, const WrittenLines& rows, decltype(expression)* written = expression) {
    for (const auto& [node, text] : rows) {
        CHECK(written(*node.notebook, node.id, language) == text);
    }
}

}  // namespace

TEST_CASE("brackets stand where an operand binds less tightly, and only there") {
    Page page;
    auto& [nb, x, q, k, v] = page;
    check(Language::torch, {{matmul(x + q, k), "(inputs + queries) @ keys"},
                            {x + matmul(q, k), "inputs + queries @ keys"},
                            {transpose(x + q), "(inputs + queries).T"},
                            {transpose(transpose(x)), "inputs.T.T"},
                            {matmul(q, transpose(k)), "queries @ keys.T"},
                            {x - q - k, "inputs - queries - keys"},
                            {x - (q - k), "inputs - (queries - keys)"},
                            {x * q / k, "inputs * queries / keys"},
                            {x / (q * k), "inputs / (queries * keys)"},
                            {matmul(x, matmul(q, k)), "inputs @ (queries @ keys)"},
                            {(x + q) / literal(2), "(inputs + queries) / 2"},
                            {x * (q / (literal(1) - literal(0.3))), "inputs * (queries / (1 - 0.3))"},
                            {softmax(x + q, 0), "torch.softmax(inputs + queries, dim=0)"},
                            {cat({x, q + k}, -1), "torch.cat((inputs, queries + keys), dim=-1)"},
                            {masked_fill(x + q, as_bool(k), minus_infinity()),
                             "(inputs + queries).masked_fill(keys.bool(), -torch.inf)"},
                            {nb.line("sum", x + q) * k, "sum * keys"}});
    check(Language::cpp, {{dropout(nb.line("generator", manual_seed(nb, 1)), x + q, literal(1)),
                           "dropout(generator, add(inputs, queries), 1)"}});
}

TEST_CASE("attributes and numbers are written as each language writes them") {
    Page page;
    auto& [nb, x, q, k, v] = page;
    const Var size = ones(nb, {literal(2), extent(x, 1, "d_in")});
    const Number n = nb.line("context_length", literal(6));
    const Var generator = nb.line("generator", manual_seed(nb, 1));
    const Var seed = numpy::seed(nb, 5'000'000'000);
    const Var largest = manual_seed(nb, std::numeric_limits<std::uint64_t>::max());
    check(Language::torch,
          {{size, "torch.ones(2, inputs.shape[1])"},
           {ones(nb, {n, n}), "torch.ones(context_length, context_length)"},
           {triu(x, -1), "torch.triu(inputs, diagonal=-1)"},
           {sum(x), "inputs.sum()"},
           {sum(x, 1, false), "inputs.sum(dim=1)"},
           {amax(x, -1, true), "inputs.amax(dim=-1, keepdim=True)"},
           {dropout(generator, x, literal(0.25)), "torch.dropout(inputs, p=0.25, train=True)"},
           {largest, "torch.manual_seed(18446744073709551615)"},
           {nb.given(Tensor({2}, {0.43F, 2})), "torch.tensor([0.43, 2.0])"}});
    check(Language::numpy, {{size, "np.ones((2, inputs.shape[1]), dtype=np.float32)"},
                            {softmax(x, 0), "softmax(inputs, axis=0)"},
                            {amax(x, -1, true), "np.max(inputs, axis=-1, keepdims=True)"},
                            {seed, "np.random.seed(5000000000 % 2**32)"}});
    check(Language::cpp, {{size, "ones({2, inputs.size(1)})"},
                          {masked_fill(x, k, minus_infinity()), "masked_fill(inputs, keys, -INFINITY)"},
                          {seed, "Generator(5000000000U)"},
                          {linear(generator, literal(3), literal(2), true), "Linear(generator, 3, 2, true)"},
                          {nb.given(Tensor({2, 2}, {0.43F, 2, -1, 1e-5F})),
                           "Tensor(Shape{2, 2}, {\n    0.43F, 2.0F,\n    -1.0F, 1e-05F})"}});
    CHECK(literal(100000).in(Language::torch) == "100000");
    CHECK(literal(1e5).in(Language::torch) == "1e+05");
}

TEST_CASE("in C++ a name is declared once, and a function that a variable hides is qualified") {
    Page page;
    auto& [nb, x, q, k, v] = page;
    const Var first = nb.line("generator", manual_seed(nb, 1));
    const Var second = nb.line("generator", manual_seed(nb, 2));
    check(Language::cpp,
          {{first, "auto generator = Generator(1U);"},
           {second, "generator = Generator(2U);"},
           {nb.line("sum", sum(x, -1, true)), "const auto sum = attn::sum(inputs, -1, true);"}},
          statement);
}

TEST_CASE("named operands are listed once, in the order in which they are mentioned") {
    Page page;
    auto& [nb, x, q, k, v] = page;
    CHECK(named_operands(nb, softmax(matmul(q, transpose(k)) + q * x, -1).id) ==
          std::vector<std::size_t>{q.id, k.id, x.id});
    CHECK(named_operands(nb, x.id).empty());
}

TEST_CASE("a call that no stage may make is refused") {
    Page page, other;
    auto& [nb, x, q, k, v] = page;
    const Call& call = nb.nodes()[triu(x, 1).id].call;
    CHECK(call.find("dim") == nullptr);
    CHECK_THROWS_AS(call.number("dim"), std::logic_error);
    CHECK_THROWS_AS(sum(x, 0, true), std::logic_error);
    CHECK_THROWS_AS(mean(x, 0), std::logic_error);
    CHECK_THROWS_AS(nb.step("again", x), std::logic_error);  // it has a name
    CHECK_THROWS_AS(nb.line("again", x), std::logic_error);
    CHECK_THROWS_AS(nb.setup("again", x), std::logic_error);
    CHECK_THROWS_AS(x + other.x, std::logic_error);  // of two notebooks
    CHECK_THROWS_AS(nb.step("sum", other.x + other.q), std::logic_error);
    for (const double p : {1.5, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
        CHECK_THROWS_AS(dropout(manual_seed(nb, 1), x, literal(p)), Error);
    }
}
