#include "walkthrough/dropout_steps.hpp"

#include "notebook/operations.hpp"

namespace attn {

Var seeded_dropout(Var x, const Parameters& parameters, std::string_view mask_name) {
    Notebook& nb = *x.notebook;
    const Number p = literal(parameters.dropout);
    const bool draws = p.value > 0.0 && p.value < 1.0;
    if (parameters.dropout_rng == DropoutRng::mkl && draws) {
        Generator generator(parameters.dropout_seed);
        const Tensor mask = keep_mask(generator, x.value().shape(), p.value, DropoutRng::mkl);
        return x * (nb.line(mask_name, nb.given(mask)) / one_minus(p));
    }
    return dropout(nb.line("generator", manual_seed(nb, parameters.dropout_seed)), x, p);
}

Var dropped_weights(Var attn_weights, const Parameters& parameters) {
    if (parameters.dropout == 0.0) {
        return attn_weights;
    }
    return attn_weights.notebook->step("attn_weights_dropped", seeded_dropout(attn_weights, parameters));
}

}  // namespace attn
