// Exceptions on WebAssembly. Debian's libc++abi lacks the part of the C++ ABI that this file contains: it
// creates exceptions, finds the clause that catches an exception, and counts references. The WebAssembly
// machine unwinds the stack itself. Only one thread is supported. See the Itanium C++ ABI, Exception
// Handling, and LLVM's tables for WebAssembly, in which a call site is identified by its number.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <new>
#include <typeinfo>

#pragma clang diagnostic ignored "-Wreserved-identifier"

namespace __cxxabiv1 {

// The layout of libc++abi's class, which decides what a clause can catch.
class __shim_type_info : public std::type_info {
public:
    ~__shim_type_info() override;
    virtual void noop1() const;
    virtual void noop2() const;
    virtual bool can_catch(const __shim_type_info* thrown, void*& adjusted) const = 0;
};

}  // namespace __cxxabiv1

namespace {

// This header precedes each thrown object; the machine passes on the object's address.
struct alignas(16) Exception {
    const __cxxabiv1::__shim_type_info* type;
    void* (*destroy)(void*);  // on WebAssembly, destructors return `this`
    void* adjusted;           // the object, converted to the type of the clause that caught it
    Exception* caught_before;
    int handlers;
    int references;
    bool rethrown;

    void* object() { return this + 1; }
};

Exception* caught = nullptr;

// Reserved memory for an exception when all other memory is used up.
alignas(16) std::byte reserve[512];

void deallocate(Exception* exception) {
    if (static_cast<void*>(exception) != reserve) {
        std::free(exception);
    }
}

void release(Exception* exception) {
    if (--exception->references == 0) {
        if (exception->destroy != nullptr) {
            exception->destroy(exception->object());
        }
        deallocate(exception);
    }
}

Exception* of_object(void* object) {
    return static_cast<Exception*>(object) - 1;
}

std::uint32_t read_unsigned(const std::uint8_t*& at) {
    std::uint32_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        const std::uint32_t byte = *at++;
        value |= (byte & 0x7fU) << shift;
        if ((byte & 0x80U) == 0) {
            return value;
        }
    }
}

std::int32_t read_signed(const std::uint8_t*& at) {
    std::uint32_t value = 0;
    unsigned shift = 0;
    std::uint32_t byte = 0x80U;
    while ((byte & 0x80U) != 0) {
        byte = *at++;
        value |= (byte & 0x7fU) << shift;
        shift += 7;
    }
    if ((byte & 0x40U) != 0 && shift < 32) {
        value |= ~std::uint32_t{0} << shift;
    }
    return static_cast<std::int32_t>(value);
}

// Returns the number of the catching clause in the function's table of types, counted from 1, or 0 if no
// clause catches.
int clause_for(Exception* exception, std::uint32_t call_site, const std::uint8_t* table) {
    constexpr std::uint8_t omitted = 0xff;
    if (*table++ != omitted) {
        std::abort();  // a base for landing pads, which do not exist here
    }
    const __cxxabiv1::__shim_type_info* const* types = nullptr;  // read backwards from its end
    if (*table++ != omitted) {
        const std::uint32_t offset = read_unsigned(table);
        types = reinterpret_cast<const __cxxabiv1::__shim_type_info* const*>(table + offset);
    }
    ++table;  // skips the encoding of call sites: read_unsigned() reads the only one
    const std::uint32_t size = read_unsigned(table);
    const std::uint8_t* actions = table + size;
    for (; call_site != 0; --call_site) {
        read_unsigned(table);
        read_unsigned(table);
    }
    read_unsigned(table);
    const std::uint32_t first = read_unsigned(table);
    if (first == 0) {
        return 0;
    }
    actions += first - 1;
    while (true) {
        const std::int32_t clause = read_signed(actions);
        const std::uint8_t* next = actions;
        const std::int32_t step = read_signed(actions);
        if (clause > 0) {
            const __cxxabiv1::__shim_type_info* const type = types[-clause];
            void* adjusted = exception->object();
            if (type == nullptr || type->can_catch(exception->type, adjusted)) {
                exception->adjusted = adjusted;
                return clause;
            }
        }
        if (step == 0) {
            return 0;
        }
        actions = next + step;
    }
}

}  // namespace

extern "C" {

// A compiled function writes its call site here, and reads the clause.
struct LandingPad {
    std::uint32_t call_site;
    const std::uint8_t* table;
    std::uint32_t clause;
} __wasm_lpad_context;

int _Unwind_CallPersonality(void* exception) {
    __wasm_lpad_context.clause = static_cast<std::uint32_t>(clause_for(
        static_cast<Exception*>(exception), __wasm_lpad_context.call_site, __wasm_lpad_context.table));
    return 0;
}

int __gxx_wasm_personality_v0(...) {  // functions refer to it, but nothing calls it
    std::abort();
}

void* __cxa_allocate_exception(std::size_t size) noexcept {
    void* memory = std::malloc(sizeof(Exception) + size);
    if (memory == nullptr) {
        memory = reserve;
    }
    return static_cast<Exception*>(memory) + 1;
}

void __cxa_free_exception(void* object) noexcept {
    deallocate(of_object(object));
}

[[noreturn]] void __cxa_throw(void* object, std::type_info* type, void* (*destroy)(void*)) {
    Exception* const exception = of_object(object);
    *exception = {
        static_cast<const __cxxabiv1::__shim_type_info*>(type), destroy, object, nullptr, 0, 1, false};
    __builtin_wasm_throw(0, exception);
}

void* __cxa_get_exception_ptr(void* thrown) noexcept {
    return static_cast<Exception*>(thrown)->adjusted;
}

void* __cxa_begin_catch(void* thrown) noexcept {
    auto* const exception = static_cast<Exception*>(thrown);
    exception->rethrown = false;
    if (exception->handlers++ == 0) {
        exception->caught_before = caught;
        caught = exception;
    }
    return exception->adjusted;
}

void __cxa_end_catch() {
    Exception* const exception = caught;
    if (--exception->handlers == 0) {
        caught = exception->caught_before;
        if (!exception->rethrown) {
            release(exception);
        }
    }
}

[[noreturn]] void __cxa_rethrow() {
    if (caught == nullptr) {
        std::terminate();
    }
    caught->rethrown = true;
    __builtin_wasm_throw(0, caught);
}

std::type_info* __cxa_current_exception_type() {
    return caught == nullptr ? nullptr : const_cast<__cxxabiv1::__shim_type_info*>(caught->type);
}

}  // extern "C"

void* operator new(std::size_t size) {
    void* const memory = std::malloc(size == 0 ? 1 : size);
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    return memory;
}

void* operator new[](std::size_t size) {
    return operator new(size);
}

// Destroys thread-local objects at the end of the program, because the program has one thread.
extern "C" int __cxa_atexit(void (*destroy)(void*), void* object, void* library);
extern "C" int __cxa_thread_atexit(void (*destroy)(void*), void* object, void* library) {
    return __cxa_atexit(destroy, object, library);
}
