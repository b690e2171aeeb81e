#include "files/npz_writer.hpp"

#include <limits>

#include "files/inflate.hpp"
#include "files/little_endian.hpp"
#include "files/npy.hpp"
#include "files/number_type.hpp"
#include "tensor/error.hpp"

namespace attn {

namespace {

constexpr std::uint16_t version = 20;
constexpr std::uint16_t utf8_names = 1U << 11U;
constexpr std::uint16_t stored = 0;
constexpr std::uint16_t midnight = 0;
constexpr std::uint16_t first_of_january_1980 = 1U << 5U | 1U;

template <class... Integers>
void append(std::string& bytes, Integers... integers) {
    (append_little_endian(bytes, integers), ...);
}

}  // namespace

void NpzWriter::add(std::string_view name, const Tensor& tensor) {
    const std::string member = std::string(name) + ".npy";
    const std::string header = npy_header(tensor.shape());
    const std::string_view numbers = little_endian_bytes(tensor);
    const std::uint64_t size = header.size() + numbers.size();
    const std::uint64_t room = std::numeric_limits<std::uint32_t>::max() - directory_.size() - 1024;
    if (written_ + size > room || count_ == std::numeric_limits<std::uint16_t>::max() - 1) {
        throw Error(
            "an .npz fits 4 GiB and 65534 tensors, and this is more; export fewer steps (`step`), or write "
            ".safetensors.");
    }
    std::string common;
    append(common, version, utf8_names, stored, midnight, first_of_january_1980,
           crc32(numbers, crc32(header)), static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(size),
           static_cast<std::uint16_t>(member.size()), std::uint16_t{0});  // no extra field

    directory_ += "PK\1\2";
    append(directory_, version);
    directory_ += common;
    append(directory_, std::uint16_t{0}, std::uint16_t{0}, std::uint16_t{0}, std::uint32_t{0},
           static_cast<std::uint32_t>(written_));  // no comment, the first disk, no attributes
    directory_ += member;
    ++count_;

    write("PK\3\4" + common + member + header);
    write(numbers);
}

void NpzWriter::end() {
    std::string last = "PK\5\6";
    append(last, std::uint16_t{0}, std::uint16_t{0}, count_, count_,
           static_cast<std::uint32_t>(directory_.size()), static_cast<std::uint32_t>(written_),
           std::uint16_t{0});
    write(directory_ + last);
}

void NpzWriter::write(std::string_view bytes) {
    write_(bytes);
    written_ += bytes.size();
}

}  // namespace attn
