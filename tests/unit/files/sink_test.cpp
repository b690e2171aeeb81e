// Files appear complete or not at all. tests/cli/output.py tests links, pipes, devices and
// standard output, tests/torture/failures.py full disks.
#include "files/sink.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "files/source.hpp"
#include "refusal.hpp"
#include "temporary_folder.hpp"
#include "texts.hpp"
#include "unprivileged.hpp"

namespace fs = std::filesystem;
using namespace attn;

namespace {

void write_output(const std::string& path, std::string_view text) {
    Sink sink(path);
    sink.write(text);
    sink.finish();
    sink.commit();
}

std::string write_refusal(const std::string& path) {
    return refusal_of([&] { write_output(path, "x"); });
}

void change_mode(const std::string& path, mode_t mode) {
    REQUIRE(::chmod(path.c_str(), mode) == 0);
}

unsigned mode_of(const std::string& path) {
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    return status.st_mode & 07777U;
}

}  // namespace

TEST_CASE("a new file has the mode that the umask leaves, a replaced one keeps its own") {
    const TemporaryFolder folder;
    const mode_t before = ::umask(027);
    write_output(folder / "new", "[1]\n");
    ::umask(before);
    put(folder / "old", "a longer old text");
    change_mode(folder / "old", 0604);
    write_output(folder / "old", "new");
    CHECK(content(folder / "new") == "[1]\n");
    CHECK(mode_of(folder / "new") == 0640);
    CHECK(content(folder / "old") == "new");
    CHECK(mode_of(folder / "old") == 0604);
    CHECK(folder.entries() == 2);
}

TEST_CASE("pieces of any size come out in order, and nothing before all are there") {
    const TemporaryFolder folder;
    put(folder / "old", "old");
    std::string all;
    for (const bool commits : {false, true}) {
        Sink sink(folder / "old");
        for (const std::size_t size : {1U, 65535U, 1U, 65536U, 65537U, 0U, 200000U, 3U}) {
            const std::string piece(size, static_cast<char>('a' + all.size() % 26));
            sink.write(piece);
            all += commits ? piece : "";
        }
        CHECK(folder.entries() == 2);
        CHECK(content(folder / "old") == "old");
        if (commits) {
            sink.finish();
            sink.commit();
        }
    }
    CHECK(content(folder / "old") == all);
    CHECK(folder.entries() == 1);
}

TEST_CASE("a write-protected file or folder leaves the old file and nothing beside it") {
    const TemporaryFolder folder;
    const std::string path = folder / "old";
    put(path, "old");
    for (const mode_t mode_of_file : {0444U, 0666U}) {
        change_mode(path, mode_of_file);
        change_mode(folder.path(), mode_of_file == 0444 ? 0777 : 0555);
        const Unprivileged user;
        CHECK(write_refusal(path) == path + ": cannot be written (Permission denied).");
    }
    change_mode(folder.path(), 0755);
    CHECK(content(path) == "old");
    CHECK(folder.entries() == 1);
}

TEST_CASE("a folder that may be written but not read will do, a pipe that may not be written will not") {
    const TemporaryFolder folder;
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    change_mode(folder / "pipe", 0444);
    change_mode(folder.path(), 0333);
    {
        const Unprivileged user;
        write_output(folder / "out", "new");
        const std::string refusal = write_refusal(folder / "pipe");
        CHECK(refusal == (folder / "pipe") + ": cannot be written (Permission denied).");
    }
    change_mode(folder.path(), 0755);
    CHECK(content(folder / "out") == "new");
    change_mode(folder / "out", 0);
    const Unprivileged user;
    CHECK(refusal_of([&] { read_source(folder / "out"); }) ==
          (folder / "out") + ": cannot be read (Permission denied).");
}

TEST_CASE("targets that cannot be are named with the reason") {
    const TemporaryFolder folder;
    put(folder / "file", "x");
    fs::create_symlink("loop", folder / "loop");
    const std::pair<std::string, std::string> rows[] = {
        {"/", "/: is a folder; give the path of a file."},
        {"", "an empty file name; give a path, or - for standard output."},
        {"/no\x1bwhere/x.json",
         "/no\\x1bwhere/x.json: the folder /no\\x1bwhere/ does not exist; create it first."},
        {folder / "file/x", (folder / "file/x") + ": cannot be written (Not a directory)."},
        {folder / "loop", (folder / "loop") + ": cannot be written (Too many levels of symbolic links)."},
    };
    for (const auto& [path, message] : rows) {
        CHECK(write_refusal(path) == message);
    }
}

TEST_CASE("as many links as the system follows lead to the file, and one more to none") {
    const TemporaryFolder folder;
    put(folder / "0", "old");
    for (int i = 1; i <= 41; ++i) {
        fs::create_symlink(std::to_string(i - 1), folder / std::to_string(i));
    }
    write_output(folder / "40", "new");
    CHECK(content(folder / "0") == "new");
    CHECK(fs::is_symlink(folder / "1"));
    CHECK(has(write_refusal(folder / "41"), "Too many levels of symbolic links"));
}

TEST_CASE("a file that was read is not written, under whatever name; others are") {
    const TemporaryFolder folder;
    put(folder / "in", "x");
    put(folder / "other", "x");
    CHECK_NOTHROW(require_writable(folder / "in"));
    CHECK(read_source(folder / "in") == "x");
    fs::create_hard_link(folder / "in", folder / "hard");
    fs::create_symlink("in", folder / "soft");
    for (const std::string name : {"in", "hard", "soft", "./in"}) {
        CHECK(write_refusal(folder / name) ==
              (folder / name) + ": this file is the input; give another file to write.");
    }
    CHECK(content(folder / "in") == "x");
    CHECK(read_source("/proc/version").starts_with("Linux"));
    CHECK_NOTHROW(write_output(folder / "other", "y"));
    CHECK_NOTHROW(write_output(folder / "new", "y"));
}
