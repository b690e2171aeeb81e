// The product of matrices, in the order of summation that PyTorch's digits come from.
#pragma once

#include <cstddef>
#include <optional>

#include "random.hpp"
#include "tensor.hpp"

namespace attn {

// (n, k) × (k, m) → (n, m); (…, n, k) × (k, m) → (…, n, m); (…, n, k) × (…, k, m) → (…, n, m) with equal
// leading sizes. A vector is a row on the left and a column on the right; the result lacks its axis. Throws
// Error when the inner sizes differ. torch.matmul(a, b), a @ b
//
// k ascending, one fused multiply-add per term. A batch of matrices of fewer than 400 multiply-adds each
// takes PyTorch's own small loop instead (aten/src/ATen/native/LinearAlgebra.cpp), which rounds the product,
// then the sum.
Tensor matmul(const Tensor& a, const Tensor& b);

// (…, k), (m, k), (m,) or nullptr → (…, m): x Wᵀ + b. Throws Error when x has another width.
// torch.nn.functional.linear(x, weight, bias)
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor* bias);

// (n,) · (n,) → (). The products are rounded to float32 and summed in double, as OpenBLAS does below 32
// numbers. Throws Error when the lengths differ. torch.dot(a, b)
Tensor dot(const Tensor& a, const Tensor& b);

// A linear layer, as torch.nn.Linear is one.
//     attn:  Generator generator(123);  const Linear layer(generator, 3, 2);  layer(x)
//     torch: torch.manual_seed(123);    layer = torch.nn.Linear(3, 2);        layer(x)
class Linear {
public:
    // 1/√d_in, and 0 for no inputs: parameters are drawn between minus this and this.
    static float bound(std::size_t d_in);

    // Draws the weight, then the bias, all uniform in ±1/√d_in. torch.nn.Linear(d_in, d_out, bias)
    Linear(Generator& generator, std::size_t d_in, std::size_t d_out, bool bias = true);

    // Weight (d_out, d_in), and bias (d_out,) if there is one. Throws Error when they are not.
    explicit Linear(Tensor weight, std::optional<Tensor> bias = std::nullopt);

    // (…, d_in) → (…, d_out): x Wᵀ + b. Throws Error when x has another width. torch: layer(x)
    Tensor operator()(const Tensor& x) const;

    const Tensor& weight() const { return weight_; }             // (d_out, d_in)
    const std::optional<Tensor>& bias() const { return bias_; }  // (d_out,)

private:
    Tensor weight_;
    std::optional<Tensor> bias_;
};

}  // namespace attn
