// Throws and catches exceptions when no memory is left, not even for the exception. The exit code is 0 if
// each exception is caught and nothing is freed that was never allocated.
#include <cstdlib>
#include <new>

extern "C" {
extern char __heap_base;  // from the linker: the end of static memory

void __real_free(void* memory);
void __wrap_free(void* memory) {
    if (memory != nullptr && memory < &__heap_base) {
        std::abort();
    }
    __real_free(memory);
}
}

int main() {
    void* volatile memory = nullptr;  // otherwise compilers remove unused allocations
    for (std::size_t size = std::size_t{1} << 20U; size != 0; size /= 2) {
        do {
            memory = std::malloc(size);
        } while (memory != nullptr);
    }
    int caught = 0;
    for (int i = 0; i < 3; ++i) {
        try {
            operator delete(operator new(1000));
        } catch (const std::bad_alloc&) {
            ++caught;
        }
    }
    return caught == 3 ? 0 : 1;
}
