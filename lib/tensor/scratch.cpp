#include "tensor/scratch.hpp"

#include <array>
#include <utility>

namespace attn {

namespace {

constexpr std::size_t most_kept = (std::size_t{16} << 20U) / sizeof(float);

struct Kept {
    std::unique_ptr<float[]> room;
    std::size_t size = 0;
};

thread_local std::array<Kept, 2> kept;

}  // namespace

Scratch::Scratch(std::size_t count) : size_(count + line) {
    for (Kept& one : kept) {
        if (one.size >= size_) {
            room_ = std::move(one.room);
            size_ = std::exchange(one.size, 0);
            return;
        }
    }
    room_.reset(new float[size_]);
}

// In the place of a smaller one, if it is not too large.
Scratch::~Scratch() {
    Kept& smaller = kept[0].size < kept[1].size ? kept[0] : kept[1];
    if (size_ <= most_kept && size_ > smaller.size) {
        smaller.room = std::move(room_);
        smaller.size = size_;
    }
}

}  // namespace attn
