#include "attention/heads.hpp"

#include "tensor/layout.hpp"

namespace attn {

Tensor split_heads(const Tensor& x, std::size_t num_heads) {
    return transpose(view(x, {x.size(0), x.size(1), num_heads, x.size(2) / num_heads}), 1, 2);
}

Tensor merge_heads(const Tensor& x) {
    return view(transpose(x, 1, 2), {x.size(0), x.size(2), x.size(1) * x.size(3)});
}

}  // namespace attn
