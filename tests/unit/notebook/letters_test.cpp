// The letters and axes of names are compared with the shapes of all named tensors.
#include <doctest/doctest.h>

#include <set>

#include "notebook/notebook.hpp"
#include "tensor/layout.hpp"
#include "walked.hpp"

using namespace attn;

namespace {

const std::set<std::string_view> quantities{"L", "N", "B", "H", "M", "W", "P"};  // losses, operations, bytes
const std::set<std::string_view> counted_axes{"length", "choice", "step"};
const std::set<std::string_view> exceptions{
    "first_head", "second_head",  // of the document's `a`
    "last_scores",                // one row, but two in the stage `masks`
};

// Returns the first letter without marks before it: ∂Z_1 → Z.
std::string first_letter(std::string text) {
    for (const std::string mark : {"∂", "Δ", "√"}) {
        text = text.starts_with(mark) ? text.substr(mark.size()) : text;
    }
    return text.substr(0, (text[0] & 0x80) == 0 ? 1 : 2);  // ASCII, or Greek
}

void check_letter(const Node& node, const std::string& symbol) {
    const std::string letter = first_letter(symbol);
    const bool is_capital = (letter[0] >= 'A' && letter[0] <= 'Z') || letter == "Â" || letter == "Φ";
    const Shape& shape = node.value.shape();
    if (shape.rank() >= 2) {
        CHECK((is_capital || shape[shape.rank() - 1] == 1 || shape[shape.rank() - 2] == 1));
    } else {
        const bool is_counted = node.axes.empty() || counted_axes.contains(node.axes[0]);
        CHECK((!is_capital || (is_counted && quantities.contains(letter))));
    }
}

// Checks all named tensors, and returns how many there are.
std::size_t check(const StageTrace& trace) {
    std::size_t count = 0;
    for (const Node& node : trace.notebook.nodes()) {
        if (node.name.empty() || !node.call.operation->is_tensor()) {
            continue;
        }
        CAPTURE(trace.stage->name);
        CAPTURE(node.name);
        const std::string symbol = formula_text(node.symbol);
        if (node.name != symbol && !exceptions.contains(node.name)) {
            check_letter(node, symbol);
        }
        const Shape& shape = node.value.shape();
        REQUIRE(node.axes.size() == shape.rank());
        for (std::size_t i = 0; i < shape.rank(); ++i) {
            CHECK((!node.axes[i].empty() || shape[i] == 1));
        }
        ++count;
    }
    return count;
}

Lesson long_lesson() {
    constexpr std::size_t length = 132;
    return {std::vector<std::string>(length, "a"), ones(Shape{length, 3})};
}

}  // namespace

TEST_CASE("in every stage, forward and backward, a matrix has a capital letter and a vector a small one") {
    std::size_t count = 0;
    for (const Stage* stage : catalogue()) {
        count += check(walk_defaults(stage->name));
        if (uses(*stage, "backward")) {
            Parameters backward = stage->defaults;
            backward.backward = true;
            count += check(walk(*stage, journey(), backward));
        }
    }
    CHECK(count > 1000);
}

TEST_CASE("the 64th scores have the letters of all others, however many tokens there are") {
    for (const char* name : {"kv-cache", "streaming"}) {
        const StageTrace trace = walk_defaults(name, long_lesson());
        CHECK(check(trace) > 300);
        CHECK(formula_text(trace.node(trace.find("scores_64").value()).symbol) == "S_64");
    }
}

TEST_CASE("a letter takes an index, a gradient a ∂, and axes a batch in front") {
    Notebook nb;
    const auto named = [&](const Name& name, const Shape& shape) {
        return nb.nodes()[nb.line(name, nb.given(Tensor(shape))).id];
    };
    const Node scores = named({"attn_weights_12_tmp", "t_12", {"key"}}, Shape{3});
    CHECK(formula_text(scores.symbol) == "t_12");
    CHECK(named({"batch_scores", "S", {"query", "key"}}, Shape{2, 3, 3}).axes ==
          Axes{"batch", "query", "key"});
    const Node other = named("no_such_name_2", Shape{2, 2});
    CHECK(formula_text(other.symbol) == "no_such_name_2");
    CHECK(other.axes == Axes{"row", "column"});
    const Var W = nb.line({"W_query_1", "W_q1"}, nb.given(Tensor({2, 2})));
    CHECK(formula_text(nb.nodes()[nb.gradient(W, nb.given(Tensor({2, 2}))).id].symbol) == "∂W_q1");
}
