// Products and sums: compared with double precision, for every rank and length, and bit for bit with PyTorch
// 1.13. Golden bits come from
//     import struct, torch
//     bits = lambda t: " ".join("%08x" % struct.unpack("<I", struct.pack("<f", v)) for v in
//     t.flatten().tolist())
// run with OPENBLAS_CORETYPE=Haswell OPENBLAS_NUM_THREADS=1 ATEN_CPU_CAPABILITY=avx2.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "bits.hpp"
#include "draws.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"
#include "tensor/matmul.hpp"
#include "tensor/numpy.hpp"
#include "tensor/reduce.hpp"

using attn::bits;
using attn::matmul;
using attn::random;
using attn::Shape;
using attn::Tensor;

namespace {

// (…, n, k) × (…, k, m) in double precision, with the sum of the magnitudes for the error bound.
struct Reference {
    std::vector<double> values, magnitudes;
};

Reference reference_product(const Tensor& a, const Tensor& b, const Shape& shape) {
    const std::size_t k = a.size(-1);
    const std::size_t m = b.rank() == 1 ? 1 : b.size(-1);
    const std::size_t n = a.rank() == 1 ? 1 : a.size(-2);
    Reference reference;
    for (std::size_t i = 0; i < shape.count(); ++i) {
        const std::size_t matrix = i / m / n;
        const std::size_t b_start = b.rank() > 2 ? matrix * k * m : 0;
        double sum = 0.0;
        double magnitude = 0.0;
        for (std::size_t inner = 0; inner < k; ++inner) {
            const double term = static_cast<double>(a.values()[i / m * k + inner]) *
                                static_cast<double>(b.values()[b_start + inner * m + i % m]);
            sum += term;
            magnitude += std::abs(term);
        }
        reference.values.push_back(sum);
        reference.magnitudes.push_back(magnitude);
    }
    return reference;
}

}  // namespace

TEST_CASE("products agree with double precision for operands of every rank") {
    struct Case {
        Shape a, b, result;
    };
    const Case cases[] = {
        {{7}, {7}, {}},
        {{7}, {7, 3}, {3}},
        {{4, 7}, {7}, {4}},
        {{4, 7}, {7, 3}, {4, 3}},
        {{2, 4, 7}, {7}, {2, 4}},
        {{2, 4, 7}, {7, 3}, {2, 4, 3}},
        {{2, 4, 7}, {2, 7, 3}, {2, 4, 3}},
        {{2, 9, 17}, {2, 17, 8}, {2, 9, 8}},
        {{2, 3, 4, 7}, {7}, {2, 3, 4}},
        {{2, 3, 4, 7}, {7, 3}, {2, 3, 4, 3}},
        {{2, 3, 4, 7}, {2, 3, 7, 5}, {2, 3, 4, 5}},
        {{64, 300}, {300, 32}, {64, 32}},
    };
    std::size_t compared = 0;
    for (const Case& shapes : cases) {
        CAPTURE(shapes.a.text());
        CAPTURE(shapes.b.text());
        const Tensor a = random(shapes.a, 2, 1, 1);
        const Tensor b = random(shapes.b, 2, 1, 2);
        const Tensor product = matmul(a, b);
        REQUIRE(product.shape() == shapes.result);
        const Reference reference = reference_product(a, b, shapes.result);
        double worst = 0.0;  // in units of the largest possible rounding error, one per term
        for (std::size_t i = 0; i < product.count(); ++i) {
            worst = std::max(worst, std::abs(static_cast<double>(product.values()[i]) - reference.values[i]) /
                                        (reference.magnitudes[i] * 0x1p-24));
        }
        CHECK(worst <= static_cast<double>(2 * a.size(-1)));
        compared += product.count();
    }
    CHECK(compared == 1 + 3 + 4 + 12 + 8 + 24 + 24 + 144 + 24 + 72 + 120 + 2048);
}

TEST_CASE("a product of matrices fuses each term into the sum, k ascending") {
    const Tensor a = random(Shape{5, 23}, 2, 1, 1);
    const Tensor b = random(Shape{23, 6}, 2, 1, 2);
    Tensor naive(Shape{5, 6});
    for (std::size_t i = 0; i < naive.count(); ++i) {
        for (std::size_t k = 0; k < 23; ++k) {
            naive.values()[i] = std::fma(a.at({i / 6, k}), b.at({k, i % 6}), naive.values()[i]);
        }
    }
    CHECK(attn::identical(matmul(a, b), naive));
}

TEST_CASE("a batch of products below 400 terms rounds each product, a larger one fuses") {
    // a = torch.zeros(1, k); a[0, :2] = torch.tensor([1., 1 + 2**-12])
    // b = torch.zeros(k, 1); b[:2, 0] = torch.tensor([-1., 1 + 2**-12]); bits(a[None] @ b[None]), bits(a @ b)
    // The exact result is (1 + 2⁻¹²)² − 1 = 2⁻¹¹ + 2⁻²⁴; rounding the product first gives only 2⁻¹¹.
    const auto product = [](std::size_t k, bool batched) {
        Tensor a(batched ? Shape{1, 1, k} : Shape{1, k});
        Tensor b(batched ? Shape{1, k, 1} : Shape{k, 1});
        a.values()[0] = 1.0F;
        b.values()[0] = -1.0F;
        a.values()[1] = b.values()[1] = 1.0F + 0x1p-12F;
        return bits(matmul(a, b));
    };
    CHECK(product(2, false) == "3a000400");
    CHECK(product(2, true) == "3a000000");
    CHECK(product(399, true) == "3a000000");
    CHECK(product(400, true) == "3a000400");
}

TEST_CASE("a product refuses operands that do not fit, and says which") {
    const auto product = [](const Shape& a, const Shape& b) { return matmul(Tensor(a), Tensor(b)); };
    CHECK_THROWS_WITH_AS(product({2, 3}, {2, 3}),
                         "[matmul] Expected equal inner sizes but received (2, 3) and (2, 3).", attn::Error);
    CHECK_THROWS_WITH_AS(product({3}, {2}), "[matmul] Expected equal inner sizes but received (3,) and (2,).",
                         attn::Error);
    CHECK_THROWS_WITH_AS(product({2, 3}, {2}),
                         "[matmul] Expected equal inner sizes but received (2, 3) and (2,).", attn::Error);
    CHECK_THROWS_WITH_AS(product({}, {2}),
                         "[matmul] Expected at least one dimension on each side but received () and (2,).",
                         attn::Error);
    CHECK_THROWS_AS(product({2}, {}), attn::Error);
    CHECK_THROWS_WITH_AS(product({2, 2, 3}, {3, 3, 2}),
                         "[matmul] Expected equal leading sizes but received (2, 2, 3) and (3, 3, 2).",
                         attn::Error);
    CHECK_THROWS_WITH_AS(product({2, 3}, {2, 3, 2}),
                         "[matmul] Expected equal leading sizes but received (2, 3) and (2, 3, 2).",
                         attn::Error);
    CHECK_THROWS_WITH_AS(attn::dot(Tensor(Shape{2}), Tensor(Shape{3})),
                         "[dot] Expected two vectors of one length but received (2,) and (3,).", attn::Error);
    CHECK_THROWS_AS(attn::dot(Tensor(Shape{2, 1}), Tensor(Shape{2, 1})), attn::Error);
}

TEST_CASE("an empty sum is 0, in a product and in a row") {
    CHECK(attn::identical(matmul(Tensor(Shape{2, 0}), Tensor(Shape{0, 2})), Tensor(Shape{2, 2})));
    CHECK(attn::identical(attn::sum(Tensor(Shape{2, 0}), -1, true), Tensor(Shape{2, 1})));
    CHECK(matmul(Tensor(Shape{0, 3}), Tensor(Shape{3, 2})).shape() == Shape{0, 2});
    CHECK(matmul(Tensor(Shape{5, 2, 3}), Tensor(Shape{5, 3, 0})).shape() == Shape{5, 2, 0});
}

TEST_CASE("sums have PyTorch's bits") {
    // torch.manual_seed(123); bits((torch.rand(1, n) * 100 - 40).sum(dim=-1, keepdim=True))
    struct Golden {
        std::size_t length;
        const char* bits;
    };
    for (const Golden& golden :
         {Golden{1, "c126388c"}, Golden{3, "c1590c50"}, Golden{7, "403fd8d8"}, Golden{8, "c1d60930"},
          Golden{9, "c2416536"}, Golden{31, "437253ae"}, Golden{32, "438a19ee"}, Golden{33, "4399fed8"},
          Golden{100, "448d68a1"}, Golden{127, "44c292e6"}, Golden{200, "450bf6de"}, Golden{5000, "473eeb44"},
          Golden{131072, "49a01bcc"}, Golden{300000, "4a378a4d"}, Golden{1000000, "4b1901dc"},
          Golden{2097152, "4ba05e4e"}, Golden{3000001, "4be546d4"}}) {
        CAPTURE(golden.length);
        CHECK(bits(attn::sum(random(Shape{1, golden.length}, 100, 40), -1, true)) == golden.bits);
    }
}

TEST_CASE("sums agree with double precision for every length") {
    std::vector<std::size_t> lengths(201);
    std::iota(lengths.begin(), lengths.end(), std::size_t{0});
    lengths.push_back(5000);
    for (const std::size_t length : lengths) {
        CAPTURE(length);
        const Tensor x = random(Shape{length}, 2, 1, length);
        double exact = 0.0;
        double magnitude = 0.0;
        for (const float value : x.values()) {
            exact += static_cast<double>(value);
            magnitude += std::abs(static_cast<double>(value));
        }
        CHECK(std::abs(static_cast<double>(attn::sum(x).values()[0]) - exact) <= 1e-6 * magnitude);
    }
}

TEST_CASE("a vector goes along a diagonal, and a step of training rounds once") {
    CHECK(identical(attn::diag(Tensor(Shape{2}, {3, 4})), Tensor(Shape{2, 2}, {3, 0, 0, 4})));
    CHECK_THROWS_WITH_AS(attn::diag(Tensor()), "[diag] Expected a vector but received ().", attn::Error);
    const Tensor a(Shape{1}, {0.1F}), b(Shape{1}, {0.3F});
    CHECK(attn::sub(a, b, 0.7).values()[0] == std::fma(-0.7F, 0.3F, 0.1F));
    CHECK_THROWS_WITH_AS(attn::sub(a, Tensor(), 0.7),
                         "[sub] Expected two tensors of one shape but received (1,) and ().", attn::Error);
}

TEST_CASE("a sum, a mean and a largest number are taken along any axis, which goes or stays with size 1") {
    Tensor x(Shape{2, 3, 2});
    std::iota(x.values().begin(), x.values().end(), 0.0F);
    CHECK(identical(attn::sum(x), Tensor(Shape{}, {66})));
    CHECK(identical(attn::sum(x, 0), Tensor(Shape{3, 2}, {6, 8, 10, 12, 14, 16})));
    CHECK(identical(attn::sum(x, 1), Tensor(Shape{2, 2}, {6, 9, 24, 27})));
    CHECK(identical(attn::sum(x, -1, true), Tensor(Shape{2, 3, 1}, {1, 5, 9, 13, 17, 21})));
    CHECK(identical(attn::mean(x, 1, true), Tensor(Shape{2, 1, 2}, {2, 3, 8, 9})));
    CHECK(attn::mean(x).values()[0] == 5.5F);
    CHECK(identical(attn::mean(x, 2), Tensor(Shape{2, 3}, {0.5F, 2.5F, 4.5F, 6.5F, 8.5F, 10.5F})));
    CHECK(identical(attn::amax(x), Tensor(Shape{}, {11})));
    CHECK(identical(attn::amax(x, 0), Tensor(Shape{3, 2}, {6, 7, 8, 9, 10, 11})));
    CHECK(identical(attn::amax(x, -2, true), Tensor(Shape{2, 1, 2}, {4, 5, 10, 11})));
    const float nan = std::nanf("");
    CHECK(identical(attn::amax(Tensor(Shape{2, 2}, {1, nan, 3, 2}), 1), Tensor(Shape{2}, {nan, 3})));
    // Ten rows of ten do not fit into one vector; oracle/arithmetic.py compares the bits of all shapes with
    // PyTorch.
    const Tensor rows = random(Shape{100, 45}, 2, 1);
    for (const std::size_t column : {0U, 31U, 32U, 44U}) {
        double exact = 0.0;
        for (std::size_t row = 0; row < 100; ++row) {
            exact += static_cast<double>(rows.at({row, column}));
        }
        CHECK(static_cast<double>(attn::sum(rows, 0).values()[column]) ==
              doctest::Approx(exact).epsilon(1e-5));
    }
}

TEST_CASE("of no numbers the sum is 0 and the mean none, and a largest number there is not") {
    CHECK(identical(attn::sum(Tensor(Shape{0})), Tensor()));
    CHECK(identical(attn::sum(Tensor(Shape{2, 0}), 1), Tensor(Shape{2})));
    CHECK(attn::sum(Tensor(Shape{2, 0}), 0).shape() == Shape{0});
    CHECK(std::isnan(attn::mean(Tensor(Shape{1, 0}), 1).values()[0]));
    CHECK(attn::amax(Tensor(Shape{0, 3}), 1).shape() == Shape{0});
    CHECK_THROWS_WITH_AS(attn::amax(Tensor(Shape{2, 0})),
                         "[amax] Expected at least one number but received (2, 0).", attn::Error);
    CHECK_THROWS_WITH_AS(attn::amax(Tensor(Shape{2, 0}), -1),
                         "[amax] Expected at least one number along axis -1 but received (2, 0).",
                         attn::Error);
    CHECK_THROWS_WITH_AS(attn::sum(Tensor(Shape{2, 3}), 2),
                         "[sum] Expected an axis of (2, 3) but received 2.", attn::Error);
    CHECK_THROWS_WITH_AS(attn::mean(Tensor(), 0), "[mean] Expected an axis of () but received 0.",
                         attn::Error);
    CHECK_THROWS_WITH_AS(attn::amax(Tensor(), -1), "[amax] Expected an axis of () but received -1.",
                         attn::Error);
    CHECK_THROWS_WITH_AS(attn::numpy::sum(Tensor(Shape{2}), 1),
                         "[numpy::sum] Expected an axis of (2,) but received 1.", attn::Error);
}

TEST_CASE("row sums keep the axis, and each row is summed by itself") {
    const Tensor x = random(Shape{2, 3, 11}, 2, 1);
    const Tensor sums = attn::sum(x, -1, true);
    REQUIRE(sums.shape() == Shape{2, 3, 1});
    for (std::size_t row = 0; row < 6; ++row) {
        CHECK(sums.values()[row] == attn::sum(select(x, {row / 3, row % 3})).values()[0]);
    }
}
