// Multiplies all heads at once, then head by head, with the numbers of document 002.
#include "notebook/ops.hpp"
#include "stages/stage.hpp"

namespace attn {

namespace {

void walk_head_split(Notebook& nb, const Run&) {
    const Tensor printed(Shape{1, 2, 3, 4}, {0.2745F, 0.6584F, 0.2775F, 0.8573F,  // first head
                                             0.8993F, 0.0390F, 0.9268F, 0.7388F,  //
                                             0.7179F, 0.7058F, 0.9156F, 0.4340F,  //
                                             0.0772F, 0.3565F, 0.1479F, 0.5331F,  // second head
                                             0.4066F, 0.2318F, 0.4545F, 0.9737F,  //
                                             0.4606F, 0.5159F, 0.4220F, 0.5786F});
    const Var a = nb.step({"a", "", token_feature}, nb.given(printed));
    const Var product = nb.step({"product", "P", {"token", "token"}}, matmul(a, transpose(a, 2, 3)));

    const Var first_head = nb.step({"first_head", "a_1", token_feature}, select(a, {literal(0), literal(0)}));
    const Var first_res =
        nb.step({"first_res", "P_1", {"token", "token"}}, matmul(first_head, transpose(first_head)));
    const Var second_head =
        nb.step({"second_head", "a_2", token_feature}, select(a, {literal(0), literal(1)}));
    const Var second_res =
        nb.step({"second_res", "P_2", {"token", "token"}}, matmul(second_head, transpose(second_head)));

    nb.step("same_numbers", agree(stack({first_res, second_res}), select(product, {literal(0)})));
}

}  // namespace

extern const Stage head_split_stage{
    .name = "head-split",
    .settings = {},
    .defaults = {.d_in = 4, .d_out = 4, .num_heads = 2, .context_length = 3},
    .walk = walk_head_split,
    .why_no_gradients = "its numbers are given, so there are no weights to train",
};

}  // namespace attn
