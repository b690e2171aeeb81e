// The work and memory that a search may use, and the searches for which they did not suffice. Work is counted
// instead of timed, so that the answer is the same on every machine and under every load.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace attn {

// One unit is about the work of computing or comparing one number, some 5 ns.
using Work = std::uint64_t;

// Work is estimated and taken before it is done, by one thread and in a fixed order. The work may then
// be done on several threads.
class Budget {
public:
    Budget() = default;

    // Limits the work; without a limit, all is done.
    void limit(Work most) { most_ = most; }

    // Takes this work if enough is left; otherwise records that a search of this kind was left out.
    bool take(Work work, std::string_view search) {
        if (work > most_ - used_ || used_ == most_) {
            leave_out(search);
            return false;
        }
        used_ += work;
        return true;
    }
    // Counts work that was done, such as a walk whose length was unknown before.
    void count(Work work) { used_ += std::min(work, most_ - used_); }
    Work used() const { return used_; }

    // Returns true if a walk can be kept in memory, given how many numbers earlier walks have; otherwise
    // records that right steps were left out.
    bool has_memory() {
        constexpr std::size_t most_numbers = 100'000'000;  // 400 MB
        if (numbers_ < most_numbers) {
            return true;
        }
        leave_out("steps");
        return false;
    }
    void use_memory(std::size_t numbers) { numbers_ += numbers; }

    const std::vector<std::string_view>& left_out() const { return left_out_; }

private:
    void leave_out(std::string_view search) {
        if (std::ranges::find(left_out_, search) == left_out_.end()) {
            left_out_.push_back(search);
        }
    }

    Work most_ = static_cast<Work>(-1);
    Work used_ = 0;
    std::size_t numbers_ = 0;
    std::vector<std::string_view> left_out_{};
};

}  // namespace attn
