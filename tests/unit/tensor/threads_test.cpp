// Work divided among threads.
#include "tensor/threads.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <vector>

#include "tensor/error.hpp"

using attn::parallel_for;

TEST_CASE("threads do each piece of work once, and more of them than pieces do no harm") {
    for (const std::size_t threads : {0U, 1U, 7U, 2U}) {
        for (const std::size_t count : {0U, 1U, 3U, 100U}) {
            std::vector<int> done(count), by(8);
            parallel_for(count, threads, [&](std::size_t i, std::size_t thread) {
                ++done[i];
                ++by[thread];
            });
            CHECK(done == std::vector<int>(count, 1));
        }
    }
}

TEST_CASE("what work throws comes out, on whichever thread") {
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
}

TEST_CASE("work shares out work of its own") {
    std::atomic<std::size_t> done{0};
    for (int round = 0; round < 20; ++round) {
        parallel_for(5, 3, [&](std::size_t, std::size_t) {
            parallel_for(7, 3, [&](std::size_t, std::size_t) { ++done; });
        });
    }
    CHECK(done == 20 * 5 * 7);
}
