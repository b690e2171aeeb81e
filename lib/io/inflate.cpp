// Codes are canonical: of one length they count up, and a shorter one precedes a longer. So how many codes
// there are of each length, and their symbols in order, are enough to read them bit by bit.
#include "io/inflate.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace attn {

namespace {

constexpr std::size_t longest_code = 15;
constexpr std::size_t most_symbols = 288;
constexpr int invalid = -1;

class Bits {
public:
    explicit Bits(std::string_view bytes) : bytes_(bytes) {}

    // The next bits, the first the lowest; invalid beyond the end.
    int take(unsigned count) {
        while (held_ < count) {
            if (next_ == bytes_.size()) {
                return invalid;
            }
            buffer_ |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes_[next_++])) << held_;
            held_ += 8;
        }
        const auto value = static_cast<int>(buffer_ & ((1U << count) - 1U));
        buffer_ >>= count;
        held_ -= count;
        return value;
    }

    // Whole bytes from the next byte boundary on; none when there are fewer.
    std::optional<std::string_view> bytes(std::size_t count) {
        next_ -= held_ / 8;
        buffer_ = held_ = 0;
        if (count > bytes_.size() - next_) {
            return std::nullopt;
        }
        next_ += count;
        return bytes_.substr(next_ - count, count);
    }

private:
    std::string_view bytes_;
    std::size_t next_ = 0;
    std::uint32_t buffer_ = 0;
    unsigned held_ = 0;
};

class Code {
public:
    // From the length of each symbol's code, 0 for none. Lengths that claim more codes than there are make it
    // invalid; one that leaves codes unused is read, since such codes are simply never valid.
    explicit Code(std::span<const unsigned char> lengths) {
        for (const unsigned char length : lengths) {
            ++counts_[length];
        }
        counts_[0] = 0;
        std::array<std::uint16_t, longest_code + 2> offsets{};
        int left = 1;
        for (std::size_t length = 1; length <= longest_code; ++length) {
            left = left * 2 - counts_[length];
            if (left < 0) {
                valid = false;
                return;
            }
            offsets[length + 1] = static_cast<std::uint16_t>(offsets[length] + counts_[length]);
        }
        for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol) {
            if (lengths[symbol] != 0) {
                symbols_[offsets[lengths[symbol]]++] = static_cast<std::uint16_t>(symbol);
            }
        }
    }

    int read(Bits& bits) const {
        int code = 0;   // the bits so far
        int first = 0;  // the first code of this length
        int index = 0;  // of its symbol
        for (std::size_t length = 1; length <= longest_code; ++length) {
            const int bit = bits.take(1);
            if (bit == invalid) {
                return invalid;
            }
            code |= bit;
            const int count = counts_[length];
            if (code - count < first) {
                return symbols_[static_cast<std::size_t>(index + code - first)];
            }
            index += count;
            first = (first + count) * 2;
            code *= 2;
        }
        return invalid;
    }

    bool valid = true;

private:
    std::array<std::uint16_t, longest_code + 1> counts_{};
    std::array<std::uint16_t, most_symbols> symbols_{};
};

struct Codes {
    Code symbols, distances;
};

Codes fixed_codes() {
    std::array<unsigned char, most_symbols> lengths{};
    const auto fill = [&](std::size_t from, std::size_t to, unsigned char length) {
        std::fill(lengths.begin() + static_cast<std::ptrdiff_t>(from),
                  lengths.begin() + static_cast<std::ptrdiff_t>(to), length);
    };
    fill(0, 144, 8);
    fill(144, 256, 9);
    fill(256, 280, 7);
    fill(280, most_symbols, 8);
    std::array<unsigned char, 30> distances{};
    distances.fill(5);
    return {Code(lengths), Code(distances)};
}

// RFC 1951, 3.2.7: the lengths of the codes, themselves coded.
std::optional<Codes> dynamic_codes(Bits& bits) {
    constexpr std::array<unsigned char, 19> order{16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                  11, 4,  12, 3, 13, 2, 14, 1, 15};
    const int symbols = bits.take(5);
    const int distances = bits.take(5);
    const int coded = bits.take(4);
    if (symbols == invalid || distances == invalid || coded == invalid || symbols > 29 || distances > 29) {
        return std::nullopt;
    }
    const auto symbol_count = static_cast<std::size_t>(symbols + 257);
    const std::size_t count = symbol_count + static_cast<std::size_t>(distances + 1);
    std::array<unsigned char, order.size()> length_lengths{};
    for (std::size_t i = 0; i < static_cast<std::size_t>(coded + 4); ++i) {
        const int length = bits.take(3);
        if (length == invalid) {
            return std::nullopt;
        }
        length_lengths[order[i]] = static_cast<unsigned char>(length);
    }
    const Code length_code(length_lengths);
    std::array<unsigned char, 320> lengths{};
    for (std::size_t i = 0; length_code.valid && i < count;) {
        const int symbol = length_code.read(bits);
        const int more = symbol == 16   ? bits.take(2)
                         : symbol == 17 ? bits.take(3)
                         : symbol == 18 ? bits.take(7)
                                        : 0;
        if (symbol == invalid || more == invalid || (symbol == 16 && i == 0)) {
            return std::nullopt;
        }
        const auto repeated = static_cast<std::size_t>(symbol < 16 ? 1 : symbol == 18 ? 11 + more : 3 + more);
        if (repeated > count - i) {
            return std::nullopt;
        }
        const unsigned char length = symbol < 16    ? static_cast<unsigned char>(symbol)
                                     : symbol == 16 ? lengths[i - 1]
                                                    : static_cast<unsigned char>(0);
        std::fill_n(lengths.begin() + static_cast<std::ptrdiff_t>(i), repeated, length);
        i += repeated;
    }
    const std::span<const unsigned char> all(lengths.data(), count);
    Codes codes{Code(all.first(symbol_count)), Code(all.subspan(symbol_count))};
    if (!length_code.valid || !codes.symbols.valid || !codes.distances.valid) {
        return std::nullopt;
    }
    return codes;
}

struct Base {
    std::uint16_t value;
    unsigned char bits;  // that follow and are added
};

// RFC 1951, 3.2.5
constexpr std::array<Base, 29> length_bases{
    {{3, 0},  {4, 0},  {5, 0},  {6, 0},   {7, 0},   {8, 0},   {9, 0},   {10, 0},  {11, 1}, {13, 1},
     {15, 1}, {17, 1}, {19, 2}, {23, 2},  {27, 2},  {31, 2},  {35, 3},  {43, 3},  {51, 3}, {59, 3},
     {67, 4}, {83, 4}, {99, 4}, {115, 4}, {131, 5}, {163, 5}, {195, 5}, {227, 5}, {258, 0}}};
constexpr std::array<Base, 30> distance_bases{
    {{1, 0},     {2, 0},     {3, 0},     {4, 0},      {5, 1},      {7, 1},     {9, 2},     {13, 2},
     {17, 3},    {25, 3},    {33, 4},    {49, 4},     {65, 5},     {97, 5},    {129, 6},   {193, 6},
     {257, 7},   {385, 7},   {513, 8},   {769, 8},    {1025, 9},   {1537, 9},  {2049, 10}, {3073, 10},
     {4097, 11}, {6145, 11}, {8193, 12}, {12289, 12}, {16385, 13}, {24577, 13}}};

template <std::size_t count>
int with_extra_bits(Bits& bits, const std::array<Base, count>& bases, int symbol) {
    if (symbol < 0 || static_cast<std::size_t>(symbol) >= count) {
        return invalid;
    }
    const Base& base = bases[static_cast<std::size_t>(symbol)];
    const int more = bits.take(base.bits);
    return more == invalid ? invalid : base.value + more;
}

// One block of coded bytes and copies, to its end or to `most`.
bool inflate_block(Bits& bits, const Codes& codes, std::size_t most, std::string& out) {
    constexpr int end_of_block = 256;
    while (out.size() < most) {
        const int symbol = codes.symbols.read(bits);
        if (symbol == invalid || symbol == end_of_block) {
            return symbol == end_of_block;
        }
        if (symbol < end_of_block) {
            out += static_cast<char>(symbol);
            continue;
        }
        const int length = with_extra_bits(bits, length_bases, symbol - end_of_block - 1);
        const int distance = with_extra_bits(bits, distance_bases, codes.distances.read(bits));
        if (length == invalid || distance == invalid || static_cast<std::size_t>(distance) > out.size()) {
            return false;
        }
        for (int i = 0; i < length; ++i) {  // may copy what it has just written
            out += out[out.size() - static_cast<std::size_t>(distance)];
        }
    }
    return true;
}

bool inflate_stored(Bits& bits, std::string& out) {
    const auto header = bits.bytes(4);
    if (!header) {
        return false;
    }
    const auto byte = [&](std::size_t i) {
        return static_cast<unsigned>(static_cast<unsigned char>((*header)[i]));
    };
    const unsigned length = byte(0) | byte(1) << 8U;
    const auto stored = bits.bytes(length);
    if (!stored || (length ^ (byte(2) | byte(3) << 8U)) != 0xFFFFU) {
        return false;
    }
    out += *stored;
    return true;
}

}  // namespace

std::optional<std::string> inflate(std::string_view deflated, std::size_t most) {
    Bits bits(deflated);
    std::string out;
    for (bool last = false; !last && out.size() < most;) {
        const int final_block = bits.take(1);
        const int kind = bits.take(2);
        bool good = false;
        if (kind == 0) {
            good = inflate_stored(bits, out);
        } else if (kind == 1) {
            static const Codes fixed = fixed_codes();
            good = inflate_block(bits, fixed, most, out);
        } else if (kind == 2) {
            const std::optional<Codes> codes = dynamic_codes(bits);
            good = codes && inflate_block(bits, *codes, most, out);
        }
        if (final_block == invalid || !good) {
            return std::nullopt;
        }
        last = final_block == 1;
    }
    out.resize(std::min(out.size(), most));
    return out;
}

std::uint32_t crc32(std::string_view bytes, std::uint32_t so_far) {
    static const std::array<std::uint32_t, 256> table = [] {
        std::array<std::uint32_t, 256> remainders{};
        for (std::uint32_t byte = 0; byte < remainders.size(); ++byte) {
            std::uint32_t remainder = byte;
            for (int bit = 0; bit < 8; ++bit) {
                remainder = remainder >> 1U ^ ((remainder & 1U) != 0 ? 0xEDB88320U : 0U);
            }
            remainders[byte] = remainder;
        }
        return remainders;
    }();
    std::uint32_t crc = ~so_far;
    for (const char c : bytes) {
        crc = table[(crc ^ static_cast<unsigned char>(c)) & 0xFFU] ^ crc >> 8U;
    }
    return ~crc;
}

}  // namespace attn
