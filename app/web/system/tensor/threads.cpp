// One thread, the caller's: a module of WebAssembly has no other.
#include "tensor/threads.hpp"

namespace attn {

std::size_t num_threads() {
    return 1;
}

void set_num_threads(std::size_t) {}

void parallel_for(std::size_t count, std::size_t, const PieceOfWork& work) {
    for (std::size_t i = 0; i < count; ++i) {
        work(i, 0);
    }
}

}  // namespace attn
