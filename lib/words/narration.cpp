#include "words/narration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "files/json_view.hpp"
#include "files/resources.hpp"
#include "notebook/vocabulary.hpp"

namespace attn {

StepWords StageWords::step(std::string_view name) const {
    if (steps.empty()) {
        return {std::string(name), "", ""};
    }
    auto found = steps.find(name);
    if (found == steps.end()) {
        found = std::ranges::find(steps, without_number(name),
                                  [](const auto& step) { return without_number(step.first); });
    }
    if (found == steps.end()) {
        throw std::logic_error("the narration has no words for step " + std::string(name));
    }
    return found->second;
}

StageWords read_narration(std::string_view language, std::string_view stage) {
    const std::string file = fmt::format("narration/{}/{}.json", language, stage);
    const Resource* const found = find_resource(file);
    if (found == nullptr) {
        return {std::string(language), std::string(stage), "", "", {}};
    }
    const Json json = parse_json(found->text, file);
    const JsonView root(json, file);
    root.allow_keys({"title", "adds", "intro", "steps"});
    StageWords words{std::string(language),
                     root.at("title").string(),
                     root.at("adds").string(),
                     root.at("intro").string(),
                     {}};
    const JsonView steps = root.at("steps");
    for (const JsonMember& step : steps.object()) {
        const JsonView view = steps[step];
        view.allow_keys({"title", "note", "own_weights"});
        const std::optional<JsonView> own_weights = view.find("own_weights");
        words.steps[step.key] = {view.at("title").string(), view.at("note").string(),
                                 own_weights ? own_weights->string() : ""};
    }
    return words;
}

}  // namespace attn
