// The same test at every level of the instruction set that this processor has.
#pragma once

#include <doctest/doctest.h>

#include "tensor/levels.hpp"

namespace attn {

// Leaves the level as it was, also when the test fails in the middle.
template <class Test>
void at_every_level(Test test) {
    struct Restore {
        Level before = level();
        ~Restore() { force_level(before); }
    } const restore;
    for (const Level at : {Level::baseline, Level::v3, Level::v4}) {
        if (has_level(at)) {
            CAPTURE(static_cast<int>(at));
            force_level(at);
            test();
        }
    }
}

}  // namespace attn
