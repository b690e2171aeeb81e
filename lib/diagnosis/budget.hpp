// The time and memory that a search may use, and the searches for which they did not suffice.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <ctime>
#include <mutex>
#include <string_view>
#include <vector>

namespace attn {

class Budget {
public:
    // `seconds` is processor time of all threads; 0: no limit.
    explicit Budget(double seconds) : seconds_(seconds) {}

    // Returns true if there is time for this kind of search; otherwise records that it was left out.
    bool has_time(std::string_view search) {
        constexpr std::size_t calls = 16;  // reading the clock takes longer than comparing a small tensor
        if (!is_over_ && calls_++ % calls == 0) {
            is_over_ = is_after(seconds_);
        }
        if (is_over_) {
            leave_out(search);
        }
        return !is_over_;
    }

    // Returns true if the time for the search of the nearest step is over. This search is short, so it may
    // begin later than the others.
    bool is_late() const {
        constexpr double late = 1.25;
        return is_after(late * seconds_);
    }

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
    bool is_after(double seconds) const {
        return seconds > 0.0 && static_cast<double>(std::clock() - begin_) >= seconds * CLOCKS_PER_SEC;
    }

    void leave_out(std::string_view search) {
        const std::lock_guard guard(lock_);
        if (std::ranges::find(left_out_, search) == left_out_.end()) {
            left_out_.push_back(search);
        }
    }

    double seconds_;
    std::clock_t begin_ = std::clock();
    std::atomic<std::size_t> calls_ = 0;
    std::atomic<bool> is_over_ = false;
    std::atomic<std::size_t> numbers_ = 0;
    std::mutex lock_;
    std::vector<std::string_view> left_out_{};
};

}  // namespace attn
