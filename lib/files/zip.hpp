// The table of contents of a ZIP file, as numpy.savez writes one. What the members hold is read elsewhere.
// (PKWARE's APPNOTE.TXT names the fields.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attn {

struct ZipMember {
    std::string name;
    std::string_view bytes;  // as they lie in the file
    bool deflated;
    std::uint64_t size;  // when inflated
    std::uint32_t crc;
};

// All members, in the order of the central directory. Every offset and size has been held against the file,
// and no two members share a byte. Throws Error for what is no such file, or is encrypted or otherwise
// packed.
std::vector<ZipMember> read_zip(std::string_view file, std::string_view origin);

// The bytes of a member: those of the file, or, put into `inflated`, what they inflate to. Throws Error when
// size or checksum are others than the directory says.
std::string_view content(const ZipMember& member, std::string& inflated, std::string_view origin);

// The first bytes of a member, at most `most`; nothing is checked.
std::string beginning(const ZipMember& member, std::size_t most);

}  // namespace attn
