// Preloaded into the program: makes the n-th allocation, or the n-th call of one function of the system,
// fail, as ATTN_FAIL says: "new 17", "write 3 ENOSPC", "write 3 short", "write 3 nothing". Each call is
// counted, and on its way out the program leaves the count in the file that ATTN_COUNT names.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
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

ssize_t write(int descriptor, const void* bytes, size_t size) {
    if (fails("write")) {
        if (is("nothing")) {
            return 0;
        }
        if (!is("short")) {
            errno = error();
            return -1;
        }
        size = size / 2 + (size == 1 ? 1 : 0);
    }
    return real<ssize_t(int, const void*, size_t)>("write")(descriptor, bytes, size);
}

int fsync(int descriptor) {
    if (fails("fsync")) {
        errno = error();
        return -1;
    }
    return real<int(int)>("fsync")(descriptor);
}

int fchmod(int descriptor, mode_t mode) {
    if (fails("fchmod")) {
        errno = error();
        return -1;
    }
    return real<int(int, mode_t)>("fchmod")(descriptor, mode);
}

int close(int descriptor) {
    if (fails("close")) {
        real<int(int)>("close")(descriptor);  // as Linux does, whatever it answers
        errno = error();
        return -1;
    }
    return real<int(int)>("close")(descriptor);
}

int rename(const char* from, const char* to) {
    if (fails("rename")) {
        errno = error();
        return -1;
    }
    return real<int(const char*, const char*)>("rename")(from, to);
}

// "shortened": what has just been mapped is a file without bytes.
void* mmap(void* address, size_t size, int protection, int flags, int descriptor, off_t offset) {
    void* const mapped = real<void*(void*, size_t, int, int, int, off_t)>("mmap")(address, size, protection,
                                                                                  flags, descriptor, offset);
    if (descriptor >= 0 && fails("mmap")) {
        char path[64];
        std::snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
        if (::truncate(path, 0) != 0) {
            std::abort();
        }
    }
    return mapped;
}

int open(const char* path, int flags, ...) {
    mode_t mode = 0;
    if ((flags & O_CREAT) != 0) {
        va_list arguments;
        va_start(arguments, flags);
        mode = va_arg(arguments, mode_t);
        va_end(arguments);
    }
    if (fails("open")) {
        errno = error();
        return -1;
    }
    return real<int(const char*, int, ...)>("open")(path, flags, mode);
}

}  // extern "C"
