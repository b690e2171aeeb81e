#include "tensor/linear.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "tensor/error.hpp"
#include "tensor/matmul.hpp"

namespace attn {

namespace {

Tensor draw(Generator& generator, const Shape& shape, std::size_t d_in) {
    return uniform(generator, shape, -Linear::bound(d_in), Linear::bound(d_in));
}

}  // namespace

float Linear::bound(std::size_t d_in) {
    return d_in == 0 ? 0.0F : static_cast<float>(1.0 / std::sqrt(static_cast<double>(d_in)));
}

// Members are drawn in the order in which they are declared.
Linear::Linear(Generator& generator, std::size_t d_in, std::size_t d_out, bool bias)
    : weight_(draw(generator, {d_out, d_in}, d_in)),
      bias_(bias ? std::optional(draw(generator, {d_out}, d_in)) : std::nullopt) {}

Linear::Linear(Tensor weight, std::optional<Tensor> bias)
    : weight_(std::move(weight)), bias_(std::move(bias)) {
    if (weight_.rank() != 2 || (bias_ && bias_->shape() != Shape{weight_.shape()[0]})) {
        throw Error("[Linear] Expected a weight (d_out, d_in) and a bias (d_out,) but received {} and {}.",
                    weight_.shape().text(), bias_ ? bias_->shape().text() : "no bias");
    }
}

Tensor Linear::operator()(const Tensor& x) const {
    return linear(x, weight_, bias_ ? &*bias_ : nullptr);
}

}  // namespace attn
