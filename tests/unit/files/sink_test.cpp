// Files appear complete or not at all; pipes and devices are written directly; every lost byte is an error.
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

// While this object lives, descriptor 1 leads elsewhere or, given -1, nowhere.
class Redirected {
public:
    explicit Redirected(int descriptor) {
        std::cout.flush();
        std::fflush(stdout);
        saved_ = ::dup(STDOUT_FILENO);
        if (descriptor < 0) {
            ::close(STDOUT_FILENO);
        } else {
            ::dup2(descriptor, STDOUT_FILENO);
            ::close(descriptor);
        }
    }
    ~Redirected() {
        std::fflush(stdout);
        std::clearerr(stdout);
        ::dup2(saved_, STDOUT_FILENO);
        ::close(saved_);
    }

private:
    int saved_ = -1;
};

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

TEST_CASE("a symbolic link stays and the file it leads to is replaced, or made") {
    const TemporaryFolder folder;
    fs::create_directory(folder / "sub");
    put(folder / "sub/real", "old");
    fs::create_symlink("sub/real", folder / "middle");
    fs::create_symlink(folder / "middle", folder / "link");
    write_output(folder / "link", "new");
    CHECK(fs::is_symlink(folder / "link"));
    CHECK(fs::is_symlink(folder / "middle"));
    CHECK(content(folder / "sub/real") == "new");

    fs::create_symlink("sub/later", folder / "dangling");
    write_output(folder / "dangling", "made");
    CHECK(fs::is_symlink(folder / "dangling"));
    CHECK(content(folder / "sub/later") == "made");
}

TEST_CASE("pipes and devices are written through, and stay") {
    const TemporaryFolder folder;
    const std::string pipe = folder / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    std::string received;
    std::thread reader([&] { received = content(pipe); });
    write_output(pipe, std::string(300000, 'p'));
    reader.join();
    CHECK(received == std::string(300000, 'p'));
    CHECK(fs::is_fifo(pipe));

    fs::create_symlink("/dev/null", folder / "null");
    write_output("/dev/null", "x");
    write_output(folder / "null", "x");
    CHECK(fs::is_character_file("/dev/null"));
    CHECK_THROWS_WITH_AS(write_output("/dev/full", "x"),
                         "/dev/full: cannot be written (No space left on device).", Error);
    CHECK(fs::is_character_file("/dev/full"));
    CHECK(folder.entries() == 2);
}

TEST_CASE("standard output gets every byte, or there is an error") {
    const TemporaryFolder folder;
    {
        const Redirected to(::open((folder / "out").c_str(), O_WRONLY | O_CREAT, 0600));
        write_standard_output("one ");
        write_output("-", "two ");
        write_output("/dev/stdout", "three");
    }
    CHECK(content(folder / "out") == "one two three");
    const auto failure = [](int descriptor) {
        const Redirected to(descriptor);
        try {
            write_standard_output("lost");
            return std::string("nothing");
        } catch (const Error& error) {
            return std::string(error.what());
        }
    };
    CHECK(failure(::open("/dev/full", O_WRONLY)) ==
          "standard output: cannot be written (No space left on device).");
    CHECK(failure(-1) == "standard output: cannot be written (Bad file descriptor).");
}

TEST_CASE("a reader that went away is an error when its signal is ignored") {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    ::close(ends[0]);
    const auto handler = std::signal(SIGPIPE, SIG_IGN);
    std::string message;
    {
        const Redirected to(ends[1]);
        try {
            write_standard_output("lost");
        } catch (const Error& error) {
            message = error.what();
        }
    }
    std::signal(SIGPIPE, handler);
    CHECK(message == "standard output: cannot be written (Broken pipe).");
}

TEST_CASE("one file is known under all its names, and the input is not overwritten") {
    const TemporaryFolder folder;
    put(folder / "a", "x");
    put(folder / "b", "x");
    fs::create_symlink("a", folder / "symbolic");
    fs::create_hard_link(folder / "a", folder / "hard");
    CHECK_THROWS_AS(refuse_to_overwrite(folder / "a", folder / "a"), Error);
    CHECK_THROWS_AS(refuse_to_overwrite(folder / "a", (folder / ".") + "/a"), Error);
    CHECK_THROWS_AS(refuse_to_overwrite(folder / "hard", folder / "a"), Error);
    CHECK_NOTHROW(refuse_to_overwrite(folder / "a", folder / "none"));
    CHECK_NOTHROW(refuse_to_overwrite("/dev/null", "/dev/null"));
    CHECK_NOTHROW(refuse_to_overwrite("-", "-"));
    CHECK_THROWS_WITH_AS(refuse_to_overwrite(folder / "a", folder / "symbolic"),
                         ((folder / "symbolic") + ": this file is the input; give another file to "
                                                  "write.")
                             .c_str(),
                         Error);
    CHECK_NOTHROW(refuse_to_overwrite(folder / "a", folder / "b"));
}
