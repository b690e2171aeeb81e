// Runs a test at every instruction set level that this processor has.
#pragma once

#include <doctest/doctest.h>

#include <set>

#include "tensor/levels.hpp"

namespace attn {

// Reports once each level that this processor lacks.
inline bool is_here(Level level) {
    static std::set<Level> told;
    if (!has_level(level) && told.insert(level).second) {
        MESSAGE("this processor has no level ", level_name(level));
    }
    return has_level(level);
}

// Restores the level afterwards, also when the test fails.
template <class Test>
void at_every_level(Test test) {
    struct Restore {
        Level before = level();
        ~Restore() { force_level(before); }
    } const restore;
    for (const Level at : {Level::baseline, Level::v3, Level::v4}) {
        if (is_here(at)) {
            CAPTURE(static_cast<int>(at));
            force_level(at);
            test();
        }
    }
}

}  // namespace attn
