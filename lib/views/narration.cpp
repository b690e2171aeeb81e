#include "views/narration.hpp"

#include <stdexcept>

#include "io/json_view.hpp"

namespace attn {

const StepWords& StageWords::step(std::string_view name) const {
    const auto found = steps.find(name);
    if (found == steps.end()) {
        throw std::logic_error("the narration has no words for step " + std::string(name));
    }
    return found->second;
}

Narration read_narration(std::string_view text, std::string_view origin) {
    const Json json = parse_json(text, origin);
    const JsonView root(json, origin);
    Narration narration;
    for (const JsonMember& member : root.object()) {
        const JsonView stage = root.at(member.key);
        stage.allow_keys({"title", "adds", "intro", "steps"});
        StageWords words{
            stage.at("title").string(), stage.at("adds").string(), stage.at("intro").string(), {}};
        const JsonView steps = stage.at("steps");
        for (const JsonMember& step : steps.object()) {
            const JsonView view = steps.at(step.key);
            view.allow_keys({"title", "note"});
            words.steps[step.key] = {view.at("title").string(), view.at("note").string()};
        }
        narration[member.key] = std::move(words);
    }
    return narration;
}

}  // namespace attn
