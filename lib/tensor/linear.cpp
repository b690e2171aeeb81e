#include "tensor/linear.hpp"

#include <fmt/format.h>

#include <cmath>
#include <mutex>
#include <utility>
#include <vector>

#include "tensor/elementwise.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"
#include "tensor/matmul.hpp"
#include "tensor/product.hpp"
#include "tensor/threads.hpp"

namespace attn {

namespace {

Tensor draw(Generator& generator, const Shape& shape, std::size_t d_in) {
    return uniform(generator, shape, -Linear::bound(d_in), Linear::bound(d_in));
}

}  // namespace

// The weight as products read it, from the first one on.
class Linear::Packing {
public:
    const PackedMatrix& of(const Tensor& weight) {
        const std::lock_guard lock(mutex_);
        if (!packed_) {
            packed_.emplace(weight.values().data(), PackedMatrix::Order::transposed, weight.size(1),
                            weight.size(0), num_threads());
        }
        return *packed_;
    }

private:
    std::mutex mutex_;
    std::optional<PackedMatrix> packed_;
};

float Linear::bound(std::size_t d_in) {
    return d_in == 0 ? 0.0F : static_cast<float>(1.0 / std::sqrt(static_cast<double>(d_in)));
}

// Members are drawn in the order in which they are declared.
Linear::Linear(Generator& generator, std::size_t d_in, std::size_t d_out, bool bias)
    : weight_(draw(generator, {d_out, d_in}, d_in)),
      bias_(bias ? std::optional(draw(generator, {d_out}, d_in)) : std::nullopt),
      packing_(std::make_shared<Packing>()) {}

Linear::Linear(Tensor weight, std::optional<Tensor> bias)
    : weight_(std::move(weight)), bias_(std::move(bias)), packing_(std::make_shared<Packing>()) {
    if (weight_.rank() != 2 || (bias_ && bias_->shape() != Shape{weight_.shape()[0]})) {
        throw Error("[Linear] Expected a weight (d_out, d_in) and a bias (d_out,) but received {} and {}.",
                    weight_.shape().text(), bias_ ? bias_->shape().text() : "no bias");
    }
}

Tensor Linear::operator()(const Tensor& x) const {
    const std::size_t d_in = weight_.shape()[1];
    if (x.rank() == 0 || x.size(-1) != d_in) {
        throw Error("[Linear] Expected (…, {}) but received {}.", d_in, x.shape().text());
    }
    if (weight_.count() < least_packed_work) {
        const Tensor product = matmul(x, transpose(weight_, 0, 1));
        return bias_ ? add(product, *bias_) : product;
    }
    std::vector<std::size_t> sizes(x.shape().begin(), x.shape().end());
    sizes.back() = weight_.size(0);
    Tensor result((Shape(sizes)));
    packing_->of(weight_).multiply(x.values().data(), result.values().data(), x.count() / d_in,
                                   bias_ ? bias_->values().data() : nullptr, num_threads());
    return result;
}

}  // namespace attn
