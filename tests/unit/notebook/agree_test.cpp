// The operation that says whether two computations agree, and the names in which a number occurs.
#include <doctest/doctest.h>

#include <cmath>

#include "notebook/ops.hpp"
#include "text/numbered.hpp"

using namespace attn;

TEST_CASE("two tensors agree up to a hundred-thousandth of the largest number, of either sign") {
    struct Case {
        float largest, x, y;
        bool agrees;
    };
    Notebook nb;
    for (const Case& one : {Case{100, 1.0009F, 1, true},
                            {100, 1.0011F, 1, false},
                            {-100, 0.9991F, 1, true},
                            {-100, 0.9989F, 1, false},
                            {0, 0, 0, true},
                            {0, 1e-30F, 0, false},
                            {1, std::nanf(""), std::nanf(""), false}}) {
        CAPTURE(one.x);
        const auto given = [&](float x) { return nb.given(Tensor({2}, {one.largest, x})); };
        CHECK((agree(given(one.x), given(one.y)).value().values()[0] == 1) == one.agrees);
    }
}

TEST_CASE("names that differ in a number mean the same") {
    CHECK(without_number("attn_weights_12_tmp") == "attn_weights_#_tmp");
    CHECK(without_number("queries") == "queries");
    CHECK(without_number("2_heads_3") == "#_heads_3");
}
