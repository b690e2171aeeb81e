// FIPS 180-4, section 6.2. Its constants are the first bits of the fractional parts of cube and square roots
// of primes, and are computed rather than copied: a double holds more bits of them than are needed.
#include "files/sha256.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace attn {

namespace {

constexpr std::size_t rounds = 64;
constexpr std::size_t block_size = 64;

bool is_prime(unsigned n) {
    for (unsigned divisor = 2; divisor * divisor <= n; ++divisor) {
        if (n % divisor == 0) {
            return false;
        }
    }
    return true;
}

std::uint32_t fraction_bits(double x) {
    return static_cast<std::uint32_t>((x - std::floor(x)) * 4294967296.0);
}

struct Constants {
    std::array<std::uint32_t, 8> start{};
    std::array<std::uint32_t, rounds> round{};

    Constants() {
        std::size_t count = 0;
        for (unsigned n = 2; count < rounds; ++n) {
            if (is_prime(n)) {
                if (count < start.size()) {
                    start[count] = fraction_bits(std::sqrt(static_cast<double>(n)));
                }
                round[count++] = fraction_bits(std::cbrt(static_cast<double>(n)));
            }
        }
    }
};

void absorb(std::string_view block, const Constants& constants, std::array<std::uint32_t, 8>& state) {
    std::array<std::uint32_t, rounds> w{};
    for (std::size_t i = 0; i < block_size; ++i) {
        w[i / 4] = w[i / 4] << 8U | static_cast<unsigned char>(block[i]);
    }
    for (std::size_t t = 16; t < rounds; ++t) {
        const std::uint32_t s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ (w[t - 15] >> 3U);
        const std::uint32_t s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ (w[t - 2] >> 10U);
        w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t t = 0; t < rounds; ++t) {
        const std::uint32_t choose = (e & f) ^ (~e & g);
        const std::uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
        const std::uint32_t t1 =
            h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + choose + constants.round[t] + w[t];
        const std::uint32_t t2 = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + majority;
        h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    const std::array<std::uint32_t, 8> mixed{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < state.size(); ++i) {
        state[i] += mixed[i];
    }
}

std::string base64(std::string_view bytes) {
    constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        for (std::size_t k = i; k < i + 3; ++k) {
            group = group << 8U | (k < bytes.size() ? static_cast<unsigned char>(bytes[k]) : 0U);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            text += i + k <= bytes.size() ? alphabet[group >> (18 - 6 * k) & 63U] : '=';
        }
    }
    return text;
}

}  // namespace

std::string sha256_base64(std::string_view bytes) {
    static const Constants constants;
    std::string padded(bytes);
    padded += '\x80';
    padded.append((block_size + 56 - padded.size() % block_size) % block_size, '\0');
    const std::uint64_t bits = static_cast<std::uint64_t>(bytes.size()) * 8;
    for (unsigned shift = 64; shift > 0; shift -= 8) {
        padded += static_cast<char>(bits >> (shift - 8) & 0xFFU);
    }
    std::array<std::uint32_t, 8> state = constants.start;
    for (std::size_t at = 0; at < padded.size(); at += block_size) {
        absorb(std::string_view(padded).substr(at, block_size), constants, state);
    }
    std::string digest;
    for (const std::uint32_t word : state) {
        for (unsigned shift = 32; shift > 0; shift -= 8) {
            digest += static_cast<char>(word >> (shift - 8) & 0xFFU);
        }
    }
    return base64(digest);
}

}  // namespace attn
