// ZIP files as numpy.savez writes them, up to 4 GiB. Compressed members can be read; members are written
// uncompressed. The fields are named in PKWARE's APPNOTE.TXT.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace attn {

struct ZipMember {
    std::string name;
    std::string_view bytes;  // the bytes of the member, as they are stored in the file
    bool deflated;
    std::uint32_t size;  // size of the member after inflating
    std::uint32_t crc;
};

// Returns all members, in the order of the directory. Throws Error for a damaged file and for compression
// methods other than deflate.
std::vector<ZipMember> read_zip(std::string_view file, std::string_view origin);

// Returns the bytes of a member. If they were compressed, they are inflated into `buffer`. Throws Error if
// size or checksum differ from the directory.
std::string_view content(const ZipMember& member, std::string_view origin, std::string& buffer);

// Returns at most `most` bytes from the beginning of a member, without checking them.
std::string beginning(const ZipMember& member, std::size_t most);

class ZipWriter {
public:
    using Write = std::function<void(std::string_view)>;

    explicit ZipWriter(Write write) : write_(std::move(write)) {}

    // Writes a member; its content is the two parts. Throws Error if the file would be too large.
    void add(std::string_view name, std::string_view header, std::string_view data);
    // Writes the directory, after which nothing may be added.
    void end();

private:
    Write write_;
    std::string directory_;
    std::uint64_t written_ = 0;
    std::uint16_t count_ = 0;
};

}  // namespace attn
