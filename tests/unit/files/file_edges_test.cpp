// Unusual files: special names, links, permissions, and damaged files of tensors.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

#include "files/json.hpp"
#include "files/sink.hpp"
#include "files/source.hpp"
#include "files/tensor_file.hpp"
#include "files/zip.hpp"
#include "refusal.hpp"
#include "stages/lesson_reader.hpp"
#include "temporary_folder.hpp"
#include "tensor/error.hpp"
#include "tensor_files.hpp"
#include "texts.hpp"
#include "unprivileged.hpp"
#include "weights/weights.hpp"

namespace fs = std::filesystem;
using namespace attn;
using namespace std::string_literals;

namespace {

void write_output(const std::string& path, std::string_view text) {
    Sink sink(path);
    sink.write(text);
    sink.commit();
}

// Returns the error for a file with these bytes and that name, or for its numbers.
std::string complaint(const std::string& bytes, const std::string& name = "file") {
    const TemporaryFolder folder;
    put(folder / name, bytes);
    return refusal_of([&] {
        const auto file =
            open_tensor_file(std::make_shared<const std::string>(read_source(folder / name)), name);
        if (file == nullptr) {
            throw Error("left to JSON");
        }
        for (const TensorEntry& entry : file->entries()) {
            file->read(entry, Contents::finite);
        }
    });
}

const std::string six = floats({1, 2, 3, 4, 5, 6});

}  // namespace

TEST_CASE("as many links as the system follows lead to the file, and one more to none") {
    const TemporaryFolder folder;
    put(folder / "0", "old");
    for (int i = 1; i <= 41; ++i) {
        fs::create_symlink(std::to_string(i - 1), folder / std::to_string(i));
    }
    write_output(folder / "40", "new");
    CHECK(content(folder / "0") == "new");
    CHECK(fs::is_symlink(folder / "1"));
    CHECK(
        has(refusal_of([&] { write_output(folder / "41", "newer"); }), "Too many levels of symbolic links"));
}

TEST_CASE("a folder that may be written but not read will do, a pipe that may not be written will not") {
    const TemporaryFolder folder;
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    REQUIRE(::chmod((folder / "pipe").c_str(), 0444) == 0);
    REQUIRE(::chmod(folder.path().c_str(), 0333) == 0);
    {
        const Unprivileged user;
        write_output(folder / "out", "new");
        CHECK(refusal_of([&] { write_output(folder / "pipe", "x"); }) ==
              (folder / "pipe") + ": cannot be written (Permission denied).");
    }
    REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
    CHECK(content(folder / "out") == "new");
    REQUIRE(::chmod((folder / "out").c_str(), 0) == 0);
    const Unprivileged user;
    CHECK(refusal_of([&] { read_source(folder / "out"); }) ==
          (folder / "out") + ": cannot be read (Permission denied).");
}

TEST_CASE("no input is no file that is overwritten, nor is one of another file system") {
    const TemporaryFolder folder;
    put(folder / "a", "x");
    CHECK_NOTHROW(refuse_to_overwrite(folder / "none", folder / "a"));
    CHECK_NOTHROW(refuse_to_overwrite("/proc/version", folder / "a"));
    CHECK(source_name("") == "\"\"");
}

TEST_CASE("a file that says a wrong size is read to its end") {
    const std::string pages = "/sys/kernel/uevent_seqnum";  // its size is given as 4096 bytes
    if (fs::exists(pages)) {
        CHECK(read_source(pages).ends_with('\n'));
    }
}

TEST_CASE("what is called .safetensors is held to it, and other bytes are left to JSON") {
    CHECK(complaint("short", "x.safetensors") ==
          "x.safetensors: damaged .safetensors file: it is shorter than a header.");
    CHECK(complaint(safetensors_file("[]", ""), "x.safetensors") ==
          "x.safetensors (header): expected an object but found an array.");
    CHECK(complaint(
              safetensors_file(R"({"x":{"dtype":"F32","shape":[6],"data_offsets":[0,23]}})", six.substr(1)))
              .find("shape (6,) with type F32 needs 24 bytes but has 23.") != std::string::npos);
    for (const std::string& other : {"12345678{}"s, "\x80\1"s, "\x80\6"s, "\x80"s}) {
        CHECK(complaint(other) == "left to JSON");
    }
}

TEST_CASE("lessons and weights that are not in a file of tensors are missed by name") {
    const TemporaryFolder folder;
    const auto said = [&](const std::string& bytes, bool weights = false) {
        put(folder / "x.npz", bytes);
        return refusal_of(
            [&] { weights ? void(load_weights(folder / "x.npz")) : void(load_lesson(folder / "x.npz")); });
    };
    const std::string name = folder / "x.npz";
    CHECK(said(safetensors_file("{}", "")) ==
          name + ": has 0 tensors, but none called inputs, embeddings or x.");
    CHECK(said(safetensors_file("{}", ""), true) ==
          name + ": expected weights but there is no tensor in it.");
    CHECK(said(ZipFile().text()).starts_with(name + ": a ZIP file without a .npy in it"));
    ZipFile flat;
    flat.add("flat.npy", npy_file("<f4", "(6,)", six));
    CHECK(said(flat.text()).starts_with(name + ": at /flat: expected one row of numbers per token"));
    ZipFile many;
    for (int i = 0; i < 21; ++i) {
        many.add("t" + std::to_string(i) + ".npy", npy_file("<f4", "(2, 3)", six));
    }
    CHECK(said(many.text()).ends_with("t18, t19, …."));
    const auto lesson = [](std::string_view json) {
        return refusal_of([&] { read_lesson(json, "x.json"); });
    };
    CHECK(
        lesson(R"({"tokens": ["a", "b"], "embeddings": [1, [2, 3]]})").starts_with("x.json: at /embeddings"));
    CHECK(lesson(R"({"tokens": ["a", {"b": 1, "b": 2}], "embeddings": [[1]]})") ==
          "x.json: duplicate key \"b\" in one object; keep one.");
    CHECK(has(lesson(R"({"tokens": false, "embeddings": [[1]]})"), "found false"));
}

TEST_CASE("more arrays than a .npz counts are refused") {
    ZipWriter writer([](std::string_view) {});
    for (int i = 0; i < 65534; ++i) {
        writer.add("x", "", "");
    }
    CHECK_THROWS_AS(writer.add("x", "", ""), Error);
}
