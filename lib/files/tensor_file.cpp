#include "files/tensor_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <span>

#include "files/little_endian.hpp"
#include "files/located.hpp"
#include "files/npy.hpp"
#include "files/safetensors.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

template <typename Number>
double read_element(const char* bytes) {
    return double(little_endian<Number>({bytes, sizeof(Number)}, 0));
}

double read_float16(const char* bytes) {
    const auto bits = little_endian<std::uint16_t>({bytes, 2}, 0);
    const std::uint32_t sign = (bits & 0x8000U) << 16U;
    const std::uint32_t magnitude = (bits & 0x7FFFU) << 13U;  // the bits at their place in a float32
    constexpr std::uint32_t infinity = 0x1FU << 23U;
    return double(magnitude >= infinity ? std::bit_cast<float>(sign | magnitude | 0xFFU << 23U)
                                        : std::bit_cast<float>(sign | magnitude) * 0x1p112F);
}

double read_bfloat16(const char* bytes) {
    return double(std::bit_cast<float>(std::uint32_t(little_endian<std::uint16_t>({bytes, 2}, 0)) << 16U));
}

constexpr NumberType types[] = {
    {"<f8", "F64", 8, read_element<double>, Contents::finite},
    {"<f4", "F32", 4, read_element<float>, Contents::finite},
    {"<f2", "F16", 2, read_float16, Contents::finite},
    {"", "BF16", 2, read_bfloat16, Contents::finite},
    {"|b1", "BOOL", 1, read_element<unsigned char>, Contents::mask},
    {"|u1", "U8", 1, read_element<unsigned char>, Contents::mask},
    {"<i8", "I64", 8, read_element<std::int64_t>, Contents::any},
    {"<i4", "I32", 4, read_element<std::int32_t>, Contents::any},
    {"<i2", "I16", 2, read_element<std::int16_t>, Contents::any},
    {"|i1", "I8", 1, read_element<std::int8_t>, Contents::any},
};

// Returns the JSON pointer of a number: "/W_query.weight/3/5".
std::string place(const TensorEntry& entry, std::span<const std::size_t> index) {
    std::string pointer = entry.name.empty() ? "" : json_pointer("", entry.name);
    for (const std::size_t i : index) {
        pointer += fmt::format("/{}", i);
    }
    return pointer;
}

// NumPy's byte order: the high byte of each number comes first.
bool is_big_endian(std::string_view type) {
    return type.starts_with('>');
}

}  // namespace

const NumberType* find_number_type(std::string_view name) {
    std::string npy(name);
    if (is_big_endian(npy)) {
        npy[0] = '<';
    }
    const auto* const found = std::ranges::find_if(types, [&](const NumberType& type) {
        return name == type.safetensors || (npy == type.npy && !npy.empty());
    });
    return found == std::end(types) ? nullptr : found;
}

bool TensorEntry::has_shape(const Shape& shape) const {
    return std::ranges::equal(sizes, shape);
}

std::string TensorEntry::shape_text() const {
    constexpr std::size_t most = 8;  // a tensor has at most four axes, but a damaged file may have thousands
    return fmt::format("({}{})", fmt::join(std::span(sizes).first(std::min(sizes.size(), most)), ", "),
                       sizes.size() == 1     ? ","
                       : sizes.size() > most ? ", …"
                                             : "");
}

TensorFile::TensorFile(std::string origin, TensorMap tensors) : origin_(std::move(origin)) {
    const auto kept = std::make_shared<const TensorMap>(std::move(tensors));
    owner_ = kept;
    for (const auto& [name, tensor] : *kept) {
        const std::string_view bytes = little_endian_bytes(tensor);
        add({name, {tensor.shape().begin(), tensor.shape().end()}, "F32", [=](auto&) { return bytes; }},
            bytes.size());
    }
}

const TensorEntry* TensorFile::find(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : &entries_[found->second];
}

void TensorFile::add(TensorEntry entry, std::uint64_t size) {
    if (!by_name_.emplace(entry.name, entries_.size()).second) {
        throw Error("{}: contains two arrays called {}; give them different names.", printable(origin_),
                    in_quotes(entry.name));
    }
    if (const NumberType* const type = find_number_type(entry.type)) {
        double expected = double(type->width);  // exact up to 2^53; beyond that, never too small
        for (const std::uint64_t axis : entry.sizes) {
            expected *= double(axis);
        }
        if (expected != double(size)) {
            fail_at_pointer(origin_, place(entry, {}),
                            Message("shape {} with type {} needs {} bytes but has {}.", entry.shape_text(),
                                    entry.type, expected, size));
        }
    }
    entries_.push_back(std::move(entry));
}

Tensor TensorFile::read(const TensorEntry& entry, Contents contents) const {
    const NumberType* const type = find_number_type(entry.type);
    const auto fail = [&](const Message& problem) { fail_at_pointer(origin_, place(entry, {}), problem); };
    if (type == nullptr || contents < type->least) {
        fail(Message("contains numbers of type {}; save them as float32.", in_quotes(entry.type)));
    }
    const std::size_t axes = entry.sizes.size();
    if (axes > Shape::max_read_rank) {
        fail(Message("has {} dimensions, but a tensor can have at most {}.", axes, Shape::max_read_rank));
    }
    std::vector<std::size_t> sizes(entry.sizes.begin(), entry.sizes.end());
    if (entry.fortran_order) {
        std::ranges::reverse(sizes);
    }
    Tensor tensor{Shape(sizes)};
    if (tensor.count() == 0) {
        fail(Message("expected at least one number but found the shape {}.", entry.shape_text()));
    }
    std::string buffer;
    const char* bytes = entry.bytes(buffer).data();
    std::array<char, sizeof(double)> swapped{};
    for (float& number : tensor.values()) {
        if (is_big_endian(entry.type)) {
            std::reverse_copy(bytes, bytes + type->width, swapped.begin());
        }
        number = float(type->read(is_big_endian(entry.type) ? swapped.data() : bytes));
        bytes += type->width;
    }
    for (std::size_t axis = 0; entry.fortran_order && axis < axes / 2; ++axis) {
        tensor = transpose(tensor, int(axis), int(axes - 1 - axis));
    }
    const auto values = tensor.values();
    const auto found = std::ranges::find_if_not(values, [](float number) { return std::isfinite(number); });
    if (contents != Contents::any && found != values.end()) {
        const Index index = tensor.index(std::size_t(found - values.begin()));
        fail_at_pointer(
            origin_, place(entry, std::span(index).first(axes)),
            Message("expected a finite number within float32's range, ±3.4028235e38, but found {}.", *found));
    }
    return tensor;
}

void refuse_pickle(std::string_view origin) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./";
    const bool is_plain = origin.find_first_not_of(plain) == std::string_view::npos;
    const std::string name(is_plain ? origin : "model.pt");
    throw Error(
        "{}: a pickle, which is never read, because reading one runs its code. Save a tensor with "
        "numpy.save(\"x.npy\", x.detach().numpy()), and a state dict with "
        "python -c \"import numpy, torch; numpy.savez('{}.npz', **{{k: v.float().numpy() "
        "for k, v in torch.load('{}').items()}})\"",
        printable(origin), name.substr(0, name.rfind('.')), name);
}

std::shared_ptr<const TensorFile> open_tensor_file(const Bytes& bytes, const std::string& origin) {
    const std::string_view view = *bytes;
    if (is_safetensors(view)) {  // before pickles, because the length of its header can begin as they do
        return open_safetensors(bytes, origin);
    }
    if (view.size() > 1 && view[0] == '\x80' && view[1] >= 2 && view[1] <= 5) {
        refuse_pickle(origin);
    }
    if (view.starts_with(npy_magic)) {
        return open_npy(bytes, origin);
    }
    // An empty ZIP file begins with the second signature.
    if (view.starts_with("PK\3\4") || view.starts_with("PK\5\6")) {
        return open_npz(bytes, origin);
    }
    // If a file of a known format is damaged, this is reported. Any other bytes are tried as JSON.
    return origin.ends_with(".safetensors") ? open_safetensors(bytes, origin)
           : origin.ends_with(".npy")       ? open_npy(bytes, origin)
           : origin.ends_with(".npz")       ? open_npz(bytes, origin)
                                            : nullptr;
}

std::string_view little_endian_bytes(const Tensor& tensor) {
    return {reinterpret_cast<const char*>(tensor.values().data()), tensor.count() * sizeof(float)};
}

}  // namespace attn
