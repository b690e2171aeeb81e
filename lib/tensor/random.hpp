// PyTorch's random numbers: the same seed gives the same digits. The generator is always passed explicitly.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <utility>

#include "tensor.hpp"

namespace attn {

// mt19937, seeded like PyTorch's CPU generator with the low 32 bits of the seed.
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
    // The second number of the last pair, which next_of_pair() returns next. With it, one generator can
    // continue another's sequence.
    std::optional<double> pending() const { return pending_; }
    void set_pending(std::optional<double> number) { pending_ = number; }

private:
    std::mt19937 engine_;
    std::uint64_t seed_;
    std::uint64_t drawn_ = 0;
    std::optional<double> pending_;  // the second number of the last pair
};

// Uniform in [0, 1), from the low 24 bits of one draw each. torch.rand(shape)
Tensor rand(Generator& generator, const Shape& shape);

// Uniform in [from, to), one fused multiply-add each. Throws Error when from > to or either is NaN.
// torch.empty(shape).uniform_(from, to)
Tensor uniform(Generator& generator, const Shape& shape, float from, float to);

// Normal with mean 0 and variance 1. torch.randn(shape)
Tensor randn(Generator& generator, const Shape& shape);

// The algorithm that draws dropout masks. PyTorch's builds differ here, so one seed gives two masks: mt19937
// on Debian, ARM, Apple silicon and AMD; mkl in the official x86 builds on Intel processors.
enum class DropoutRng { mt19937, mkl };

// Draws one number in [0, 1) per element; the element is kept when its number is below 1 − p.
class KeepDraws {
public:
    KeepDraws(Generator& generator, DropoutRng rng);

    double next();

private:
    Generator* generator_;
    DropoutRng rng_;
    std::uint64_t x_ = 0;  // state of MKL's generator MCG31m1, which one draw seeds
};

// Each element is 1 with probability 1 − p, else 0. If p is 0 or 1, nothing is drawn, as in torch.dropout.
// Throws Error when p is not in [0, 1]. torch.empty(shape).bernoulli_(1 - p)
Tensor keep_mask(Generator& generator, const Shape& shape, double p, DropoutRng rng);

// Applies a dropout mask: x · keep / (1 − p). For p = 0 the result is x, for p = 1 it is zeros, whatever the
// mask. Throws Error when p is not in [0, 1], or the mask does not broadcast to x.
Tensor dropout(const Tensor& x, const Tensor& keep, double p);

// Draws a dropout mask and applies it. Throws Error when p is not in [0, 1]. torch.dropout(x, p=p,
// train=True)
Tensor dropout(Generator& generator, const Tensor& x, double p, DropoutRng rng = DropoutRng::mt19937);

}  // namespace attn
