// The mistakes that readers make. A mistake edits calls or parameters, and the stage is walked again. So it
// works for any input, and the changed code line is the line to correct.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "mistakes/patterns.hpp"
#include "notebook/notebook.hpp"
#include "stages/trace.hpp"

namespace attn {

struct Mistake;

// An edit of a walk: an edit of calls, or a change of parameters. With both, the two have the same
// effect: calls are edited to try it, and the parameters are changed to walk the stage with it.
struct WalkEdit {
    Edit calls{};
    std::function<void(Parameters&)> parameters{};
    const Mistake* mistake = nullptr;
    double bits = 0.0;     // the description length of the mistake, and of this edit among all of it
    std::size_t from = 0;  // no earlier call changes
};

using WalkEdits = std::vector<const WalkEdit*>;

// The part of the code that a mistake changes.
enum class About {
    step,
    setting,         // a parameter: the code is right, and the reader may have chosen the value
    draws,           // how inputs or weights are drawn
    order_of_draws,  // when weights are drawn
};

// A row of a table: an id, a cost, and the edits that make the mistake, such as one of a site and a verb.
struct Mistake {
    // Returns the edits of a stage with these right parameters; there may be none.
    using Edits = std::function<std::vector<WalkEdit>(const Parameters& right)>;

    Mistake(std::string_view name, double cost, Edits of_right, About what = About::step)
        : id(name), bits(cost), edits(std::move(of_right)), about(what) {}
    Mistake(std::string_view name, double cost, const std::vector<Edit>& all = {}, About what = About::step);
    Mistake(std::string_view name, double cost, const Edit& edit, About what = About::step)
        : Mistake(name, cost, std::vector{edit}, what) {}
    Mistake(std::string_view name, double cost, patterns::Site site, patterns::Verb verb,
            About what = About::step)
        : Mistake(name, cost, patterns::at(std::move(site), std::move(verb)), what) {}

    std::string_view id;
    // The description length; 10 bits mean that the mistake is 1000 times less likely than correct code.
    double bits;
    Edits edits;  // none if other code finds the mistake, such as ../wrong_number.hpp
    About about;
};

// Returns all mistakes, the likeliest first.
std::span<const Mistake> mistakes();

// Returns the mistake with that id, or null.
const Mistake* find_mistake(std::string_view id);

// Returns true if the mistake with that id is about this.
bool is_about(std::string_view id, About what);

// Returns all edits of all mistakes, the likeliest first.
std::vector<WalkEdit> known_edits(const Parameters& right);

// Walks a stage with these edits; `right` are its parameters without them. Returns nothing if the stage
// cannot run with the edits, such as 4 heads for vectors of 2 numbers.
std::optional<StageTrace> walk_with(const WalkEdits& edits, const Stage& stage, const Lesson& lesson,
                                    Parameters right, const Inputs& inputs);

}  // namespace attn
