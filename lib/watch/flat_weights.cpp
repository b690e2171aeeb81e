#include "watch/flat_weights.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "text/lists.hpp"

namespace attn {

namespace {

// The axes of a product's operands and its result, as torch.einsum names them.
struct ProductAxes {
    std::string x, w, result;
};

std::optional<ProductAxes> axes_of(const RecordedCall& call, const RecordedTensor& x,
                                   const RecordedTensor& w) {
    const std::size_t rank = x.shape.size();
    if (call.op != "einsum") {  // (…, a, b) @ (heads, b, c)
        const bool by_heads = rank > 2 && x.shape[rank - 3] == w.shape[0];
        const std::string before = rank == 4 ? "n" : "";
        return rank < 2 || rank > 4 ? std::nullopt
                                    : std::optional(ProductAxes{before + (by_heads   ? "hab"
                                                                          : rank > 2 ? "1ab"
                                                                                     : "ab"),
                                                                "hbc", before + "hac"});
    }
    std::string equation = call.equation;
    std::erase_if(equation, [](char c) { return c == ' ' || c == '.'; });
    const std::size_t comma = equation.find(','), arrow = equation.find("->");
    if (comma == std::string::npos || arrow == std::string::npos || comma > arrow) {
        return std::nullopt;
    }
    return ProductAxes{equation.substr(0, comma), equation.substr(comma + 1, arrow - comma - 1),
                       equation.substr(arrow + 2)};
}

// Joins the axes that are summed, and those that are not. Axes that all three have are counted with the first
// kind, because a sum over heads comes later.
void flatten(RecordedTensor& w, const ProductAxes& axes) {
    std::string in, out;
    for (const char axis : axes.x + axes.w) {
        if (contains(axes.w, axis) && contains(axes.x, axis) && !contains(in, axis)) {
            in += axis;
        }
    }
    for (const char axis : axes.result) {
        if (contains(axes.w, axis) && !contains(axes.x, axis)) {
            out += axis;
        }
    }
    const std::string order = in + out;
    if (in.empty() || out.empty() || order.size() != 3 || axes.w.size() != 3) {
        return;
    }
    std::size_t sizes[3], strides[3];
    for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t axis = axes.w.find(order[i]);
        sizes[i] = w.shape[axis];
        strides[i] = axis == 2 ? 1 : axis == 1 ? w.shape[2] : w.shape[1] * w.shape[2];
    }
    std::vector<float> numbers;
    numbers.reserve(w.numbers.size());
    for (std::size_t a = 0; a < sizes[0]; ++a) {
        for (std::size_t b = 0; b < sizes[1]; ++b) {
            for (std::size_t c = 0; c < sizes[2]; ++c) {
                numbers.push_back(w.numbers[a * strides[0] + b * strides[1] + c * strides[2]]);
            }
        }
    }
    w.numbers = std::move(numbers);
    w.shape = in.size() == 1 ? std::vector{sizes[0], sizes[1] * sizes[2]}
                             : std::vector{sizes[0] * sizes[1], sizes[2]};
    w.is_flat = true;
}

// Returns true for a parameter, or a tensor without a name or with one such as W_query, that has three axes.
bool has_heads(const RecordedTensor& tensor) {
    const bool named = tensor.names.empty() || std::ranges::any_of(tensor.names, [](const std::string& name) {
                           return name.starts_with('W') || name.starts_with('w');
                       });
    return tensor.shape.size() == 3 && tensor.has_numbers && !tensor.numbers.empty() &&
           (tensor.is_parameter || named);
}

}  // namespace

void flatten_weights(Recording& recording) {
    std::vector<bool> is_product(recording.tensors.size());  // or comes from one
    for (const RecordedCall& call : recording.calls) {
        for (const std::size_t id : call.results) {
            is_product[id] =
                call.kind == "matmul" || call.reads([&](auto operand) { return bool{is_product[operand]}; });
        }
        if (call.kind != "matmul" || call.operands.size() != 2) {
            continue;
        }
        const RecordedTensor& x = recording.tensors[call.operands[0]];
        RecordedTensor& w = recording.tensors[call.operands[1]];
        const std::optional<ProductAxes> axes = has_heads(w) && !has_heads(x) && !is_product[call.operands[1]]
                                                    ? axes_of(call, x, w)
                                                    : std::nullopt;
        if (axes) {
            flatten(w, *axes);
        }
    }
}

}  // namespace attn
