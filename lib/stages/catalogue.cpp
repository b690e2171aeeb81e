#include "stages/catalogue.hpp"

#include <algorithm>

namespace attn {

extern const Stage simplified_stage;
extern const Stage trainable_stage;
extern const Stage linear_stage;
extern const Stage causal_stage;
extern const Stage causal_batch_stage;
extern const Stage multi_head_wrapper_stage;
extern const Stage multi_head_stage;
extern const Stage head_split_stage;
extern const Stage causal_self_attention_stage;
extern const Stage numpy_stage;
extern const Stage encoder_decoder_stage;
extern const Stage leakage_stage;
extern const Stage scaling_stage;
extern const Stage streaming_stage;
extern const Stage complexity_stage;
extern const Stage masks_stage;
extern const Stage kv_cache_stage;
extern const Stage sliding_window_stage;
extern const Stage grouped_query_stage;
extern const Stage rotary_stage;
extern const Stage training_step_stage;

std::span<const Stage* const> catalogue() {
    // clang-format off
    static constexpr const Stage* stages[] = {
        &encoder_decoder_stage,
        &simplified_stage,
        &trainable_stage,
        &linear_stage,
        &causal_stage,
        &causal_batch_stage,
        &multi_head_wrapper_stage,
        &multi_head_stage,
        &head_split_stage,
        &causal_self_attention_stage,
        &numpy_stage,
        &leakage_stage,
        &scaling_stage,
        &streaming_stage,
        &complexity_stage,
        &masks_stage,
        &kv_cache_stage,
        &sliding_window_stage,
        &grouped_query_stage,
        &rotary_stage,
        &training_step_stage,
    };
    // clang-format on
    return stages;
}

const Stage* find_stage(std::string_view name) {
    const auto stages = catalogue();
    const auto found = std::ranges::find(stages, name, [](const Stage* stage) { return stage->name; });
    return found == stages.end() ? nullptr : *found;
}

}  // namespace attn
