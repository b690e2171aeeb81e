// Weights for tests that need some, for any stage.
#pragma once

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "stages/given_weights.hpp"

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

// Half of these weights have biases, and a quarter are all zeros.
class AnyWeights : public GivenWeights {
public:
    explicit AnyWeights(Random& random)
        : random_(&random), has_bias_(random() % 2 == 0), scale_(random() % 4 == 0 ? 0.0F : 6.0F) {}

    void require_width(std::size_t) const override {}
    void adopt(Parameters& parameters) const override { parameters.qkv_bias = has_bias_; }
    bool has(Names) const override { return has_bias_; }
    Tensor take(Names, const Shape& expected, std::string_view) override {
        return drawn(*random_, expected, scale_);
    }
    void require_all_taken(std::string_view, std::size_t) const override {}
    const std::vector<std::string>& cuts() const override { return cuts_; }

private:
    Random* random_;
    bool has_bias_;
    float scale_;
    std::vector<std::string> cuts_;
};

inline WeightSource any_weights(Random& random) {
    return [&random](const Stage&) { return std::make_unique<AnyWeights>(random); };
}

}  // namespace attn
