// Strides are compared with PyTorch's: python3 -c "x = torch.zeros(2, 6, 4); print(x.view(2, 6, 2,
// 2).stride())". tests/oracle/doctest_text.py compares those of whole runs.
#include "notebook/strides.hpp"

#include <doctest/doctest.h>

#include <numeric>

#include "notebook/ops.hpp"
#include "tensor/error.hpp"
#include "views/document/memory_text.hpp"

using namespace attn;

namespace {

std::vector<Number> sizes(std::initializer_list<int> list) {
    std::vector<Number> numbers;
    for (const int size : list) {
        numbers.push_back(literal(size));
    }
    return numbers;
}

Strides strides(Var x) {
    return strides(*x.notebook, x.id);
}

}  // namespace

TEST_CASE("a view cuts strides, a transpose exchanges them, contiguous restores their order") {
    Notebook nb;
    const Var x = nb.given(Tensor({2, 6, 4}));
    const Var heads = transpose(view(x, sizes({2, 6, 2, 2})), 1, 2);
    CHECK(strides(heads) == Strides{24, 2, 4, 1});
    CHECK(strides(view(heads, sizes({2, 2, 6, 2}))) == Strides{24, 2, 4, 1});
    CHECK(strides(select(heads, {literal(0)})) == Strides{2, 4, 1});
    CHECK(strides(slice(x, literal(1), literal(2))) == Strides{24, 4, 1});
    CHECK(strides(transpose(nb.given(Tensor({2, 3})))) == Strides{1, 3});
    CHECK(strides(view(nb.given(Tensor(Shape{})), sizes({1, 1}))) == Strides{1, 1});
}

TEST_CASE("a view across what is not in order is refused, as PyTorch refuses it") {
    Notebook nb;
    const Var heads = transpose(nb.given(Tensor({2, 6, 2, 2})), 1, 2);
    CHECK_THROWS_WITH_AS(
        view(heads, sizes({2, 6, 4})),
        "[view] Expected a size that strides (24, 2, 4, 1) of (2, 2, 6, 2) allow but received "
        "(2, 6, 4); contiguous() would make room for it.",
        Error);
    CHECK(strides(view(contiguous(heads), sizes({2, 6, 4}))) == Strides{24, 4, 1});
}

TEST_CASE("an axis of size 1 is in order whatever its stride, and contiguous returns the tensor itself") {
    Notebook nb;
    const Var one_head = transpose(nb.given(Tensor({2, 6, 1, 4})), 1, 2);
    CHECK(strides(one_head) == Strides{24, 4, 4, 1});
    CHECK(memory_of(nb, contiguous(one_head).id) == 0);
    CHECK(strides(view(one_head, sizes({2, 6, 4}))) == Strides{24, 4, 1});
    const Var two_heads = transpose(nb.given(Tensor({2, 6, 2, 2})), 1, 2);
    const Var copy = contiguous(two_heads);
    CHECK(memory_of(nb, copy.id) == copy.id);
}

TEST_CASE("the strides of a view lead to the cells from which it takes its numbers") {
    Notebook nb;
    const Var x = nb.given(Tensor({2, 6, 4}));
    const Var heads = transpose(view(x, sizes({2, 6, 2, 2})), 1, 2);
    select(heads, {literal(1)});
    select(heads, {literal(0), literal(1), literal(2)});
    slice(heads, literal(1), literal(2));
    slice(select(x, {literal(1)}), {literal(3), literal(2)});
    columns(x, literal(1), literal(3));
    view(contiguous(heads), sizes({4, 3, 4}));
    reshape_as(columns(x, literal(0), literal(2)), nb.line("like", nb.given(Tensor({12, 2}))));
    flatten_rows(nb.given(Tensor({2, 1, 4})));
    const auto place = [](const Strides& strides, const Index& index) {
        return std::inner_product(index.begin(), index.end(), strides.begin(), std::size_t{0});
    };
    std::size_t compared = 0;
    for (std::size_t id = 0; id < nb.nodes().size(); ++id) {
        const Node& node = nb.nodes()[id];
        if (memory_of(nb, id) == id || !std::holds_alternative<Moves>(node.call.operation->cells)) {
            continue;
        }
        const auto operands = nb.operands(node.call);
        const Strides own = strides(nb, id);
        const Strides of_operand = strides(nb, node.call.inputs[0]);
        Sources sources;
        const auto source = [&](const Index& cell) {
            const auto from = sources.of({{node.call, operands}, node.value, cell});
            return place(of_operand, from.value().index);
        };
        for (std::size_t i = 0; i < node.value.count(); ++i) {
            const Index cell = node.value.index(i);
            CHECK(source(cell) == source(Index{}) + place(own, cell));
            ++compared;
        }
    }
    CHECK(compared == 48 + 48 + 24 + 2 + 24 + 24 + 6 + 24 + 48 + 24 + 24 + 8);
}

TEST_CASE("the drawing shows which stretches of memory each head reads") {
    const Words phrases("en", "program");
    Notebook nb;
    const Var queries = nb.step({"queries", "", {"token", "feature"}}, nb.given(Tensor({1, 3, 4})));
    const Var heads = nb.step({"queries_heads", "", {"token", "feature"}},
                              transpose(view(queries, sizes({1, 3, 2, 2})), 1, 2));
    CHECK(memory_drawing(nb, heads.id, phrases) ==
          "memory  0  2  4  6  8 10\n"
          "token   0  0  1  1  2  2\n"
          "head 0  0     1     2\n"
          "head 1     0     1     2\n");
    CHECK(memory_drawing(nb, heads.id, Words("zh", "program")) ==
          "内存  0  2  4  6  8 10\n"
          "词元  0  0  1  1  2  2\n"
          "头 0  0     1     2\n"
          "头 1     0     1     2\n");
    using Exchanges = std::vector<Exchange>;
    CHECK(layout_exchanges(nb, heads.id, Language::torch) ==
          Exchanges{{"print(queries_heads.shape)", "torch.Size([1, 2, 3, 2])"},
                    {"queries_heads.stride()", "(12, 2, 4, 1)"}});
    CHECK(layout_exchanges(nb, heads.id, Language::numpy) ==
          Exchanges{{"print(queries_heads.shape)", "(1, 2, 3, 2)"},
                    {"queries_heads.strides", "(48, 8, 16, 4)"}});
    CHECK(layout_exchanges(nb, heads.id, Language::cpp).empty());
    CHECK(memory_drawing(nb, queries.id, phrases).empty());
    const Var upright = nb.step("keys_heads", transpose(heads, 2, 3));
    CHECK(memory_drawing(nb, upright.id, phrases).empty());
}

TEST_CASE("a long drawing stays within 80 columns") {
    const Words phrases("en", "program");
    Notebook nb;
    const Var queries = nb.step({"queries", "", {"token", "feature"}}, nb.given(Tensor({1, 200, 64})));
    const Var heads = nb.step({"queries_heads", "", {"token", "feature"}},
                              transpose(view(queries, sizes({1, 200, 16, 4})), 1, 2));
    const std::string drawing = memory_drawing(nb, heads.id, phrases);
    CHECK(drawing.find('\n') <= 82);  // the ellipsis has three bytes and one column
    CHECK(drawing.ends_with("…\n"));
}

TEST_CASE("a second name lies in the same memory and rearranges nothing") {
    Notebook nb;
    const Var x = nb.step("x", nb.given(Tensor({2, 3, 4})));
    const Var turned = nb.step("turned", transpose(x, 0, 1));
    const Var again = nb.record(alias_op, {x});
    CHECK(rearranges(nb, turned.id));
    CHECK_FALSE(rearranges(nb, again.id));
    CHECK(memory_of(nb, again.id) == x.id);
}
