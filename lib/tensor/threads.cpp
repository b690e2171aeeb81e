// Threads are started per call and joined unless they are kept: some 30 µs each, which work that is worth a
// thread does not notice, and nothing is started, or left running, where there is none.
#include "tensor/threads.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace attn {

namespace {

std::atomic<std::size_t> wanted{0};  // 0: as many as the processor has

}  // namespace

// Threads that wait for what they have to do.
class Crew {
public:
    using Task = std::function<void(std::size_t thread)>;  // throws nothing

    Crew() = default;
    Crew(const Crew&) = delete;
    ~Crew() {
        {
            const std::lock_guard lock(mutex_);
            ends_ = true;
        }
        begins_.notify_all();
        for (std::thread& thread : threads_) {
            thread.join();
        }
    }

    // task(0) on the caller's thread, and meanwhile task(1) to task(others) on those that come to it before
    // that is done.
    void run(std::size_t others, const Task& task) {
        {
            const std::lock_guard lock(mutex_);
            task_ = &task;
            others_ = others;
            ++round_;
        }
        begins_.notify_all();
        try {
            while (threads_.size() < others) {
                threads_.emplace_back([this, number = threads_.size() + 1] { serve(number); });
            }
        } catch (const std::exception&) {  // system_error, or bad_alloc
            // Those there are do it all.
        }
        task(0);
        std::unique_lock lock(mutex_);
        task_ = nullptr;
        done_.wait(lock, [this] { return at_work_ == 0; });
    }

private:
    void serve(std::size_t number) {
        std::unique_lock lock(mutex_);
        for (std::size_t served = 0;;) {
            begins_.wait(
                lock, [&] { return ends_ || (task_ != nullptr && served != round_ && number <= others_); });
            if (ends_) {
                return;
            }
            served = round_;
            const Task& task = *task_;
            ++at_work_;
            lock.unlock();
            task(number);
            lock.lock();
            if (--at_work_ == 0) {
                done_.notify_one();
            }
        }
    }

    std::mutex mutex_;
    std::condition_variable begins_, done_;
    const Task* task_ = nullptr;
    std::size_t others_ = 0;
    std::size_t round_ = 0;
    std::size_t at_work_ = 0;
    bool ends_ = false;
    std::vector<std::thread> threads_;
};

namespace {

// The caller's, for its next call: what is called within has to start its own.
thread_local Crew* standing_crew = nullptr;

}  // namespace

KeptThreads::KeptThreads()
    : crew_(std::make_unique<Crew>()), before_(std::exchange(standing_crew, crew_.get())) {}

KeptThreads::~KeptThreads() {
    standing_crew = before_;
}

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
    if (std::min(count, threads) < 2) {
        take(0);
    } else if (Crew* const crew = std::exchange(standing_crew, nullptr)) {
        crew->run(std::min(count, threads) - 1, take);
        standing_crew = crew;
    } else {
        Crew().run(std::min(count, threads) - 1, take);
    }
    if (failure) {
        std::rethrow_exception(failure);
    }
}

}  // namespace attn
