// Decides how a text is to be read, and puts what was read together. Brackets, names and JSON have files of
// their own beside this one.
#include "printed/tensor_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "files/utf8_text.hpp"
#include "printed/json_tensors.hpp"
#include "printed/precision.hpp"
#include "printed/tensor_scanner.hpp"
#include "tensor/error.hpp"
#include "text/printable.hpp"
#include "text/terminal.hpp"

namespace attn {

namespace {

// `{"keys": tensor([…` is a dict that Python printed. In JSON the same words stand in quotes.
bool has_python_calls(std::string_view text) {
    for (const std::string_view call : {": tensor(", ": array(", ":tensor(", ":array("}) {
        if (text.find(call) != std::string_view::npos) {
            return true;
        }
    }
    return false;
}

bool is_json(std::string_view text) {
    return looks_like_json(text) && !has_python_calls(text);
}

std::vector<PastedTensor> read_text(std::string_view text, std::string_view origin) {
    std::vector<PastedTensor> tensors;
    for (FoundTensor& found : scan_tensors(text, origin)) {
        PastedTensor& tensor = tensors.emplace_back();
        tensor.name = std::move(found.name);
        tensor.line = found.line;
        tensor.place = fmt::format("line {}", found.line);
        tensor.shown = found.list.shown;
        tensor.gaps = found.list.gaps;
        tensor.grad_fn = std::move(found.grad_fn);
        tensor.dtype = std::move(found.dtype);
        set_numbers(tensor, found.list.numbers);
        found.list.numbers = {};  // as large as what has been made of it
    }
    return tensors;
}

}  // namespace

bool PastedTensor::summarised() const {
    return std::ranges::any_of(gaps, [](const auto& gap) { return gap.has_value(); });
}

bool PastedTensor::fits(const Shape& shape) const {
    if (shape.rank() != shown.rank()) {
        return false;
    }
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
        if (gaps[axis] ? shape[axis] <= shown[axis] : shape[axis] != shown[axis]) {
            return false;
        }
    }
    return true;
}

Index PastedTensor::index_in(const Shape& shape, std::size_t n) const {
    Index index{};
    for (std::size_t axis = shown.rank(); axis-- > 0;) {
        const std::size_t position = n % shown[axis];
        n /= shown[axis];
        const bool behind_gap = gaps[axis] && position >= *gaps[axis];
        index[axis] = behind_gap ? position + shape[axis] - shown[axis] : position;
    }
    return index;
}

std::vector<PastedTensor> read_tensors(std::string_view text, std::string_view origin) {
    text = utf8_text(text, origin);
    std::vector<PastedTensor> tensors;
    if (is_json(text)) {  // to the letter: an escape sequence is none that JSON may hold
        tensors = read_json_tensors(text, origin);
    } else {
        const std::string plain = without_escapes(text);
        tensors = is_json(plain) ? read_json_tensors(plain, origin) : read_text(plain, origin);
    }
    if (tensors.empty()) {
        throw Error(fmt::format(
            "{}: there is no tensor in it; expected tensor([…]) as PyTorch prints it, array([…]) "
            "or [[0.1 0.2] …] as NumPy does, nested lists such as [[0.1, 0.2], [0.3, 0.4]], or JSON.",
            printable(origin)));
    }
    return tensors;
}

}  // namespace attn
