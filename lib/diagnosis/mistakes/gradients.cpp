// Mistakes in the backward pass: the gradients of softmax, of the scaling and of the keys, and accumulated
// gradients.
#include "diagnosis/mistakes/kinds.hpp"
#include "diagnosis/mistakes/patterns.hpp"
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
        {"softmax-gradient-without-sum", 15.4,
         at(softmax_backward_op, [](const At& c) { return c.operand(0) * c.operand(1); })},
        {"gradient-not-scaled", 15.5,
         left_out([](const At& c) { return c.is(div_scalar_op) && c.origin().is(softmax_backward_op); })},
        {"keys-gradient-not-transposed", 15.5,
         at(matmul_op,
            [](const At& c) -> MaybeVar {
                const At left = c.maker();
                if (!left.is(transpose_op)) {
                    return std::nullopt;
                }
                if (is_gradient_of_scores(left.operand())) {
                    return c.again(left.operand());
                }
                // For a batch, autograd computes the transposed gradient from the transposed queries.
                return is_gradient_of_scores(c.operand(1))
                           ? MaybeVar(matmul(c.operand(), matrix_transpose(c.operand(1))))
                           : std::nullopt;
            })},
        {"gradient-not-zeroed", 13.9,
         at([](const At& c) { return c.is(ones_like) && name_of(c.operand()) == "loss"; },
            [](const At& c) { return c.again() * literal(2); })},
        {"mean-for-sum", 14,
         [](const Parameters& right) {
             std::vector<WalkEdit> edits;
             for (const Loss loss : {Loss::sum, Loss::mean}) {
                 if (right.backward && loss != right.loss) {
                     edits.push_back({{}, [=](Parameters& parameters) { parameters.loss = loss; }});
                 }
             }
             return edits;
         },
         true},
    };
}

}  // namespace attn
