#include "stages/loss.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "notebook/backward.hpp"
#include "notebook/ops.hpp"
#include "tensor/error.hpp"

namespace attn {

namespace {

// Returns the step from which the loss is computed: the stage's choice, or the last step with a gradient.
Var trained(Notebook& notebook, const Stage& stage) {
    const Nodes& nodes = notebook.nodes();
    for (std::size_t id = nodes.size(); id-- > 0;) {
        const bool is_wanted = stage.trains.empty() || nodes[id].name == stage.trains;
        if (nodes[id].role == Role::step && nodes[id].requires_grad && !nodes[id].is_leaf() && is_wanted) {
            return {&notebook, id};
        }
    }
    throw Error("[backward] Nothing that was computed is trained.");
}

// Shows the Jacobian of softmax, diag(a) − a aᵀ, for a row of weights a. Its product with the gradient of the
// weights is the gradient of the scores. The Jacobian is symmetric, and PyTorch adds the terms of a row times
// a matrix in the same order on every processor.
void add_softmax_jacobian(Notebook& notebook, std::size_t focus) {
    std::optional<std::size_t> last;  // the last node that is a gradient of softmax
    for (std::size_t id = 0; id < notebook.nodes().size(); ++id) {
        const Call& call = notebook.nodes()[id].call;
        if (call.operation == &softmax_backward_op && !notebook.nodes()[call.inputs[1]].name.empty()) {
            last = id;
        }
    }
    if (!last) {
        return;
    }
    const Call& call = notebook.nodes()[*last].call;
    const Var grad{&notebook, call.inputs[0]};
    const Var weights{&notebook, call.inputs[1]};
    const std::size_t rank = weights.value().rank();
    std::vector<Number> row(rank - 1, literal(0));
    row.back() = literal(std::min(focus, weights.value().shape()[rank - 2] - 1));
    const Var of_row = notebook.line({"weights_row", "a", {"key"}}, select(weights, row));
    const Var jacobian =
        notebook.step({"softmax_jacobian", "J", {"key", "key"}}, diag(of_row) - outer(of_row, of_row));
    const Var grad_row = notebook.line({"weights_row_grad", "∂a", {"key"}}, select(grad, row));
    const Var product = notebook.step({"row_by_jacobian", "∂s", {"key"}}, matmul(grad_row, jacobian));
    const Var from_softmax = notebook.line({"softmax_row", "∂s′", {"key"}}, select({&notebook, *last}, row));
    notebook.step("jacobian_agrees", agree(product, from_softmax, grad_row));
}

}  // namespace

Var loss_of(Var x, Loss loss, const std::string& suffix) {
    return loss == Loss::sum ? sum(x)
           : loss == Loss::mean
               ? mean(x)
               : mean(x.notebook->line({"squares" + suffix, "Z²" + suffix, token_feature}, square(x)));
}

Var leaf(Var x, const Run& run) {
    return run.parameters.backward ? requires_grad(x) : x;
}

void record_backward(Notebook& notebook, const Stage& stage, const Run& run) {
    const Var loss = notebook.step({"loss", "L"}, loss_of(trained(notebook, stage), run.parameters.loss));
    backward(loss);
    add_softmax_jacobian(notebook, run.focus);
}

}  // namespace attn
