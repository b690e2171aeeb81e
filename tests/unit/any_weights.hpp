// Weights for tests that need some, for any stage.
#pragma once

#include <algorithm>
#include <memory>
#include <random>
#include <string>

#include "stages/stage.hpp"
#include "stages/state_dict.hpp"
#include "walked.hpp"

namespace attn {

using Random = std::mt19937;

// Returns random numbers between -scale / 2 and scale / 2.
inline Tensor drawn(Random& random, const Shape& shape, float scale) {
    Tensor x(shape);
    std::ranges::generate(x.values(), [&] {
        return scale * (static_cast<float>(random()) / static_cast<float>(Random::max()) - 0.5F);
    });
    return x;
}

// Returns weights for any stage: half of them have biases, and a quarter are all zeros.
inline StateDict drawn_state_dict(Random& random, const Stage& stage) {
    const Lesson lesson = journey();
    const Parameters p = resolved(stage.defaults, uses(stage, "lesson") ? &lesson : nullptr);
    const bool has_bias = random() % 2 == 0;
    const float scale = random() % 4 == 0 ? 0.0F : 6.0F;
    TensorMap tensors;
    const auto add = [&](const std::string& name, std::size_t out, std::size_t in) {
        tensors[name + ".weight"] = drawn(random, {out, in}, scale);
        if (has_bias) {
            tensors[name + ".bias"] = drawn(random, {out}, scale);
        }
    };
    const bool stacked = stage.head_layout == HeadLayout::stacked;
    for (std::size_t head = 0; head < (stacked ? p.num_heads : 1); ++head) {
        for (const std::string name : {"W_query", "W_key", "W_value"}) {
            if (stage.head_layout == HeadLayout::none) {
                tensors[name] = drawn(random, {p.d_in, p.d_out}, scale);
                continue;
            }
            const bool shared = p.kv_heads > 0 && name != "W_query";
            add((stacked ? "heads." + std::to_string(head) + "." : "") + name,
                shared ? p.d_out / p.num_heads * p.kv_heads : p.d_out, p.d_in);
        }
    }
    if (stage.head_layout == HeadLayout::split) {
        add("out_proj", p.d_out, p.d_out);
    }
    return {std::make_shared<TensorFile>("drawn", std::move(tensors))};
}

inline WeightSource any_weights(Random& random) {
    return [&random](const Stage& stage) { return drawn_state_dict(random, stage); };
}

}  // namespace attn
