// Unusual tensor files, and the errors for damaged ones. tests/oracle/formats.py tests files that NumPy and
// PyTorch write or read, tests/fuzz bytes changed at random.
#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "files/npy.hpp"
#include "files/safetensors.hpp"
#include "files/tensor_file.hpp"
#include "files/zip.hpp"
#include "refusal.hpp"
#include "stages/lesson_reader.hpp"
#include "temporary_folder.hpp"
#include "tensor/error.hpp"
#include "tensor_files.hpp"
#include "texts.hpp"
#include "weights/weights.hpp"

using namespace attn;
using namespace std::string_literals;

namespace {

// Opens a file of these bytes; `name` is its name in messages.
std::shared_ptr<const TensorFile> open(const std::string& bytes, const std::string& name = "file") {
    const TemporaryFolder folder;  // removed immediately: a mapped file stays readable
    put(folder / name, bytes);
    return open_tensor_file(std::make_shared<const std::string>(read_source(folder / name)), name);
}

Tensor read(const std::string& bytes, std::size_t entry = 0, Contents contents = Contents::finite) {
    const std::shared_ptr<const TensorFile> file = open(bytes);
    REQUIRE(file != nullptr);
    return file->read(file->entries().at(entry), contents);
}

// Returns the error for these bytes, including errors of reading the tensors.
std::string complaint(const std::string& bytes, const std::string& name = "file") {
    return refusal_of([&] {
        const std::shared_ptr<const TensorFile> file = open(bytes, name);
        if (file == nullptr) {
            throw Error("left to JSON");
        }
        for (const TensorEntry& entry : file->entries()) {
            file->read(entry, Contents::finite);
        }
    });
}

using Complaints = std::vector<std::pair<std::string, std::string>>;

// Checks that the error for each file contains a text.
void check(const Complaints& rows, const std::string& name = "file") {
    for (const auto& [bytes, part] : rows) {
        const std::string said = complaint(bytes, name);
        CHECK_MESSAGE(has(said, part), said);
    }
}

const std::string six = floats({1, 2, 3, 4, 5, 6});
const std::string two_by_three = npy_file("<f4", "(2, 3)", six);
const std::string x_header = R"({"x":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}})";

std::string one_tensor(const std::string& dtype, const std::string& shape, const std::string& offsets) {
    return R"({"x":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
}

std::string npz(const std::string& npy) {
    ZipFile zip;
    zip.add("x.npy", npy);
    return zip.text();
}

}  // namespace

TEST_CASE("a .npy header is read in forms that numpy.save does not write for a lesson") {
    CHECK(identical(
        read(npy_file("{\"shape\": (3,), \"fortran_order\": False, \"descr\": \"<f4\"}", floats({1, 2, 3}))),
        Tensor({3}, {1, 2, 3})));
    CHECK(identical(read(npy_file("<f4", "()", floats({7}))), Tensor(Shape{}, {7})));
}

TEST_CASE("a .npy that is damaged or holds what is not read is refused with the reason") {
    const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
    check({
        {two_by_three.substr(0, 9), "file: truncated within its header."},
        {two_by_three.substr(0, 40), "file: truncated within its header."},
        {two_by_three.substr(0, two_by_three.size() - 1),
         "file: shape (2, 3) with type <f4 needs 24 bytes but has 23."},
        {two_by_three + "\0"s, "needs 24 bytes but has 25."},
        {npy_file("<f4", "(4294967296, 4294967296)", six),
         "with type <f4 needs 73786976294838206464 bytes but has 24."},
        {npy_file("<f4", "(18446744073709551616,)", six), "at /shape/0: expected a whole number from 0 to"},
        {npy_file("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2), }", floats({1, -INFINITY})),
         "file: at /0/1: expected a finite number within float32's range, ±3.4028235e38, but found -inf."},
        {npy_file("<c8", "(2, 3)", six), "file: contains numbers of type \"<c8\"; save them as float32."},
        {npy_file("|b1", "(24,)", six), "file: contains numbers of type \"|b1\""},
        {npy_file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (6,), }", six),
         "at /descr: expected a string but found an array."},
        {npy_file("", six), "file (header): expected the dictionary that numpy.save writes but found \"\"."},
        {npy_file("{'descr': '<f4', 'fortran_order': False}", six), "the key \"shape\" is missing"},
        {npy_file(good + "; import os", six), "expected the dictionary that numpy.save writes but found"},
        {npy_file("{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 3)}", six),
         "at /fortran_order: expected true or false but found 0."},
        {npy_file("<f4", "(0, 3)", ""), "file: expected at least one number but found the shape (0, 3)."},
        {npy_file("<f4", "(1, 1, 1, 1, 6)", six), "file: has 5 dimensions, but a tensor can have at most 4."},
        {"\x93NUMPY\x04\x00\x00\x00\x00\x00\x00"s, ".npy version 4 is not supported; 1, 2 and 3 are"},
        {"\x93NUMPY\x02\x00\xff\xff\xff\xff{}"s, "truncated within its header"},
        {npy_file("<f8", "(1,)", bytes_of(std::bit_cast<std::uint64_t>(1e39))),
         "file: at /0: expected a finite number within float32's range"},
    });
}

TEST_CASE("a .npz that is damaged, lies or hides something is refused with the reason") {
    ZipFile good;
    good.add("x.npy", two_by_three);
    const std::string bytes = good.text();
    const auto with = [](const std::string& member, const ZipFile::Claims& claims) {
        ZipFile zip;
        zip.add("x.npy", member, claims);
        return zip.text();
    };
    ZipFile twice;
    twice.add("x.npy", two_by_three);
    twice.add("x.npy", two_by_three);
    ZipFile pickle;
    pickle.add("archive/data.pkl", "\x80\x02}q.");
    check({
        {bytes.substr(0, bytes.size() - 30), "file: damaged or truncated ZIP file."},
        {good.text(0x7FFFFFFF), "damaged or truncated ZIP file."},
        {good.text(3), "damaged or truncated ZIP file."},
        {with(two_by_three, {.crc = 12345}),
         "file: \"x.npy\" is damaged: its size or checksum differs from the ZIP directory."},
        {with(two_by_three, {.size = 0x7FFFFFFF}), "is not supported"},
        {with(two_by_three, {.method = 12}), "is not supported"},
        {with(two_by_three, {.method = 8}), "file: at \"x.npy\": not a .npy file"},
        {with("\x4b\x04\x00"s, {.method = 8, .size = 0xFFFFFFFE}), "not a .npy file"},
        {npz(two_by_three.substr(0, 50)), "file: at \"x.npy\": truncated within its header."},
        {npz("hello"), "file: at \"x.npy\": not a .npy file: it does not begin with \\x93NUMPY."},
        {npz(npy_file("<f4", "(1,)", floats({NAN}))),
         "file: at /x/0: expected a finite number within float32's range, ±3.4028235e38, but found nan."},
        {twice.text(), "contains two arrays called \"x\""},
        {pickle.text(),
         "a state dict with python -c \"import numpy, torch; numpy.savez('file.npz', **{k: v.float("},
        {ZipFile().text(), "file: a ZIP file without a .npy in it."},
        {"\x80\x02}q\x00."s, "file: a pickle, which is never read"},
    });
}

TEST_CASE("what a deflated member cannot be is refused before it is inflated") {
    // Makes a header in a stored block of deflate that claims to inflate to `size` bytes.
    const auto claiming = [](const std::string& shape, std::uint32_t size) {
        const std::string header = npy_file("<f4", shape, "");
        const auto length = static_cast<std::uint16_t>(header.size());
        const std::string block =
            "\1"s + bytes_of(length) + bytes_of(static_cast<std::uint16_t>(~length)) + header;
        ZipFile zip;
        zip.add("x.npy", block, {.method = 8, .size = static_cast<std::uint32_t>(header.size()) + size});
        return complaint(zip.text());
    };
    CHECK(claiming("(2, 3)", 0x60000000) ==
          "file: at /x: shape (2, 3) with type <f4 needs 24 bytes but has 1610612736.");
    CHECK(claiming("(16777216,)", 0x4000000) ==
          "file: \"x.npy\" is damaged: its size or checksum differs from the ZIP directory.");
}

TEST_CASE("a .safetensors is read whatever the length of its header, also if it begins as a pickle does" *
          doctest::test_suite("long")) {
    const std::string header = x_header;
    for (std::size_t length = header.size(); length < 0x10000; length += length < 0x600 ? 1 : 0x7F) {
        const std::string bytes = safetensors_file(header + std::string(length - header.size(), ' '), six);
        CHECK(complaint(bytes) == "");
    }
}

TEST_CASE("a .safetensors that breaks a rule of the format is refused with the rule") {
    const std::string pair = R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,12]},)"
                             R"("b":{"dtype":"F32","shape":[3],"data_offsets":[)";
    const auto of = [](const std::string& shape, const std::string& offsets) {
        return safetensors_file(one_tensor("F32", shape, offsets), six);
    };
    check({
        {bytes_of(std::uint64_t{1} << 40U) + "{}",
         "its header should have 1099511627776 bytes, but only 2 follow"},
        {safetensors_file(x_header, six).substr(0, 70),
         "expected two offsets within the 5 bytes that follow the header"},
        {safetensors_file(x_header, six + "\0"s), "its tensors need 24 bytes, but 25 follow the header"},
        {safetensors_file(pair + "0,12]}}", floats({1, 2, 3})),
         "its tensors need 24 bytes, but 12 follow the header"},
        {safetensors_file(pair + "16,28]}}", six + floats({7})),
         "its tensors need 24 bytes, but 28 follow the header"},
        {safetensors_file(pair + "6,18]}}", six), "its tensors overlap"},
        {of("[2,3]", "[24,0]"), "at /x/data_offsets: expected two offsets within the"},
        {of("[2,3]", "[0,9007199254740991]"), "at /x/data_offsets: expected two offsets within the"},
        {of("[2,3]", "[0]"), "at /x/data_offsets: expected two offsets within the"},
        {of("[4294967296,4294967296]", "[0,24]"), "needs 73786976294838206464 bytes but has 24."},
        {of("[2,4]", "[0,24]"), "file: at /x: shape (2, 4) with type F32 needs 32 bytes but has 24."},
        {safetensors_file(R"({"x":{"dtype":"F32","shape":[6]}})", six),
         "the key \"data_offsets\" is missing"},
        {safetensors_file(R"({"x":{"dtype":"F32","shape":[6],"data_offsets":[0,24],"y":1}})", six),
         "unknown key \"y\""},
        {safetensors_file(one_tensor("I32", "[6]", "[0,24]"), six), "contains numbers of type \"I32\""},
        {safetensors_file(one_tensor("U8", "[24]", "[0,24]"), six), "contains numbers of type \"U8\""},
        {safetensors_file(one_tensor("F32", "[2]", "[0,8]"), floats({0, NAN})),
         "file: at /x/1: expected a finite number"},
    });
}

TEST_CASE("offsets beyond what a float32 counts are read exactly") {
    const std::string big(std::size_t{1} << 25U, '\0');  // 2^23 zeros, then an odd offset in bytes
    const std::string header = R"({"a":{"dtype":"U8","shape":[33554433],"data_offsets":[0,33554433]},)"
                               R"("x":{"dtype":"F32","shape":[1],"data_offsets":[33554433,33554437]}})";
    CHECK(read(safetensors_file(header, big + '\0' + floats({5})), 1).values()[0] == 5.0F);
}

// tests/oracle/formats.py reads masks of truth values.
TEST_CASE("bytes are a mask as well") {
    CHECK(identical(read(safetensors_file(one_tensor("U8", "[2]", "[0,2]"), "\1\0"s), 0, Contents::mask),
                    Tensor({2}, {1, 0})));
}

TEST_CASE("what is called .safetensors is held to it, and other bytes are left to JSON") {
    check({{"short", "x.safetensors: damaged .safetensors file: it is shorter than a header."},
           {safetensors_file("[]", ""), "x.safetensors (header): expected an object but found an array."}},
          "x.safetensors");
    for (const std::string& other : {"12345678{}"s, "\x80\1"s, "\x80\6"s, "\x80"s}) {
        CHECK(complaint(other) == "left to JSON");
    }
}

TEST_CASE("a lesson is the only array, or the one called so, whatever axes of length 1 stand before it") {
    const TemporaryFolder folder;
    const std::string path = folder / "file";
    const auto lesson = [&](const std::string& bytes) {
        put(path, bytes);
        return load_lesson(path);
    };
    const auto zip = [](std::initializer_list<std::pair<std::string, std::string>> arrays) {
        ZipFile file;
        for (const auto& [name, bytes] : arrays) {
            file.add(name + ".npy", bytes);
        }
        return file;
    };
    CHECK(lesson(two_by_three).tokens == std::vector<std::string>{"0", "1"});
    CHECK(lesson(npy_file("<f4", "(1, 2, 3)", six)).embeddings.shape() == Shape{2, 3});
    CHECK(lesson(npy_file("<f4", "(1, 1, 6)", six)).embeddings.shape() == Shape{1, 6});
    CHECK(lesson(R"({"tokens": ["a"], "embeddings": [[1, 2]]})").tokens == std::vector<std::string>{"a"});
    CHECK(lesson(zip({{"other", two_by_three}, {"inputs", npy_file("<f4", "(3, 2)", six)}}).text())
              .embeddings.shape() == Shape{3, 2});
    const std::string rows = ": expected one row of numbers per token";
    ZipFile many;
    for (int i = 0; i < 21; ++i) {
        many.add("t" + std::to_string(i) + ".npy", two_by_three);
    }
    const Complaints missed{
        {zip({{"a", two_by_three}, {"b", two_by_three}}).text(),
         ": has 2 tensors, but none called inputs, embeddings or x: a, b."},
        {safetensors_file("{}", ""), ": has 0 tensors, but none called inputs, embeddings or x."},
        {ZipFile().text(), ": a ZIP file without a .npy in it"},
        {zip({{"flat", npy_file("<f4", "(6,)", six)}}).text(), ": at /flat" + rows},
        {many.text(), "t18, t19, …."},
        {npy_file("<f4", "(6,)", six), rows},
        {npy_file("<f4", "(2, 3, 1)", six), ": expected one sequence, a shape like (6, 3)"},
        {npy_file("<f4", "()", floats({1})), rows},
    };
    for (const auto& row : missed) {
        CHECK(has(refusal_of([&] { lesson(row.first); }), row.second));
    }
    const auto weights = [&] { return refusal_of([&] { load_weights(path); }); };
    CHECK_FALSE(weights().empty());  // weights need names
    put(path, safetensors_file("{}", ""));
    CHECK(weights() == path + ": expected weights but there is no tensor in it.");
}

TEST_CASE("the header of a written .npy is numpy.save's, also where it fills its 128 bytes exactly") {
    CHECK(npy_header({2, 3}) == npy_file("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }" +
                                             std::string(58, ' ') + "\n",
                                         ""));
    CHECK(npy_header({10000000000000, 10000000000000, 10000000000000, 10000000000000}).size() == 128);
}
