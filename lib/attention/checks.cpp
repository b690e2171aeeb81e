#include "attention/checks.hpp"

#include <fmt/format.h>

#include "tensor/error.hpp"

namespace attn {

double probability(double p) {
    if (!(p >= 0.0 && p <= 1.0)) {
        throw Error(fmt::format("[attention] Expected a dropout from 0 to 1 but received {}.", p));
    }
    return p;
}

void require_batch(const Tensor& x) {
    if (x.rank() != 3) {
        throw Error(
            fmt::format("[attention] Expected (batch, tokens, d_in) but received {}.", x.shape().text()));
    }
}

}  // namespace attn
