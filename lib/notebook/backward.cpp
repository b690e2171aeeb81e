#include "notebook/backward.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "notebook/ops/arithmetic.hpp"
#include "notebook/ops/gradients.hpp"
#include "tensor/error.hpp"

namespace attn {

namespace {

// An operand of a call.
struct Use {
    std::size_t call, operand;
};

// For each node that `loss` depends on: the calls that use the node and pass it a gradient, the last call
// first.
using Uses = std::map<std::size_t, std::vector<Use>, std::greater<>>;

Uses uses_towards(Var loss) {
    const Nodes& nodes = loss.notebook->nodes();
    Uses uses{{loss.id, {}}};
    for (auto at = uses.begin(); at != uses.end(); ++at) {  // also visits uses that are appended meanwhile
        const Node& node = nodes[at->first];
        for (std::size_t i = 0; i < node.call.inputs.size() && !node.is_leaf(); ++i) {
            const std::size_t input = node.call.inputs[i];
            if (nodes[input].requires_grad) {
                uses[input].push_back({at->first, i});
            }
        }
    }
    return uses;
}

// Records the call that makes PyTorch compute the same gradients, and keep them for tensors that are not
// leaves.
void run_autograd(Var loss, const Uses& uses) {
    Notebook& notebook = *loss.notebook;
    std::vector<Var> retained;
    for (const auto& [id, unused] : uses) {
        if (!notebook.nodes()[id].name.empty() && !notebook.nodes()[id].is_leaf()) {
            retained.push_back({&notebook, id});
        }
    }
    if (retained.empty()) {  // an edit may make the loss a constant
        throw Error("[backward] The loss does not depend on any tensor that requires a gradient.");
    }
    notebook.line("grad_mode", run_backward(retained));
    notebook.set_grad_enabled(false);
}

// Returns the gradient that a call passes to one of its operands.
Var passed_back(Var result, Var grad, std::size_t operand) {
    const Backward y{result.notebook->nodes()[result.id].call, result, grad, operand};
    if (y.call.operation->gradient == nullptr) {
        throw Error("[backward] No gradient is known of {}.", y.call.operation->name);
    }
    return y.call.operation->gradient(y);
}

}  // namespace

void backward(Var loss) {
    Notebook& notebook = *loss.notebook;
    const Uses uses = uses_towards(loss);
    run_autograd(loss, uses);
    std::map<std::size_t, Var> gradients;
    for (const auto& [id, used] : uses) {
        std::optional<Var> grad;
        for (const auto& [call, operand] : used) {
            const Var share = passed_back({&notebook, call}, gradients.at(call), operand);
            grad = grad ? *grad + share : share;
        }
        gradients.emplace(id, notebook.gradient({&notebook, id}, grad ? *grad : ones_like(loss)));
    }
}

std::optional<Var> gradient_of(Var x) {
    const Nodes& nodes = x.notebook->nodes();
    const auto found = std::ranges::find(nodes, std::optional(x.id), &Node::gradient_of);
    return found == nodes.end() ? std::nullopt
                                : std::optional(Var{x.notebook, std::size_t(found - nodes.begin())});
}

}  // namespace attn
