#include "answers/only_tensor.hpp"

#include <memory>

#include "files/source.hpp"
#include "printed/loader.hpp"
#include "tensor/error.hpp"
#include "text/lists.hpp"
#include "text/printable.hpp"

namespace attn {

Tensor numbers_of(const PrintedTensor& printed) {
    return {printed.shown,
            mapped(printed.numbers, [](const PrintedNumber& number) { return float(number.value); })};
}

Tensor only_tensor(const std::string& path) {
    const PrintedText read = load_tensors(std::make_shared<const std::string>(read_source(path)), path);
    if (read.tensors.size() != 1 || read.tensors.front().summarised()) {
        throw Error("{}: expected one tensor but found {}.", printable(path), read.tensors.size());
    }
    return numbers_of(read.tensors.front());
}

}  // namespace attn
