// A grammar of one dictionary: 'descr', 'fortran_order' and 'shape', each once, in any order.
#include "files/npy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "files/little_endian.hpp"
#include "files/located.hpp"
#include "tensor/error.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

class HeaderParser {
public:
    HeaderParser(std::string_view text, std::string_view place) : whole_(text), text_(text), place_(place) {}

    NpyHeader parse() {
        expect('{');
        while (!accept('}')) {
            entry();
            if (!accept(',')) {
                expect('}');
                break;
            }
        }
        skip_space();
        if (!text_.empty()) {
            fail("more than the dictionary");
        }
        if (!descr_ || !fortran_order_ || !sizes_) {
            fail("'descr', 'fortran_order' or 'shape' is missing");
        }
        return {*descr_, type_of(*descr_), *sizes_, *fortran_order_, 0};
    }

private:
    void entry() {
        const std::string_view before = text_;
        const std::string key = string();
        expect(':');
        if (key == "descr" && !descr_) {
            skip_space();
            if (text_.starts_with('[')) {
                throw Error("{}: holds records of several fields; save each as an array.", place_);
            }
            descr_ = string();
        } else if (key == "fortran_order" && !fortran_order_) {
            fortran_order_ = word("True");
            if (!*fortran_order_ && !word("False")) {
                fail("fortran_order is neither True nor False");
            }
        } else if (key == "shape" && !sizes_) {
            sizes_ = tuple();
        } else {
            text_ = before;
            fail(Message("an unknown or repeated key {}", in_quotes(key)));
        }
    }

    std::vector<std::uint64_t> tuple() {
        constexpr std::size_t most_axes = 64;
        std::vector<std::uint64_t> sizes;
        expect('(');
        while (!accept(')')) {
            std::uint64_t size = 0;
            skip_space();
            const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), size);
            if (error != std::errc() || sizes.size() == most_axes) {
                fail("the shape is no tuple of whole numbers from 0 to 18446744073709551615");
            }
            text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
            word("L");  // as Python 2 wrote them
            sizes.push_back(size);
            if (!accept(',')) {
                expect(')');
                break;
            }
        }
        return sizes;
    }

    std::string string() {
        skip_space();
        const char quote = text_.empty() ? '\0' : text_.front();
        const std::size_t end = quote == '\'' || quote == '"' ? text_.find(quote, 1) : std::string_view::npos;
        if (end == std::string_view::npos) {
            fail("a string is missing");
        }
        std::string value(text_.substr(1, end - 1));
        text_.remove_prefix(end + 1);
        return value;
    }

    bool word(std::string_view expected) {
        skip_space();
        const bool found = text_.starts_with(expected);
        text_.remove_prefix(found ? expected.size() : 0);
        return found;
    }
    bool accept(char expected) { return word({&expected, 1}); }
    void expect(char expected) {
        if (!accept(expected)) {
            fail(Message("a '{}' is missing", expected));
        }
    }
    void skip_space() {
        const std::size_t end = text_.find_first_not_of(" \n");
        text_.remove_prefix(end == std::string_view::npos ? text_.size() : end);
    }

    NumberType type_of(std::string_view descr) const {
        const std::string_view kind = descr.substr(descr.empty() || descr.starts_with('O') ? 0 : 1);
        if (kind.starts_with('O')) {  // "|O", and "|O8" as once was written
            throw Error(
                "{}: holds Python objects, which are never read, since reading them can run "
                "code; save numbers.",
                place_);
        }
        if (descr.starts_with('>') && kind != "b1" && kind != "u1") {
            throw Error("{}: holds big-endian numbers; save x.astype(\"<f4\").", place_);
        }
        if (!descr.starts_with('<') && !descr.starts_with('|')) {
            return NumberType::unreadable;
        }
        return kind == "f8"   ? NumberType::float64
               : kind == "f4" ? NumberType::float32
               : kind == "f2" ? NumberType::float16
               : kind == "i8" ? NumberType::int64
               : kind == "i4" ? NumberType::int32
               : kind == "b1" ? NumberType::boolean
               : kind == "u1" ? NumberType::byte
                              : NumberType::unreadable;
    }

    [[noreturn]] void fail(const Message& problem) const {
        fail_at(whole_, whole_.size() - text_.size(), fmt::format("{} (header)", place_),
                Message("{}; expected the dictionary that NumPy writes.", problem));
    }

    std::string_view whole_;
    std::string_view text_;  // what is left of it
    std::string_view place_;
    std::optional<std::string> descr_;
    std::optional<bool> fortran_order_;
    std::optional<std::vector<std::uint64_t>> sizes_;
};

}  // namespace

NpyHeader read_npy_header(std::string_view bytes, std::string_view place) {
    const auto fail = [&](const Message& problem) { throw Error("{}: {}.", place, problem); };
    if (!bytes.starts_with(npy_magic)) {
        fail("is no .npy: it does not begin with \\x93NUMPY");
    }
    constexpr std::size_t version_at = npy_magic.size();
    if (bytes.size() < npy_preamble) {
        fail("is cut short within its header");
    }
    const int version = static_cast<unsigned char>(bytes[version_at]);
    const int minor = static_cast<unsigned char>(bytes[version_at + 1]);
    if (version < 1 || version > 3 || minor != 0) {
        fail(Message("is a .npy of version {}.{}; 1.0, 2.0 and 3.0 are read", version, minor));
    }
    constexpr std::size_t length_at = version_at + 2;
    const std::size_t start = length_at + (version == 1 ? 2 : 4);
    const std::size_t length = version == 1 ? little_endian<std::uint16_t>(bytes, length_at)
                                            : little_endian<std::uint32_t>(bytes, length_at);
    if (length > max_npy_header) {
        fail(Message("has a header of {} bytes; NumPy reads at most {}, and so do we", length,
                     max_npy_header));
    }
    if (length > bytes.size() - start) {
        fail("is cut short within its header");
    }
    NpyHeader header = HeaderParser(bytes.substr(start, length), place).parse();
    header.length = start + length;
    return header;
}

void require_npy_size(std::uint64_t bytes, const NpyHeader& header, std::string_view place) {
    const std::uint64_t numbers = bytes - std::min<std::uint64_t>(bytes, header.length);
    const TensorEntry entry{"", header.sizes};
    const std::uint64_t count = count_of(entry, place);
    const std::size_t each = width(header.type);
    if (each != 0 && (numbers % each != 0 || numbers / each != count)) {
        throw Error("{}: the shape {} and the type {} ask for {} numbers of {} bytes but {} bytes follow.",
                    place, entry.shape_text(), in_quotes(header.type_name), count, each, numbers);
    }
}

std::string_view in_row_major_order(std::string_view numbers, const NpyHeader& header, std::string& buffer) {
    const std::size_t axes = header.sizes.size();
    if (!header.fortran_order || axes < 2) {
        return numbers;
    }
    const std::size_t each = width(header.type);
    std::vector<std::size_t> index(axes);
    std::vector<std::size_t> strides(axes, each);
    for (std::size_t axis = 1; axis < axes; ++axis) {
        strides[axis] = strides[axis - 1] * header.sizes[axis - 1];
    }
    buffer.reserve(numbers.size());
    for (std::size_t from = 0; buffer.size() < numbers.size();) {
        buffer.append(numbers, from, each);
        for (std::size_t axis = axes; axis-- > 0;) {  // to the next number, the last axis first
            from += strides[axis];
            if (++index[axis] < header.sizes[axis]) {
                break;
            }
            from -= strides[axis] * index[axis];
            index[axis] = 0;
        }
    }
    return buffer;
}

std::string npy_header(const Shape& shape) {
    constexpr std::size_t alignment = 64;
    constexpr std::size_t before = npy_preamble - 2;  // version 1 counts its header in two bytes
    std::string dictionary =
        fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': {}, }}", shape.text());
    const std::size_t used = before + dictionary.size() + 1;
    dictionary.append((alignment - used % alignment) % alignment, ' ');
    dictionary += '\n';
    std::string header(npy_magic);
    header += {1, 0};
    append_little_endian(header, static_cast<std::uint16_t>(dictionary.size()));
    return header + dictionary;
}

}  // namespace attn
