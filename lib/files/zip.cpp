// Everything in the file may lie: a span of it is only ever taken through Reader, which checks.
#include "files/zip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "files/inflate.hpp"
#include "files/little_endian.hpp"
#include "tensor/error.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

constexpr std::uint32_t in_zip64 = 0xFFFFFFFFU;  // instead of a size or an offset: see the extra field

class Reader {
public:
    Reader(std::string_view file, std::string_view origin) : file_(file), origin_(origin) {}

    std::string_view span(std::uint64_t at, std::uint64_t size) const {
        if (at > file_.size() || size > file_.size() - at) {
            fail("it points beyond its end, or is cut short");
        }
        return file_.substr(at, size);
    }
    // A record that begins with its signature.
    std::string_view record(std::uint64_t at, std::uint64_t size, std::string_view signature) const {
        const std::string_view bytes = span(at, size);
        if (!bytes.starts_with(signature)) {
            fail("a record is not where it ought to be");
        }
        return bytes;
    }
    [[noreturn]] void fail(std::string_view problem) const {
        throw Error(fmt::format("{}: is no whole ZIP or .npz file: {}.", printable(origin_), problem));
    }

private:
    std::string_view file_;
    std::string_view origin_;
};

struct Directory {
    std::uint64_t at, size, count;
};

// The record at the end says where the directory is; a comment of up to 65,535 bytes may follow it.
Directory find_directory(std::string_view file, const Reader& reader) {
    constexpr std::size_t end_size = 22;
    constexpr std::size_t locator_size = 20;
    constexpr std::size_t longest_comment = 65535;
    const std::size_t from = file.size() - std::min(file.size(), end_size + longest_comment);
    const std::size_t found = file.substr(from).rfind("PK\5\6");
    if (found == std::string_view::npos) {
        reader.fail("its directory is missing, as when it is cut short");
    }
    const std::size_t end_at = from + found;
    const std::string_view end = reader.span(end_at, end_size);
    const Directory directory{little_endian<std::uint32_t>(end, 16), little_endian<std::uint32_t>(end, 12),
                              little_endian<std::uint16_t>(end, 10)};
    if (directory.at != in_zip64 && directory.size != in_zip64 && directory.count != 0xFFFF) {
        return directory;
    }
    if (end_at < locator_size) {
        reader.fail("its ZIP64 directory is missing");
    }
    const std::string_view locator = reader.record(end_at - locator_size, locator_size, "PK\6\7");
    const std::string_view end64 = reader.record(little_endian<std::uint64_t>(locator, 8), 56, "PK\6\6");
    return {little_endian<std::uint64_t>(end64, 48), little_endian<std::uint64_t>(end64, 40),
            little_endian<std::uint64_t>(end64, 32)};
}

// The ZIP64 extra field holds, in this order, those of the three that did not fit.
void widen(std::string_view extra, std::uint64_t& size, std::uint64_t& packed, std::uint64_t& offset,
           const Reader& reader) {
    constexpr std::uint16_t zip64 = 1;
    while (extra.size() >= 4) {
        const std::size_t length = little_endian<std::uint16_t>(extra, 2);
        if (length > extra.size() - 4) {
            reader.fail("an extra field is cut short");
        }
        std::string_view field = extra.substr(4, length);
        for (std::uint64_t* value : {&size, &packed, &offset}) {
            if (little_endian<std::uint16_t>(extra, 0) == zip64 && *value == in_zip64) {
                if (field.size() < 8) {
                    reader.fail("its ZIP64 sizes are cut short");
                }
                *value = little_endian<std::uint64_t>(field, 0);
                field.remove_prefix(8);
            }
        }
        extra.remove_prefix(4 + length);
    }
}

// Members that share bytes are how small files claim to hold much.
void refuse_overlaps(std::vector<std::pair<std::uint64_t, std::uint64_t>> spans, std::uint64_t directory,
                     const Reader& reader) {
    std::sort(spans.begin(), spans.end());
    std::uint64_t end = 0;
    for (const auto& [from, to] : spans) {
        if (from < end || to > directory) {
            reader.fail("its members overlap");
        }
        end = to;
    }
}

}  // namespace

std::vector<ZipMember> read_zip(std::string_view file, std::string_view origin) {
    constexpr std::size_t entry_size = 46;
    constexpr std::size_t local_size = 30;
    const Reader reader(file, origin);
    const Directory directory = find_directory(file, reader);
    std::string_view rest = reader.span(directory.at, directory.size);
    if (directory.count > rest.size() / entry_size) {
        reader.fail("its directory has no room for so many members");
    }
    std::vector<ZipMember> members;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> spans;
    for (std::uint64_t i = 0; i < directory.count; ++i) {
        const auto number = [&](std::size_t at) {
            return std::size_t{little_endian<std::uint16_t>(rest, at)};
        };
        if (rest.size() < entry_size || !rest.starts_with("PK\1\2")) {
            reader.fail("its directory is cut short");
        }
        const std::size_t name_length = number(28);
        const std::size_t extra_length = number(30);
        const std::size_t length = entry_size + name_length + extra_length + number(32);
        if (length > rest.size()) {
            reader.fail("its directory is cut short");
        }
        const std::string name(rest.substr(entry_size, name_length));
        const std::size_t flags = number(8);
        const std::size_t method = number(10);
        std::uint64_t packed = little_endian<std::uint32_t>(rest, 20);
        std::uint64_t size = little_endian<std::uint32_t>(rest, 24);
        std::uint64_t offset = little_endian<std::uint32_t>(rest, 42);
        widen(rest.substr(entry_size + name_length, extra_length), size, packed, offset, reader);
        if ((flags & 1U) != 0 || (method != 0 && method != 8) || (method == 0 && size != packed)) {
            throw Error(
                fmt::format("{}: the member {} is encrypted or packed in a way that is not read; save it "
                            "with numpy.savez.",
                            printable(origin), in_quotes(name)));
        }
        const std::string_view local = reader.record(offset, local_size, "PK\3\4");
        const std::uint64_t start = offset + local_size + little_endian<std::uint16_t>(local, 26) +
                                    little_endian<std::uint16_t>(local, 28);
        members.push_back(
            {name, reader.span(start, packed), method == 8, size, little_endian<std::uint32_t>(rest, 16)});
        spans.emplace_back(offset, start + packed);
        rest.remove_prefix(length);
    }
    refuse_overlaps(std::move(spans), directory.at, reader);
    return members;
}

std::string_view content(const ZipMember& member, std::string& inflated, std::string_view origin) {
    const auto fail = [&](std::string_view problem) {
        throw Error(fmt::format("{}: the member {} is damaged: {}.", printable(origin),
                                in_quotes(member.name), problem));
    };
    std::string_view bytes = member.bytes;
    if (member.deflated) {
        constexpr std::uint64_t most_to_one = 1032;  // deflate cannot pack tighter
        if (member.size / most_to_one > member.bytes.size()) {
            fail("it cannot inflate to as much as it claims");
        }
        std::optional<std::string> result = inflate(member.bytes, member.size + 1);
        if (!result || result->size() != member.size) {
            fail("it does not inflate to what it claims");
        }
        inflated = std::move(*result);
        bytes = inflated;
    }
    if (crc32(bytes) != member.crc) {
        fail("its checksum is another");
    }
    return bytes;
}

std::string beginning(const ZipMember& member, std::size_t most) {
    return member.deflated ? inflate(member.bytes, most).value_or("")
                           : std::string(member.bytes.substr(0, most));
}

}  // namespace attn
