// A stage: a function that records its steps in a notebook, and the settings that change it.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "notebook/notebook.hpp"
#include "stages/lesson.hpp"
#include "stages/parameters.hpp"

namespace attn {

struct StateDict;

// The axes of most tensors.
inline const Axes token_feature{"token", "feature"};
inline const Axes query_key{"query", "key"};
inline const Axes out_in{"out", "in"};

struct Run {
    const Lesson& lesson;
    const Parameters& parameters;  // resolved with the lesson and the weights
    std::size_t focus = 0;         // index of the token that the steps about a single query follow
    StateDict* weights = nullptr;  // the reader's weights; null: the weights are drawn
    bool short_masks = false;      // use only the part of a stored mask that the tokens need
};

// The heads that a stage takes from a model with several heads: one, all of one layer that it splits, all in
// separate layers, or none.
enum class HeadLayout { one, split, stacked, none };

// The role of a stage: it follows a document, examines a stage that does, or goes beyond the documents.
enum class StageGroup { documents, views, onward };

struct Stage {
    std::string_view name;
    // The stage depends on these: lesson, focus, weights, and names of parameters.
    std::vector<std::string_view> settings;
    Parameters defaults;
    void (*walk)(Notebook&, const Run&);
    Language language = Language::torch;  // the language of its document
    HeadLayout head_layout = HeadLayout::one;
    StageGroup group = StageGroup::documents;
    std::string_view why_no_gradients = {};  // reason, if the stage has no backward pass
    std::string_view trains = {};  // step that the loss is computed from; empty: the last with a gradient
};

// True if a setting changes the stage.
inline bool uses(const Stage& stage, std::string_view setting) {
    return std::ranges::find(stage.settings, setting) != stage.settings.end();
}

}  // namespace attn
