// Reading files, and the errors for files that cannot be read.
#include "files/source.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>

#include "files/utf8_text.hpp"
#include "temporary_folder.hpp"
#include "tensor/error.hpp"

using namespace attn;

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
    for (int i = 0; i < 50; ++i) {
        std::thread writer([&] { put(pipe, "{}"); });
        CHECK(read_source(pipe) == "{}");
        writer.join();
    }
}

TEST_CASE("what cannot be read is named with the reason") {
    const TemporaryFolder folder;
    put(folder / "empty", "");
    CHECK_THROWS_WITH_AS(
        read_source("nowhere/no\x1b.json"),
        "nowhere/no\\x1b.json: there is no such file; give the path of one, or - for standard input.", Error);
    CHECK_THROWS_WITH_AS(read_source("/"), "/: is a folder; give the path of a file.", Error);
    CHECK_THROWS_WITH_AS(read_source(folder / "empty"), ((folder / "empty") + ": the file is empty.").c_str(),
                         Error);
    CHECK_THROWS_WITH_AS(read_source((folder / "empty") + "/x"),
                         ((folder / "empty") + "/x: cannot be read (Not a directory).").c_str(), Error);
}

TEST_CASE("- is standard input, and messages call it that") {
    CHECK(source_name("-") == "standard input");
    CHECK(source_name("a.json") == "a.json");
    const TemporaryFolder folder;
    put(folder / "in", "[1]");
    REQUIRE(std::freopen((folder / "in").c_str(), "rb", stdin) != nullptr);
    CHECK(read_source("-") == "[1]");
    REQUIRE(std::freopen("/dev/null", "rb", stdin) != nullptr);
    CHECK_THROWS_WITH_AS(read_source("-"), "standard input: the file is empty.", Error);
}

TEST_CASE("a file of more than 64 GiB is refused unread, and so is a device without end") {
    const TemporaryFolder folder;
    const std::string path = folder / "sparse";
    put(path, "x");
    std::filesystem::resize_file(path, max_file_bytes + 1);
    CHECK_THROWS_WITH_AS(read_source(path), (path + ": larger than 68719476736 bytes, the limit.").c_str(),
                         Error);
    CHECK_THROWS_WITH_AS(read_source("/dev/zero"), "/dev/zero: larger than 268435456 bytes, the limit.",
                         Error);
}

TEST_CASE("text has a limit of its own") {
    const std::string text(max_text_bytes + 1, ' ');
    CHECK_THROWS_WITH_AS(utf8_text(text, "x.json"), "x.json: more than 268435456 bytes of text, the limit.",
                         Error);
}
