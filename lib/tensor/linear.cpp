#include "tensor/linear.hpp"

#include <cmath>

#include "tensor/elementwise.hpp"
#include "tensor/layout.hpp"
#include "tensor/matmul.hpp"

namespace attn {

Tensor Linear::operator()(const Tensor& x) const {
    const Tensor product = matmul(x, transpose(weight, 0, 1));
    return bias ? add(product, *bias) : product;
}

Linear linear(Generator& generator, std::size_t d_in, std::size_t d_out, bool bias) {
    const auto bound = static_cast<float>(1.0 / std::sqrt(static_cast<double>(d_in)));
    Linear layer{uniform(generator, Shape{d_out, d_in}, -bound, bound), std::nullopt};
    if (bias) {
        layer.bias = uniform(generator, Shape{d_out}, -bound, bound);
    }
    return layer;
}

}  // namespace attn
