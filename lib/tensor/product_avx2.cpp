// The loop once more, compiled with -mavx2 -mfma (lib/CMakeLists.txt).
#include "tensor/product.hpp"

#if defined(__AVX2__) && defined(__FMA__)
#include "tensor/product_loop.hpp"

namespace attn {
const Product avx2_product = product_loop;
}
#else
namespace attn {
const Product avx2_product = nullptr;
}
#endif
