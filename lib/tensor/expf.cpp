// Transcribed from sysdeps/ieee754/flt-32/e_expf.c: x = (32·n + i)·ln 2/32 + r, and a cubic in r, all in
// double.
#include "tensor/expf.hpp"

#include <array>
#include <cmath>

namespace attn {

namespace {

constexpr std::size_t parts = 32;

// 2^(i/32)
constexpr std::array<double, parts> powers{0x1.p+0,
                                           0x1.059b0d3158574p+0,
                                           0x1.0b5586cf9890fp+0,
                                           0x1.11301d0125b51p+0,
                                           0x1.172b83c7d517bp+0,
                                           0x1.1d4873168b9aap+0,
                                           0x1.2387a6e756238p+0,
                                           0x1.29e9df51fdee1p+0,
                                           0x1.306fe0a31b715p+0,
                                           0x1.371a7373aa9cbp+0,
                                           0x1.3dea64c123422p+0,
                                           0x1.44e086061892dp+0,
                                           0x1.4bfdad5362a27p+0,
                                           0x1.5342b569d4f82p+0,
                                           0x1.5ab07dd485429p+0,
                                           0x1.6247eb03a5585p+0,
                                           0x1.6a09e667f3bcdp+0,
                                           0x1.71f75e8ec5f74p+0,
                                           0x1.7a11473eb0187p+0,
                                           0x1.82589994cce13p+0,
                                           0x1.8ace5422aa0dbp+0,
                                           0x1.93737b0cdc5e5p+0,
                                           0x1.9c49182a3f090p+0,
                                           0x1.a5503b23e255dp+0,
                                           0x1.ae89f995ad3adp+0,
                                           0x1.b7f76f2fb5e47p+0,
                                           0x1.c199bdd85529cp+0,
                                           0x1.cb720dcef9069p+0,
                                           0x1.d5818dcfba487p+0,
                                           0x1.dfc97337b9b5fp+0,
                                           0x1.ea4afa2a490dap+0,
                                           0x1.f50765b6e4540p+0};

}  // namespace

float expf(float x) {
    if (!(x >= -103.97208404541015625F)) {
        return std::isnan(x) ? x : 0.0F;
    }
    constexpr double c0 = 0x1.c6af84b912394p-5 / parts / parts / parts;
    constexpr double c1 = 0x1.ebfce50fac4f3p-3 / parts / parts;
    constexpr double c2 = 0x1.62e42ff0c52d6p-1 / parts;
    const double z = 0x1.71547652b82fep+0 * parts * static_cast<double>(x);
    const double k = std::nearbyint(z);
    const double r = z - k;
    const auto whole = static_cast<int>(k);
    const double scale =
        std::ldexp(powers[static_cast<std::size_t>(whole) % parts], static_cast<int>(std::floor(k / parts)));
    return static_cast<float>(((c0 * r + c1) * (r * r) + (c2 * r + 1.0)) * scale);
}

}  // namespace attn
