// ZIP files whose directories are wrong.
#include "files/zip.hpp"

#include <doctest/doctest.h>

#include <string>

#include "refusal.hpp"
#include "tensor/error.hpp"
#include "tensor_files.hpp"

using namespace attn;

using namespace std::string_literals;

namespace {

const std::string bytes = "twelve bytes";

template <class... Integers>
std::string all(Integers... integers) {
    return (bytes_of(integers) + ...);
}

// Returns a member "x": its local header and its bytes.
std::string member() {
    return "PK\3\4" +
           all(std::uint16_t{20}, std::uint16_t{0}, std::uint16_t{0}, std::uint32_t{0}, crc32(bytes),
               std::uint32_t{12}, std::uint32_t{12}, std::uint16_t{1}, std::uint16_t{0}) +
           "x" + bytes;
}

// Returns the directory entry of that member, with the given sizes and offset.
std::string entry(std::uint32_t sizes, std::uint32_t offset, const std::string& extra) {
    return "PK\1\2" +
           all(std::uint32_t{20U << 16U | 20U}, std::uint16_t{0}, std::uint16_t{0}, std::uint32_t{0},
               crc32(bytes), sizes, sizes, std::uint16_t{1}, static_cast<std::uint16_t>(extra.size()),
               std::uint16_t{0}) +
           std::string(8, '\0') + bytes_of(offset) + "x" + extra;
}

std::string field(std::uint16_t id, const std::string& content) {
    return all(id, static_cast<std::uint16_t>(content.size())) + content;
}

std::string end(std::uint16_t count, std::uint32_t size, std::uint32_t at) {
    return "PK\5\6" + all(std::uint32_t{0}, count, count, size, at, std::uint16_t{0});
}

// Returns a file with that member and a directory that ends normally.
std::string file(const std::string& directory, std::uint16_t count = 1) {
    return member() + directory +
           end(count, static_cast<std::uint32_t>(directory.size()),
               static_cast<std::uint32_t>(member().size()));
}

void check_is_whole(const std::string& zip) {
    const std::vector<ZipMember> members = read_zip(zip, "file");
    REQUIRE(members.size() == 1);
    CHECK(members.front().name == "x");
    std::string buffer;
    CHECK(content(members.front(), "file", buffer) == bytes);
}

std::string refusal(const std::string& zip) {
    return refusal_of([&] { read_zip(zip, "file"); });
}

}  // namespace

TEST_CASE("a whole file is read, and what ZIP64 would be needed for is refused") {
    check_is_whole(file(entry(12, 0, "")));
    check_is_whole(file(entry(12, 0, field(0x5455, "time"))));
    CHECK(refusal(end(1, 0, 0xFFFFFFFF)) == "file: a ZIP file larger than 4 GiB; save fewer arrays.");
}

TEST_CASE("a directory of fewer members than it says is refused") {
    CHECK(refusal(file(entry(12, 0, field(0x5455, std::string(42, 'x'))), 2)) ==
          "file: damaged or truncated ZIP file.");
    CHECK(refusal(file(entry(12, 0, "") + std::string(46, '\0'), 2)) ==
          "file: damaged or truncated ZIP file.");
}

TEST_CASE("more arrays than a .npz counts are refused") {
    ZipWriter writer([](std::string_view) {});
    for (int i = 0; i < 65534; ++i) {
        writer.add("x", "", "");
    }
    CHECK_THROWS_AS(writer.add("x", "", ""), Error);
}
