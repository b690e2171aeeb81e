// Includes the headers of its own project; of the library it can include only <attn/…>.
#include "tensor/tensor.hpp"

#if __has_include(<tensor/tensor.hpp>) || __has_include("tensor/matmul.hpp") || \
    !__has_include(<attn/attention.hpp>)
#error "the library's headers are under other names than attn/"
#endif

static_assert(of_the_consumer);
