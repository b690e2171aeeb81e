// Follows the recorded calls backwards, through elementwise calls to the source of a number.
#include "views/heatmap/shading.hpp"

#include <algorithm>
#include <cmath>

namespace attn {

namespace {

// Returns the kind of a cell that is 0, from the calls that computed its tensor.
CellKind zero_of(const Notebook& notebook, std::size_t id) {
    const Call& call = notebook.nodes()[id].call;
    const Operation& operation = *call.operation;
    const std::optional<std::size_t> followed = operation.followed(call);
    const bool passes_on = followed || operation.strides != nullptr;
    return operation.marks.zero == CellKind::number && passes_on
               ? zero_of(notebook, call.inputs[followed.value_or(0)])
               : operation.marks.zero;
}

std::vector<CellKind> kinds_of(const Notebook& notebook, std::size_t id) {
    const Node& node = notebook.nodes()[id];
    const Operation& operation = *node.call.operation;
    std::vector<CellKind> kinds(node.value.count(), CellKind::number);
    if (const auto followed = operation.followed(node.call)) {
        const std::size_t source = node.call.inputs[*followed];
        if (notebook.nodes()[source].value.shape() == node.value.shape()) {
            kinds = kinds_of(notebook, source);
        }
    }
    const std::vector<const Tensor*> operands = notebook.operands(node.call);
    const CellKind factor = operation.marks.hides != nullptr && node.call.inputs.size() > 1
                                ? zero_of(notebook, node.call.inputs[1])
                                : CellKind::number;
    for (std::size_t place = 0; place < kinds.size(); ++place) {
        if (node.value.values()[place] == -INFINITY) {
            kinds[place] = CellKind::masked;
        } else if (operation.marks.hides != nullptr) {
            const Index cell = node.value.index(place);
            const CellKind kind = operation.marks.hides({{node.call, operands}, node.value, cell}, factor);
            kinds[place] = kind == CellKind::number ? kinds[place] : kind;
        }
    }
    return kinds;
}

}  // namespace

Colour Shading::colour(std::size_t place, float value) const {
    return kinds[place] == CellKind::masked || !std::isfinite(value)
               ? masked_grey
               : colour_at(scale, position_of(value, largest));
}

Shading shading_of(const Notebook& notebook, std::size_t node) {
    const Tensor& value = notebook.nodes()[node].value;
    Shading shading;
    const bool has_negative = std::ranges::any_of(value.values(), [](float x) { return x < 0; });
    shading.scale = has_negative ? Scale::diverging : Scale::sequential;
    shading.kinds = kinds_of(notebook, node);
    for (const float x : value.values()) {
        shading.largest = std::isfinite(x) ? std::max(shading.largest, std::abs(x)) : shading.largest;
    }
    return shading;
}

}  // namespace attn
