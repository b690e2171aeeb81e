// The mistakes that readers make. A mistake edits calls or parameters, and the stage is walked again. So it
// works for any input, and the changed code line is the line to correct.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "notebook/notebook.hpp"
#include "stages/trace.hpp"

namespace attn {

struct Mistake;

// One way to make a mistake: an edit of calls, or a change of parameters. With both, the two have the same
// effect: calls are edited to try it, and the parameters are changed to walk the stage with it.
struct WalkEdit {
    Edit calls{};
    std::function<void(Parameters&)> parameters{};
    const Mistake* mistake = nullptr;
    double bits = 0.0;     // the description length of the mistake, and of this way among all
    std::size_t from = 0;  // no earlier call changes
};

using WalkEdits = std::vector<const WalkEdit*>;

// Returns a way to make a mistake for each of these edits.
std::vector<WalkEdit> of_calls(const std::vector<Edit>& edits);

struct Mistake {
    // Returns the ways to make it in a stage with these right parameters; there may be none.
    using Ways = std::function<std::vector<WalkEdit>(const Parameters& right)>;

    Mistake(std::string_view name, double cost, Ways ways, bool setting = false)
        : id(name), bits(cost), edits(std::move(ways)), is_setting(setting) {}
    Mistake(std::string_view name, double cost, const std::vector<Edit>& ways = {}, bool setting = false)
        : Mistake(
              name, cost, [ways](const Parameters&) { return of_calls(ways); }, setting) {}
    Mistake(std::string_view name, double cost, const Edit& way) : Mistake(name, cost, std::vector{way}) {}

    std::string_view id;
    // The description length; 10 bits mean that the mistake is 1000 times less likely than correct code.
    double bits;
    Ways edits;  // none if other code finds the mistake, such as ../slips.hpp
    // True for a parameter with a different value: the code is right, and the reader may have chosen it.
    bool is_setting;
};

// Returns all mistakes, the likeliest first.
std::span<const Mistake> mistakes();

// Returns the mistake with that id, or null.
const Mistake* find_mistake(std::string_view id);

// Returns all ways to make all mistakes, the likeliest first.
std::vector<WalkEdit> known_edits(const Parameters& right);

// Walks a stage with these edits; `right` are its parameters without them.
StageTrace walk_with(const WalkEdits& edits, const Stage& stage, const Lesson& lesson, Parameters right,
                     const Inputs& inputs);

}  // namespace attn
