// Files appear complete or not at all. tests/cli/output.py tests links, pipes, devices and standard output.
#include "files/sink.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "temporary_folder.hpp"
#include "tensor/error.hpp"
#include "unprivileged.hpp"

namespace fs = std::filesystem;
using namespace attn;

namespace {

void write_output(const std::string& path, std::string_view text) {
    Sink sink(path);
    sink.write(text);
    sink.commit();
}

unsigned mode_of(const std::string& path) {
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    return status.st_mode & 07777U;
}

// While this object lives, files cannot grow beyond this many bytes, as on a full disk.
class FullDisk {
public:
    explicit FullDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
        ::getrlimit(RLIMIT_FSIZE, &saved_);
        const rlimit small{bytes, saved_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &small);
    }
    ~FullDisk() {
        ::setrlimit(RLIMIT_FSIZE, &saved_);
        std::signal(SIGXFSZ, handler_);
    }

private:
    void (*handler_)(int);
    rlimit saved_{};
};

}  // namespace

TEST_CASE("a new file holds exactly the text and has the mode the umask leaves") {
    const TemporaryFolder folder;
    const mode_t before = ::umask(027);
    write_output(folder / "new.json", "[1]\n");
    ::umask(before);
    CHECK(content(folder / "new.json") == "[1]\n");
    CHECK(mode_of(folder / "new.json") == 0640);
    CHECK(folder.entries() == 1);
}

TEST_CASE("a replaced file keeps its mode") {
    const TemporaryFolder folder;
    put(folder / "old", "a longer old text");
    REQUIRE(::chmod((folder / "old").c_str(), 0604) == 0);
    write_output(folder / "old", "new");
    CHECK(content(folder / "old") == "new");
    CHECK(mode_of(folder / "old") == 0604);
    CHECK(folder.entries() == 1);
}

TEST_CASE("pieces of any size come out in order") {
    const TemporaryFolder folder;
    std::string all;
    Sink sink(folder / "out");
    for (const std::size_t size : {1U, 65535U, 1U, 65536U, 65537U, 0U, 200000U, 3U}) {
        const std::string piece(size, static_cast<char>('a' + all.size() % 26));
        sink.write(piece);
        all += piece;
    }
    CHECK_FALSE(fs::exists(folder / "out"));
    sink.commit();
    CHECK(content(folder / "out") == all);
}

TEST_CASE("what is not committed leaves the old file and nothing beside it") {
    const TemporaryFolder folder;
    put(folder / "old", "old");
    {
        Sink sink(folder / "old");
        sink.write(std::string(100000, 'x'));
        CHECK(folder.entries() == 2);
        CHECK(content(folder / "old") == "old");
    }
    CHECK(content(folder / "old") == "old");
    CHECK(folder.entries() == 1);
}

TEST_CASE("a disk that fills up leaves the old file and nothing beside it") {
    const TemporaryFolder folder;
    const std::string path = folder / "old";
    put(path, "old");
    {
        const FullDisk disk(70000);
        CHECK_THROWS_WITH_AS(write_output(path, std::string(100000, 'x')),
                             (path + ": cannot be written (File too large).").c_str(), Error);
    }
    CHECK(content(path) == "old");
    CHECK(folder.entries() == 1);
}

TEST_CASE("a write-protected file and a folder that may not be written are respected") {
    const TemporaryFolder folder;
    const std::string path = folder / "old";
    put(path, "old");
    REQUIRE(::chmod(path.c_str(), 0444) == 0);
    REQUIRE(::chmod(folder.path().c_str(), 0777) == 0);
    {
        const Unprivileged user;
        CHECK_THROWS_WITH_AS(write_output(path, "new"),
                             (path + ": cannot be written (Permission denied).").c_str(), Error);
    }
    REQUIRE(::chmod(path.c_str(), 0666) == 0);
    REQUIRE(::chmod(folder.path().c_str(), 0555) == 0);
    {
        const Unprivileged user;
        CHECK_THROWS_WITH_AS(write_output(path, "new"),
                             (path + ": cannot be written (Permission denied).").c_str(), Error);
    }
    REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
    CHECK(content(path) == "old");
    CHECK(folder.entries() == 1);
}

TEST_CASE("targets that cannot be are named with the reason") {
    const TemporaryFolder folder;
    put(folder / "file", "x");
    CHECK_THROWS_WITH_AS(write_output("/", "x"), "/: is a folder; give the path of a file.", Error);
    CHECK_THROWS_WITH_AS(write_output("", "x"), "an empty file name; give a path, or - for standard output.",
                         Error);
    CHECK_THROWS_WITH_AS(write_output("/no\x1bwhere/x.json", "x"),
                         "/no\\x1bwhere/x.json: the folder /no\\x1bwhere/ does not exist; create it first.",
                         Error);
    CHECK_THROWS_WITH_AS(write_output((folder / "file") + "/x", "x"),
                         ((folder / "file") + "/x: cannot be written (Not a directory).").c_str(), Error);
    fs::create_symlink("loop", folder / "loop");
    CHECK_THROWS_AS(write_output(folder / "loop", "x"), Error);
}
