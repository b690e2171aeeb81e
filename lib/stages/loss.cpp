#include "stages/loss.hpp"

#include <algorithm>
#include <stdexcept>

#include "notebook/backward.hpp"
#include "notebook/ops.hpp"

namespace attn {

namespace {

// The step that is trained: the one the stage names, else the last that a gradient can pass through.
Var trained(Notebook& notebook, const Stage& stage) {
    const std::vector<Node>& nodes = notebook.nodes();
    for (std::size_t id = nodes.size(); id-- > 0;) {
        const bool is_wanted = stage.trains.empty() || nodes[id].name == stage.trains;
        if (nodes[id].role == Role::step && nodes[id].requires_grad && !nodes[id].is_leaf() && is_wanted) {
            return {&notebook, id};
        }
    }
    throw std::logic_error("nothing is trained");
}

}  // namespace

Var loss_of(Var x, Loss loss) {
    return loss == Loss::sum    ? sum(x)
           : loss == Loss::mean ? mean(x)
                                : mean(x.notebook->line("squares", square(x)));
}

Var leaf(Var x, const Run& run) {
    return run.parameters.backward ? requires_grad(x) : x;
}

void walk_back(Notebook& notebook, const Stage& stage, const Run& run) {
    backward(notebook.step("loss", loss_of(trained(notebook, stage), run.parameters.loss)));
}

}  // namespace attn
