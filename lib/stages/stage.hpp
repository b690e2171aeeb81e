// A stage: a function that records its steps in a notebook, and what can be set about it.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "notebook/notebook.hpp"
#include "stages/lesson.hpp"
#include "stages/parameters.hpp"

namespace attn {

class GivenWeights;

// The axes of most tensors.
inline const Axes token_feature{"token", "feature"};
inline const Axes query_key{"query", "key"};
inline const Axes out_in{"out", "in"};

struct Run {
    const Lesson& lesson;
    const Parameters& parameters;     // resolved for the lesson and the weights
    std::size_t focus = 0;            // index of the query token of row-level steps
    GivenWeights* weights = nullptr;  // the reader's own, instead of drawn ones
    bool short_masks = false;         // a mask for longer sequences is made as long as these are
};

// The weights that a stage takes from a model with several heads: one head, all heads in one layer that it
// splits, all heads in separate layers, or none.
enum class HeadLayout { one, split, stacked, none };

// Where a stage stands among the others: it follows a document, looks at what those compute, or goes on from
// them.
enum class StageGroup { documents, views, onward };

struct Stage {
    std::string_view name;
    std::vector<std::string_view> settings;  // that change it: lesson, focus, weights, or a parameter
    Parameters defaults;
    void (*walk)(Notebook&, const Run&);
    Language language = Language::torch;  // that its document writes it in
    HeadLayout head_layout = HeadLayout::one;
    StageGroup group = StageGroup::documents;
    std::string_view no_way_back = {};  // why there is no way back, where there is none
    std::string_view trains = {};  // the step that a loss is made of; none: the last that requires a gradient
};

// True if a setting changes the stage.
inline bool uses(const Stage& stage, std::string_view setting) {
    return std::ranges::find(stage.settings, setting) != stage.settings.end();
}

}  // namespace attn
