#include "files/zip.hpp"

#include <algorithm>
#include <limits>

#include "files/inflate.hpp"
#include "files/little_endian.hpp"
#include "tensor/error.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

constexpr std::uint16_t stored = 0;
constexpr std::uint16_t deflated = 8;
constexpr std::size_t end_size = 22;
constexpr std::size_t entry_size = 46;  // size of a directory entry without its name
constexpr std::size_t local_size = 30;  // size of a member's header without its name

std::uint16_t short_at(std::string_view bytes, std::size_t at) {
    return little_endian<std::uint16_t>(bytes, at);
}

std::uint32_t long_at(std::string_view bytes, std::size_t at) {
    return little_endian<std::uint32_t>(bytes, at);
}

template <typename... Number>
std::string record(std::string_view signature, Number... fields) {
    std::string text(signature);
    (append_little_endian(text, fields), ...);
    return text;
}

}  // namespace

std::vector<ZipMember> read_zip(std::string_view file, std::string_view origin) {
    // The file may be damaged, so every size and offset is checked.
    const auto damaged = [&] { return Error("{}: damaged or truncated ZIP file.", printable(origin)); };
    const auto span = [&](std::size_t at, std::size_t size, std::string_view signature = "") {
        if (at > file.size() || size > file.size() - at || !file.substr(at).starts_with(signature)) {
            throw damaged();
        }
        return file.substr(at, size);
    };
    constexpr std::size_t longest_comment = 65535;  // it follows the record at the end
    const std::size_t tail = file.size() - std::min(file.size(), end_size + longest_comment);
    const std::size_t end_in_tail = file.substr(tail).rfind("PK\5\6");
    const std::string_view end =
        span(end_in_tail == std::string_view::npos ? end_in_tail : tail + end_in_tail, end_size);
    std::size_t at = long_at(end, 16);
    if (at == std::numeric_limits<std::uint32_t>::max()) {
        throw Error("{}: a ZIP file larger than 4 GiB; save fewer arrays.", printable(origin));
    }
    std::vector<ZipMember> members;
    std::size_t left = file.size();  // members do not overlap, so together they are not larger than the file
    for (std::uint16_t i = 0; i < short_at(end, 10); ++i) {
        const std::string_view entry = span(at, entry_size, "PK\1\2");
        const std::size_t name_size = short_at(entry, 28);
        ZipMember member{std::string(span(at + entry_size, name_size)),
                         {},
                         short_at(entry, 10) == deflated,
                         long_at(entry, 24),
                         long_at(entry, 16)};
        const std::size_t packed = long_at(entry, 20);
        if (!member.deflated && (short_at(entry, 10) != stored || packed != member.size)) {
            throw Error("{}: the compression of {} is not supported; save it with numpy.savez.",
                        printable(origin), in_quotes(member.name));
        }
        const std::size_t local_at = long_at(entry, 42);
        const std::string_view local = span(local_at, local_size, "PK\3\4");
        member.bytes = span(local_at + local_size + short_at(local, 26) + short_at(local, 28), packed);
        if (packed > left) {
            throw damaged();
        }
        left -= packed;
        members.push_back(std::move(member));
        at += entry_size + name_size + short_at(entry, 30) + short_at(entry, 32);
    }
    return members;
}

std::string_view content(const ZipMember& member, std::string_view origin, std::string& buffer) {
    constexpr std::uint32_t most_to_one = 1032;  // deflate cannot compress by a larger factor
    std::string_view bytes = member.bytes;
    if (member.deflated && member.size / most_to_one <= bytes.size()) {
        bytes = buffer = beginning(member, std::size_t{member.size} + 1);
    }
    if (bytes.size() != member.size || crc32(bytes) != member.crc) {
        throw Error("{}: {} is damaged: its size or checksum differs from the ZIP directory.",
                    printable(origin), in_quotes(member.name));
    }
    return bytes;
}

std::string beginning(const ZipMember& member, std::size_t most) {
    return member.deflated ? inflate(member.bytes, most) : std::string(member.bytes.substr(0, most));
}

void ZipWriter::add(std::string_view name, std::string_view header, std::string_view data) {
    constexpr std::uint16_t version = 20;
    constexpr std::uint16_t utf8_names = 1U << 11U;
    constexpr std::uint32_t first_of_january_1980 = (1U << 5U | 1U) << 16U;
    constexpr std::uint16_t none = 0;
    const std::uint64_t size = header.size() + data.size();
    if (written_ + size + directory_.size() + 1024 > std::numeric_limits<std::uint32_t>::max() ||
        count_ == std::numeric_limits<std::uint16_t>::max() - 1) {
        throw Error(
            "an .npz can contain at most 4 GiB and 65534 tensors; export fewer steps (`step`), or write "
            ".safetensors.");
    }
    const auto size_field = std::uint32_t(size);
    const std::string common =
        record("", version, utf8_names, stored, first_of_january_1980, crc32(data, crc32(header)), size_field,
               size_field, std::uint16_t(name.size()), none);  // no extra field
    // no comment, first disk, no attributes
    directory_ += record("PK\1\2", version) + common +
                  record("", none, none, none, std::uint32_t{none}, std::uint32_t(written_));
    directory_ += name;
    ++count_;
    const std::string local = "PK\3\4" + common + std::string(name);
    for (const std::string_view part : {std::string_view(local), header, data}) {
        write_(part);
        written_ += part.size();
    }
}

void ZipWriter::end() {
    constexpr std::uint16_t none = 0;
    write_(directory_ + record("PK\5\6", none, none, count_, count_, std::uint32_t(directory_.size()),
                               std::uint32_t(written_), none));
}

}  // namespace attn
