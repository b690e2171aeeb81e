// The generator is compared with std::mt19937, and what oracle/arithmetic.py does not draw with numbers that
// PyTorch 1.13 printed. Golden bits come from
//     import struct, torch
//     bits = lambda t: " ".join("%08x" % struct.unpack("<I", struct.pack("<f", v)) for v in
//     t.flatten().tolist())
// run with OPENBLAS_CORETYPE=Haswell ATEN_CPU_CAPABILITY=avx2; each comment has the command.
#include "tensor/random.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "bits.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"

using namespace attn;

namespace {

constexpr DropoutRng rngs[] = {DropoutRng::mt19937, DropoutRng::mkl};

Tensor keep(std::uint64_t seed, double p, DropoutRng rng, const Shape& shape = {6, 6}) {
    Generator generator(seed);
    return keep_mask(generator, shape, p, rng);
}

}  // namespace

TEST_CASE("the engine is mt19937 with the low 32 bits of the seed; numbers take 24 or 53 of its bits") {
    for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{123}, (std::uint64_t{1} << 32U) + 123,
                                     std::numeric_limits<std::uint64_t>::max()}) {
        Generator ours(seed);
        std::mt19937 theirs(static_cast<std::uint32_t>(seed));
        for (int draw = 0; draw < 1000; ++draw) {
            CHECK(ours.next32() == theirs());
            const std::uint64_t high = theirs(), low = theirs();
            CHECK(ours.next_double() ==
                  std::ldexp(static_cast<double>((high << 32U | low) % (1ULL << 53U)), -53));
            CHECK(rand(ours, {1}).values()[0] == std::ldexp(static_cast<float>(theirs() % (1U << 24U)), -24));
        }
        CHECK(ours.drawn() == 4000);
    }
}

TEST_CASE("uniform needs a number and one not below it") {
    Generator generator(123);
    CHECK_THROWS_WITH_AS(uniform(generator, {2}, 1.0F, -1.0F),
                         "[uniform] Expected a number and one not below it but received 1 and -1.", Error);
    CHECK_THROWS_AS(uniform(generator, {2}, 0.0F, std::nanf("")), Error);
}

TEST_CASE("randn draws pairs below 16 numbers and keeps the second, and from 16 on blocks of 16") {
    // torch.manual_seed(123); bits(torch.randn(3)); bits(torch.randn(2)); torch.manual_seed(123);
    // bits(torch.randn(37))
    Generator generator(123), blocks(123);
    CHECK(bits(randn(generator, {3})) == "bde448df 3df680d9 bebd40bc");
    CHECK(bits(randn(generator, {2})) == "be763021 bf9934d1");
    CHECK(
        bits(randn(blocks, {37})) ==
        "3eacbbc9 be360b3b be9b67f8 bf1687f2 3eb27c61 3f290c1b be60e8af bec2228c 3f446121 bf98a3e8 3f32c731 "
        "bfb471cd 3e37af4a 3ff29436 3efdab26 3e89d465 bd9dbcc9 bf829ed3 be2d02e0 3f6af29f 3fca5d36 bf6f314b "
        "beff8fd1 bf8b176f 3f766139 3e7f3083 bef810a8 c005f24f bf51e59e bdbf80d3 3e884d4c bf15c4e3 beafa2ad "
        "bf2ea136 bf7d1ac0 bfd9d594 bf3ff30c");
}

TEST_CASE("an empty shape draws nothing, and one too large is refused") {
    Generator generator(1);
    for (const Shape& shape : {Shape{0}, Shape{2, 0}, Shape{0, 3}}) {
        CHECK(rand(generator, shape).shape() == shape);
        CHECK(randn(generator, shape).shape() == shape);
        CHECK(dropout(generator, Tensor(shape), 0.5).shape() == shape);
    }
    CHECK(generator.drawn() == 0);
    CHECK(randn(generator, {}).count() == 1);
    CHECK_THROWS_AS(rand(generator, {1U << 15U, 1U << 15U}), Error);
}

// torch.manual_seed(s); u = torch.empty(1, dtype=torch.float64).uniform_(); then, seeded again,
// torch.empty(1).bernoulli_(u) is 0 and torch.empty(1).bernoulli_(u + 2**-53) is 1.
TEST_CASE("a number is kept when its draw is below 1 - p, not when it is 1 - p") {
    for (const DropoutRng rng : rngs) {
        std::size_t tried = 0;
        for (std::uint64_t seed = 0; seed < 40; ++seed) {
            Generator generator(seed);
            const double draw = KeepDraws(generator, rng).next(), p = 1.0 - draw;
            if (1.0 - p == draw) {  // for some draws, no double p gives them for 1 - p
                ++tried;
                CHECK(digits(keep(seed, p, rng, {1})) == "0");
                CHECK(digits(keep(seed, p - 0x1p-52, rng, {1})) == "1");
            }
        }
        CHECK(tried >= 15);
    }
}

TEST_CASE("the mask of mkl follows the multiplicative generator MCG31m1, seeded with one draw") {
    // The first draw of the last seed is 2³¹ − 1, a multiple of the modulus, which is replaced by 1.
    for (const std::uint64_t seed : {123U, 704738295U}) {
        std::uint64_t x = std::mt19937(static_cast<std::uint32_t>(seed))() % 2147483647U;
        std::linear_congruential_engine<std::uint64_t, 1132489760, 0, 2147483647> mcg31m1(x);
        // The standard's engine steps before it returns a number, MKL's afterwards: its first number is the
        // seed itself.
        x = std::max<std::uint64_t>(x, 1);
        const Tensor mask = keep(seed, 0.3, DropoutRng::mkl, {1000});
        for (const float value : mask.values()) {
            CHECK(value == (static_cast<double>(x) / 2147483647.0 < 1.0 - 0.3 ? 1.0F : 0.0F));
            x = mcg31m1();
        }
    }
}

TEST_CASE("probability 0 keeps the input itself and 1 gives zeros; neither draws, whatever the mask") {
    const Tensor x({3}, {1, -2, 0.5F});
    for (const DropoutRng rng : rngs) {
        Generator generator(123);
        CHECK(digits(keep_mask(generator, {3}, 0.0, rng)) == "111");
        CHECK(digits(keep_mask(generator, {3}, 1.0, rng)) == "000");
        CHECK(generator.drawn() == 0);
    }
    for (const float mask : {0.0F, 1.0F}) {
        CHECK(identical(dropout(x, full({3}, mask), 0.0), x));
        CHECK(identical(dropout(x, full({3}, mask), 1.0), Tensor({3}, {0, -0.0F, 0})));
    }
}

TEST_CASE("a probability that is none is refused, and a mask that does not fit") {
    const Tensor x = ones({2});
    for (const double p : {-0.1, 1.0000001, -HUGE_VAL, HUGE_VAL, std::nan("")}) {
        CAPTURE(p);
        CHECK_THROWS_AS(keep(123, p, DropoutRng::mt19937), Error);
        CHECK_THROWS_AS(dropout(x, x, p), Error);
    }
    for (const DropoutRng rng : rngs) {
        CHECK_THROWS_WITH_AS(keep(123, 1.5, rng),
                             "[dropout] Expected a probability from 0 to 1 but received 1.5.", Error);
    }
    CHECK_THROWS_AS(dropout(Tensor({2, 3}), x, 0.5), Error);
}
