// Products and sums of nothing, of much and of what does not fit. product_test.cpp has their bits at every
// level, and oracle/arithmetic.py compares them with PyTorch. Golden bits come from
//     import struct, torch
//     bits = lambda t: " ".join("%08x" % struct.unpack("<I", struct.pack("<f", v)) for v in
//     t.flatten().tolist())
// run with OPENBLAS_CORETYPE=Haswell OPENBLAS_NUM_THREADS=1 ATEN_CPU_CAPABILITY=avx2.
#include <doctest/doctest.h>

#include <cmath>
#include <utility>

#include "bits.hpp"
#include "draws.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"
#include "tensor/matmul.hpp"
#include "tensor/numpy.hpp"
#include "tensor/reduce.hpp"

using namespace attn;

TEST_CASE("products, sums and means of no numbers are 0, 0 and NaN") {
    CHECK(identical(matmul(Tensor({2, 0}), Tensor({0, 2})), Tensor({2, 2})));
    CHECK(matmul(Tensor({5, 2, 3}), Tensor({5, 3, 0})).shape() == Shape{5, 2, 0});
    CHECK(identical(sum(Tensor({0})), Tensor()));
    CHECK(identical(sum(Tensor({2, 0}), -1, true), Tensor({2, 1})));
    CHECK(sum(Tensor({2, 0}), 0).shape() == Shape{0});
    CHECK(std::isnan(mean(Tensor({1, 0}), 1).values()[0]));
    CHECK(amax(Tensor({0, 3}), 1).shape() == Shape{0});
}

TEST_CASE("operands that do not fit are refused, and named") {
    const auto product = [](const Shape& a, const Shape& b) { return matmul(Tensor(a), Tensor(b)); };
    const Tensor a({2, 3}), empty({2, 0});
    CHECK_THROWS_WITH_AS(product({2, 3}, {2, 3}),
                         "[matmul] Expected equal inner sizes but received (2, 3) and (2, 3).", Error);
    CHECK_THROWS_AS(product({3}, {2}), Error);
    CHECK_THROWS_AS(product({2, 3}, {2}), Error);
    CHECK_THROWS_WITH_AS(product({}, {2}),
                         "[matmul] Expected at least one dimension on each side but received () and (2,).",
                         Error);
    CHECK_THROWS_AS(product({2}, {}), Error);
    CHECK_THROWS_WITH_AS(product({2, 2, 3}, {3, 3, 2}),
                         "[matmul] Expected equal leading sizes but received (2, 2, 3) and (3, 3, 2).",
                         Error);
    CHECK_THROWS_AS(product({2, 3}, {2, 3, 2}), Error);
    CHECK_THROWS_WITH_AS(dot(Tensor({2}), Tensor({3})),
                         "[dot] Expected two vectors of one length but received (2,) and (3,).", Error);
    CHECK_THROWS_AS(dot(Tensor({2, 1}), Tensor({2, 1})), Error);
    CHECK_THROWS_WITH_AS(diag(Tensor()), "[diag] Expected a vector but received ().", Error);
    CHECK_THROWS_WITH_AS(sub(a, Tensor(), 0.7),
                         "[sub] Expected two tensors of one shape but received (2, 3) and ().", Error);
    CHECK_THROWS_WITH_AS(amax(empty), "[amax] Expected at least one number but received (2, 0).", Error);
    CHECK_THROWS_WITH_AS(amax(empty, -1),
                         "[amax] Expected at least one number along axis -1 but received (2, 0).", Error);
    CHECK_THROWS_WITH_AS(sum(a, 2), "[sum] Expected an axis of (2, 3) but received 2.", Error);
    CHECK_THROWS_WITH_AS(mean(Tensor(), 0), "[mean] Expected an axis of () but received 0.", Error);
    CHECK_THROWS_WITH_AS(amax(a, -3), "[amax] Expected an axis of (2, 3) but received -3.", Error);
    CHECK_THROWS_WITH_AS(numpy::sum(a, 2), "[numpy::sum] Expected an axis of (2, 3) but received 2.", Error);
}

TEST_CASE("sums have PyTorch's bits, also beyond the lengths that the oracle tries") {
    // torch.manual_seed(123); bits((torch.rand(1, n) * 100 - 40).sum(dim=-1, keepdim=True))
    for (const auto& row : {std::pair{7U, "403fd8d8"},
                            {33U, "4399fed8"},
                            {5000U, "473eeb44"},
                            {131072U, "49a01bcc"},
                            {300000U, "4a378a4d"},
                            {2097152U, "4ba05e4e"},
                            {3000001U, "4be546d4"}}) {
        CAPTURE(row.first);
        CHECK(bits(sum(random(Shape{1, row.first}, 100, 40), -1, true)) == row.second);
    }
}

TEST_CASE("a sum, a mean and a largest number are taken of all or along an axis, which stays with size 1") {
    const Tensor x = counted({2, 3, 2});
    CHECK(identical(sum(x), full({}, 78)));
    CHECK(identical(mean(x), full({}, 6.5F)));
    CHECK(identical(mean(x, 1, true), Tensor({2, 1, 2}, {3, 4, 9, 10})));
    CHECK(identical(amax(x), full({}, 12)));
    CHECK(identical(amax(x, 1), Tensor({2, 2}, {5, 6, 11, 12})));
}
