// fmaf for systems whose C library has a wrong or slow one: MinGW's C library rounds twice, and WebAssembly
// has no such instruction. In double, the product of two floats is exact. The sum is rounded to odd; rounding
// this to float then gives the correctly rounded result. See Boldo and Melquiond, "Emulation of FMA and
// Correctly Rounded Sums: Proved Algorithms Using Rounding to Odd" (2008).
#if defined(__MINGW32__) || defined(__wasm__)

#include <bit>
#include <cstdint>

extern "C" float fmaf(float x, float y, float z) {
    const double product = static_cast<double>(x) * static_cast<double>(y);
    const double addend = z;
    const double sum = product + addend;
    const auto bits = std::bit_cast<std::uint64_t>(sum);
    // The rounding error matters only if the rounded sum is half-way between two floats, or so small that
    // floats have fewer digits.
    constexpr std::uint64_t below_float = (std::uint64_t{1} << 29U) - 1;
    constexpr std::uint64_t half = std::uint64_t{1} << 28U;
    constexpr double least_normal = 0x1p-126;
    if ((bits & below_float) != half && (sum >= least_normal || sum <= -least_normal)) [[likely]] {
        return static_cast<float>(sum);
    }
    const double part = sum - product;
    const double error = (product - (sum - part)) + (addend - part);
    if (!(error > 0.0 || error < 0.0) || (bits & 1U) != 0) {
        return static_cast<float>(sum);  // the sum is exact, already odd, infinite or NaN
    }
    const bool outwards = (error > 0.0) == (sum > 0.0);
    return static_cast<float>(std::bit_cast<double>(outwards ? bits + 1 : bits - 1));
}

#endif
