// Everything in a file may lie: a span of it is only ever taken through Reader, which checks.
#include "files/zip.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "files/inflate.hpp"
#include "files/little_endian.hpp"
#include "tensor/error.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

constexpr std::uint16_t stored = 0;
constexpr std::uint16_t deflated = 8;
constexpr std::size_t end_size = 22;
constexpr std::size_t entry_size = 46;  // in the directory, before its name
constexpr std::size_t local_size = 30;  // before a member, before its name

class Reader {
public:
    Reader(std::string_view file, std::string_view origin) : file_(file), origin_(origin) {}

    std::string_view span(std::size_t at, std::size_t size) const {
        if (at > file_.size() || size > file_.size() - at) {
            fail("it points beyond its end, or is cut short");
        }
        return file_.substr(at, size);
    }
    std::size_t end_record() const {
        constexpr std::size_t longest_comment = 65535;
        const std::size_t from = file_.size() - std::min(file_.size(), end_size + longest_comment);
        const std::size_t found = file_.substr(from).rfind("PK\5\6");
        if (found == std::string_view::npos) {
            fail("its directory is missing, as when it is cut short");
        }
        return from + found;
    }
    [[noreturn]] void fail(const Message& problem) const {
        throw Error("{}: damaged or truncated ZIP file: {}.", printable(origin_), problem);
    }

private:
    std::string_view file_;
    std::string_view origin_;
};

std::uint16_t short_at(std::string_view bytes, std::size_t at) {
    return little_endian<std::uint16_t>(bytes, at);
}

std::uint32_t long_at(std::string_view bytes, std::size_t at) {
    return little_endian<std::uint32_t>(bytes, at);
}

// Members that share bytes are how small files claim to hold much.
void refuse_overlaps(std::vector<std::pair<std::size_t, std::size_t>> spans, std::size_t directory,
                     const Reader& reader) {
    std::ranges::sort(spans);
    std::size_t end = 0;
    for (const auto& [from, to] : spans) {
        if (from < end || to > directory) {
            reader.fail("its members overlap");
        }
        end = to;
    }
}

constexpr std::array<std::uint32_t, 256> crc_of_bytes() {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t value = 0; value < table.size(); ++value) {
        std::uint32_t crc = value;
        for (int bit = 0; bit < 8; ++bit) {
            crc = crc >> 1U ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
        }
        table[value] = crc;
    }
    return table;
}

}  // namespace

std::uint32_t crc32(std::string_view bytes, std::uint32_t so_far) {
    static constexpr std::array<std::uint32_t, 256> table = crc_of_bytes();
    std::uint32_t crc = ~so_far;
    for (const char c : bytes) {
        crc = crc >> 8U ^ table[(crc ^ static_cast<unsigned char>(c)) & 0xFFU];
    }
    return ~crc;
}

std::vector<ZipMember> read_zip(std::string_view file, std::string_view origin) {
    const Reader reader(file, origin);
    const std::string_view end = reader.span(reader.end_record(), end_size);
    const std::size_t directory = long_at(end, 16);
    if (directory == std::numeric_limits<std::uint32_t>::max() || short_at(end, 10) == 0xFFFF) {
        throw Error("{}: a ZIP file of more than 4 GiB or 65534 members; save fewer arrays.",
                    printable(origin));
    }
    std::string_view rest = reader.span(directory, long_at(end, 12));
    std::vector<ZipMember> members;
    std::vector<std::pair<std::size_t, std::size_t>> spans;
    for (std::uint16_t i = 0; i < short_at(end, 10); ++i) {
        if (rest.size() < entry_size || !rest.starts_with("PK\1\2")) {
            reader.fail("its directory is cut short");
        }
        const std::string_view entry = rest.substr(0, entry_size);
        const std::size_t name_size = short_at(entry, 28);
        const std::size_t whole = entry_size + name_size + short_at(entry, 30) + short_at(entry, 32);
        if (rest.size() < whole) {
            reader.fail("its directory is cut short");
        }
        ZipMember member{std::string(rest.substr(entry_size, name_size)),
                         {},
                         short_at(entry, 10) == deflated,
                         long_at(entry, 24),
                         long_at(entry, 16)};
        const bool is_encrypted = (short_at(entry, 8) & 1U) != 0;
        const std::size_t packed = long_at(entry, 20);
        if (is_encrypted || (!member.deflated && (short_at(entry, 10) != stored || packed != member.size))) {
            throw Error(
                "{}: the member {} is encrypted or packed in a way that is not read; save it "
                "with numpy.savez.",
                printable(origin), in_quotes(member.name));
        }
        const std::size_t offset = long_at(entry, 42);
        const std::string_view local = reader.span(offset, local_size);
        // Other readers go by this record: with other bytes in it, the file would be two files.
        if (!local.starts_with("PK\3\4") || short_at(local, 26) != name_size ||
            reader.span(offset + local_size, name_size) != member.name ||
            short_at(local, 8) != short_at(entry, 10)) {
            reader.fail(Message("the record of the member {} is not what its directory says",
                                in_quotes(member.name)));
        }
        const std::size_t start = offset + local_size + name_size + short_at(local, 28);
        member.bytes = reader.span(start, packed);
        members.push_back(std::move(member));
        spans.emplace_back(offset, start + packed);
        rest.remove_prefix(whole);
    }
    if (!rest.empty()) {
        reader.fail("its directory holds more members than it counts");
    }
    refuse_overlaps(std::move(spans), directory, reader);
    return members;
}

std::string content(const ZipMember& member, std::string_view origin) {
    const auto fail = [&](const Message& problem) {
        throw Error("{}: the member {} is damaged: {}.", printable(origin), in_quotes(member.name), problem);
    };
    constexpr std::uint32_t most_to_one = 1032;  // deflate cannot pack tighter
    if (member.size / most_to_one > member.bytes.size()) {
        fail("it cannot inflate to as much as it claims");
    }
    std::string bytes = beginning(member, member.size + 1);
    if (bytes.size() != member.size) {
        fail("it does not inflate to what it claims");
    }
    if (crc32(bytes) != member.crc) {
        fail("its checksum is another");
    }
    return bytes;
}

std::string beginning(const ZipMember& member, std::uint32_t most) {
    return member.deflated ? inflate(member.bytes, most).value_or("")
                           : std::string(member.bytes.substr(0, most));
}

void ZipWriter::add(std::string_view name, std::string_view header, std::string_view data) {
    const std::uint64_t size = std::uint64_t{header.size()} + data.size();
    const std::uint64_t room = std::numeric_limits<std::uint32_t>::max() - directory_.size() - 1024;
    if (written_ + size > room || count_ == std::numeric_limits<std::uint16_t>::max() - 1) {
        throw Error(
            "an .npz fits 4 GiB and 65534 tensors, and this is more; export fewer steps (`step`), or write "
            ".safetensors.");
    }
    constexpr std::uint16_t version = 20;
    constexpr std::uint16_t utf8_names = 1U << 11U;
    constexpr std::uint32_t first_of_january_1980 = (1U << 5U | 1U) << 16U;
    const auto append = [](std::string& to, auto... integers) { (append_little_endian(to, integers), ...); };
    std::string common;
    append(common, version, utf8_names, stored, first_of_january_1980, crc32(data, crc32(header)),
           static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(size),
           static_cast<std::uint16_t>(name.size()), std::uint16_t{0});  // no extra field
    directory_ += "PK\1\2";
    append(directory_, version);
    directory_ += common;
    append(directory_, std::uint16_t{0}, std::uint16_t{0}, std::uint16_t{0}, std::uint32_t{0},
           static_cast<std::uint32_t>(written_));  // no comment, the first disk, no attributes
    directory_ += name;
    ++count_;
    write("PK\3\4" + common + std::string(name));
    write(header);
    write(data);
}

void ZipWriter::end() {
    std::string last = "PK\5\6";
    for (const std::uint16_t field : {std::uint16_t{0}, std::uint16_t{0}, count_, count_}) {
        append_little_endian(last, field);
    }
    append_little_endian(last, static_cast<std::uint32_t>(directory_.size()));
    append_little_endian(last, static_cast<std::uint32_t>(written_));
    append_little_endian(last, std::uint16_t{0});
    write(directory_ + last);
}

void ZipWriter::write(std::string_view bytes) {
    write_(bytes);
    written_ += bytes.size();
}

}  // namespace attn
