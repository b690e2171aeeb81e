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

// Objects of static storage duration end after what the main thread keeps. A flag, which has no destructor,
// can still be read then.
thread_local bool ended = false;

struct KeptRooms {
    std::array<Kept, 2> rooms;

    ~KeptRooms() { ended = true; }
};

thread_local KeptRooms kept;

}  // namespace

Scratch::Scratch(std::size_t count) : size_(count + line) {
    if (!ended) {
        for (Kept& one : kept.rooms) {
            if (one.size >= size_) {
                room_ = std::move(one.room);
                size_ = std::exchange(one.size, 0);
                return;
            }
        }
    }
    room_.reset(new float[size_]);
}

// In the place of a smaller one, if it is not too large.
Scratch::~Scratch() {
    if (ended) {
        return;
    }
    auto& [one, other] = kept.rooms;
    Kept& smaller = one.size < other.size ? one : other;
    if (size_ <= most_kept && size_ > smaller.size) {
        smaller.room = std::move(room_);
        smaller.size = size_;
    }
}

}  // namespace attn
