// The printer's golden texts: PyTorch 1.13 printed each for the command in the comment above it.
// oracle/print_tensor.py tests many random tensors.
#include "tensor/tensor_text.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "tensor/error.hpp"
#include "tensor/layout.hpp"
#include "tensor/tensor.hpp"

using attn::PrintOptions;
using attn::Shape;
using attn::Suffix;
using attn::Tensor;
using attn::tensor_text;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

Tensor row(std::vector<float> values) {
    const Shape shape{values.size()};
    return Tensor(shape, std::move(values));
}

// Returns start, start + 1, … in reading order.
Tensor counting(const Shape& shape, float start = 0.0F) {
    Tensor x(shape);
    std::iota(x.values().begin(), x.values().end(), start);
    return x;
}

}  // namespace

TEST_CASE("whole numbers end in a point, and one fraction among them gives all of them four digits") {
    // torch.tensor([1., 0., -2.])
    CHECK(tensor_text(row({1, 0, -2})) == "tensor([ 1.,  0., -2.])");
    // torch.tensor([1., 0.5, -2.])
    CHECK(tensor_text(row({1, 0.5F, -2})) == "tensor([ 1.0000,  0.5000, -2.0000])");
    // torch.tensor([1.00000012, 2.])
    CHECK(tensor_text(row({0x1.000002p+0F, 2})) == "tensor([1.0000, 2.0000])");
    // torch.tril(torch.ones(3, 3))
    CHECK(tensor_text(Tensor(Shape{3, 3}, {1, 0, 0, 1, 1, 0, 1, 1, 1})) ==
          R"(tensor([[1., 0., 0.],
        [1., 1., 0.],
        [1., 1., 1.]]))");
}

TEST_CASE("every column is as wide as the widest number") {
    // torch.tensor([[0.43, -20.25], [300., 0.]])
    CHECK(tensor_text(Tensor(Shape{2, 2}, {0.43F, -20.25F, 300, 0})) ==
          R"(tensor([[  0.4300, -20.2500],
        [300.0000,   0.0000]]))");
}

TEST_CASE("a half rounds to the even digit, as in Python") {
    // torch.tensor([0.03125, 0.09375, 2.5])
    CHECK(tensor_text(row({0.03125F, 0.09375F, 2.5F})) == "tensor([0.0312, 0.0938, 2.5000])");
    // torch.set_printoptions(precision=0); torch.tensor([0.5, 1.5, 2.5, -0.5])
    CHECK(tensor_text(row({0.5F, 1.5F, 2.5F, -0.5F}), {}, {.precision = 0}) == "tensor([ 0,  2,  2, -0])");
}

TEST_CASE("a negative zero keeps its sign and widens no column") {
    // torch.tensor([0., -0.])
    CHECK(tensor_text(row({0.0F, -0.0F})) == "tensor([0., -0.])");
    // torch.tensor([5., -0., 0.])
    CHECK(tensor_text(row({5, -0.0F, 0})) == "tensor([5., -0., 0.])");
    // torch.set_printoptions(precision=2); torch.tensor([0.5, -0.001])
    CHECK(tensor_text(row({0.5F, -0.001F}), {}, {.precision = 2}) == "tensor([ 0.50, -0.00])");
}

TEST_CASE("numbers more than 1000 times apart are scientific, exactly 1000 times are not") {
    // torch.tensor([1., 1000.])
    CHECK(tensor_text(row({1, 1000})) == "tensor([   1., 1000.])");
    // torch.tensor([1., 1001.])
    CHECK(tensor_text(row({1, 1001})) == "tensor([1.0000e+00, 1.0010e+03])");
    // torch.tensor([0.5, 500.])
    CHECK(tensor_text(row({0.5F, 500})) == "tensor([  0.5000, 500.0000])");
    // torch.tensor([0.5, -501., 0.])
    CHECK(tensor_text(row({0.5F, -501, 0})) == "tensor([ 5.0000e-01, -5.0100e+02,  0.0000e+00])");
}

TEST_CASE("numbers above 1e8 are scientific, 1e8 itself is not") {
    // torch.tensor([1e8])
    CHECK(tensor_text(row({1e8F})) == "tensor([100000000.])");
    // torch.tensor([100000008.])
    CHECK(tensor_text(row({100000008.0F})) == "tensor([1.0000e+08])");
}

TEST_CASE("fractions below 1e-4 are scientific, and as a double the float32 next to 1e-4 is below it") {
    // torch.tensor([1.0001e-4])
    CHECK(tensor_text(row({1.0001e-4F})) == "tensor([0.0001])");
    // torch.tensor([1e-4])
    CHECK(tensor_text(row({1e-4F})) == "tensor([1.0000e-04])");
}

TEST_CASE("the exponent has two digits, also at the ends of float32") {
    // torch.tensor([3.4e38, 1e-45])
    CHECK(tensor_text(row({3.4e38F, 1e-45F})) == "tensor([3.4000e+38, 1.4013e-45])");
}

TEST_CASE("infinities and nan leave the notation and the width to the finite numbers") {
    // torch.tensor([[0.2899, -inf], [0.4656, 0.1723]])
    CHECK(tensor_text(Tensor(Shape{2, 2}, {0.2899F, -inf, 0.4656F, 0.1723F})) ==
          R"(tensor([[0.2899,   -inf],
        [0.4656, 0.1723]]))");
    // torch.tensor([1., inf, -inf, nan])
    CHECK(tensor_text(row({1, inf, -inf, not_a_number})) == "tensor([1., inf, -inf, nan])");
    // torch.tensor([1e-7, inf, 0.])
    CHECK(tensor_text(row({1e-7F, inf, 0})) == "tensor([1.0000e-07,        inf, 0.0000e+00])");
    // torch.tensor([inf, nan, 0.])
    CHECK(tensor_text(row({inf, not_a_number, 0})) == "tensor([inf, nan, 0.])");
}

TEST_CASE("a nan shows no sign") {
    // torch.tensor([-nan, 1.5])
    CHECK(tensor_text(row({-not_a_number, 1.5F})) == "tensor([   nan, 1.5000])");
}

TEST_CASE("a tensor without dimensions is a bare number") {
    // torch.tensor(3.14159)
    CHECK(tensor_text(full(Shape{}, 3.14159F)) == "tensor(3.1416)");
    // torch.tensor(2.)
    CHECK(tensor_text(full(Shape{}, 2)) == "tensor(2.)");
    // torch.tensor(-inf)
    CHECK(tensor_text(full(Shape{}, -inf)) == "tensor(-inf)");
}

TEST_CASE("one blank line parts two matrices and two blank lines part the blocks of rank 4") {
    // torch.arange(8.).view(2, 2, 2)
    CHECK(tensor_text(counting(Shape{2, 2, 2})) ==
          R"(tensor([[[0., 1.],
         [2., 3.]],

        [[4., 5.],
         [6., 7.]]]))");
    // torch.arange(8.).view(2, 2, 1, 2)
    CHECK(tensor_text(counting(Shape{2, 2, 1, 2})) ==
          R"(tensor([[[[0., 1.]],

         [[2., 3.]]],


        [[[4., 5.]],

         [[6., 7.]]]]))");
}

TEST_CASE("a row wraps within 80 columns, less those its brackets take") {
    // torch.arange(10, 19.)
    CHECK(tensor_text(counting(Shape{9}, 10)) == "tensor([10., 11., 12., 13., 14., 15., 16., 17., 18.])");
    // torch.arange(0.5, 24)
    CHECK(tensor_text(counting(Shape{24}, 0.5F)) ==
          R"(tensor([ 0.5000,  1.5000,  2.5000,  3.5000,  4.5000,  5.5000,  6.5000,  7.5000,
         8.5000,  9.5000, 10.5000, 11.5000, 12.5000, 13.5000, 14.5000, 15.5000,
        16.5000, 17.5000, 18.5000, 19.5000, 20.5000, 21.5000, 22.5000, 23.5000]))");
    // torch.arange(10.5, 28).view(1, 1, 2, 9)
    CHECK(tensor_text(counting(Shape{1, 1, 2, 9}, 10.5F)) ==
          R"(tensor([[[[10.5000, 11.5000, 12.5000, 13.5000, 14.5000, 15.5000, 16.5000,
           17.5000, 18.5000],
          [19.5000, 20.5000, 21.5000, 22.5000, 23.5000, 24.5000, 25.5000,
           26.5000, 27.5000]]]]))");
}

TEST_CASE("more than 1000 numbers are summarised and 1000 are not") {
    // torch.arange(1001.)
    CHECK(tensor_text(counting(Shape{1001})) == "tensor([   0.,    1.,    2.,  ...,  998.,  999., 1000.])");
    // torch.arange(1200.).view(30, 40)
    CHECK(tensor_text(counting(Shape{30, 40})) ==
          R"(tensor([[0.0000e+00, 1.0000e+00, 2.0000e+00,  ..., 3.7000e+01, 3.8000e+01,
         3.9000e+01],
        [4.0000e+01, 4.1000e+01, 4.2000e+01,  ..., 7.7000e+01, 7.8000e+01,
         7.9000e+01],
        [8.0000e+01, 8.1000e+01, 8.2000e+01,  ..., 1.1700e+02, 1.1800e+02,
         1.1900e+02],
        ...,
        [1.0800e+03, 1.0810e+03, 1.0820e+03,  ..., 1.1170e+03, 1.1180e+03,
         1.1190e+03],
        [1.1200e+03, 1.1210e+03, 1.1220e+03,  ..., 1.1570e+03, 1.1580e+03,
         1.1590e+03],
        [1.1600e+03, 1.1610e+03, 1.1620e+03,  ..., 1.1970e+03, 1.1980e+03,
         1.1990e+03]]))");
    // torch.arange(1200.).view(4, 300)
    CHECK(tensor_text(counting(Shape{4, 300})) ==
          R"(tensor([[0.0000e+00, 1.0000e+00, 2.0000e+00,  ..., 2.9700e+02, 2.9800e+02,
         2.9900e+02],
        [3.0000e+02, 3.0100e+02, 3.0200e+02,  ..., 5.9700e+02, 5.9800e+02,
         5.9900e+02],
        [6.0000e+02, 6.0100e+02, 6.0200e+02,  ..., 8.9700e+02, 8.9800e+02,
         8.9900e+02],
        [9.0000e+02, 9.0100e+02, 9.0200e+02,  ..., 1.1970e+03, 1.1980e+03,
         1.1990e+03]]))");
    // torch.arange(1001, 2009.).view(7, 2, 72)
    CHECK(tensor_text(counting(Shape{7, 2, 72}, 1001)) ==
          R"(tensor([[[1001., 1002., 1003.,  ..., 1070., 1071., 1072.],
         [1073., 1074., 1075.,  ..., 1142., 1143., 1144.]],

        [[1145., 1146., 1147.,  ..., 1214., 1215., 1216.],
         [1217., 1218., 1219.,  ..., 1286., 1287., 1288.]],

        [[1289., 1290., 1291.,  ..., 1358., 1359., 1360.],
         [1361., 1362., 1363.,  ..., 1430., 1431., 1432.]],

        ...,

        [[1577., 1578., 1579.,  ..., 1646., 1647., 1648.],
         [1649., 1650., 1651.,  ..., 1718., 1719., 1720.]],

        [[1721., 1722., 1723.,  ..., 1790., 1791., 1792.],
         [1793., 1794., 1795.,  ..., 1862., 1863., 1864.]],

        [[1865., 1866., 1867.,  ..., 1934., 1935., 1936.],
         [1937., 1938., 1939.,  ..., 2006., 2007., 2008.]]]))");
    CHECK(tensor_text(counting(Shape{1000})).find("...") == std::string::npos);
}

TEST_CASE("a number that a summary leaves out changes neither notation nor width") {
    // x = torch.ones(2000); x[1000] = 1e-9; x
    Tensor x = full(Shape{2000}, 1);
    x.values()[1000] = 1e-9F;
    CHECK(tensor_text(x) == "tensor([1., 1., 1.,  ..., 1., 1., 1.])");
}

TEST_CASE("an empty tensor shows its size unless it is a vector") {
    // torch.zeros(0)
    CHECK(tensor_text(Tensor(Shape{0})) == "tensor([])");
    // torch.zeros(0, 3)
    CHECK(tensor_text(Tensor(Shape{0, 3})) == "tensor([], size=(0, 3))");
    // torch.zeros(2, 0, 3, requires_grad=True)
    CHECK(tensor_text(Tensor(Shape{2, 0, 3}), {.requires_grad = true}) ==
          "tensor([], size=(2, 0, 3), requires_grad=True)");
}

TEST_CASE("grad_fn follows the last row, or goes on a line of its own where it does not fit") {
    // torch.tensor([0.25, 4.], requires_grad=True) * 1
    CHECK(tensor_text(row({0.25F, 4}), {.grad_fn = "MulBackward0"}) ==
          "tensor([0.2500, 4.0000], grad_fn=<MulBackward0>)");
    // torch.arange(10.5, 17, requires_grad=True) * 1
    CHECK(tensor_text(counting(Shape{7}, 10.5F), {.grad_fn = "MulBackward0"}) ==
          R"(tensor([10.5000, 11.5000, 12.5000, 13.5000, 14.5000, 15.5000, 16.5000],
       grad_fn=<MulBackward0>))");
}

TEST_CASE("requires_grad shows only when no operation made the tensor") {
    // torch.tensor([2.], requires_grad=True)
    CHECK(tensor_text(row({2}), {.requires_grad = true}) == "tensor([2.], requires_grad=True)");
    // torch.tensor([2.], requires_grad=True) * 1
    CHECK(tensor_text(row({2}), {.grad_fn = "MulBackward0", .requires_grad = true}) ==
          "tensor([2.], grad_fn=<MulBackward0>)");
}

TEST_CASE("a suffix stays on the line only if that leaves its last column free") {
    // torch.set_printoptions(linewidth=33); torch.tensor([2.], requires_grad=True)
    CHECK(tensor_text(row({2}), {.requires_grad = true}, {.line_width = 33}) ==
          "tensor([2.], requires_grad=True)");
    // torch.set_printoptions(linewidth=32); torch.tensor([2.], requires_grad=True)
    CHECK(tensor_text(row({2}), {.requires_grad = true}, {.line_width = 32}) ==
          R"(tensor([2.],
       requires_grad=True))");
    // torch.set_printoptions(linewidth=43); torch.zeros(0, 3, requires_grad=True)
    CHECK(tensor_text(Tensor(Shape{0, 3}), {.requires_grad = true}, {.line_width = 43}) ==
          R"(tensor([], size=(0, 3),
       requires_grad=True))");
}

TEST_CASE("a parameter says so on a line of its own") {
    // torch.nn.Parameter(torch.tensor([[0.5, 0.25]]))
    CHECK(tensor_text(Tensor(Shape{1, 2}, {0.5F, 0.25F}), {.requires_grad = true, .parameter = true}) ==
          R"(Parameter containing:
tensor([[0.5000, 0.2500]], requires_grad=True))");
    // torch.nn.Parameter(torch.tensor([[0.5, 0.25]]), requires_grad=False)
    CHECK(tensor_text(Tensor(Shape{1, 2}, {0.5F, 0.25F}), {.parameter = true}) ==
          R"(Parameter containing:
tensor([[0.5000, 0.2500]]))");
}

TEST_CASE("the precision sets the digits after the point in either notation") {
    // torch.set_printoptions(precision=8); torch.tensor([0.1, 2.])
    CHECK(tensor_text(row({0.1F, 2}), {}, {.precision = 8}) == "tensor([0.10000000, 2.00000000])");
    // torch.set_printoptions(precision=2); torch.tensor([1.23456e-5, 2.])
    CHECK(tensor_text(row({1.23456e-5F, 2}), {}, {.precision = 2}) == "tensor([1.23e-05, 2.00e+00])");
    // torch.set_printoptions(precision=0); torch.tensor([1.5e-5, 2.])
    CHECK(tensor_text(row({1.5e-5F, 2}), {}, {.precision = 0}) == "tensor([1e-05, 2e+00])");
}

TEST_CASE("a precision below 0 and a summary without ends are refused") {
    CHECK_THROWS_WITH_AS(
        attn::tensor_text(Tensor(), {}, {.precision = -1}),
        "[tensor_text] Expected a precision of 0 or more and edge items but received -1 and 3.", attn::Error);
    CHECK_THROWS_AS(attn::tensor_text(Tensor(), {}, {.edge_items = 0}), attn::Error);
    CHECK(attn::tensor_text(Tensor({2}, {1, 2}), {}, {.line_width = 0}) == "tensor([1.,\n        2.])");
}

TEST_CASE("threshold, edge items and line width are the caller's to choose") {
    // torch.set_printoptions(threshold=9); torch.arange(10.)
    CHECK(tensor_text(counting(Shape{10}), {}, {.threshold = 9}) == "tensor([0., 1., 2.,  ..., 7., 8., 9.])");
    // torch.set_printoptions(threshold=9, edgeitems=2); torch.arange(10.)
    CHECK(tensor_text(counting(Shape{10}), {}, {.threshold = 9, .edge_items = 2}) ==
          "tensor([0., 1.,  ..., 8., 9.])");
    // torch.set_printoptions(linewidth=20); torch.arange(10.)
    CHECK(tensor_text(counting(Shape{10}), {}, {.line_width = 20}) ==
          R"(tensor([0., 1., 2.,
        3., 4., 5.,
        6., 7., 8.,
        9.]))");
    // torch.set_printoptions(linewidth=1); torch.arange(2.)
    CHECK(tensor_text(counting(Shape{2}), {}, {.line_width = 1}) ==
          R"(tensor([0.,
        1.]))");
}
