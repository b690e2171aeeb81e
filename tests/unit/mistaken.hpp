// Walks with known mistakes.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "mistakes/mistakes.hpp"
#include "walked.hpp"

namespace attn {

// Returns the edit that makes a mistake, in its likeliest form.
inline Edit edit_of(std::string_view mistake, const Parameters& right) {
    return find_mistake(mistake)->edits(right).front().calls;
}

inline StageTrace walk_mistaken(const Stage& stage, std::initializer_list<std::string_view> mistakes,
                                const Parameters& parameters, const Inputs& inputs = {}) {
    const Parameters right = walk(stage, journey(), parameters, inputs).parameters;
    std::vector<Edit> edits;
    for (const std::string_view mistake : mistakes) {
        edits.push_back(edit_of(mistake, right));
    }
    return walk_edited(stage, journey(), right, inputs, edits);
}

inline StageTrace walk_mistaken(std::string_view stage, std::initializer_list<std::string_view> mistakes) {
    return walk_mistaken(*find_stage(stage), mistakes, find_stage(stage)->defaults);
}

}  // namespace attn
