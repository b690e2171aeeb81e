// Shows why scores are divided by √d_k, by using more and more features of the same queries and keys. All
// features are -1, 0 or 1, so every product is exact.

#include "notebook/ops.hpp"
#include "stages/stage.hpp"

namespace attn {

namespace {

constexpr std::size_t num_queries = 32;
constexpr std::size_t num_keys = 6;
constexpr std::size_t num_widths = 12;  // 2, 4, …, 4096
constexpr std::size_t largest_width = std::size_t{1} << num_widths;

Tensor powers_of_two() {
    Tensor widths(Shape{num_widths});
    float width = 1.0F;
    for (float& value : widths.values()) {
        width *= 2.0F;
        value = width;
    }
    return widths;
}

// (w,), (w,) → (w, 2)
Var side_by_side(Var undivided, Var divided) {
    return transpose(stack({undivided, divided}));
}

void walk_scaling(Notebook& nb, const Run&) {
    const Var queries = nb.line({"queries", "Q", token_feature},
                                ternary(nb, 0, {literal(num_queries), literal(largest_width)}));
    const Var keys =
        nb.step({"keys", "K", token_feature},
                ternary(nb, num_queries * largest_width, {literal(num_keys), literal(largest_width)}));
    const Var widths = nb.line({"widths", "d_k", {"d_k"}}, nb.given(powers_of_two()));
    const Var scores = nb.line({"scores", "S", query_key}, prefix_products(queries, keys, widths));
    const Var root_widths = nb.line({"root_widths", "√d", {"", ""}},
                                    view(sqrt(widths), {literal(num_widths), literal(1), literal(1)}));
    const Var divided = nb.line({"divided", "S′", query_key}, scores / root_widths);

    const auto root_mean_square = [](Var x) {
        return sqrt(mean(view(x * x, {literal(num_widths), literal(num_queries * num_keys)}), -1));
    };
    const Var score_size = nb.line({"score_size", "r", {"d_k"}}, root_mean_square(scores));
    const Var divided_size = nb.line({"divided_size", "r′", {"d_k"}}, root_mean_square(divided));
    nb.step({"score_sizes", "R", {"d_k", "divided"}}, side_by_side(score_size, divided_size));

    const Var largest = nb.line({"largest", "W", {"d_k", "query"}}, amax(softmax(scores, -1), -1));
    const Var divided_largest =
        nb.line({"divided_largest", "W′", {"d_k", "query"}}, amax(softmax(divided, -1), -1));
    nb.step({"largest_weights", "L", {"d_k", "divided"}},
            side_by_side(mean(largest, -1), mean(divided_largest, -1)));

    const Var slope = nb.line({"slope", "D", {"d_k", "query"}}, largest * (literal(1) - largest));
    const Var divided_slope =
        nb.line({"divided_slope", "D′", {"d_k", "query"}}, divided_largest * (literal(1) - divided_largest));
    nb.step({"slopes", "G", {"d_k", "divided"}}, side_by_side(mean(slope, -1), mean(divided_slope, -1)));

    // Width 64, as in the original transformer: divided by 8.
    const Var scores_64 = nb.step({"scores_64", "s", {"key"}}, select(scores, {literal(5), literal(0)}));
    nb.shows("no-scaling", nb.step({"weights_64", "a", {"key"}}, softmax(scores_64, -1)));
    const Var divided_64 = nb.step({"divided_64", "s′", {"key"}}, scores_64 / float_root(literal(64)));
    nb.step({"weights_64_divided", "a′", {"key"}}, softmax(divided_64, -1));
}

}  // namespace

extern const Stage scaling_stage{
    .name = "scaling",
    .settings = {},
    .defaults = {},
    .walk = walk_scaling,
    .group = StageGroup::views,
    .why_no_gradients = "its vectors are given, so there are no weights to train",
};

}  // namespace attn
