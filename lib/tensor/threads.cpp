// Threads are started per call and joined: some 30 µs each, little beside work that is worth a thread.
#include "tensor/threads.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace attn {

namespace {

std::atomic<std::size_t> wanted{0};  // 0: as many as the processor has

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
    const auto run = [&](std::size_t thread) {
        try {
            for (std::size_t i = next++; i < count; i = next++) {
                work(i, thread);
            }
        } catch (...) {
            next = count;
            const std::lock_guard lock(failing);
            failure = std::current_exception();
        }
    };
    std::vector<std::thread> others;
    try {
        for (std::size_t thread = 1; thread < std::min(count, threads); ++thread) {
            others.emplace_back(run, thread);
        }
    } catch (const std::exception&) {  // system_error or bad_alloc: fewer threads will do
    }
    run(0);
    for (std::thread& thread : others) {
        thread.join();
    }
    if (failure) {
        std::rethrow_exception(failure);
    }
}

}  // namespace attn
