#include <fmt/format.h>

#include <algorithm>

#include "answers/answers.hpp"
#include "mistakes/mistakes.hpp"
#include "notebook/replay.hpp"
#include "stages/shipped.hpp"
#include "terminal.hpp"
#include "text/prose.hpp"
#include "words/words.hpp"

namespace attn {

std::string known_mistakes(const Stage* stage, std::string_view language) {
    const Words words(language, "diagnosis");
    const auto entry = [&](std::string_view id, const std::string& step) {
        return hanging(fmt::format("{:<36} ", id), words.at(id) + (step.empty() ? "" : " (" + step + ")"),
                       text_columns());
    };
    std::string text;
    if (stage == nullptr) {
        for (const Mistake& mistake : mistakes()) {
            text += entry(mistake.id, "");
        }
        return text;
    }
    const StageTrace trace = walk(*stage, built_in_lesson(), stage->defaults);
    Replay replay(trace.notebook, trace.steps);
    std::string_view listed;
    for (const WalkEdit& edit : known_edits(stage->defaults)) {
        if (edit.mistake->id == listed || !edit.calls || !replay.make({edit.calls})) {
            continue;
        }
        const auto changed =
            std::ranges::find_if(trace.steps, [&](std::size_t id) { return replay.changed(id) != nullptr; });
        if (changed != trace.steps.end()) {
            listed = edit.mistake->id;
            text += entry(listed, trace.node(*changed).name);
        }
    }
    return text;
}

}  // namespace attn
