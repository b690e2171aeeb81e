// Threads are started per call and joined: some 30 µs each, which work that is worth a thread does not
// notice, and nothing is started, or left running, where there is none.
#include "tensor/threads.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace attn {

namespace {

std::atomic<std::size_t> wanted{0};  // 0: as many as the processor has

// std::vector<std::jthread>, which libc++ does not have.
struct JoinedThreads : std::vector<std::thread> {
    JoinedThreads() = default;
    JoinedThreads(const JoinedThreads&) = delete;
    JoinedThreads& operator=(const JoinedThreads&) = delete;
    ~JoinedThreads() {
        for (std::thread& thread : *this) {
            thread.join();
        }
    }
};

}  // namespace

std::size_t num_threads() {
    static const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());  // it reads a file
    const std::size_t n = wanted;
    return n != 0 ? n : cores;
}

void set_num_threads(std::size_t n) {
    constexpr std::size_t most = 1024;
    wanted = std::min(n, most);
}

void parallel_for(std::size_t count, std::size_t threads, const PieceOfWork& work) {
    std::atomic<std::size_t> next{0};
    std::mutex failing;
    std::exception_ptr failure;
    const auto take = [&](std::size_t thread) {
        try {
            for (std::size_t i = next++; i < count; i = next++) {
                work(i, thread);
            }
        } catch (...) {  // which no thread may let out
            next = count;
            const std::lock_guard lock(failing);
            failure = std::current_exception();
        }
    };
    {
        JoinedThreads others;
        try {
            while (others.size() + 1 < std::min(count, threads)) {
                others.emplace_back(take, others.size() + 1);
            }
        } catch (const std::system_error&) {
            // Those there are do it all.
        }
        take(0);
    }
    if (failure) {
        std::rethrow_exception(failure);
    }
}

}  // namespace attn
