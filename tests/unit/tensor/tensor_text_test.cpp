// oracle/print_tensor.py compares 20,000 random tensors of every kind with PyTorch's printer. Here is a text
// for each of its rules; PyTorch 1.13 printed each for the command beside it.
#include "tensor/tensor_text.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "tensor/error.hpp"
#include "tensor/layout.hpp"

using namespace attn;

namespace {

constexpr float inf = HUGE_VALF;

std::string text_of(const std::vector<float>& row, const PrintOptions& options = {}) {
    return tensor_text(Tensor({row.size()}, row), {}, options);
}

// Returns start, start + 1, … in reading order.
Tensor counting(const Shape& shape, float start = 0.0F) {
    Tensor x(shape);
    std::iota(x.values().begin(), x.values().end(), start);
    return x;
}

}  // namespace

TEST_CASE("the notation and the width follow the finite numbers shown") {
    for (const auto& [row, text] : {
             std::pair<std::vector<float>, std::string>{{1, 0, -2}, "[ 1.,  0., -2.]"},
             {{0x1.000002p+0F, 2}, "[1.0000, 2.0000]"},
             {{0.03125F, 0.09375F, 2.5F}, "[0.0312, 0.0938, 2.5000]"},  // half to even
             {{5, -0.0F, 0}, "[5., -0., 0.]"},
             {{1, 1000}, "[   1., 1000.]"},
             {{1, 1001}, "[1.0000e+00, 1.0010e+03]"},
             {{0.5F, -501, 0}, "[ 5.0000e-01, -5.0100e+02,  0.0000e+00]"},
             {{1e8F}, "[100000000.]"},
             {{100000008.0F}, "[1.0000e+08]"},
             {{1.0001e-4F}, "[0.0001]"},
             {{1e-4F}, "[1.0000e-04]"},
             {{3.4e38F, 1e-45F}, "[3.4000e+38, 1.4013e-45]"},
             {{1, inf, -inf, -std::nanf("")}, "[1., inf, -inf, nan]"},
             {{1e-7F, inf, 0}, "[1.0000e-07,        inf, 0.0000e+00]"},
         }) {
        CHECK(text_of(row) == "tensor(" + text + ")");
    }
    CHECK(tensor_text(full({}, 3.14159F)) == "tensor(3.1416)");
    CHECK(text_of({0.5F, 1.5F, 2.5F, -0.5F}, {.precision = 0}) == "tensor([ 0,  2,  2, -0])");
    CHECK(text_of({1.23456e-5F, 2}, {.precision = 2}) == "tensor([1.23e-05, 2.00e+00])");
}

TEST_CASE("a suffix stays on the line only if that leaves its last column free") {
    const Tensor x({1}, {2});
    // torch.tensor([2.], requires_grad=True), * 1, torch.nn.Parameter(…)
    CHECK(tensor_text(x, {.grad_fn = "MulBackward0", .requires_grad = true}) ==
          "tensor([2.], grad_fn=<MulBackward0>)");
    CHECK(tensor_text(x, {.requires_grad = true, .parameter = true}, {.line_width = 33}) ==
          "Parameter containing:\ntensor([2.], requires_grad=True)");
    CHECK(tensor_text(x, {.requires_grad = true}, {.line_width = 32}) ==
          "tensor([2.],\n       requires_grad=True)");
    CHECK(tensor_text(Tensor({0})) == "tensor([])");
    CHECK(tensor_text(Tensor({2, 0, 3}), {.requires_grad = true}) ==
          "tensor([], size=(2, 0, 3), requires_grad=True)");
}

TEST_CASE("threshold, edge items and line width are the caller's to choose, and a wrong one is refused") {
    CHECK(tensor_text(counting({10}), {}, {.threshold = 9, .edge_items = 2}) ==
          "tensor([0., 1.,  ..., 8., 9.])");
    CHECK(text_of({0, 1}, {.line_width = 0}) == "tensor([0.,\n        1.])");
    CHECK_THROWS_WITH_AS(
        text_of({}, {.precision = -1}),
        "[tensor_text] Expected a precision of 0 or more and edge items but received -1 and 3.", Error);
    CHECK_THROWS_AS(text_of({}, {.edge_items = 0}), Error);
}
