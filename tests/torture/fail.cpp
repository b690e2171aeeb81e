// Preloaded into the program: makes the n-th allocation, or the n-th call of one function of the system,
// fail, as ATTN_FAIL says: "new 17", "fwrite 3 ENOSPC", "fwrite 3 short". Each call is
// counted, and on its way out the program leaves the count in the file that ATTN_COUNT names.
#include <dlfcn.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

std::atomic<long> number_of_calls{0};
bool in_main = false;  // before it nothing could be caught: CLI11 makes its validators there

struct Wish {
    char function[16] = "";
    long number = 0;
    char how[16] = "";

    Wish() {
        if (const char* const text = std::getenv("ATTN_FAIL")) {
            std::sscanf(text, "%15s %ld %15s", function, &number, how);
        }
    }
    ~Wish() {
        if (const char* const path = std::getenv("ATTN_COUNT")) {
            std::FILE* const file = std::fopen(path, "w");
            std::fprintf(file, "%ld\n", number_of_calls.load());
            std::fclose(file);
        }
    }
} wish;

// Whether this call of the function is the one that is to fail.
bool fails(const char* function) {
    return in_main && std::strcmp(wish.function, function) == 0 && ++number_of_calls == wish.number;
}

bool is(const char* how) {
    return std::strcmp(wish.how, how) == 0;
}

int error() {
    struct {
        const char* name;
        int number;
    } const errors[] = {
        {"EIO", EIO}, {"EINTR", EINTR}, {"EINVAL", EINVAL}, {"ENOSYS", ENOSYS}, {"ENOTSUP", ENOTSUP}};
    for (const auto& one : errors) {
        if (is(one.name)) {
            return one.number;
        }
    }
    return ENOSPC;
}

template <typename Function>
Function* real(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

using Main = int(int, char**, char**);
Main* real_main = nullptr;

int counted_main(int argc, char** argv, char** environment) {
    in_main = true;
    const int code = real_main(argc, argv, environment);
    in_main = false;
    return code;
}

}  // namespace

void* operator new(std::size_t size) {
    void* const memory = fails("new") ? nullptr : std::malloc(size == 0 ? 1 : size);
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    return memory;
}

void operator delete(void* memory) noexcept {
    std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

extern "C" {

int __libc_start_main(Main* main, int argc, char** argv, void (*init)(), void (*fini)(), void (*rtld_fini)(),
                      void* stack_end) {
    real_main = main;
    return real<int(Main*, int, char**, void (*)(), void (*)(), void (*)(), void*)>("__libc_start_main")(
        counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}

std::size_t fwrite(const void* bytes, std::size_t size, std::size_t count, std::FILE* file) {
    const auto write = real<std::size_t(const void*, std::size_t, std::size_t, std::FILE*)>("fwrite");
    if (fails("fwrite")) {
        const std::size_t some = is("short") ? write(bytes, size, count / 2, file) : 0;
        errno = error();
        return some;
    }
    return write(bytes, size, count, file);
}

int fflush(std::FILE* file) {
    const int result = real<int(std::FILE*)>("fflush")(file);
    if (fails("fflush")) {
        errno = error();
        return EOF;
    }
    return result;
}

int fclose(std::FILE* file) {
    const int result = real<int(std::FILE*)>("fclose")(file);  // as Linux does, whatever it answers
    if (fails("fclose")) {
        errno = error();
        return EOF;
    }
    return result;
}

std::FILE* fopen(const char* path, const char* mode) {
    if (fails("fopen")) {
        errno = error();
        return nullptr;
    }
    return real<std::FILE*(const char*, const char*)>("fopen")(path, mode);
}

int rename(const char* from, const char* to) {
    if (fails("rename")) {
        errno = error();
        return -1;
    }
    return real<int(const char*, const char*)>("rename")(from, to);
}

}  // extern "C"
