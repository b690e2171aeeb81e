#include "printed/loader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>

#include "files/tensor_file.hpp"
#include "tensor/error.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

constexpr std::string_view remedy = "paste what PyTorch prints, or save the numbers with np.save";

// The first bytes of binary formats.
struct Format {
    std::string_view magic;
    std::string_view name;
};
constexpr Format formats[] = {
    {"\x89PNG", "a picture (PNG)"},   {"\xFF\xD8\xFF", "a picture (JPEG)"},
    {"GIF8", "a picture (GIF)"},      {"%PDF", "a PDF"},
    {"\x1F\x8B", "packed with gzip"}, {"\x89HDF", "an HDF5 file"},
    {"\177ELF", "a program"},
};

void refuse_binary(std::string_view bytes, std::string_view origin) {
    const auto format =
        std::ranges::find_if(formats, [&](const Format& one) { return bytes.starts_with(one.magic); });
    if (format != std::end(formats)) {
        throw Error("{}: this is {}; {}.", printable(origin), format->name, remedy);
    }
    constexpr std::size_t enough = 4096;
    const std::string_view begin = bytes.substr(0, enough);
    // In UTF-16 text, NUL bytes stand between letters; such text gets a different message.
    const bool nothing = begin.find(std::string_view("\0\0\0\0", 4)) != std::string_view::npos;
    const auto control = [](char c) { return (c > '\0' && c < '\b') || (c > '\r' && c < '\x1B'); };
    const auto count = static_cast<std::size_t>(std::ranges::count_if(begin, control));
    constexpr std::size_t few = 4;  // a text may contain a few control characters by accident
    if (nothing || count > std::max(few, begin.size() / 64)) {
        throw Error("{}: binary file, expected text; {}.", printable(origin), remedy);
    }
}

PrintedTensor saved_tensor(const TensorFile& file, const TensorEntry& entry) {
    const Tensor tensor = file.read(entry, Contents::any);
    PrintedTensor saved;
    saved.name = entry.name;
    saved.place = entry.name.empty() ? file.origin() : entry.name;
    saved.shown = tensor.shape();
    saved.numbers.reserve(tensor.count());
    for (const float x : tensor.values()) {
        saved.numbers.push_back(exact_number(static_cast<double>(x)));
    }
    return saved;
}

constexpr std::size_t max_saved_numbers = 10'000'000;

PrintedText read_saved(const TensorFile& file) {
    PrintedText read;
    double numbers = 0.0;  // the product of the sizes may be too large for an integer
    for (const TensorEntry& entry : file.entries()) {
        try {
            const double more =
                std::accumulate(entry.sizes.begin(), entry.sizes.end(), 1.0, std::multiplies());
            if (numbers + more > static_cast<double>(max_saved_numbers)) {
                throw Error("{}: more than {} numbers, the limit for a file; save only a part of them.",
                            printable(entry.name.empty() ? file.origin() : entry.name), max_saved_numbers);
            }
            numbers += more;
            read.tensors.push_back(saved_tensor(file, entry));
        } catch (const Error& error) {
            if (file.entries().size() == 1) {
                throw;
            }
            read.skipped.push_back(error.message());
        }
    }
    if (read.tensors.empty()) {
        throw Error("{}: there is no array of numbers in it.", printable(file.origin()));
    }
    return read;
}

}  // namespace

PrintedText load_tensors(const std::string& path) {
    const std::string origin = source_name(path);
    const auto bytes = std::make_shared<const std::string>(read_source(path));
    if (const std::shared_ptr<const TensorFile> file = open_tensor_file(bytes, origin)) {
        return read_saved(*file);
    }
    refuse_binary(*bytes, origin);
    return read_tensors(*bytes, origin);
}

}  // namespace attn
