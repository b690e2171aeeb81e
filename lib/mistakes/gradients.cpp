// Mistakes in the backward pass: the gradients of softmax, of the scaling and of the keys, and accumulated
// gradients.
#include "mistakes/kinds.hpp"
#include "mistakes/patterns.hpp"
#include "notebook/ops.hpp"

namespace attn {

using namespace patterns;

namespace {

bool is_gradient_of_scores(Var x) {
    const std::optional<std::size_t> of = x.notebook->nodes()[x.id].gradient_of;
    const auto made = [&] { return call_of({x.notebook, *of}); };
    return of && makes_scores(made()) && !makes_context(made());
}

}  // namespace

std::vector<Mistake> gradient_mistakes() {
    return {
        {"softmax-gradient-without-sum", 15.4, softmax_backward_op,
         [](const At& c) { return c.operand(0) * c.operand(1); }},
        {"gradient-not-scaled", 15.5,
         [](const At& c) { return c.is(div_scalar_op) && c.origin().is(softmax_backward_op); }, left_out},
        {"keys-gradient-not-transposed", 15.5,
         [](const At& c) { return c.is(matmul_op) && c.maker().is(transpose_op); },
         [](const At& c) {
             const Var left = c.maker().operand();
             // For a batch, autograd computes the transposed gradient from the transposed queries.
             return is_gradient_of_scores(left) ? c.again(left)
                    : is_gradient_of_scores(c.operand(1))
                        ? matmul(c.operand(), matrix_transpose(c.operand(1)))
                        : none;
         }},
        {"gradient-not-zeroed", 13.9,
         [](const At& c) { return c.is(ones_like) && name_of(c.operand()) == "loss"; },
         [](const At& c) { return c.again() * literal(2); }},
        {"mean-for-sum", 14,
         set<Loss>(&Parameters::loss, {Loss::sum, Loss::mean},
                   [](const Parameters& right) { return right.backward; }),
         About::setting},
    };
}

}  // namespace attn
