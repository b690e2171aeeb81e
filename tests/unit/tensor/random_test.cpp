// The generator and its numbers are compared with std::mt19937 and with numbers that PyTorch 1.13 printed.
// Golden bits come from
//     import struct, torch
//     bits = lambda t: " ".join("%08x" % struct.unpack("<I", struct.pack("<f", v)) for v in
//     t.flatten().tolist())
// run with OPENBLAS_CORETYPE=Haswell ATEN_CPU_CAPABILITY=avx2; each comment has the command.
#include "tensor/random.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

#include "bits.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"

using attn::bits;
using attn::digits;
using attn::DropoutRng;
using attn::Generator;
using attn::Shape;
using attn::Tensor;

namespace {

// Returns the result of `draw` after seeding with 123.
template <typename Draw>
std::string after_123(Draw draw) {
    Generator generator(123);
    return bits(draw(generator));
}

Tensor keep(std::uint64_t seed, double p, DropoutRng rng, const Shape& shape = {6, 6}) {
    Generator generator(seed);
    return attn::keep_mask(generator, shape, p, rng);
}

// dropout of ones, which gives 0 and 1/(1 − p)
Tensor dropped_ones(double p, DropoutRng rng) {
    return attn::dropout(attn::ones(Shape{6, 6}), keep(123, p, rng), p);
}

}  // namespace

TEST_CASE("the engine is mt19937, of which only the low 32 bits of a seed count") {
    std::mt19937_64 seeds(1);
    std::size_t draws = 0;
    for (int i = 0; i < 100; ++i) {
        const std::uint64_t seed = i < 4   ? std::uint64_t{1} << (31 + i)
                                   : i < 8 ? std::uint64_t(i - 4)
                                           : seeds();
        CAPTURE(seed);
        Generator ours(seed);
        std::mt19937 theirs(static_cast<std::uint32_t>(seed));
        std::size_t equal = 0;
        for (int draw = 0; draw < 2000; ++draw) {
            equal += static_cast<std::size_t>(ours.next32() == theirs());
        }
        CHECK(equal == 2000);
        draws += equal;
    }
    CHECK(draws == 200000);
}

TEST_CASE("a double takes 53 bits of two draws, the high word first") {
    Generator ours(789);
    std::mt19937 theirs(789);
    for (int i = 0; i < 2000; ++i) {
        const std::uint64_t high = theirs();
        const std::uint64_t low = theirs();
        CHECK(ours.next_double() == std::ldexp(static_cast<double>((high << 32 | low) % (1ULL << 53)), -53));
    }
}

TEST_CASE("rand takes the low 24 bits of one draw each") {
    // torch.manual_seed(123); bits(torch.rand(6))
    const std::string golden = "3e979bfc 3f043d6d 3e80dafc 3f304542 3d977ee0 3f5dd462";
    CHECK(after_123([](Generator& g) { return attn::rand(g, Shape{6}); }) == golden);
    CHECK(after_123([](Generator& g) { return attn::rand(g, Shape{2, 3}); }) == golden);
    // torch.manual_seed(2**32 + 123); bits(torch.rand(6))
    Generator beyond_32_bits((std::uint64_t{1} << 32) + 123);
    CHECK(bits(attn::rand(beyond_32_bits, Shape{6})) == golden);
    Generator another_seed(124);
    CHECK(bits(attn::rand(another_seed, Shape{6})) != golden);

    Generator ours(42);
    std::mt19937 theirs(42);
    const Tensor many = attn::rand(ours, Shape{2000});
    for (const float value : many.values()) {
        CHECK(value == std::ldexp(static_cast<float>(theirs() % (1U << 24)), -24));
    }
}

TEST_CASE("uniform stretches with one fused multiply-add, and both bounds count") {
    // torch.manual_seed(123); bits(torch.empty(6).uniform_(-0.7, 1.3))
    const std::string golden = "bddcb9b8 3eaa8f4e be4960dc 3f2d5751 bf0d537b 3f843ac8";
    const auto uniform = [](float from, float to) {
        return after_123([=](Generator& g) { return attn::uniform(g, Shape{6}, from, to); });
    };
    CHECK(uniform(-0.7F, 1.3F) == golden);
    CHECK(uniform(-0.8F, 1.3F) != golden);
    CHECK(uniform(-0.7F, 1.4F) != golden);
    CHECK(uniform(0.0F, 1.0F) == after_123([](Generator& g) { return attn::rand(g, Shape{6}); }));
}

TEST_CASE("randn below 16 numbers draws pairs of doubles and keeps the second for the next call") {
    // torch.manual_seed(123); bits(torch.randn(15)); bits(torch.randn(2))
    Generator generator(123);
    CHECK(
        bits(attn::randn(generator, Shape{15})) ==
        "bde448df 3df680d9 bebd40bc be763021 bf9934d1 3e564ab5 bf78ec42 bf414aa9 3ea5d695 bdde411d 3e57610d "
        "bec81c8d 3e709cdf 3f2a4e82 3eb4a4ec");
    CHECK(bits(attn::randn(generator, Shape{2})) == "3f790ace bd1e2c0a");
}

TEST_CASE("randn from 16 numbers on works in blocks of 16, the last of which is drawn again") {
    // torch.manual_seed(123); bits(torch.randn(16))
    const std::string first_block =
        "3eacbbc9 be360b3b be9b67f8 bf1687f2 3eb27c61 3f290c1b be60e8af bec2228c 3f446121 bf98a3e8 3f32c731 "
        "bfb471cd 3e37af4a 3ff29436 3efdab26 3e89d465";
    CHECK(after_123([](Generator& g) { return attn::randn(g, Shape{16}); }) == first_block);
    CHECK(after_123([](Generator& g) { return attn::randn(g, Shape{4, 4}); }) == first_block);
    // torch.manual_seed(123); bits(torch.randn(37))
    CHECK(after_123([](Generator& g) { return attn::randn(g, Shape{37}); }) ==
          first_block +
              " bd9dbcc9 bf829ed3 be2d02e0 3f6af29f 3fca5d36 bf6f314b beff8fd1 bf8b176f 3f766139 3e7f3083 "
              "bef810a8 c005f24f bf51e59e bdbf80d3 3e884d4c bf15c4e3 beafa2ad bf2ea136 bf7d1ac0 bfd9d594 "
              "bf3ff30c");
}

// Two of the 16 numbers of seed 173 depend on which half of an octave the logarithm is taken in.
// torch.manual_seed(173); bits(torch.randn(16))
TEST_CASE("randn takes the logarithm from the root of a half on in the upper half of an octave") {
    Generator generator(173);
    CHECK(
        bits(attn::randn(generator, Shape{16})) ==
        "3e0af898 3f2bba72 3f494bc8 3f81b350 bf3422c2 3f29cf08 3cbd1007 bf9466c2 4001f4b8 3ef0ad84 3f813b8e "
        "3e9b2cd4 bfafacc9 3f04ad18 3f20ef51 3f19c7f2");
}

TEST_CASE("normal numbers have mean 0 and variance 1") {
    Generator generator(7);
    const Tensor x = attn::randn(generator, Shape{100000});
    double sum = 0.0;
    double squares = 0.0;
    for (const float value : x.values()) {
        sum += static_cast<double>(value);
        squares += static_cast<double>(value) * static_cast<double>(value);
    }
    CHECK(std::abs(sum / 100000) < 0.02);
    CHECK(std::abs(squares / 100000 - 1.0) < 0.02);
}

TEST_CASE("numbers of an empty shape are none, and a range the wrong way round is refused") {
    Generator generator(1);
    for (const Shape& shape : {Shape{0}, Shape{2, 0}, Shape{0, 3}}) {
        CHECK(attn::rand(generator, shape).shape() == shape);
        CHECK(attn::randn(generator, shape).shape() == shape);
        CHECK(attn::dropout(generator, Tensor(shape), 0.5).shape() == shape);
    }
    CHECK(generator.drawn() == 0);
    CHECK(attn::randn(generator, Shape{}).count() == 1);
    CHECK_THROWS_WITH_AS(attn::uniform(generator, {2}, 1.0F, -1.0F),
                         "[uniform] Expected a number and one not below it but received 1 and -1.",
                         attn::Error);
    CHECK_THROWS_AS(attn::uniform(generator, {2}, 0.0F, std::nanf("")), attn::Error);
    CHECK_THROWS_WITH_AS(attn::dropout(Tensor(Shape{2, 3}), Tensor(Shape{2}), 0.5),
                         "[mul] Expected shapes that broadcast but received (2, 3) and (2,).", attn::Error);
    CHECK_THROWS_AS(attn::rand(generator, {std::size_t{1} << 15U, std::size_t{1} << 15U}), attn::Error);
}

TEST_CASE("the keep mask of mt19937 is PyTorch's bernoulli_") {
    // torch.manual_seed(123); torch.empty(6, 6).bernoulli_(1 - 0.5)
    CHECK(digits(keep(123, 0.5, DropoutRng::mt19937)) == "110110 000101 111101 011001 010101 011110");
    // torch.manual_seed(123); torch.empty(6, 6).bernoulli_(1 - 0.3)
    CHECK(digits(keep(123, 0.3, DropoutRng::mt19937)) == "111111 110101 111101 111111 110111 111111");
}

TEST_CASE("dropout with either generator prints the documents' tables") {
    // torch.manual_seed(123); torch.dropout(torch.ones(6, 6), p=0.5, train=True)
    CHECK(digits(dropped_ones(0.5, DropoutRng::mt19937)) == "220220 000202 222202 022002 020202 022220");
    // document 002, from an official x86 build: torch.manual_seed(123); torch.nn.Dropout(0.5)(torch.ones(6,
    // 6))
    CHECK(digits(dropped_ones(0.5, DropoutRng::mkl)) == "222222 020000 002020 220002 200002 020000");
}

// torch.manual_seed(s); u = torch.empty(1, dtype=torch.float64).uniform_(); then, seeded again,
// torch.empty(1).bernoulli_(u) is 0 and torch.empty(1).bernoulli_(u + 2**-53) is 1.
TEST_CASE("a number is kept when its draw is below 1 - p, not when it is 1 - p") {
    for (const DropoutRng rng : {DropoutRng::mt19937, DropoutRng::mkl}) {
        std::size_t tried = 0;
        for (std::uint64_t seed = 0; seed < 40; ++seed) {
            Generator generator(seed);
            const double draw = attn::KeepDraws(generator, rng).next();
            const double p = 1.0 - draw;
            if (1.0 - p != draw) {
                continue;  // no double p gives this draw for 1 - p
            }
            ++tried;
            CHECK(digits(keep(seed, p, rng, Shape{1})) == "0");
            CHECK(digits(keep(seed, p - 0x1p-52, rng, Shape{1})) == "1");
        }
        CHECK(tried >= 15);
    }
}

// This is the first seed with a draw, among its first 10,000, that is a multiple of the modulus.
TEST_CASE("a draw that would leave the generator of mkl at 0 leaves it at 1") {
    Generator generator(70070);
    generator.discard(8526);
    CHECK(Generator(generator).next32() == 2147483647);
    CHECK(attn::KeepDraws(generator, DropoutRng::mkl).next() == 1.0 / 2147483647.0);
}

TEST_CASE("the mask of mkl follows the multiplicative generator MCG31m1, seeded with one draw") {
    // The first draw of the last seed is 2³¹ − 1, a multiple of the modulus, which is replaced by 1.
    for (const std::uint64_t seed : {123U, 1U, 789U, 704738295U}) {
        std::mt19937 engine(static_cast<std::uint32_t>(seed));
        std::linear_congruential_engine<std::uint64_t, 1132489760, 0, 2147483647> mcg31m1(engine() %
                                                                                          2147483647U);
        // The standard's engine steps before it returns a number, MKL's afterwards: its first number is the
        // seed itself.
        std::mt19937 again(static_cast<std::uint32_t>(seed));
        std::uint64_t x = std::max<std::uint64_t>(again() % 2147483647U, 1);
        const Tensor mask = keep(seed, 0.3, DropoutRng::mkl, Shape{1000});
        for (const float value : mask.values()) {
            CHECK(value == (static_cast<double>(x) / 2147483647.0 < 1.0 - 0.3 ? 1.0F : 0.0F));
            x = mcg31m1();
        }
    }
}

TEST_CASE("seed, probability and generator each change the mask") {
    for (const DropoutRng rng : {DropoutRng::mt19937, DropoutRng::mkl}) {
        const std::string mask = digits(keep(123, 0.5, rng));
        CHECK(digits(keep(123, 0.5, rng)) == mask);
        CHECK(digits(keep(124, 0.5, rng)) != mask);
        CHECK(digits(keep(123, 0.3, rng)) != mask);
        // The share of kept numbers is right to within six standard deviations.
        double kept = 0.0;
        const Tensor many = keep(5, 0.3, rng, Shape{100000});
        for (const float value : many.values()) {
            kept += static_cast<double>(value);
        }
        CHECK(std::abs(kept / 100000 - 0.7) < 0.009);
    }
    CHECK(digits(keep(123, 0.5, DropoutRng::mkl)) != digits(keep(123, 0.5, DropoutRng::mt19937)));
}

TEST_CASE("dropout divides what it keeps by the probability of keeping") {
    // torch.manual_seed(123); bits(torch.dropout(torch.arange(1., 9.), p=0.3, train=True))
    const Tensor x(Shape{8}, {1, 2, 3, 4, 5, 6, 7, 8});
    const Tensor kept = attn::dropout(x, keep(123, 0.3, DropoutRng::mt19937, Shape{8}), 0.3);
    CHECK(bits(kept) == "3fb6db6e 4036db6e 40892492 40b6db6e 40e4924a 41092492 41200000 4136db6e");
}

TEST_CASE("dropout of probability 0 is the input itself and of probability 1 all zeros, whatever the mask") {
    const Tensor x(Shape{3}, {1, -2, 0.5F});
    for (const float mask : {0.0F, 1.0F}) {
        CHECK(attn::identical(attn::dropout(x, attn::full(Shape{3}, mask), 0.0), x));
        // torch.dropout(torch.tensor([1, -2, 0.5]), p=1.0, train=True) prints tensor([0., -0., 0.])
        CHECK(bits(attn::dropout(x, attn::full(Shape{3}, mask), 1.0)) == "00000000 80000000 00000000");
    }
    for (const DropoutRng rng : {DropoutRng::mt19937, DropoutRng::mkl}) {
        CHECK(digits(keep(123, 0.0, rng)) == "111111 111111 111111 111111 111111 111111");
        CHECK(digits(keep(123, 1.0, rng)) == "000000 000000 000000 000000 000000 000000");
    }
}

// torch.manual_seed(123); torch.dropout(torch.ones(6, 6), p=0.0, train=True); torch.rand(1), likewise p=1.0
TEST_CASE("a mask without a choice draws nothing") {
    for (const DropoutRng rng : {DropoutRng::mt19937, DropoutRng::mkl}) {
        for (const double p : {0.0, 1.0}) {
            Generator generator(123);
            attn::keep_mask(generator, Shape{6, 6}, p, rng);
            CHECK(generator.next32() == Generator(123).next32());
        }
    }
}

TEST_CASE("a probability that is none is refused") {
    const Tensor x = attn::ones(Shape{2});
    for (const double p :
         {-0.1, 1.0000001, 2.0, -std::numeric_limits<double>::infinity(),
          std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
        CAPTURE(p);
        CHECK_THROWS_AS(keep(123, p, DropoutRng::mt19937), attn::Error);
        CHECK_THROWS_AS(keep(123, p, DropoutRng::mkl), attn::Error);
        CHECK_THROWS_AS(attn::dropout(x, x, p), attn::Error);
    }
    CHECK_THROWS_WITH_AS(keep(123, 1.5, DropoutRng::mkl),
                         "[dropout] Expected a probability from 0 to 1 but received 1.5.", attn::Error);
    CHECK_THROWS_WITH_AS(attn::dropout(x, x, 1.5),
                         "[dropout] Expected a probability from 0 to 1 but received 1.5.", attn::Error);
}
