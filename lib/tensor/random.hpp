// PyTorch's random numbers: the same seed gives the same digits. The generator is always an argument.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <utility>

#include "tensor.hpp"

namespace attn {

// mt19937, seeded with the low 32 bits of the seed, as PyTorch's CPU generator is.
//     attn:  Generator generator(123);  rand(generator, {2})
//     torch: torch.manual_seed(123);    torch.rand(2)             both give 0.2961, 0.5166
class Generator {
public:
    explicit Generator(std::uint64_t seed) : engine_(static_cast<std::uint32_t>(seed)), seed_(seed) {}

    std::uint32_t next32() {
        ++drawn_;
        return static_cast<std::uint32_t>(engine_());
    }
    // 53 bits of two draws, the high word first, in [0, 1).
    double next_double();

    // As drawing `count` numbers of 32 bits does.
    void discard(std::uint64_t count) {
        engine_.discard(count);
        drawn_ += count;
    }

    std::uint64_t seed() const { return seed_; }
    // How many numbers of 32 bits have been drawn.
    std::uint64_t drawn() const { return drawn_; }

    // The next of numbers that are drawn two at a time, of which the second is kept for the next call. Those
    // of randn with fewer than 16 numbers are.
    double next_of_pair(std::pair<double, double> (*draw)(Generator&));
    // The kept normal number, for a generator that continues another's sequence.
    std::optional<double> pending() const { return pending_; }
    void set_pending(std::optional<double> number) { pending_ = number; }

private:
    std::mt19937 engine_;
    std::uint64_t seed_;
    std::uint64_t drawn_ = 0;
    std::optional<double> pending_;  // the second of the last pair
};

// Uniform in [0, 1): the low 24 bits of one draw each. torch.rand(shape)
Tensor rand(Generator& generator, const Shape& shape);

// Uniform in [from, to), one fused multiply-add each. Throws Error when from is above to, or either is NaN.
// torch.empty(shape).uniform_(from, to)
Tensor uniform(Generator& generator, const Shape& shape, float from, float to);

// Normal with mean 0 and variance 1. torch.randn(shape)
Tensor randn(Generator& generator, const Shape& shape);

// Which algorithm decides what dropout keeps. PyTorch's builds differ here, so one seed has two masks:
// mt19937 on Debian, ARM, Apple silicon and AMD; mkl in the official x86 builds on Intel processors.
enum class DropoutRng { mt19937, mkl };

// The numbers in [0, 1) that decide, one per element: it is kept when its number is below 1 − p.
class KeepDraws {
public:
    KeepDraws(Generator& generator, DropoutRng rng);

    double next();

private:
    Generator* generator_;
    DropoutRng rng_;
    std::uint64_t x_ = 0;  // of MKL's MCG31m1, a multiplicative congruential generator, seeded with one draw
};

// 1 with probability 1 − p, else 0. Where p leaves no choice, 0 or 1, nothing is drawn, as in torch.dropout.
// Throws Error when p is not in [0, 1]. torch.empty(shape).bernoulli_(1 - p)
Tensor keep_mask(Generator& generator, const Shape& shape, double p, DropoutRng rng);

// Applies a dropout mask: x · keep / (1 − p); for p = 0 x itself and for p = 1 zeros, for any mask. Throws
// Error when p is not in [0, 1], or the mask does not broadcast to x.
Tensor dropout(const Tensor& x, const Tensor& keep, double p);

// Dropout with a mask drawn for it. Throws Error when p is not in [0, 1]. torch.dropout(x, p=p, train=True)
Tensor dropout(Generator& generator, const Tensor& x, double p, DropoutRng rng = DropoutRng::mt19937);

}  // namespace attn
