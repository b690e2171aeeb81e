// ZIP files, as numpy.savez writes them: up to 4 GiB, members deflated when read and stored when written.
// (PKWARE's APPNOTE.TXT names the fields.)
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace attn {

struct ZipMember {
    std::string name;
    std::string_view bytes;  // as they lie in the file
    bool deflated;
    std::uint32_t size;  // when inflated
    std::uint32_t crc;
};

// All members, in the order of the directory. Throws Error for a damaged file, and for members packed
// otherwise.
std::vector<ZipMember> read_zip(std::string_view file, std::string_view origin);

// The bytes of a member, which are in the buffer if they were deflated. Throws Error when size or checksum
// differ from those in the directory.
std::string_view content(const ZipMember& member, std::string_view origin, std::string& buffer);

// The first bytes of a member, at most `most`; nothing is checked.
std::string beginning(const ZipMember& member, std::size_t most);

class ZipWriter {
public:
    using Write = std::function<void(std::string_view)>;

    explicit ZipWriter(Write write) : write_(std::move(write)) {}

    // A member of these two parts. Throws Error when the file would be too large.
    void add(std::string_view name, std::string_view header, std::string_view data);
    // The directory. Nothing may be added after it.
    void end();

private:
    Write write_;
    std::string directory_;
    std::uint64_t written_ = 0;
    std::uint16_t count_ = 0;
};

}  // namespace attn
