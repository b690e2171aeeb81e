// Work shared out among threads, which are started for it or kept.
#include "tensor/threads.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <latch>
#include <optional>
#include <utility>
#include <vector>

#include "tensor/error.hpp"

using attn::KeptThreads;
using attn::parallel_for;

namespace {

// check() with threads that are started for each call, and with threads that are kept.
template <typename Check>
void both_ways(Check check) {
    check();
    const KeptThreads threads;
    check();
}

// Has so many threads work at once; returns on how many of them work has been before.
std::size_t coming_again(std::size_t threads) {
    std::latch all_are_there(static_cast<std::ptrdiff_t>(threads));
    std::atomic<std::size_t> again{0};
    parallel_for(threads, threads, [&](std::size_t, std::size_t) {
        thread_local bool was_there = false;
        again += std::exchange(was_there, true) ? 1 : 0;
        all_are_there.arrive_and_wait();
    });
    return again;
}

}  // namespace

TEST_CASE("threads do each piece of work once, and more of them than pieces do no harm") {
    both_ways([] {
        for (const std::size_t threads : {0U, 1U, 7U, 2U}) {
            for (const std::size_t count : {0U, 1U, 3U, 100U}) {
                std::vector<int> done(count);
                std::vector<int> by(8);
                parallel_for(count, threads, [&](std::size_t i, std::size_t thread) {
                    ++done[i];
                    ++by[thread];
                });
                CHECK(done == std::vector<int>(count, 1));
            }
        }
    });
}

TEST_CASE("what work throws comes out, on whichever thread") {
    both_ways([] {
        for (const std::size_t threads : {1U, 2U, 7U}) {
            for (const std::size_t bad : {0U, 50U, 99U}) {
                const auto work = [&](std::size_t i, std::size_t) {
                    if (i == bad) {
                        throw attn::Error("so it ends");
                    }
                };
                CHECK_THROWS_WITH_AS(parallel_for(100, threads, work), "so it ends", attn::Error);
            }
        }
        std::atomic<int> done{0};
        CHECK_THROWS(parallel_for(100, 4, [&](std::size_t, std::size_t) {
            ++done;
            throw 1;
        }));
        CHECK(done <= 4);
    });
}

TEST_CASE("kept threads work again, and no others do") {
    coming_again(1);  // this one has been there
    CHECK(coming_again(4) == 1);
    {
        const KeptThreads threads;
        CHECK(coming_again(3) == 1);
        CHECK(coming_again(3) == 3);
        CHECK(coming_again(5) == 3);
        CHECK(coming_again(2) == 2);
        {
            const KeptThreads others;
            CHECK(coming_again(3) == 1);
        }
        CHECK(coming_again(5) == 5);
    }
    CHECK(coming_again(5) == 1);
}

TEST_CASE("work shares out work of its own while threads are kept") {
    const KeptThreads threads;
    std::atomic<std::size_t> done{0};
    for (int round = 0; round < 20; ++round) {
        parallel_for(5, 3, [&](std::size_t, std::size_t) {
            parallel_for(7, 3, [&](std::size_t, std::size_t) { ++done; });
        });
    }
    CHECK(done == 20 * 5 * 7);
    CHECK(coming_again(3) >= 1);
}
