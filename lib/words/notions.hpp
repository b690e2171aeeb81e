// The notions that `explain` knows, data/notions.json: each has names in all languages, and the step that
// shows it. Their texts are in narration/<language>/notions.json.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attn {

struct Notion {
    std::string key;  // of its texts
    std::string stage, step;
};

// Returns the notion of which the question contains the most and the longest words, such as that of "sqrt"
// for "why divide by sqrt(d_k)?". Capitals do not count. Returns all notions, in order, if the question
// contains little else: "view and transpose". Returns nothing if it contains no name.
std::vector<Notion> find_notions(std::string_view question);
// Returns the first of these notions.
std::optional<Notion> find_notion(std::string_view question);

// Returns the names of all notions in the order of the file; the first of a notion is its usual one.
std::vector<std::vector<std::string>> notion_names();

}  // namespace attn
