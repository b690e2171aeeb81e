// One thread, the caller's: a module of WebAssembly has no other.
#include "tensor/threads.hpp"

#pragma clang diagnostic ignored "-Wreserved-identifier"

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

// What a thread leaves behind when it ends, this one does at the end of the program.
extern "C" int __cxa_atexit(void (*destroy)(void*), void* object, void* library);
extern "C" int __cxa_thread_atexit(void (*destroy)(void*), void* object, void* library) {
    return __cxa_atexit(destroy, object, library);
}
