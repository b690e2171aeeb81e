#include "files/safetensors.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "files/json.hpp"
#include "files/little_endian.hpp"
#include "tensor/error.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

constexpr std::size_t length_size = 8;

// Returns where the numbers begin and end.
std::pair<std::uint64_t, std::uint64_t> add_tensor(TensorFile& file, std::string_view name,
                                                   const JsonView& view, std::string_view data) {
    view.allow_keys({"dtype", "shape", "data_offsets"});
    TensorEntry entry{std::string(name), view.at("shape").whole_numbers(), view.at("dtype").string(), {}};
    const JsonView offsets = view.at("data_offsets");
    const std::vector<std::uint64_t> ends = offsets.whole_numbers();
    if (ends.size() != 2 || ends[0] > ends[1] || ends[1] > data.size()) {
        offsets.fail(
            Message("expected two offsets within the {} bytes that follow the header.", data.size()));
    }
    const std::size_t size = ends[1] - ends[0];
    entry.bytes = [bytes = data.substr(ends[0], size)](auto&) { return bytes; };
    file.add(std::move(entry), size);
    return {ends[0], ends[1]};
}

}  // namespace

bool is_safetensors(std::string_view bytes) {
    constexpr std::string_view zeros("\0\0", 2);  // the upper bytes of its length
    return bytes.size() > length_size && bytes[length_size] == '{' && bytes.substr(6, 2) == zeros;
}

std::shared_ptr<const TensorFile> open_safetensors(const Bytes& bytes, const std::string& origin) {
    const auto fail = [&](const Message& problem) {
        throw Error("{}: damaged .safetensors file: {}.", printable(origin), problem);
    };
    if (bytes->size() < length_size) {
        fail("it is shorter than a header");
    }
    const std::string_view rest = std::string_view(*bytes).substr(length_size);
    const auto length = little_endian<std::uint64_t>(*bytes, 0);
    if (length > rest.size()) {
        fail(Message("its header should have {} bytes, but only {} follow", length, rest.size()));
    }
    const std::string_view data = rest.substr(length);
    const std::string place = origin + " (header)";
    const JsonView root = parse_json(rest.substr(0, length), place);
    auto file = std::make_shared<TensorFile>(origin, bytes);
    std::uint64_t used = 0;
    std::map<std::uint64_t, std::uint64_t> ends;  // of the numbers of each tensor, by their beginning
    for (const auto& [name, value] : root.members()) {
        if (name != "__metadata__") {
            const auto [begin, end] = add_tensor(*file, name, value, data);
            used += end - begin;
            ends[begin] = std::max(ends[begin], end);
        }
    }
    if (used != data.size()) {
        fail(Message("its tensors need {} bytes, but {} follow the header", used, data.size()));
    }
    std::uint64_t last = 0;
    for (const auto& [begin, end] : ends) {
        if (begin != last) {
            fail(Message("its tensors overlap"));
        }
        last = end;
    }
    return file;
}

std::string safetensors_header(const std::vector<std::pair<std::string, Shape>>& tensors,
                               const std::vector<std::pair<std::string, std::string>>& metadata) {
    Json json = Json::object();
    // Moves whole objects in: when memory runs out within operator[], nlohmann/json's destructor asserts.
    if (!metadata.empty()) {
        Json texts = Json::object();
        for (const auto& [key, value] : metadata) {
            texts[key] = value;
        }
        json["__metadata__"] = std::move(texts);
    }
    std::size_t offset = 0;
    for (const auto& [name, shape] : tensors) {
        const std::size_t end = offset + shape.count() * sizeof(float);
        Json entry = Json::object();
        entry["dtype"] = "F32";
        entry["shape"] = std::vector(shape.begin(), shape.end());
        entry["data_offsets"] = std::array{offset, end};
        json[name] = std::move(entry);
        offset = end;
    }
    std::string header = json_text(json, JsonLayout::compact);
    header.append((length_size - header.size() % length_size) % length_size, ' ');
    std::string length;
    append_little_endian(length, std::uint64_t{header.size()});
    return length + header;
}

}  // namespace attn
