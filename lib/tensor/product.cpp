#include "tensor/product.hpp"

#include "tensor/product_loop.hpp"

namespace attn {

const Product portable_product = product_loop;

Product fastest_product() {
#if defined(__x86_64__)
    static const bool has_both = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
    return has_both && avx2_product != nullptr ? avx2_product : portable_product;
#else
    return portable_product;
#endif
}

}  // namespace attn
