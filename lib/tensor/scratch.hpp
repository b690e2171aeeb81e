// Room for a kernel's intermediate numbers: on cache lines of its own, and not filled with anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace attn {

// Room for `count` numbers. What a thread is done with, two rooms of up to 16 MiB, it keeps for the next
// time: glibc gives large blocks back to the system, and the page faults of taking them anew cost a product
// 768 wide a fifth of its time.
class Scratch {
public:
    explicit Scratch(std::size_t count);
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch();

    float* data() const {
        const std::size_t beyond = reinterpret_cast<std::uintptr_t>(room_.get()) / sizeof(float) % line;
        return room_.get() + (line - beyond) % line;
    }

private:
    static constexpr std::size_t line = 64 / sizeof(float);

    std::unique_ptr<float[]> room_;  // aligned by hand: a large aligned block is not reused by glibc 2.36
    std::size_t size_;
};

}  // namespace attn
