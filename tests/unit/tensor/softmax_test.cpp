// exp and softmax: compared with double precision, and bit for bit with PyTorch 1.13. Golden bits come from
//     import struct, torch
//     inf = float("inf")
//     bits = lambda t: " ".join("%08x" % struct.unpack("<I", struct.pack("<f", v)) for v in
//     t.flatten().tolist())
// run with OPENBLAS_CORETYPE=Haswell OPENBLAS_NUM_THREADS=1 ATEN_CPU_CAPABILITY=avx2.
#include "tensor/softmax.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "bits.hpp"
#include "draws.hpp"
#include "levels.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/error.hpp"
#include "tensor/exp.hpp"
#include "tensor/layout.hpp"
#include "tensor/threads.hpp"

using attn::bits;
using attn::random;
using attn::Shape;
using attn::Tensor;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

// Returns the distance of x from the exact value, in units in the last place of float32.
double ulps(float x, double exact) {
    const double magnitude = std::max(std::abs(exact), 0x1p-126);
    return std::abs(static_cast<double>(x) - exact) / std::ldexp(1.0, std::ilogb(magnitude) - 23);
}

double worst_exp_of_bits(std::uint32_t first, std::uint32_t last, std::size_t& count) {
    double worst = 0.0;
    for (std::uint32_t bits = first; bits <= last; bits += 1009) {
        const auto x = std::bit_cast<float>(bits);
        worst = std::max(worst, ulps(attn::exp(x), std::exp(static_cast<double>(x))));
        ++count;
    }
    return worst;
}

}  // namespace

TEST_CASE("exp is within 1 unit in the last place of the exact value") {
    std::size_t count = 0;
    // The magnitudes range from the smallest subnormal to just below overflow (88.72284), or to the first
    // that gives 0 (-104).
    CHECK(worst_exp_of_bits(0x00000001, 0x42b17217, count) <= 1.0);
    CHECK(worst_exp_of_bits(0x80000001, 0xc2d00000, count) <= 1.0);
    CHECK(count > 2'000'000);
}

TEST_CASE("exp has PyTorch's bits at its edges") {
    // bits(torch.exp(torch.tensor([0., 1., -1., 0.5, -87., -88., -100., -103.9, -104.,
    // -105., 88., 88.7, 88.8, 100.,
    //                              1e-8, -0.])))
    const Tensor x(Shape{16}, {0.0F, 1.0F, -1.0F, 0.5F, -87.0F, -88.0F, -100.0F, -103.9F, -104.0F, -105.0F,
                               88.0F, 88.7F, 88.8F, 100.0F, 1e-8F, -0.0F});
    CHECK(
        bits(attn::exp(x)) ==
        "3f800000 402df854 3ebc5ab2 3fd3094c 00b33687 0041edc4 0000001b 00000001 00000000 00000000 7ef882b7 "
        "7f7a37fc 7f800000 7f800000 3f800000 3f800000");
    CHECK(attn::exp(inf) == inf);
    CHECK(attn::exp(-inf) == 0.0F);
    CHECK_FALSE(std::signbit(attn::exp(-inf)));
    CHECK(std::isnan(attn::exp(not_a_number)));
    CHECK(attn::exp(std::numeric_limits<float>::max()) == inf);
    CHECK(attn::exp(std::numeric_limits<float>::lowest()) == 0.0F);
}

// For 140 of all floats, exp has different bits if the small part of ln 2 is not fused; these are four of
// them. bits(torch.exp(torch.tensor([12.4748907, 12.474925, -12.4779902, 24.9499607])))
TEST_CASE("exp fuses every product") {
    Tensor x(Shape{4}, {12.4748907F, 12.474925F, -12.4779902F, 24.9499607F});
    CHECK(bits(attn::exp(x)) == "487f8cdb 487f8f1a 367fa82e 517f259f");
}

TEST_CASE("softmax has PyTorch's bits along rows and along columns") {
    // torch.manual_seed(123); x = torch.rand(2, n) * 10 - 5; bits(torch.softmax(x, dim=-1))
    const auto rows = [](std::size_t n) { return bits(attn::softmax(random(Shape{2, n}, 10, 5), -1)); };
    CHECK(rows(3) == "3dbf4715 3f58c266 3d754b7c 3e13c3c8 39a21506 3f5afacb");
    CHECK(
        rows(8) ==
        "3b3518ea 3ccd3907 3ae83d54 3e0f404d 399d2196 3f544a6e 3a12f009 39d0f5f7 3b24716f 3f11a981 3c18aa32 "
        "3ec492ce 3a5e7016 3b3a7da0 3c1a716b 3cb543d2");
    CHECK(
        rows(11) ==
        "3b15d79c 3ca9cdce 3ac02870 3ded0e40 39820329 3f2fa6ed 39f327f8 39ace596 3a437416 3e2d217c 3b35743d "
        "3dafc980 3946ea9f 3a26c542 3b0a1c98 3ba218ec 3998ca5f 3eb2ba6a 3b852bfa 3d86b67e 3ee83514 3d0965f9");
    // torch.manual_seed(123); x = torch.rand(3, 8) * 10 - 5; bits(torch.softmax(x, dim=0))
    //
    // Eight columns fill one vector. For columns beyond whole vectors, PyTorch uses exp of the C library,
    // which this program does not imitate.
    CHECK(bits(attn::softmax(random(Shape{3, 8}, 10, 5), 0)) ==
          "3f2b2de3 3d01dd80 3e1bc954 3ebacc95 39d780b6 3f701a3b 3bd27f88 391d525f "
          "3e5f4911 3e8468dc 3e931bcc 3eb81c22 39db1dc4 3a977eb9 3d1ee9b9 3b440a18 "
          "3de7fec0 3f35adb9 3f0f7fc5 3e8d1749 3f7fc9ac 3d79a059 3f746c65 3f7f3220");
}

TEST_CASE("softmax agrees with double precision for every length") {
    std::size_t compared = 0;
    for (std::size_t length = 1; length <= 70; ++length) {
        CAPTURE(length);
        const Tensor x = random(Shape{3, length}, 20, 10, length);
        const Tensor weights = attn::softmax(x, -1);
        for (std::size_t row = 0; row < 3; ++row) {
            double total = 0.0;
            double sum = 0.0;
            for (std::size_t i = 0; i < length; ++i) {
                total += std::exp(static_cast<double>(x.at({row, i})));
                sum += static_cast<double>(weights.at({row, i}));
            }
            CHECK(std::abs(sum - 1.0) < 1e-6);
            for (std::size_t i = 0; i < length; ++i) {
                const double exact = std::exp(static_cast<double>(x.at({row, i}))) / total;
                // The difference to the maximum, at most 20, is rounded; exp, sum and quotient are accurate
                // to 8 ulp.
                const double bound = (20 + 8) * 0x1p-24 * exact;
                CHECK(std::abs(static_cast<double>(weights.at({row, i})) - exact) <= bound);
                ++compared;
            }
        }
    }
    CHECK(compared == 3 * 70 * 71 / 2);
}

TEST_CASE("softmax has the bits of its plain loops, at every level and thread count") {
    const auto plain = [](std::span<const float> x) {
        std::vector<float> row(x.begin(), x.end());
        const float max = *std::ranges::max_element(row);
        for (float& value : row) {
            value = attn::exp(value - max);
        }
        const std::size_t lanes = row.size() < 8 ? 1 : 8;
        std::vector<float> sums(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(lanes));
        for (std::size_t i = lanes; i < row.size(); ++i) {
            sums[i % lanes] += row[i];
        }
        for (std::size_t half = lanes / 2; half > 0; half /= 2) {
            for (std::size_t lane = 0; lane < half; ++lane) {
                sums[lane] += sums[lane + half];
            }
        }
        const float reciprocal = 1.0F / sums[0];
        for (float& value : row) {
            value *= reciprocal;
        }
        return row;
    };
    for (const std::size_t length : {1U, 2U, 7U, 8U, 9U, 15U, 16U, 17U, 31U, 33U, 64U, 95U, 1000U}) {
        CAPTURE(length);
        const Tensor x = random(Shape{71, length}, 40, 20);
        Tensor expected(x.shape());
        for (std::size_t row = 0; row < 71; ++row) {
            std::ranges::copy(plain(x.values().subspan(row * length, length)),
                              expected.values().subspan(row * length, length).begin());
        }
        attn::at_every_level([&] {
            for (const std::size_t threads : {1U, 2U, 3U, 5U}) {
                attn::set_num_threads(threads);
                CHECK(attn::identical(softmax(x, -1), expected));
            }
            attn::set_num_threads(0);
        });
    }
}

TEST_CASE("softmax gives -inf no weight, and a row of nothing else NaN") {
    // bits(torch.softmax(torch.tensor([[-inf, -inf], [1e38, -1e38], [1., -inf]]), -1)): NaN, 1 and 0, 1 and 0
    const Tensor weights = attn::softmax(Tensor(Shape{3, 2}, {-inf, -inf, 1e38F, -1e38F, 1.0F, -inf}), -1);
    CHECK(std::isnan(weights.values()[0]));
    CHECK(std::isnan(weights.values()[1]));
    CHECK(bits(weights.values().subspan(2)) == "3f800000 00000000 3f800000 00000000");
    CHECK(std::isnan(attn::softmax(Tensor(Shape{3}, {0.0F, not_a_number, 1.0F}), 0).values()[2]));
    CHECK(bits(attn::softmax(attn::full(Shape{4}, 1e38F), -1)) == "3e800000 3e800000 3e800000 3e800000");
}

TEST_CASE("softmax of no numbers is none") {
    for (const Shape& shape : {Shape{0, 3}, Shape{3, 0}, Shape{2, 0, 4}}) {
        CHECK(attn::softmax(Tensor(shape), -1).shape() == shape);
        CHECK(attn::softmax(Tensor(shape), 0).shape() == shape);
    }
}

TEST_CASE("softmax does not change when every score moves by the same amount") {
    Tensor x(Shape{4, 9});  // multiples of 1/64, so that the shifts are exact
    for (std::size_t i = 0; i < x.count(); ++i) {
        x.values()[i] = static_cast<float>(i * 37 % 101) / 64.0F;
    }
    for (const float shift : {-512.0F, -0.25F, 3.5F, 1024.0F}) {
        const Tensor moved = attn::add(x, attn::full(Shape{}, shift));
        CHECK(attn::identical(attn::softmax(moved, -1), attn::softmax(x, -1)));
        CHECK(attn::identical(attn::softmax(moved, 0), attn::softmax(x, 0)));
    }
}

TEST_CASE("softmax along any axis is softmax along the last one, transposed") {
    const Tensor x = random(Shape{3, 10, 4, 5}, 10, 5);
    for (const int axis : {0, 1, 2, -2, -4}) {
        const Tensor direct = attn::softmax(x, axis);
        const Tensor moved = attn::transpose(attn::softmax(attn::transpose(x, axis, 3), 3), axis, 3);
        double worst = 0.0;
        for (std::size_t i = 0; i < x.count(); ++i) {
            worst =
                std::max(worst, std::abs(static_cast<double>(direct.values()[i] / moved.values()[i]) - 1.0));
        }
        CHECK(worst < 1e-6);
        CHECK_FALSE(attn::identical(direct, attn::softmax(x, 3)));
    }
    CHECK(attn::identical(attn::softmax(x, -1), attn::softmax(x, 3)));
    CHECK_THROWS_WITH_AS(attn::softmax(x, 4), "[softmax] Expected an axis of (3, 10, 4, 5) but received 4.",
                         attn::Error);
}
