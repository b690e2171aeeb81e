#include "printed/loader.hpp"

#include "printed/decode.hpp"
#include "tensor/error.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

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

PrintedText read_saved(const TensorFile& file) {
    require_few_tensors(file.entries().size(), file.origin());
    PrintedText read;
    double numbers = 0.0;  // the product of the sizes may be too large for an integer
    for (const TensorEntry& entry : file.entries()) {
        try {
            double more = 1.0;
            for (const auto size : entry.sizes) {
                more *= static_cast<double>(size);
            }
            if (numbers + more > static_cast<double>(max_read_numbers)) {
                throw Error("{}: more than {} numbers, the limit for a file; save only a part of them.",
                            printable(entry.name.empty() ? file.origin() : entry.name), max_read_numbers);
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

PrintedText load_tensors(const Bytes& bytes, const std::string& origin) {
    if (const auto file = open_tensor_file(bytes, origin)) {
        return read_saved(*file);
    }
    refuse_binary(*bytes, origin);
    return read_tensors(*bytes, origin);
}

}  // namespace attn
