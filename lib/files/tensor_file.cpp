#include "files/tensor_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace attn {

bool TensorEntry::has_shape(const Shape& shape) const {
    return std::ranges::equal(sizes, shape);
}

std::string TensorEntry::shape_text() const {
    return fmt::format("({}{})", fmt::join(sizes, ", "), sizes.size() == 1 ? "," : "");
}

const TensorEntry* TensorFile::find(std::string_view name) const {
    const auto found = std::ranges::find(entries_, name, &TensorEntry::name);
    return found == entries_.end() ? nullptr : &*found;
}

TensorsInMemory::TensorsInMemory(std::string origin, TensorMap tensors)
    : TensorFile(std::move(origin)), tensors_(std::move(tensors)) {
    for (const auto& [name, tensor] : tensors_) {
        entries_.push_back({name, {tensor.shape().begin(), tensor.shape().end()}});
    }
}

Tensor TensorsInMemory::read(const TensorEntry& entry, bool /*mask*/) const {
    return tensors_.find(entry.name)->second;
}

}  // namespace attn
