// Matrix products whose sums are added in PyTorch's order, so that the digits agree.
#pragma once

#include <cstddef>
#include <optional>

#include "random.hpp"
#include "tensor.hpp"

namespace attn {

// (n, k) × (k, m) → (n, m); (…, n, k) × (k, m) → (…, n, m). (…, n, k) × (…, k, m) → (…, n, m) if the leading
// sizes are equal. A vector is a row on the left and a column on the right, and the result lacks that axis.
// Throws Error when the sizes do not fit. torch.matmul(a, b), a @ b
//
// Terms are added in ascending k, with one fused multiply-add each. A batch of matrices of fewer than 400
// multiply-adds each is computed as PyTorch's own small loop does (aten/src/ATen/native/LinearAlgebra.cpp):
// it rounds each product, then the sum.
Tensor matmul(const Tensor& a, const Tensor& b);

// (…, k), (m, k), (m,) or nullptr → (…, m): x Wᵀ + b. Throws Error when the width of x is not k.
// torch.nn.functional.linear(x, weight, bias)
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor* bias);

// (n,) · (n,) → (). The products are rounded to float32 and summed in double, as OpenBLAS does below 32
// numbers. Throws Error when the lengths differ. torch.dot(a, b)
Tensor dot(const Tensor& a, const Tensor& b);

// A linear layer, like torch.nn.Linear.
//     attn:  Generator generator(123);  const Linear layer(generator, 3, 2);  layer(x)
//     torch: torch.manual_seed(123);    layer = torch.nn.Linear(3, 2);        layer(x)
class Linear {
public:
    // Returns 1/√d_in, or 0 if d_in is 0: parameters are drawn from ± this bound.
    static float bound(std::size_t d_in);

    // Draws the weight, then the bias, both uniform in ±1/√d_in. torch.nn.Linear(d_in, d_out, bias)
    Linear(Generator& generator, std::size_t d_in, std::size_t d_out, bool bias = true);

    // Takes a weight (d_out, d_in) and optionally a bias (d_out,). Throws Error for other shapes.
    explicit Linear(Tensor weight, std::optional<Tensor> bias = std::nullopt);

    // (…, d_in) → (…, d_out): x Wᵀ + b. Throws Error when the width of x is not d_in. torch: layer(x)
    Tensor operator()(const Tensor& x) const;

    const Tensor& weight() const { return weight_; }             // (d_out, d_in)
    const std::optional<Tensor>& bias() const { return bias_; }  // (d_out,)

private:
    Tensor weight_;
    std::optional<Tensor> bias_;
};

}  // namespace attn
