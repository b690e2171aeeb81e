// Deflate by hand, for there is no zlib for WebAssembly in Debian. RFC 1951; the code of a symbol is found by
// counting, a bit at a time, as Mark Adler's `puff` does.
#include "files/inflate.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace attn {

namespace {

struct Damaged {};

constexpr std::size_t longest_code = 15;
constexpr std::size_t behind_longest = longest_code + 1;

class Bits {
public:
    explicit Bits(std::string_view bytes) : bytes_(bytes) {}

    // So many bits as a number, the first one lowest.
    std::uint32_t take(unsigned count) {
        while (held_ < count) {
            buffer_ |= std::uint32_t{byte()} << held_;
            held_ += 8;
        }
        const std::uint32_t value = buffer_ & ((std::uint32_t{1} << count) - 1);
        buffer_ >>= count;
        held_ -= count;
        return value;
    }

    // Goes on at the next byte.
    void align() {
        buffer_ = 0;
        held_ = 0;
    }

    std::string_view bytes(std::size_t count) {
        if (bytes_.size() < count) {
            throw Damaged();
        }
        const std::string_view taken = bytes_.substr(0, count);
        bytes_.remove_prefix(count);
        return taken;
    }

private:
    std::uint8_t byte() { return static_cast<std::uint8_t>(bytes(1)[0]); }

    std::string_view bytes_;
    std::uint32_t buffer_ = 0;
    unsigned held_ = 0;
};

// Canonical Huffman codes: how many there are of each length, and the symbols in the order of their codes.
class Codes {
public:
    explicit Codes(std::span<const std::uint8_t> lengths) {
        for (const std::uint8_t length : lengths) {
            ++counts_[length];
        }
        int left = 1;
        int used = 0;
        std::array<std::uint16_t, behind_longest> first{};  // the place of the first symbol of each length
        for (std::size_t length = 1; length <= longest_code; ++length) {
            left = 2 * left - counts_[length];
            first[length] = static_cast<std::uint16_t>(used);
            used += counts_[length];
            if (left < 0) {
                throw Damaged();  // more codes than there is room for
            }
        }
        if (left > 0 && used > 1) {
            throw Damaged();  // a code of which some words mean nothing; of one symbol alone it is allowed
        }
        for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol) {
            if (lengths[symbol] != 0) {
                symbols_[first[lengths[symbol]]++] = static_cast<std::uint16_t>(symbol);
            }
        }
    }

    std::size_t next(Bits& bits) const {
        int code = 0;
        int first = 0;
        int index = 0;
        for (std::size_t length = 1; length <= longest_code; ++length) {
            code |= static_cast<int>(bits.take(1));
            const int count = counts_[length];
            if (code - count < first) {
                return symbols_[static_cast<std::size_t>(index + (code - first))];
            }
            index += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        throw Damaged();
    }

private:
    std::array<std::uint16_t, behind_longest> counts_{};
    std::array<std::uint16_t, 288> symbols_{};
};

// Of lengths and of distances: each symbol stands for numbers from a base on, told apart by extra bits.
struct Base {
    std::uint16_t from;
    std::uint8_t bits;
};
constexpr std::array<Base, 29> lengths{
    {{3, 0},  {4, 0},  {5, 0},  {6, 0},   {7, 0},   {8, 0},   {9, 0},   {10, 0},  {11, 1}, {13, 1},
     {15, 1}, {17, 1}, {19, 2}, {23, 2},  {27, 2},  {31, 2},  {35, 3},  {43, 3},  {51, 3}, {59, 3},
     {67, 4}, {83, 4}, {99, 4}, {115, 4}, {131, 5}, {163, 5}, {195, 5}, {227, 5}, {258, 0}}};
constexpr std::array<Base, 30> distances{
    {{1, 0},     {2, 0},     {3, 0},     {4, 0},      {5, 1},      {7, 1},     {9, 2},     {13, 2},
     {17, 3},    {25, 3},    {33, 4},    {49, 4},     {65, 5},     {97, 5},    {129, 6},   {193, 6},
     {257, 7},   {385, 7},   {513, 8},   {769, 8},    {1025, 9},   {1537, 9},  {2049, 10}, {3073, 10},
     {4097, 11}, {6145, 11}, {8193, 12}, {12289, 12}, {16385, 13}, {24577, 13}}};

std::size_t number(const Base& base, Bits& bits) {
    return base.from + bits.take(base.bits);
}

void copy_block(Bits& bits, const Codes& literals, const Codes& back, std::string& out, std::size_t most) {
    constexpr std::size_t end_of_block = 256;
    while (out.size() < most) {
        const std::size_t symbol = literals.next(bits);
        if (symbol < end_of_block) {
            out.push_back(static_cast<char>(symbol));
            continue;
        }
        if (symbol == end_of_block) {
            return;
        }
        if (symbol - end_of_block - 1 >= lengths.size()) {
            throw Damaged();
        }
        const std::size_t length = number(lengths[symbol - end_of_block - 1], bits);
        const std::size_t which = back.next(bits);
        if (which >= distances.size()) {
            throw Damaged();
        }
        const std::size_t distance = number(distances[which], bits);
        if (distance > out.size()) {
            throw Damaged();
        }
        for (std::size_t i = 0; i < length; ++i) {  // what is copied may be part of the copy
            out.push_back(out[out.size() - distance]);
        }
    }
}

void fixed_block(Bits& bits, std::string& out, std::size_t most) {
    std::array<std::uint8_t, 288> literals{};
    for (std::size_t i = 0; i < literals.size(); ++i) {
        literals[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    }
    std::array<std::uint8_t, 32> back{};
    back.fill(5);
    copy_block(bits, Codes(literals), Codes(back), out, most);
}

void dynamic_block(Bits& bits, std::string& out, std::size_t most) {
    constexpr std::array<std::uint8_t, 19> order{16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                 11, 4,  12, 3, 13, 2, 14, 1, 15};
    const std::size_t literals = bits.take(5) + 257;
    const std::size_t back = bits.take(5) + 1;
    const std::size_t given = bits.take(4) + 4;
    if (literals > 286 || back > distances.size()) {
        throw Damaged();
    }
    std::array<std::uint8_t, order.size()> of_lengths{};
    for (std::size_t i = 0; i < given; ++i) {
        of_lengths[order[i]] = static_cast<std::uint8_t>(bits.take(3));
    }
    const Codes codes(of_lengths);
    std::array<std::uint8_t, 286 + distances.size()> code_lengths{};
    for (std::size_t i = 0; i < literals + back;) {
        const std::size_t symbol = codes.next(bits);
        if (symbol < 16) {
            code_lengths[i++] = static_cast<std::uint8_t>(symbol);
            continue;
        }
        if (symbol == 16 && i == 0) {
            throw Damaged();
        }
        const std::uint8_t repeated = symbol == 16 ? code_lengths[i - 1] : std::uint8_t{0};
        const std::size_t times = symbol == 16   ? 3 + bits.take(2)
                                  : symbol == 17 ? 3 + bits.take(3)
                                                 : 11 + bits.take(7);
        if (i + times > literals + back) {
            throw Damaged();
        }
        std::fill_n(code_lengths.begin() + static_cast<std::ptrdiff_t>(i), times, repeated);
        i += times;
    }
    if (code_lengths[256] == 0) {
        throw Damaged();  // without the symbol that ends a block
    }
    const std::span<const std::uint8_t> all(code_lengths);
    copy_block(bits, Codes(all.first(literals)), Codes(all.subspan(literals, back)), out, most);
}

void stored_block(Bits& bits, std::string& out) {
    bits.align();
    const std::size_t size = bits.take(16);
    if (bits.take(16) != (~size & 0xffffU)) {
        throw Damaged();
    }
    out += bits.bytes(size);
}

}  // namespace

std::optional<std::string> inflate(std::string_view deflated, std::size_t most) {
    Bits bits(deflated);
    std::string out;
    try {
        for (bool last = false; !last && out.size() < most;) {
            last = bits.take(1) == 1;
            switch (bits.take(2)) {
                case 0:
                    stored_block(bits, out);
                    break;
                case 1:
                    fixed_block(bits, out, most);
                    break;
                case 2:
                    dynamic_block(bits, out, most);
                    break;
                default:
                    return std::nullopt;
            }
        }
    } catch (const Damaged&) {
        return std::nullopt;
    }
    out.resize(std::min(out.size(), most));
    return out;
}

std::uint32_t crc32(std::string_view bytes, std::uint32_t so_far) {
    static const std::array<std::uint32_t, 256> table = [] {
        std::array<std::uint32_t, 256> entries{};
        for (std::uint32_t i = 0; i < entries.size(); ++i) {
            std::uint32_t entry = i;
            for (int bit = 0; bit < 8; ++bit) {
                entry = (entry >> 1U) ^ ((entry & 1U) != 0 ? 0xedb88320U : 0U);
            }
            entries[i] = entry;
        }
        return entries;
    }();
    std::uint32_t sum = ~so_far;
    for (const char byte : bytes) {
        sum = (sum >> 8U) ^ table[(sum ^ static_cast<std::uint8_t>(byte)) & 0xffU];
    }
    return ~sum;
}

}  // namespace attn
