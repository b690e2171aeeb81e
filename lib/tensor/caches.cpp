#include "tensor/caches.hpp"

#include <atomic>

#if defined(ATTN_X86_LEVELS)
#include <cpuid.h>
#endif

namespace attn {

namespace {

std::atomic<std::size_t> forced{0};

#if defined(ATTN_X86_LEVELS)
// Intel and AMD describe their caches alike, under numbers of their own: Intel 64 and IA-32 Architectures
// Software Developer's Manual, CPUID leaf 4; AMD64 Architecture Programmer's Manual 3, E.4.15.
std::size_t described_under(unsigned leaf) {
    unsigned type = 0;
    unsigned sizes = 0;
    unsigned sets = 0;
    unsigned unused = 0;
    for (unsigned cache = 0; __get_cpuid_count(leaf, cache, &type, &sizes, &sets, &unused) != 0; ++cache) {
        const unsigned kind = type & 0x1fU;
        const unsigned number = type >> 5U & 7U;
        if (kind == 0 || cache == 16) {
            break;
        }
        if (number == 2) {
            const std::size_t ways = (sizes >> 22U) + 1;
            const std::size_t partitions = (sizes >> 12U & 0x3ffU) + 1;
            const std::size_t line = (sizes & 0xfffU) + 1;
            return ways * partitions * line * (std::size_t{sets} + 1);
        }
    }
    return 0;
}
#endif

std::size_t described() {
#if defined(ATTN_X86_LEVELS)
    for (const unsigned leaf : {4U, 0x8000001dU}) {
        const std::size_t bytes = described_under(leaf);
        if (bytes != 0) {
            return bytes;
        }
    }
#endif
    return std::size_t{1} << 20U;
}

}  // namespace

std::size_t second_cache() {
    static const std::size_t bytes = described();
    const std::size_t instead = forced;
    return instead != 0 ? instead : bytes;
}

void force_second_cache(std::size_t bytes) {
    forced = bytes;
}

}  // namespace attn
