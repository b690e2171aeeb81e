// Reading files, and the errors for files that cannot be read.
#include "files/source.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>

#include "files/utf8_text.hpp"
#include "refusal.hpp"
#include "temporary_folder.hpp"

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

TEST_CASE("a file that says a wrong size is read to its end") {
    const std::string pages = "/sys/kernel/uevent_seqnum";  // its size is given as 4096 bytes
    if (std::filesystem::exists(pages)) {
        CHECK(read_source(pages).ends_with('\n'));
    }
}

TEST_CASE("what cannot be read is named with the reason") {
    const TemporaryFolder folder;
    put(folder / "empty", "");
    put(folder / "sparse", "x");
    std::filesystem::resize_file(folder / "sparse", max_source_bytes + 1);
    const std::pair<std::string, std::string> rows[] = {
        {"nowhere/no\x1b.json",
         "nowhere/no\\x1b.json: there is no such file; give the path of one, or - for standard input."},
        {"/", "/: is a folder; give the path of a file."},
        {folder / "empty", (folder / "empty") + ": the file is empty."},
        {folder / "empty/x", (folder / "empty/x") + ": cannot be read (Not a directory)."},
        {folder / "sparse", (folder / "sparse") + ": larger than 268435456 bytes, the limit."},
        {"/dev/zero", "/dev/zero: larger than 1048576 bytes, the limit."},
    };
    for (const auto& row : rows) {
        CHECK(refusal_of([&] { read_source(row.first); }) == row.second);
    }
    CHECK(refusal_of([] { utf8_text(std::string(max_text_bytes + 1, ' '), "x.json"); }) ==
          "x.json: more than 268435456 bytes of text, the limit.");
}

TEST_CASE("- is standard input, and messages call it that") {
    CHECK(source_name("-") == "standard input");
    CHECK(source_name("a.json") == "a.json");
    CHECK(source_name("") == "\"\"");
    const TemporaryFolder folder;
    put(folder / "in", "[1]");
    REQUIRE(std::freopen((folder / "in").c_str(), "rb", stdin) != nullptr);
    CHECK(read_source("-") == "[1]");
    CHECK(refusal_of([] { read_source("-"); }) == "standard input can be read only once; give - once.");
}
