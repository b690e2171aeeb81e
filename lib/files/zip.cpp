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
    [[noreturn]] void fail(const Message& problem) const {
        throw Error("{}: damaged or truncated ZIP file: {}.", printable(origin_), problem);
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

// What the directory and the record before a member both say of it.
struct Record {
    std::uint16_t flags, method;
    std::uint32_t crc;
    std::uint64_t packed, size;  // still as they stand there
    std::string_view name, extra;
};

constexpr std::size_t entry_size = 46;  // in the directory, before its name
constexpr std::size_t local_size = 30;

// These fields begin at `at`, and the name at `name_at`, of bytes that hold all of them.
Record record(std::string_view bytes, std::size_t at, std::size_t name_at) {
    const auto short_at = [&](std::size_t i) { return little_endian<std::uint16_t>(bytes, at + i); };
    const auto long_at = [&](std::size_t i) { return little_endian<std::uint32_t>(bytes, at + i); };
    return {short_at(0),
            short_at(2),
            long_at(8),
            long_at(12),
            long_at(16),
            bytes.substr(name_at, short_at(20)),
            bytes.substr(name_at + short_at(20), short_at(22))};
}

Record local_record(std::uint64_t offset, const Reader& reader) {
    const std::string_view fixed = reader.record(offset, local_size, "PK\3\4");
    const std::uint64_t names =
        std::uint64_t{little_endian<std::uint16_t>(fixed, 26)} + little_endian<std::uint16_t>(fixed, 28);
    Record local = record(reader.span(offset, local_size + names), 6, local_size);
    std::uint64_t no_offset = 0;
    widen(local.extra, local.size, local.packed, no_offset, reader);
    return local;
}

// Readers differ in which of the two they go by, so that a file in which they differ is two files.
bool says_the_same(const Record& local, const Record& entry) {
    constexpr std::uint16_t encrypted = 1U << 0U;
    constexpr std::uint16_t sizes_follow = 1U << 3U;  // the writer did not know them, and left 0
    const bool unknown =
        (local.flags & sizes_follow) != 0 && local.crc == 0 && local.size == 0 && local.packed == 0;
    return local.name == entry.name && local.method == entry.method &&
           (local.flags & encrypted) == (entry.flags & encrypted) &&
           (unknown || (local.crc == entry.crc && local.size == entry.size && local.packed == entry.packed));
}

}  // namespace

std::vector<ZipMember> read_zip(std::string_view file, std::string_view origin) {
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
        if (rest.size() < entry_size || !rest.starts_with("PK\1\2") ||
            rest.size() < entry_size + number(28) + number(30) + number(32)) {
            reader.fail("its directory is cut short");
        }
        Record entry = record(rest, 8, entry_size);
        std::uint64_t offset = little_endian<std::uint32_t>(rest, 42);
        widen(entry.extra, entry.size, entry.packed, offset, reader);
        constexpr std::uint16_t stored = 0;
        constexpr std::uint16_t deflated = 8;
        if ((entry.flags & 1U) != 0 || (entry.method != stored && entry.method != deflated) ||
            (entry.method == stored && entry.size != entry.packed)) {
            throw Error(
                "{}: the member {} is encrypted or packed in a way that is not read; save it "
                "with numpy.savez.",
                printable(origin), in_quotes(entry.name));
        }
        const Record local = local_record(offset, reader);
        if (!says_the_same(local, entry)) {
            reader.fail(
                Message("the record of the member {} is not what its directory says", in_quotes(entry.name)));
        }
        const std::uint64_t start = offset + local_size + local.name.size() + local.extra.size();
        members.push_back({std::string(entry.name), reader.span(start, entry.packed),
                           entry.method == deflated, entry.size, entry.crc});
        spans.emplace_back(offset, start + entry.packed);
        rest.remove_prefix(entry_size + number(28) + number(30) + number(32));
    }
    if (!rest.empty()) {
        reader.fail("its directory holds more members than it counts");
    }
    refuse_overlaps(std::move(spans), directory.at, reader);
    return members;
}

std::string_view content(const ZipMember& member, std::string& inflated, std::string_view origin) {
    const auto fail = [&](const Message& problem) {
        throw Error("{}: the member {} is damaged: {}.", printable(origin), in_quotes(member.name), problem);
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
