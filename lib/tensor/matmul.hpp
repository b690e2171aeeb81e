// Matrix products whose sums are added in PyTorch's order, so that the digits agree.
#pragma once

#include <cstddef>
#include <optional>

#include "random.hpp"
#include "tensor.hpp"

namespace attn {

// (n, k) × (k, m) → (n, m); (…, n, k) × (k, m) → (…, n, m). (…, n, k) × (…, k, m) → (…, n, m) if the leading
// sizes are equal. A vector counts as a row on the left and as a column on the right; the result lacks this
// axis. Throws Error when the sizes do not fit. torch.matmul(a, b), a @ b
//
// Terms are added in ascending k, with one fused multiply-add each. For a batch of matrices with fewer than
// 400 multiply-adds each, PyTorch has its own loop (aten/src/ATen/native/LinearAlgebra.cpp), which rounds
// each product and then the sum; so does this.
Tensor matmul(const Tensor& a, const Tensor& b);

// (…, k), (m, k), (m,) or nullptr → (…, m): x Wᵀ + b. Throws Error when the width of x is not k.
// torch.nn.functional.linear(x, weight, bias)
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor* bias);

// (n,) · (n,) → (). The products are rounded to float32 and summed in double, like OpenBLAS for fewer than 32
// numbers. Throws Error when the lengths differ. torch.dot(a, b)
Tensor dot(const Tensor& a, const Tensor& b);

// A linear layer, like torch.nn.Linear.
//     attn:  Generator generator(123);  const Linear layer(generator, 3, 2);  layer(x)
//     torch: torch.manual_seed(123);    layer = torch.nn.Linear(3, 2);        layer(x)
class Linear {
public:
    // Returns the bound of drawn parameters: 1/√d_in, or 0 if d_in is 0.
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
