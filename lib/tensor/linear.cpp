#include "tensor/linear.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "tensor/elementwise.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"
#include "tensor/matmul.hpp"

namespace attn {

namespace {

Tensor draw(Generator& generator, const Shape& shape, std::size_t d_in) {
    const auto bound = d_in == 0 ? 0.0F : static_cast<float>(1.0 / std::sqrt(static_cast<double>(d_in)));
    return uniform(generator, shape, -bound, bound);
}

}  // namespace

// Members are drawn in the order in which they are declared.
Linear::Linear(Generator& generator, std::size_t d_in, std::size_t d_out, bool bias)
    : weight_(draw(generator, {d_out, d_in}, d_in)),
      bias_(bias ? std::optional(draw(generator, {d_out}, d_in)) : std::nullopt) {}

Linear::Linear(Tensor weight, std::optional<Tensor> bias)
    : weight_(std::move(weight)), bias_(std::move(bias)) {
    if (weight_.rank() != 2 || (bias_ && bias_->shape() != Shape{weight_.shape()[0]})) {
        throw Error(fmt::format(
            "[Linear] Expected a weight (d_out, d_in) and a bias (d_out,) but received {} and {}.",
            weight_.shape().text(), bias_ ? bias_->shape().text() : "no bias"));
    }
}

Tensor Linear::operator()(const Tensor& x) const {
    const std::size_t d_in = weight_.shape()[1];
    if (x.rank() == 0 || x.size(-1) != d_in) {
        throw Error(fmt::format("[Linear] Expected (…, {}) but received {}.", d_in, x.shape().text()));
    }
    const Tensor product = matmul(x, transpose(weight_, 0, 1));
    return bias_ ? add(product, *bias_) : product;
}

}  // namespace attn
