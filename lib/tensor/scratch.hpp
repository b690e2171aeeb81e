// Room for a kernel's intermediate numbers: on cache lines of its own, and not filled with anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace attn {

class Scratch {
public:
    explicit Scratch(std::size_t count) : room_(new float[count + line]) {}

    float* data() const {
        const std::size_t beyond = reinterpret_cast<std::uintptr_t>(room_.get()) / sizeof(float) % line;
        return room_.get() + (line - beyond) % line;
    }

private:
    static constexpr std::size_t line = 64 / sizeof(float);

    // Aligned by hand: glibc 2.36 gives large aligned blocks back to the system each time, and the page
    // faults of taking them anew cost a product 5 %.
    std::unique_ptr<float[]> room_;
};

}  // namespace attn
