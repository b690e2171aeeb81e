// The kinds of cells (number, masked, dropped) and the sign of a tensor follow from the calls that computed
// it.
#include "views/heatmap/shading.hpp"

#include <doctest/doctest.h>

#include <string>

#include "notebook/ops.hpp"
#include "tensor/layout.hpp"
#include "walked.hpp"

using namespace attn;

namespace {

// Returns the kinds of a matrix, one letter each, with a space between rows: . number, / masked, x dropped.
std::string kinds(const StageTrace& trace, std::string_view name) {
    const std::size_t node = trace.find(name).value();
    const std::size_t width = trace.node(node).value.size(-1);
    std::string text;
    for (const CellKind kind : shading_of(trace.notebook, node).kinds) {
        text += text.size() % (width + 1) == width ? " " : "";
        text += kind == CellKind::masked ? '/' : kind == CellKind::dropped ? 'x' : '.';
    }
    return text;
}

Lesson three_tokens() {
    return {{"a", "b", "c"}, Tensor({3, 2}, {1, 2, 3, 4, 5, 6})};
}

Scale scale(const StageTrace& trace, std::string_view name) {
    return shading_of(trace.notebook, trace.find(name).value()).scale;
}

}  // namespace

TEST_CASE("what a mask hid stays masked in all that is made of it") {
    const StageTrace trace = walk_causal(three_tokens());
    for (const std::string_view masked :
         {"masked", "attn_weights_causal", "masked_simple", "masked_simple_norm"}) {
        CAPTURE(masked);
        CHECK(kinds(trace, masked) == ".// ../ ...");
    }
    for (const std::string_view plain : {"attn_scores", "attn_weights", "mask", "mask_simple"}) {
        CAPTURE(plain);
        CHECK(kinds(trace, plain) == "... ... ...");
    }
    CHECK(kinds(trace, "context_vec") == ".. .. ..");
}

TEST_CASE("a dropped cell is a 0 that was none before") {
    for (const DropoutRng rng : {DropoutRng::mt19937, DropoutRng::mkl}) {
        Parameters parameters = causal_defaults();
        parameters.dropout_rng = rng;
        const StageTrace trace = walk_causal(parameters);
        for (const std::string_view name : {"dropout_example", "attn_weights_dropped"}) {
            const Tensor& dropped = step_value(trace, name);
            const Tensor before =
                name == "dropout_example" ? ones(Shape{6, 6}) : step_value(trace, "attn_weights_causal");
            const Shading shading = shading_of(trace.notebook, trace.find(name).value());
            std::size_t count = 0;
            for (std::size_t i = 0; i < dropped.count(); ++i) {
                const bool is_dropped = dropped.values()[i] == 0.0F && before.values()[i] != 0.0F;
                CHECK((shading.kinds[i] == CellKind::dropped) == is_dropped);
                CHECK((shading.kinds[i] == CellKind::masked) == (before.values()[i] == 0.0F));
                count += is_dropped ? 1 : 0;
            }
            CHECK(count > 5);
        }
    }
    Parameters all = causal_defaults();
    all.dropout = 1.0;
    CHECK(kinds(walk_causal(three_tokens(), all), "attn_weights_dropped") == "x// xx/ xxx");
    all.dropout = 0.0;
    CHECK(kinds(walk_causal(three_tokens(), all), "attn_weights_dropped") == ".// ../ ...");
}

TEST_CASE("a mask may fill in any number, which then says what scale there is") {
    Notebook nb;
    const Var x = nb.given(Tensor({2, 2}, {-1, 2, 3, 4}));
    const Var mask = nb.given(Tensor({2, 2}, {0, 1, 0, 0}));
    const auto shading = [](Var node) { return shading_of(*node.notebook, node.id); };
    const std::vector<CellKind> second{CellKind::number, CellKind::masked, CellKind::number,
                                       CellKind::number};
    for (const double value : {0.0, -1e9, 5.0}) {
        CHECK(shading(masked_fill(x, mask, literal(value))).kinds == second);
        CHECK(shading(numpy::where(eq(mask, literal(0)), x, literal(value))).kinds == second);
        CHECK(shading(masked_fill(exp(x), mask, literal(value))).scale ==
              (value < 0 ? Scale::diverging : Scale::sequential));
        CHECK(shading(numpy::where(mask, abs(x), literal(value))).scale ==
              (value < 0 ? Scale::diverging : Scale::sequential));
    }
    CHECK(shading(masked_fill(x, mask, literal(0))).scale == Scale::diverging);
    CHECK(shading(exp(x) * literal(2)).scale == Scale::sequential);
    CHECK(shading(exp(x) * literal(-2)).scale == Scale::diverging);
    CHECK(shading(exp(x) / literal(-2)).scale == Scale::diverging);
}

TEST_CASE("a single number and a tensor without any have a scale and nothing on it") {
    Notebook nb;
    const Var number = nb.given(Tensor(Shape{}, {-0.5F}));
    CHECK(shading_of(nb, number.id).scale == Scale::diverging);
    CHECK(shading_of(nb, number.id).largest == 0.5F);
    const Var none = nb.given(Tensor({2, 0}));
    CHECK(shading_of(nb, none.id).kinds.empty());
    CHECK(shading_of(nb, none.id).largest == 0.0F);
}

TEST_CASE("a tensor with a negative number has the scale with a sign, any other the one without") {
    const StageTrace trace = walk_causal();
    for (const std::string_view name : {"inputs", "attn_weights", "mask_simple", "masked_simple", "row_sums",
                                        "mask", "attn_weights_causal", "dropout_example"}) {
        CAPTURE(name);
        CHECK(scale(trace, name) == Scale::sequential);
    }
    for (const std::string_view name : {"W_query", "queries", "attn_scores", "masked", "context_vec"}) {
        CAPTURE(name);
        CHECK(scale(trace, name) == Scale::diverging);
    }
}
