// A stage: a function that records steps in a notebook, and the settings that change them.
#pragma once

#include <string_view>
#include <vector>

#include "notebook/notebook.hpp"
#include "stages/lesson.hpp"
#include "stages/parameters.hpp"
#include "text/lists.hpp"

namespace attn {

struct StateDict;

// The meanings of the axes of most tensors.
inline const Axes token_feature{"token", "feature"};
inline const Axes query_key{"query", "key"};
inline const Axes out_in{"out", "in"};

struct Run {
    const Lesson& lesson;
    const Parameters& parameters;  // with the sizes of lesson and weights filled in
    std::size_t focus = 0;         // index of the token that the steps about a single query follow
    StateDict* weights = nullptr;  // the reader's weights; null: the weights are drawn
    bool short_masks = false;      // if true, only the part of a stored mask that the tokens need is used
};

// The heads that a stage takes from a model: one, all heads of one layer that is split, all heads as separate
// layers, or none.
enum class HeadLayout { one, split, stacked, none };

// The group of a stage: it follows a document, looks at such a stage from another side, or is a further
// topic.
enum class StageGroup { documents, views, onward };

struct Stage {
    std::string_view name;
    // The settings that change the stage: lesson, focus, weights, and names of parameters.
    std::vector<std::string_view> settings;
    Parameters defaults;
    void (*walk)(Notebook&, const Run&);
    Language language = Language::torch;  // the programming language of its document
    HeadLayout head_layout = HeadLayout::one;
    StageGroup group = StageGroup::documents;
    std::string_view why_no_gradients = {};  // why the stage has no backward pass; empty if it has one
    bool is_square = false;                  // d_in is d_out: the stage has a single width
    // The loss is computed from this step; empty: from the last step with a gradient.
    std::string_view trains = {};
};

// True if a setting changes the stage.
inline bool uses(const Stage& stage, std::string_view setting) {
    return contains(stage.settings, setting);
}

}  // namespace attn
