// The mistakes that readers make. A mistake edits calls or parameters, and the stage is walked again. So it
// works for any input, and the changed code line is the line to correct.
#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "notebook/notebook.hpp"
#include "stages/trace.hpp"

namespace attn {

// One way to make a mistake: either by editing calls or by changing parameters.
struct Variant {
    Edit edit{};
    std::function<void(Parameters&)> change{};
};

// The ways to make one mistake in a stage with these right parameters. The list may be empty.
class Variants {
public:
    Variants() = default;
    Variants(Edit edit) : Variants({std::move(edit)}) {}
    Variants(std::initializer_list<Edit> edits) {
        std::vector<Variant> all;
        for (const Edit& edit : edits) {
            all.push_back({edit, {}});
        }
        of_ = [all](const Parameters&) { return all; };
    }
    template <typename Of,
              typename = std::enable_if_t<std::is_invocable_r_v<std::vector<Variant>, Of, const Parameters&>>>
    Variants(Of of) : of_(std::move(of)) {}

    std::vector<Variant> operator()(const Parameters& right) const {
        return of_ ? of_(right) : std::vector<Variant>();
    }

private:
    std::function<std::vector<Variant>(const Parameters&)> of_;
};

struct Mistake {
    std::string_view id;
    // The description length; 10 bits mean that the mistake is 1000 times less likely than correct code.
    double bits;
    Variants variants;  // empty if other code finds the mistake, such as ../slips.hpp
    // True for a parameter with a different value: the code is right, and the reader may have chosen it.
    bool is_setting = false;
};

// Returns all mistakes, the likeliest first.
std::span<const Mistake> mistakes();

// Returns the mistake with that id, or null.
const Mistake* find_mistake(std::string_view id);

// A mistake, and the variant of it to try.
struct Attempt {
    const Mistake* mistake;
    Variant variant;
    double bits;  // the description length of the mistake and of its variant
    // For a change of parameters: an edit with the same effect on the calls, derived from two walks. A match
    // is walked again with the change. May be empty.
    Edit preview{};
};

// Returns all variants of all mistakes, the likeliest first.
std::vector<Attempt> attempts(const Parameters& right);

// Walks a stage with mistakes; `right` are its parameters without them.
StageTrace walk_with(std::span<const Variant> mistakes, const Stage& stage, const Lesson& lesson,
                     Parameters right, const Inputs& inputs);

}  // namespace attn
