// ZIP files whose directories are wrong.
#include "files/zip.hpp"

#include <doctest/doctest.h>

#include <string>

#include "refusal.hpp"
#include "tensor/error.hpp"
#include "tensor_files.hpp"

using namespace attn;

namespace {

const std::string bytes = "twelve bytes";

ZipFile one_member(const std::string& extra) {
    ZipFile zip;
    zip.add("x", bytes, {.extra = extra});
    return zip;
}

// Returns an extra field with the time of a file, or with other bytes.
std::string time_field(const std::string& content) {
    return bytes_of(std::uint16_t{0x5455}) + bytes_of(static_cast<std::uint16_t>(content.size())) + content;
}

// Returns the error for a file whose directory has one member more than it should.
std::string refusal(ZipFile zip) {
    ++zip.count;
    return refusal_of([&] { read_zip(zip.text(), "file"); });
}

}  // namespace

TEST_CASE("a whole file is read, and what ZIP64 would be needed for is refused") {
    for (const std::string& extra : {std::string(), time_field("time")}) {
        const std::string zip = one_member(extra).text();
        const std::vector<ZipMember> members = read_zip(zip, "file");
        REQUIRE(members.size() == 1);
        CHECK(members.front().name == "x");
        std::string buffer;
        CHECK(content(members.front(), "file", buffer) == bytes);
    }
    CHECK(refusal_of([] { read_zip(ZipFile().text(0xFFFFFFFF), "file"); }) ==
          "file: a ZIP file larger than 4 GiB; save fewer arrays.");
}

TEST_CASE("a directory of fewer members than it says is refused") {
    CHECK(refusal(one_member(time_field(std::string(42, 'x')))) == "file: damaged or truncated ZIP file.");
    ZipFile zeros = one_member("");
    zeros.directory += std::string(46, '\0');
    CHECK(refusal(zeros) == "file: damaged or truncated ZIP file.");
}

TEST_CASE("more arrays than a .npz counts are refused") {
    ZipWriter writer([](std::string_view) {});
    for (int i = 0; i < 65534; ++i) {
        writer.add("x", "", "");
    }
    CHECK_THROWS_AS(writer.add("x", "", ""), Error);
}
