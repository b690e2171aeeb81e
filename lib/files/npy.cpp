#include "files/npy.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "files/json.hpp"
#include "files/little_endian.hpp"
#include "files/zip.hpp"
#include "tensor/error.hpp"
#include "text/ascii.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

constexpr std::size_t length_at = npy_magic.size() + 2;  // offset of the header's length
constexpr std::size_t longest_preamble = length_at + 4;
constexpr std::size_t longest_header = 10000;  // the longest header that NumPy reads

// The header is a Python dictionary. It is rewritten as JSON and read as JSON. Python 2 wrote sizes as `2L`.
std::string as_json(std::string_view dictionary) {
    constexpr std::string_view python = "'()TF";
    constexpr std::string_view json = "\"[]tf";
    std::string text;
    for (const char c : dictionary) {
        if (c == ')' || c == '}') {  // the last item may end with a comma
            text.resize(text.find_last_not_of(", ") + 1);
        }
        if (c == 'L' && !text.empty() && is_digit(text.back())) {
            continue;
        }
        const std::size_t at = python.find(c);
        text += at == std::string_view::npos ? c : json[at];
    }
    return text;
}

struct Header {
    TensorEntry entry;
    std::size_t length;  // the size of the header, which comes before the numbers
};

// `place` is the name of the array in messages.
Header read_header(std::string_view bytes, std::string_view place) {
    if (!bytes.starts_with(npy_magic)) {
        throw Error("{}: not a .npy file: it does not begin with \\x93NUMPY.", place);
    }
    const auto require = [&](bool is_whole) {
        if (!is_whole) {
            throw Error("{}: truncated within its header.", place);
        }
    };
    require(bytes.size() >= longest_preamble);
    const auto version = static_cast<unsigned char>(bytes[npy_magic.size()]);
    if (version < 1 || version > 3) {
        throw Error("{}: .npy version {} is not supported; 1, 2 and 3 are.", place, version);
    }
    const std::size_t begin = version == 1 ? length_at + 2 : longest_preamble;
    const std::size_t length = version == 1 ? little_endian<std::uint16_t>(bytes, length_at)
                                            : little_endian<std::uint32_t>(bytes, length_at);
    require(length <= bytes.size() - begin);
    const std::string origin = fmt::format("{} (header)", place);
    const std::string_view dictionary = bytes.substr(begin, length);
    const std::string json = as_json(dictionary);
    const JsonView root = [&] {
        try {
            return parse_json(json, origin);
        } catch (const Error&) {
            throw Error("{}: expected the dictionary that numpy.save writes but found {}.", origin,
                        in_quotes(dictionary));
        }
    }();
    root.allow_keys({"descr", "fortran_order", "shape"});
    return {{"",
             root.at("shape").whole_numbers(),
             root.at("descr").string(),
             {},
             root.at("fortran_order").boolean()},
            begin + length};
}

}  // namespace

std::shared_ptr<const TensorFile> open_npy(const Bytes& bytes, const std::string& origin) {
    auto file = std::make_shared<TensorFile>(origin, bytes);
    auto [entry, length] = read_header(*bytes, printable(origin));
    const std::string_view numbers = std::string_view(*bytes).substr(length);
    entry.bytes = [=](auto&) { return numbers; };
    file->add(std::move(entry), numbers.size());
    return file;
}

std::shared_ptr<const TensorFile> open_npz(const Bytes& bytes, const std::string& origin) {
    constexpr std::string_view suffix = ".npy";
    auto file = std::make_shared<TensorFile>(origin, bytes);
    for (const ZipMember& member : read_zip(*bytes, origin)) {
        if (!member.name.ends_with(suffix)) {
            continue;
        }
        auto [entry, length] =
            read_header(beginning(member, longest_preamble + longest_header),
                        fmt::format("{}: at {}", printable(origin), in_quotes(member.name)));
        entry.name = member.name.substr(0, member.name.size() - suffix.size());
        entry.bytes = [=, length = length](std::string& buffer) {
            return content(member, origin, buffer).substr(length);
        };
        file->add(std::move(entry), member.size - std::min<std::size_t>(member.size, length));
    }
    if (file->entries().empty()) {
        if (std::ranges::any_of(read_zip(*bytes, origin), [](const ZipMember& member) {
                return member.name.ends_with("data.pkl");  // PyTorch's .pt file
            })) {
            refuse_pickle(origin);
        }
        throw Error("{}: a ZIP file without a .npy in it.", printable(origin));
    }
    return file;
}

std::string npy_header(const Shape& shape) {
    constexpr std::size_t alignment = 64;
    constexpr std::size_t before = length_at + 2;  // version 1 stores the header's length in two bytes
    std::string dictionary =
        fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': {}, }}", shape.text());
    const std::size_t used = before + dictionary.size() + 1;
    dictionary.append((alignment - used % alignment) % alignment, ' ');
    dictionary += '\n';
    std::string header(npy_magic);
    header += {1, 0};
    append_little_endian(header, std::uint16_t(dictionary.size()));
    return header + dictionary;
}

}  // namespace attn
