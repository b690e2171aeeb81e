// exp and softmax. oracle/arithmetic.py compares exp over all bits and softmax along both axes of matrices
// with PyTorch. Golden bits come from
//     import struct, torch
//     bits = lambda t: " ".join("%08x" % struct.unpack("<I", struct.pack("<f", v)) for v in
//     t.flatten().tolist())
// run with OPENBLAS_CORETYPE=Haswell OPENBLAS_NUM_THREADS=1 ATEN_CPU_CAPABILITY=avx2.
#include "tensor/softmax.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "bits.hpp"
#include "draws.hpp"
#include "levels.hpp"
#include "special.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/error.hpp"
#include "tensor/exp.hpp"
#include "tensor/layout.hpp"
#include "tensor/threads.hpp"

using namespace attn;

// For 140 of all floats, exp has different bits if the small part of ln 2 is not fused; the last four are
// such.
TEST_CASE("exp has PyTorch's bits at its edges, and fuses every product") {
    // bits(torch.exp(torch.tensor([0., -1., 0.5, -87., -100., -103.9, -104., -105., 88.7, 88.8, 100., inf,
    // -inf, 12.4748907, 12.474925, -12.4779902, 24.9499607])))
    CHECK(
        bits(exp(Tensor({17}, {0.0F, -1.0F, 0.5F, -87.0F, -100.0F, -103.9F, -104.0F, -105.0F, 88.7F, 88.8F,
                               100.0F, inf, -inf, 12.4748907F, 12.474925F, -12.4779902F, 24.9499607F}))) ==
        "3f800000 3ebc5ab2 3fd3094c 00b33687 0000001b 00000001 00000000 00000000 7f7a37fc 7f800000 7f800000 "
        "7f800000 00000000 487f8cdb 487f8f1a 367fa82e 517f259f");
    CHECK(std::isnan(attn::exp(std::nanf(""))));
}

TEST_CASE("softmax has the bits of its plain loops, at every level and thread count") {
    const auto plain = [](std::span<float> row) {
        const float max = *std::ranges::max_element(row);
        for (float& value : row) {
            value = attn::exp(value - max);
        }
        const std::size_t lanes = row.size() < 8 ? 1 : 8;
        std::vector<float> sums(lanes);
        for (std::size_t i = 0; i < row.size(); ++i) {
            sums[i % lanes] += row[i];
        }
        for (std::size_t half = lanes / 2; half > 0; half /= 2) {
            for (std::size_t lane = 0; lane < half; ++lane) {
                sums[lane] += sums[lane + half];
            }
        }
        for (float& value : row) {
            value *= 1.0F / sums[0];
        }
    };
    for (const std::size_t length : {1U, 2U, 7U, 8U, 9U, 15U, 17U, 33U, 64U, 95U, 1000U}) {
        CAPTURE(length);
        const Tensor x = random(Shape{71, length}, 40, 20);
        Tensor expected = x;
        for (std::size_t row = 0; row < 71; ++row) {
            plain(expected.values().subspan(row * length, length));
        }
        at_every_level([&] {
            for (const std::size_t threads : {1U, 2U, 5U}) {
                set_num_threads(threads);
                CHECK(identical(softmax(x, -1), expected));
            }
            set_num_threads(0);
        });
    }
}

TEST_CASE("softmax of no numbers has none") {
    for (const Shape& shape : {Shape{0, 3}, Shape{3, 0}, Shape{2, 0, 4}}) {
        CHECK(softmax(Tensor(shape), -1).shape() == shape);
        CHECK(softmax(Tensor(shape), 0).shape() == shape);
    }
}

TEST_CASE("softmax along any axis is softmax along the last one, transposed") {
    const Tensor x = random(Shape{3, 10, 4, 5}, 10, 5);
    for (const int axis : {0, 1, 2, -1, -2, -4}) {
        const Tensor moved = transpose(softmax(transpose(x, axis, 3), 3), axis, 3);
        const Tensor ratio = div(softmax(x, axis), moved);
        for (const float value : ratio.values()) {
            CHECK(std::abs(value - 1.0F) < 1e-6F);
        }
    }
    CHECK_THROWS_WITH_AS(softmax(x, 4), "[softmax] Expected an axis of (3, 10, 4, 5) but received 4.", Error);
}
