// The sections of a stage's article: which steps they show, and what else their figures have.
#pragma once

#include <string>
#include <vector>

#include "files/json_value.hpp"
#include "words/narration.hpp"

namespace attn {

struct PageSection {
    std::string id, title, text;  // without a plan, the id and the title are those of the main step
    std::vector<std::size_t> steps;
    std::size_t main;  // the step shown first
    Json figure;       // the plan in data/page/sections.json; null without one
};

// Returns the sections in reading order. A stage without a plan of its own gets one for each computed step.
// Sections without steps are left out, except the figure of the words, which shows the last attention
// weights. `words` is data/narration/<language>/page.json.
std::vector<PageSection> page_sections(const Situation& run, const Narration& narration, const Words& words);

}  // namespace attn
