// PyTorch's random numbers: the same seed gives the same digits. Every function takes a generator, because
// none is global.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <utility>

#include "tensor.hpp"

namespace attn {

// The generator mt19937, seeded with the low 32 bits of the seed, like PyTorch's CPU generator.
//     attn:  Generator generator(123);  rand(generator, {2})
//     torch: torch.manual_seed(123);    torch.rand(2)             both give 0.2961, 0.5166
class Generator {
public:
    explicit Generator(std::uint64_t seed) : engine_(static_cast<std::uint32_t>(seed)), seed_(seed) {}

    std::uint32_t next32() {
        ++drawn_;
        return static_cast<std::uint32_t>(engine_());
    }
    // Returns a number in [0, 1) with 53 random bits, from two draws, the high word first.
    double next_double();

    // Skips `count` 32-bit draws.
    void discard(std::uint64_t count) {
        engine_.discard(count);
        drawn_ += count;
    }

    std::uint64_t seed() const { return seed_; }
    // Returns the number of 32-bit draws so far.
    std::uint64_t drawn() const { return drawn_; }

    // Returns the first number of a pair and keeps the second for the next call. randn uses this for fewer
    // than 16 numbers.
    double next_of_pair(std::pair<double, double> (*draw)(Generator&));
    // Reads or sets the second number of the last pair, which next_of_pair() returns next. So one generator
    // can continue another's sequence.
    std::optional<double> pending() const { return pending_; }
    void set_pending(std::optional<double> number) { pending_ = number; }

private:
    std::mt19937 engine_;
    std::uint64_t seed_;
    std::uint64_t drawn_ = 0;
    std::optional<double> pending_;  // the second number of the last pair
};

// Uniform numbers in [0, 1), each from the low 24 bits of one draw. torch.rand(shape)
Tensor rand(Generator& generator, const Shape& shape);

// Uniform numbers in [from, to), each by one fused multiply-add. Throws Error when from > to or either is
// NaN. torch.empty(shape).uniform_(from, to)
Tensor uniform(Generator& generator, const Shape& shape, float from, float to);

// Normal numbers with mean 0 and variance 1. torch.randn(shape)
Tensor randn(Generator& generator, const Shape& shape);

// The algorithm that draws dropout masks, which depends on the PyTorch build: mkl in the official x86 builds
// on Intel processors; mt19937 on Debian, ARM, Apple silicon and AMD. So the same seed can give two masks.
enum class DropoutRng { mt19937, mkl };

// Draws a number in [0, 1) for each element, and keeps the element if the number is below 1 − p.
class KeepDraws {
public:
    KeepDraws(Generator& generator, DropoutRng rng);

    double next();

private:
    Generator* generator_;
    DropoutRng rng_;
    std::uint64_t x_ = 0;  // state of MKL's generator MCG31m1, seeded by one draw of mt19937
};

// Returns 1 with probability 1 − p and 0 otherwise, for each element. For p = 0 or 1 nothing is drawn, as in
// torch.dropout. Throws Error when p is not in [0, 1]. torch.empty(shape).bernoulli_(1 - p)
Tensor keep_mask(Generator& generator, const Shape& shape, double p, DropoutRng rng);

// Applies a dropout mask: x · keep / (1 − p). Whatever the mask is, p = 0 gives x, and p = 1 gives zeros.
// Throws Error when p is not in [0, 1], or the mask does not broadcast to x.
Tensor dropout(const Tensor& x, const Tensor& keep, double p);

// Draws a dropout mask and applies it. Throws Error when p is not in [0, 1]. torch.dropout(x, p=p,
// train=True)
Tensor dropout(Generator& generator, const Tensor& x, double p, DropoutRng rng = DropoutRng::mt19937);

}  // namespace attn
