// A notebook with named tensors.
#pragma once

#include "notebook/notebook.hpp"
#include "tensor/layout.hpp"

namespace attn {

// Square matrices whose letters in formulas are X, Q, K, V.
struct Page {
    Notebook nb;
    Var x = nb.step({"inputs", "X"}, nb.given(ones(Shape{2, 2})));
    Var q = nb.step({"queries", "Q"}, nb.given(ones(Shape{2, 2})));
    Var k = nb.step({"keys", "K"}, nb.given(ones(Shape{2, 2})));
    Var v = nb.step({"values", "V"}, nb.given(ones(Shape{2, 2})));
};

}  // namespace attn
