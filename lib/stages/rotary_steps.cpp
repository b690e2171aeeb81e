#include "stages/rotary_steps.hpp"

#include "notebook/ops.hpp"
#include "tensor/error.hpp"

namespace attn {

void require_pairs(std::size_t d_out, std::size_t heads) {
    const std::size_t width = d_out / heads;
    if (width % 2 != 0) {
        const std::size_t wider = heads * (width + 1);
        throw Error(
            "`d_out`: {} makes each head {} wide, but rotation needs an even width; {} or {} would fit.",
            d_out, width, width == 1 ? wider : heads * (width - 1), width == 1 ? heads * (width + 3) : wider);
    }
}

Var rotary_theta(Notebook& nb, const Parameters& p, const Number& width) {
    const Var share = arange(nb, literal(0), width, literal(2)) / width;
    return literal(1) / pow(literal(*p.rotary_base), share);
}

Turns turns_of(Var positions, Var theta, Role role, const Scope& in) {
    const auto show = [&](const std::string& name, const std::string& letter, Var node) {
        return node.notebook->as(role, in({name, letter, {"token", "pair"}}), node);
    };
    const Var angles = show("angles", "Φ", outer(positions, theta));
    const Var cosines = show("cos", "C", cos(angles));
    return {cosines, show("sin", "D", sin(angles))};
}

Var turned(Var x, const Turns& by, Pairing pairing) {
    switch (pairing) {
        case Pairing::halves:
            return rotate_halves(x, by.cos, by.sin);
        case Pairing::neighbours:
            return rotate_neighbours(x, by.cos, by.sin);
        case Pairing::none:
            break;
    }
    return x;
}

}  // namespace attn
