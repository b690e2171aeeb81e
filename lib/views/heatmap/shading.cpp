// Follows the recorded calls backwards: through elementwise calls to the source of a number, and through all
// operands to see whether a number can be negative.
#include "views/heatmap/shading.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace attn {

namespace {

// Returns the kind of a cell that is 0, from the calls that computed its tensor.
CellKind zero_of(const Notebook& notebook, std::size_t id) {
    const Call& call = notebook.nodes()[id].call;
    const Operation& operation = *call.operation;
    const std::optional<std::size_t> followed = operation.followed(call);
    const bool passes_on = followed || operation.strides != nullptr;
    return operation.zero == CellKind::number && passes_on
               ? zero_of(notebook, call.inputs[followed.value_or(0)])
               : operation.zero;
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
    const CellKind factor = operation.hides != nullptr && node.call.inputs.size() > 1
                                ? zero_of(notebook, node.call.inputs[1])
                                : CellKind::number;
    for (std::size_t place = 0; place < kinds.size(); ++place) {
        if (node.value.values()[place] == -INFINITY) {
            kinds[place] = CellKind::masked;
        } else if (operation.hides != nullptr) {
            const Index cell = node.value.index(place);
            const CellKind kind = operation.hides({{node.call, operands}, node.value, cell}, factor);
            kinds[place] = kind == CellKind::number ? kinds[place] : kind;
        }
    }
    return kinds;
}

bool is_never_negative(const Notebook& notebook, std::size_t id) {
    const Call& call = notebook.nodes()[id].call;
    const auto is_input = [&](std::size_t input) { return is_never_negative(notebook, input); };
    const Number* const value = call.find("value");
    const bool positive_value = value == nullptr || value->value() >= 0.0;
    switch (call.operation->sign) {
        case Sign::never_negative:
            return true;
        case Sign::of_operands:
            return positive_value && std::ranges::all_of(call.inputs, is_input);
        case Sign::of_followed:
            return positive_value && is_input(call.inputs[call.operation->followed(call).value()]);
        default:
            return false;
    }
}

// Returns true if every row sums to 1.
bool is_shares(const Tensor& x) {
    const std::size_t width = x.rank() == 0 ? 0 : x.size(-1);
    if (width == 0) {
        return false;
    }
    for (std::size_t start = 0; start < x.count(); start += width) {
        const auto row = x.values().subspan(start, width);
        double sum = 0;
        for (const float share : row) {
            if (!(share >= 0.0F && share <= 1.0F)) {
                return false;
            }
            sum += static_cast<double>(share);
        }
        if (std::abs(sum - 1.0) > 1e-4) {
            return false;
        }
    }
    return true;
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
    shading.scale =
        is_never_negative(notebook, node) || is_shares(value) ? Scale::sequential : Scale::diverging;
    shading.kinds = kinds_of(notebook, node);
    for (const float x : value.values()) {
        shading.largest = std::isfinite(x) ? std::max(shading.largest, std::abs(x)) : shading.largest;
    }
    return shading;
}

}  // namespace attn
