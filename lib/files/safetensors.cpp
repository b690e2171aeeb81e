// The header is held against the format's own rules before a number is looked at.
#include "files/safetensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "files/json.hpp"
#include "files/little_endian.hpp"
#include "files/number_type.hpp"
#include "files/tensor_file_reader.hpp"
#include "tensor/error.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

constexpr std::size_t length_size = 8;
constexpr std::int64_t largest_whole_number = std::int64_t{1}
                                              << 53U;  // that a JSON number is certain to hold

struct TypeRow {
    std::string_view name;
    std::size_t width;
    NumberType type;
};

constexpr TypeRow types[] = {
    {"F32", 4, NumberType::float32},        {"F16", 2, NumberType::float16},
    {"BF16", 2, NumberType::bfloat16},      {"F64", 8, NumberType::float64},
    {"BOOL", 1, NumberType::boolean},       {"U8", 1, NumberType::byte},
    {"I8", 1, NumberType::unreadable},      {"U16", 2, NumberType::unreadable},
    {"I16", 2, NumberType::unreadable},     {"U32", 4, NumberType::unreadable},
    {"I32", 4, NumberType::int32},          {"U64", 8, NumberType::unreadable},
    {"I64", 8, NumberType::int64},          {"F8_E4M3", 1, NumberType::unreadable},
    {"F8_E5M2", 1, NumberType::unreadable}, {"C64", 8, NumberType::unreadable},
};

// Where a tensor lies in the bytes behind the header, and as what.
struct Extent {
    std::uint64_t begin, end;
    NumberType type;
    std::string type_name;
};

class SafetensorsFile : public TensorFile {
public:
    SafetensorsFile(Bytes bytes, const std::string& origin) : TensorFile(origin), bytes_(std::move(bytes)) {
        const std::string_view file = *bytes_;
        const auto fail = [&](const Message& problem) {
            throw Error("{}: damaged .safetensors file: {}.", printable(origin), problem);
        };
        if (file.size() < length_size) {
            fail("it is shorter than the length of a header");
        }
        const auto length = little_endian<std::uint64_t>(file, 0);
        if (length > max_safetensors_header) {
            fail(Message("it claims a header of {} bytes, and {} are the most", length,
                         max_safetensors_header));
        }
        if (length > file.size() - length_size) {
            fail(Message("it claims a header of {} bytes but has {}", length, file.size() - length_size));
        }
        const std::string_view header = file.substr(length_size, length);
        if (!header.starts_with('{')) {
            fail("its header does not begin with {");
        }
        data_ = file.substr(length_size + length);
        const std::string place = origin + " (header)";
        const JsonView root = parse_json(header, place);
        for (const auto& [name, value] : root.members()) {
            if (name != "__metadata__") {
                add(std::string(name), value);
                continue;
            }
            for (const auto& [key, text] : value.members()) {
                text.string();
            }
        }
        refuse_gaps();
    }

    Tensor read(const TensorEntry& entry, Contents contents) const override {
        const Extent& extent = extents_[static_cast<std::size_t>(&entry - entries().data())];
        const Shape shape = require_readable(extent.type, extent.type_name, entry, contents, origin());
        return decode(data_.substr(extent.begin, extent.end - extent.begin), extent.type, shape, entry,
                      contents, origin());
    }

private:
    void add(const std::string& name, const JsonView& view) {
        view.allow_keys({"dtype", "shape", "data_offsets"});
        const auto whole = [](const JsonView& number) {
            return static_cast<std::uint64_t>(number.integer(0, largest_whole_number));
        };
        TensorEntry entry{name, {}};
        const JsonView shape = view.at("shape");
        for (std::size_t i = 0; i < shape.size(); ++i) {
            entry.sizes.push_back(whole(shape[i]));
        }
        const JsonView offsets = view.at("data_offsets");
        if (offsets.size() != 2) {
            offsets.fail("expected two offsets, where the numbers begin and where they end.");
        }
        const std::string& type_name = view.at("dtype").string();
        const auto* const known = std::ranges::find(types, type_name, &TypeRow::name);
        const Extent extent{whole(offsets[0]), whole(offsets[1]),
                            known != std::end(types) ? known->type : NumberType::unreadable, type_name};
        if (extent.begin > extent.end || extent.end > data_.size()) {
            offsets.fail(Message("the offsets {} to {} are no part of the {} bytes that follow the header.",
                                 extent.begin, extent.end, data_.size()));
        }
        const std::uint64_t count = count_of(entry, origin());
        const std::uint64_t size = extent.end - extent.begin;
        if (known != std::end(types) && (size % known->width != 0 || size / known->width != count)) {
            offsets.fail(Message("the shape {} of {} asks for {} numbers of {} bytes but has {} bytes.",
                                 entry.shape_text(), type_name, count, known->width, size));
        }
        TensorFile::add(std::move(entry));
        extents_.push_back(extent);
    }

    void refuse_gaps() const {
        std::vector<std::size_t> order(extents_.size());
        for (std::size_t i = 0; i < order.size(); ++i) {
            order[i] = i;
        }
        std::ranges::sort(order, {},
                          [&](std::size_t i) { return std::pair(extents_[i].begin, extents_[i].end); });
        std::uint64_t end = 0;
        for (const std::size_t i : order) {
            if (extents_[i].begin != end) {
                throw Error(
                    extents_[i].begin < end
                        ? "{}: damaged .safetensors file: the bytes of another tensor overlap those of {}."
                        : "{}: damaged .safetensors file: there are bytes of no tensor before those of {}.",
                    printable(origin()), printable(entries()[i].name));
            }
            end = extents_[i].end;
        }
        if (end != data_.size()) {
            throw Error("{}: damaged .safetensors file: there are bytes of no tensor at its end.",
                        printable(origin()));
        }
    }

    Bytes bytes_;
    std::string_view data_;
    std::vector<Extent> extents_;
};

}  // namespace

bool is_safetensors(std::string_view bytes) {
    return bytes.size() > length_size && bytes[length_size] == '{' &&
           bytes.substr(0, length_size).find('\0') != std::string_view::npos;
}

std::shared_ptr<const TensorFile> open_safetensors(const Bytes& bytes, const std::string& origin) {
    return std::make_shared<SafetensorsFile>(bytes, origin);
}

std::string safetensors_header(const std::vector<std::pair<std::string, Shape>>& tensors,
                               const std::vector<std::pair<std::string, std::string>>& metadata) {
    Json json = Json::object();
    for (const auto& [key, value] : metadata) {
        json["__metadata__"][key] = value;
    }
    std::size_t offset = 0;
    for (const auto& [name, shape] : tensors) {
        const std::size_t end = offset + shape.count() * sizeof(float);
        json[name] = {{"dtype", "F32"},
                      {"shape", std::vector(shape.begin(), shape.end())},
                      {"data_offsets", {offset, end}}};
        offset = end;
    }
    std::string header = json_text(json, JsonLayout::compact);
    header.append((length_size - header.size() % length_size) % length_size, ' ');
    std::string length;
    append_little_endian(length, std::uint64_t{header.size()});
    return length + header;
}

}  // namespace attn
