// Strides from the recorded calls: only views can have strides that are not row-major.
#include "notebook/strides.hpp"

#include <optional>

#include "notebook/ops/layout.hpp"

namespace attn {

namespace {

// Returns the strides of a call that is a view of operand 0.
std::optional<Strides> strides_of_view(const Notebook& notebook, std::size_t id) {
    const Node& node = notebook.nodes()[id];
    if (node.call.operation->strides == nullptr) {
        return std::nullopt;
    }
    return node.call.operation->strides({node.call, notebook.operands(node.call)},
                                        strides(notebook, node.call.inputs[0]), node.value.shape());
}

}  // namespace

Strides strides(const Notebook& notebook, std::size_t id) {
    const std::optional<Strides> view = strides_of_view(notebook, id);
    return view ? *view : strides_of(notebook.nodes()[id].value.shape());
}

bool is_row_major(const Shape& shape, const Strides& strides) {
    std::size_t expected = 1;
    for (std::size_t axis = shape.rank(); axis-- > 0;) {
        if (shape[axis] != 1 && strides[axis] != expected) {
            return false;
        }
        expected *= shape[axis];
    }
    return true;
}

bool rearranges(const Notebook& notebook, std::size_t id) {
    const Node& node = notebook.nodes()[id];
    return node.call.operation->strides != nullptr && node.call.operation != &alias_op &&
           node.value.count() == notebook.nodes()[node.call.inputs[0]].value.count();
}

std::size_t memory_of(const Notebook& notebook, std::size_t node) {
    return strides_of_view(notebook, node) ? memory_of(notebook, notebook.nodes()[node].call.inputs[0])
                                           : node;
}

}  // namespace attn
