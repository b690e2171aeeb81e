#include "stages/dropout_steps.hpp"

#include "notebook/ops.hpp"

namespace attn {

DropoutLayer::DropoutLayer(Notebook& notebook, const Parameters& parameters)
    : parameters_(&parameters), mkl_(parameters.dropout_seed) {
    const bool draws = parameters.dropout > 0.0 && parameters.dropout < 1.0;
    if (!draws || parameters.dropout_rng == DropoutRng::mt19937) {
        generator_ = notebook.line("generator", manual_seed(notebook, parameters.dropout_seed));
    }
}

Var DropoutLayer::operator()(Var x, const Name& mask_name) {
    Notebook& nb = *x.notebook;
    const Number p = literal(parameters_->dropout);
    const bool needs_gradient = parameters_->backward && p.value() > 0.0 && nb.nodes()[x.id].requires_grad;
    if (generator_ && !needs_gradient) {
        return dropout(*generator_, x, p);
    }
    if (generator_) {  // the backward pass uses the mask by this name
        return x * nb.line(mask_name, dropout(*generator_, ones_like(x), p));
    }
    const Var mask = nb.line(mask_name, mkl_keep_mask(nb, mkl_, x.value().shape(), p));
    return x * (mask / (literal(1) - p));
}

Var seeded_dropout(Var x, const Parameters& parameters, const Name& mask_name) {
    return DropoutLayer(*x.notebook, parameters)(x, mask_name);
}

Var dropped_weights(Var attn_weights, const Parameters& parameters) {
    if (parameters.dropout == 0.0) {
        return attn_weights;
    }
    return attn_weights.notebook->step(dropped_weights_name, seeded_dropout(attn_weights, parameters));
}

}  // namespace attn
