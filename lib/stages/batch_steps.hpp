// Parts of the stages with a batch of sequences: the batch, the mask for the context length, and one causal
// head.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stages/attention_steps.hpp"
#include "stages/dropout_steps.hpp"

namespace attn {

// The settings of stages with several heads in a batch.
inline const std::vector<std::string_view> settings_of_heads{
    "lesson",         "weights", "seed",         "d_out",       "num_heads", "qkv_bias", "batch",
    "context_length", "dropout", "dropout_seed", "dropout_rng", "backward",  "loss"};

// The step `batch`: copies of the lesson's tokens, (n, d_in) → (batch, n, d_in).
Var batch_step(Notebook& notebook, const Run& run);

// The sizes of a batch (b, num_tokens, d_in) and of its heads, as lines of code.
struct HeadSizes {
    Number b, num_tokens;
    Widths widths;
    Number num_heads;
};
HeadSizes head_sizes(Var batch, const Run& run);

// The mask that a module registers once, (context_length, context_length): 1 above the diagonal.
Var context_mask(Var batch, const Run& run);

// Sets the scores of the future to -inf: (…, n, n), (context_length, context_length) → (…, n, n). Uses only
// the n × n corner of the mask.
Var mask_future(Var attn_scores, Var mask, const Number& num_tokens);

// One causal head: (batch, n, d_in) → (batch, n, d_k). The names of its lines begin with `head_` and its
// number; its attention weights get the role `weights_role`.
struct Head {
    std::string number;
    Layers::Qkv layers;
};
Var head_context(Var batch, const Head& head, Var mask, const Number& num_tokens, Role weights_role,
                 DropoutLayer* dropout = nullptr);

}  // namespace attn
