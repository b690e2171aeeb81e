// NumPy's present generator, PCG64, and its draws: the numbers of np.random.default_rng(seed).
#pragma once

#include <cstdint>

#include "tensor.hpp"

namespace attn::numpy {

// For seeds below 2^64.
//     attn:  Pcg64 generator(123);              random(generator, {2})
//     NumPy: rng = np.random.default_rng(123);  np.float32(rng.random(2))     both give 0.6824, 0.0538
class Pcg64 {
public:
    explicit Pcg64(std::uint64_t seed);

    std::uint64_t next64();
    // The low half of a 64-bit number, and at the next call the high half.
    std::uint32_t next32();
    // A number in [0, 1) with 53 random bits.
    double next_double();

private:
    struct Wide {
        std::uint64_t high;
        std::uint64_t low;
    };

    void step();

    Wide state_{};
    Wide increment_{};
    std::uint32_t half_ = 0;
    bool has_half_ = false;
};

// Uniform numbers in [0, 1). np.float32(rng.random(shape))
Tensor random(Pcg64& generator, const Shape& shape);

// Normal numbers with mean 0 and variance 1. np.float32(rng.standard_normal(shape))
Tensor standard_normal(Pcg64& generator, const Shape& shape);

// Integers from low to high − 1; the range has fewer than 2^32. np.float32(rng.integers(low, high, shape))
Tensor integers(Pcg64& generator, std::int64_t low, std::int64_t high, const Shape& shape);

}  // namespace attn::numpy
