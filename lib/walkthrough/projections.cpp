#include "walkthrough/projections.hpp"

#include <fmt/format.h>

#include "notebook/operations.hpp"

namespace attn {

Projection linear_steps(std::string_view what, Var generator, const Number& d_in, const Number& d_out,
                        bool has_bias) {
    Notebook& nb = *generator.notebook;
    const Var layer = linear(generator, d_in, d_out, has_bias);
    if (!has_bias) {
        return {nb.step(fmt::format("W_{}", what), weight(layer)), layer, false};
    }
    nb.line(fmt::format("{}_layer", what), layer);
    const Var W = nb.step(fmt::format("W_{}", what), weight(layer));
    return {W, nb.step(fmt::format("b_{}", what), bias(layer)), true};
}

Var project(Var x, const Projection& projection) {
    const Var product = matmul(x, transpose(projection.weight));
    return projection.has_bias ? product + projection.bias : product;
}

}  // namespace attn
