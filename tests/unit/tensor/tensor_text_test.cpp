// Options of the printer. oracle/print_tensor.py compares 20,000 random tensors of every kind with PyTorch's.
#include "tensor/tensor_text.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "tensor/error.hpp"

using namespace attn;

TEST_CASE("threshold, edge items and line width are the caller's to choose, and a wrong one is refused") {
    // torch.arange(1., 11); torch.tensor([1e-7, -inf, 0.], requires_grad=True)
    const Tensor x({10}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}), y({3}, {1e-7F, -HUGE_VALF, 0});
    CHECK(tensor_text(x, {}, {.threshold = 9, .edge_items = 2}) == "tensor([ 1.,  2.,  ...,  9., 10.])");
    CHECK(tensor_text(y, {.requires_grad = true}, {.line_width = 0}) ==
          "tensor([1.0000e-07,\n              -inf,\n        0.0000e+00],\n       requires_grad=True)");
    CHECK_THROWS_WITH_AS(
        tensor_text(x, {}, {.precision = -1}),
        "[tensor_text] Expected a precision of 0 or more and edge items but received -1 and 3.", Error);
    CHECK_THROWS_AS(tensor_text(x, {}, {.edge_items = 0}), Error);
}
