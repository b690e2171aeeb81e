#include "files/tensor_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tensor/error.hpp"
#include "text/printable.hpp"

namespace attn {

bool TensorEntry::has_shape(const Shape& shape) const {
    return std::ranges::equal(sizes, shape);
}

std::string TensorEntry::shape_text() const {
    return fmt::format("({}{})", fmt::join(sizes, ", "), sizes.size() == 1 ? "," : "");
}

const TensorEntry* TensorFile::find(std::string_view name) const {
    const auto found = by_shown_name_.find(printable(name));
    return found == by_shown_name_.end() ? nullptr : &entries_[found->second];
}

void TensorFile::add(TensorEntry entry) {
    if (!by_shown_name_.emplace(printable(entry.name), entries_.size()).second) {
        throw Error("{}: holds two arrays called {}.", printable(origin_), in_quotes(entry.name));
    }
    entries_.push_back(std::move(entry));
}

TensorsInMemory::TensorsInMemory(std::string origin, TensorMap tensors)
    : TensorFile(std::move(origin)), tensors_(std::move(tensors)) {
    for (const auto& [name, tensor] : tensors_) {
        add({name, {tensor.shape().begin(), tensor.shape().end()}});
    }
}

Tensor TensorsInMemory::read(const TensorEntry& entry, Contents /*contents*/) const {
    return tensors_.find(entry.name)->second;
}

}  // namespace attn
