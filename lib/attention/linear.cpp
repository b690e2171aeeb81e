#include "attention/linear.hpp"

#include "tensor/elementwise.hpp"
#include "tensor/layout.hpp"
#include "tensor/matmul.hpp"

namespace attn {

Tensor project(const Tensor& x, const LinearParameters& layer) {
    const Tensor product = matmul(x, transpose(layer.weight, 0, 1));
    return layer.bias ? add(product, *layer.bias) : product;
}

}  // namespace attn
