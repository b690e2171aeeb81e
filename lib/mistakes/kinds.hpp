// The tables of mistakes, one for each part of attention, and what they share.
#pragma once

#include <vector>

#include "mistakes/mistakes.hpp"

namespace attn {

// Returns edits that set a parameter to each of these values but its own, in stages where that changes
// something.
template <typename T>
Mistake::Edits set(T Parameters::*which, const std::vector<T>& values, bool (*matters)(const Parameters&)) {
    return [=](const Parameters& right) {
        std::vector<WalkEdit> edits;
        for (const T value : values) {
            if (matters(right) && value != right.*which) {
                edits.push_back({{}, [=](Parameters& parameters) { parameters.*which = value; }});
            }
        }
        return edits;
    };
}

std::vector<Mistake> score_mistakes();
std::vector<Mistake> mask_mistakes();
std::vector<Mistake> dropout_mistakes();
std::vector<Mistake> input_mistakes();
std::vector<Mistake> weight_mistakes();
std::vector<Mistake> head_mistakes();
std::vector<Mistake> onward_mistakes();
std::vector<Mistake> gradient_mistakes();

}  // namespace attn
