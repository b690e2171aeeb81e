// The letters and axes of names are compared with the shapes of all named tensors.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "notebook/render.hpp"
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
std::string first_letter(const Expr& symbol) {
    std::string text = formula_text(symbol);
    for (const std::string mark : {"∂", "Δ", "√"}) {
        text = text.starts_with(mark) ? text.substr(mark.size()) : text;
    }
    const std::size_t size = (text[0] & 0x80) == 0 ? 1 : 2;  // ASCII, or Greek
    return text.substr(0, size);
}

bool is_upper_case(const std::string& letter) {
    return (letter[0] >= 'A' && letter[0] <= 'Z') || letter == "Â" || letter == "Φ";
}

void check_letter(const Node& node) {
    const Shape& shape = node.value.shape();
    const std::string text = formula_text(node.symbol);
    if (node.name == text || exceptions.contains(node.name)) {
        return;  // the name is its own letter
    }
    const std::string letter = first_letter(node.symbol);
    const Axes& axes = node.axes;
    CAPTURE(text);
    if (shape.rank() >= 2) {
        const bool is_single = shape[shape.rank() - 1] == 1 || shape[shape.rank() - 2] == 1;
        CHECK((is_upper_case(letter) || is_single));
    } else {
        const bool is_counted = axes.empty() || counted_axes.contains(axes[0]);
        CHECK((!is_upper_case(letter) || (is_counted && quantities.contains(letter))));
    }
}

void check_axes(const Node& node) {
    const Shape& shape = node.value.shape();
    const Axes& axes = node.axes;
    REQUIRE(axes.size() == shape.rank());
    for (std::size_t i = 0; i < axes.size(); ++i) {
        CHECK((!axes[i].empty() || shape[i] == 1));
    }
}

// Returns how many tensors were checked.
std::size_t check(const StageTrace& trace) {
    std::size_t count = 0;
    const Nodes& nodes = trace.notebook.nodes();
    for (std::size_t id = 0; id < nodes.size(); ++id) {
        const Node& node = nodes[id];
        if (node.name.empty() || !node.call.operation->is_tensor()) {
            continue;
        }
        CAPTURE(trace.stage->name);
        CAPTURE(node.name);
        check_letter(node);
        check_axes(node);
        const std::string equation = formula_text(equation_of(trace.notebook, id));
        const std::string symbol = formula_text(node.symbol);
        CHECK((equation.empty() || equation.starts_with(symbol + " ") || equation.starts_with(symbol + "_")));
        ++count;
    }
    return count;
}

Lesson long_lesson(std::size_t length) {
    Lesson lesson{.tokens = {}, .embeddings = Tensor(Shape{length, 3}), .is_own = true};
    for (std::size_t i = 0; i < length; ++i) {
        lesson.tokens.push_back(fmt::format("token{}", i));
        lesson.embeddings.values()[3 * i] = 1.0F;
    }
    return lesson;
}

}  // namespace

TEST_CASE("in every stage, forward and backward, a matrix has a capital letter and a vector a small one") {
    std::size_t count = 0;
    for (const Stage* stage : catalogue()) {
        count += check(walk(*stage, journey(), stage->defaults));
        if (uses(*stage, "backward")) {
            Parameters backward = stage->defaults;
            backward.backward = true;
            count += check(walk(*stage, journey(), backward));
        }
    }
    CHECK(count > 1000);
}

TEST_CASE("the 64th scores have the letters of all others, however many tokens there are") {
    using Walked = std::pair<const char*, std::size_t>;
    for (const auto& [name, length] : {Walked{"kv-cache", 66}, Walked{"streaming", 132}}) {
        const Stage& stage = *find_stage(name);
        const StageTrace trace = walk(stage, long_lesson(length), stage.defaults);
        CHECK(check(trace) > 300);
        CHECK(formula_text(trace.node(trace.find("scores_64").value()).symbol) == "S_64");
    }
}

TEST_CASE("a letter takes an index and the number of the name, a gradient a ∂, and axes a batch in front") {
    Notebook nb;
    const auto named = [&](const Name& name, const Shape& shape) {
        return nb.nodes()[nb.line(name, nb.given(Tensor(shape))).id];
    };
    const Node scores = named({"attn_weights_12_tmp", "t_#", {"key"}}, Shape{3});
    CHECK(formula_text(scores.symbol) == "t_12");
    CHECK(scores.axes == Axes{"key"});
    CHECK(named({"batch_scores", "S", {"query", "key"}}, Shape{2, 3, 3}).axes ==
          Axes{"batch", "query", "key"});
    CHECK(formula_text(named("d_in", Shape{}).symbol) == "d_in");
    CHECK(formula_text(named("no_such_name_2", Shape{2, 2}).symbol) == "no_such_name_2");
    CHECK(named("other", Shape{2, 2}).axes == Axes{"row", "column"});
    const Var W = nb.line({"W_query_1", "W_q#"}, nb.given(Tensor(Shape{2, 2})));
    CHECK(formula_text(nb.nodes()[nb.gradient(W, nb.given(Tensor(Shape{2, 2}))).id].symbol) == "∂W_q1");
}
