// Recording what NumPy computes otherwise than PyTorch.
#include "notebook/operations.hpp"

#include <fmt/format.h>

#include <utility>

#include "notebook/rows.hpp"

namespace attn {

namespace numpy {

Var seed(Notebook& notebook, std::uint64_t seed) {
    Number number{static_cast<double>(seed), {}};
    number.reads.fill(fmt::format("{}", seed));
    if (seed >> 32 != 0) {  // NumPy refuses what does not fit 32 bits; Generator reads no more than those
        for (const Language language : {Language::torch, Language::numpy}) {
            number.reads[static_cast<std::size_t>(language)] += " % 2**32";
        }
    }
    return notebook.record(rows::numpy_seed, {}, {{"seed", {number}}});
}

Var randn(Var generator, std::vector<Number> size) {
    return generator.notebook->record(rows::numpy_randn, {generator}, {{"size", std::move(size)}});
}

Var where(Var condition, Var x, const Number& otherwise) {
    return x.notebook->record(rows::numpy_where, {condition, x}, {{"value", {otherwise}}});
}

Var exp(Var x) {
    return x.notebook->record(rows::numpy_exp, {x});
}

Var row_sums(Var x) {
    return x.notebook->record(rows::numpy_row_sums, {x});
}

}  // namespace numpy

}  // namespace attn
