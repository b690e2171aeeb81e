// Runs a test at every instruction set level that this processor has.
#pragma once

#include <doctest/doctest.h>

#include "tensor/levels.hpp"

namespace attn {

// Restores the level afterwards, also when the test fails.
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
