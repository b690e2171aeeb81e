// A notebook with something in it.
#pragma once

#include "notebook/notebook.hpp"
#include "tensor/layout.hpp"

namespace attn {

// Square matrices under names whose letters are X, Q, K, V.
struct Page {
    Notebook nb;
    Var x = nb.step("inputs", nb.given(ones(Shape{2, 2})));
    Var q = nb.step("queries", nb.given(ones(Shape{2, 2})));
    Var k = nb.step("keys", nb.given(ones(Shape{2, 2})));
    Var v = nb.step("values", nb.given(ones(Shape{2, 2})));
};

}  // namespace attn
