// What is read, and what the reader of a file that cannot be read is told.
#include "files/source.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>

#include "files/file_bytes.hpp"
#include "temporary_folder.hpp"
#include "tensor/error.hpp"

using attn::Error;
using attn::read_source;

TEST_CASE("a file is read to the last byte, whatever bytes they are") {
    const TemporaryFolder folder;
    std::string all;
    for (int i = 0; i < 1000000; ++i) {
        all += static_cast<char>(i % 256);
    }
    put(folder / "bytes", all);
    CHECK(read_source(folder / "bytes") == all);
}

TEST_CASE("a pipe is read to its end") {
    const TemporaryFolder folder;
    const std::string pipe = folder / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    std::thread writer([&] { put(pipe, "{}"); });
    CHECK(read_source(pipe) == "{}");
    writer.join();
}

TEST_CASE("a pipe with a name is opened once, and its writer never finds it closed") {
    const TemporaryFolder folder;
    const std::string pipe = folder / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK_FALSE(attn::can_be_read_again(pipe));
    CHECK_FALSE(attn::can_be_read_again("-"));
    CHECK_FALSE(attn::can_be_read_again(folder / "none"));
    for (int i = 0; i < 50; ++i) {
        std::thread writer([&] { put(pipe, "{}"); });
        CHECK(attn::FileBytes(pipe).text() == "{}");
        writer.join();
    }
    put(folder / "file", "{}");
    CHECK(attn::can_be_read_again(folder / "file"));
}

TEST_CASE("what cannot be read is named with the reason") {
    const TemporaryFolder folder;
    put(folder / "empty", "");
    CHECK_THROWS_WITH_AS(
        read_source("nowhere/no\x1b.json"),
        "nowhere/no\\x1b.json: there is no such file; give the path of one, or - for standard input.", Error);
    CHECK_THROWS_WITH_AS(read_source("/"), "/: is a folder; give the path of a file.", Error);
    CHECK_THROWS_WITH_AS(read_source(folder / "empty"),
                         ((folder / "empty") + ": is empty; give a file with something in it.").c_str(),
                         Error);
    CHECK_THROWS_WITH_AS(read_source((folder / "empty") + "/x"),
                         ((folder / "empty") + "/x: cannot be read (Not a directory).").c_str(), Error);
}

TEST_CASE("a file beyond the limit, or without end, is refused") {
    const TemporaryFolder folder;
    put(folder / "six", "123456");
    CHECK(read_source(folder / "six", 6) == "123456");
    CHECK_THROWS_WITH_AS(read_source(folder / "six", 5),
                         ((folder / "six") +
                          ": holds more than 5 bytes, the most that is read; `max_input_bytes` N raises it.")
                             .c_str(),
                         Error);
    CHECK_THROWS_WITH_AS(
        read_source("/dev/zero", 1000),
        "/dev/zero: holds more than 1000 bytes, the most that is read; `max_input_bytes` N raises it.",
        Error);
}

TEST_CASE("- is standard input, and messages call it that") {
    CHECK(attn::source_name("-") == "standard input");
    CHECK(attn::source_name("a.json") == "a.json");
    const TemporaryFolder folder;
    put(folder / "in", "[1]");
    REQUIRE(std::freopen((folder / "in").c_str(), "rb", stdin) != nullptr);
    CHECK(read_source("-") == "[1]");
    REQUIRE(std::freopen("/dev/null", "rb", stdin) != nullptr);
    CHECK_THROWS_WITH_AS(read_source("-"), "standard input: is empty; give a file with something in it.",
                         Error);
}

TEST_CASE("a file that is mapped may be of any size unless a limit is given, its text may not") {
    const TemporaryFolder folder;
    const std::string path = folder / "sparse";
    put(path, "x");
    std::filesystem::resize_file(path, attn::default_max_input_bytes);
    CHECK_NOTHROW(attn::FileBytes(path).text());
    std::filesystem::resize_file(path, attn::default_max_input_bytes + 1);
    const std::string refused =
        path + ": holds more than 268435456 bytes, the most that is read; `max_input_bytes` N raises it.";
    CHECK_NOTHROW(attn::FileBytes(path).view());
    CHECK_THROWS_WITH_AS(attn::FileBytes(path).text(), refused.c_str(), Error);
    CHECK_NOTHROW(attn::FileBytes(path, attn::default_max_input_bytes + 1).text());
    CHECK_THROWS_WITH_AS(attn::FileBytes(path, attn::default_max_input_bytes), refused.c_str(), Error);
}
