// The mistakes readers make. Each edits calls or parameters before a stage is walked again, so it works for
// any input, and the rendered line that differs is the line to change.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "notebook/notebook.hpp"
#include "stages/parameters.hpp"

namespace attn {

// One way to make a mistake.
struct Variant {
    Edit edit{};                                // none: no call is edited
    std::function<void(Parameters&)> change{};  // none: the parameters are the right ones
    bool transposes = false;                    // the right result, transposed
    Edit like_change{};  // where there is one, an edit that comes to the same as `change`
};

struct Mistake {
    std::string_view id;
    double bits;  // that it takes to say that it was made; right numbers are a thousand times as likely
    // Those of a run with these (resolved) parameters; there may be none.
    std::vector<Variant> (*variants)(const Parameters& right);
};

// All of them; the rarer one is, the more bits.
std::span<const Mistake> mistakes();

// The mistake of that id, or null.
const Mistake* find_mistake(std::string_view id);

}  // namespace attn
