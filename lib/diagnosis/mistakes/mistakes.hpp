// The mistakes readers make. Each edits calls or parameters before a stage is walked again. So it works for
// any input, and the code line that differs is the line to change.
#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "notebook/notebook.hpp"
#include "stages/parameters.hpp"

namespace attn {

// One way to make a mistake: an edit of calls, or a change of the parameters. If it has both, each gives the
// same tensors.
struct Variant {
    Edit edit{};
    std::function<void(Parameters&)> change{};
};

// The ways to make one mistake, given the right (resolved) parameters. There may be none.
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
    double bits;        // the description length: 10 for a mistake that is 1000 times less likely than none
    Variants variants;  // empty: the mistake is found without an edit, for example in ../slips.hpp
};

// Returns all mistakes, the likeliest first.
std::span<const Mistake> mistakes();

// Returns the mistake with that id, or null.
const Mistake* find_mistake(std::string_view id);

// A mistake, and the variant of it to try.
struct Attempt {
    const Mistake* mistake;
    Variant variant;
    double bits;  // the description length, including the choice of the variant
};

// Returns all variants of all mistakes, the likeliest first.
std::vector<Attempt> attempts(const Parameters& right);

}  // namespace attn
