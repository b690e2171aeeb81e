// Each call starts threads and joins them. This takes about 30 µs per thread, which is little compared with
// the work.
#include "tensor/threads.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <vector>

#ifndef __wasm__  // a WebAssembly module has only the caller's thread
#include <future>
#include <thread>
#endif

namespace attn {

namespace {

std::atomic<std::size_t> wanted{0};  // 0: one thread per core

}  // namespace

std::size_t num_threads() {
#ifdef __wasm__
    return 1;
#else
    // The count is kept, because counting the cores reads a file.
    static const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    const std::size_t n = wanted;
    return n != 0 ? n : cores;
#endif
}

void set_num_threads(std::size_t n) {
    constexpr std::size_t most = 1024;
    wanted = std::min(n, most);
}

void parallel_for(std::size_t count, std::size_t threads, const PieceOfWork& work) {
    std::atomic<std::size_t> next{0};
    const auto run = [&](std::size_t thread) {
        for (std::size_t i = next++; i < count; i = next++) {
            work(i, thread);
        }
    };
#ifdef __wasm__
    run(0);
#else
    std::vector<std::future<void> > others;  // each destructor waits for its thread
    try {
        for (std::size_t thread = 1; thread < std::min(count, threads); ++thread) {
            others.push_back(std::async(std::launch::async, run, thread));
        }
    } catch (const std::exception&) {  // system_error or bad_alloc: continue with fewer threads
    }
    run(0);
    for (std::future<void>& other : others) {
        other.get();
    }
#endif
}

void divide_rows(std::size_t rows, std::size_t operations, std::size_t threads,
                 const std::function<void(std::size_t, std::size_t)>& work) {
    constexpr std::size_t least_threaded = std::size_t{1} << 21U;
    const std::size_t parts =
        rows * operations < least_threaded ? 1 : std::clamp<std::size_t>(threads, 1, rows);
    parallel_for(parts, parts, [&](std::size_t i, std::size_t) {
        const std::size_t first = rows * i / parts;
        work(first, rows * (i + 1) / parts - first);
    });
}

}  // namespace attn
