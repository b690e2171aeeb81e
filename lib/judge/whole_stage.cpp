#include "judge/whole_stage.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "diagnosis/bits.hpp"
#include "judge/verdicts.hpp"
#include "stages/catalogue.hpp"
#include "tensor/error.hpp"

namespace attn {

namespace {

// Judges the outputs as the steps of a stage if they are its steps, and all others are right or not shown
// by code, as drawings are not.
bool take_steps_of(const StageTrace& walked, const CodeReading& code, Judgement& result) {
    std::vector<std::optional<std::size_t>> step_of(result.outputs.size());
    auto next = walked.steps.begin();
    for (std::size_t i = 0; i < step_of.size(); ++i) {
        const Judged& output = result.outputs[i];
        if (next != walked.steps.end() && is_printed(output.printed, walked.node(*next).value, 0.0)) {
            step_of[i] = *next++;
        } else if (next != walked.steps.begin() &&
                   is_printed(output.printed, walked.node(*std::prev(next)).value, 0.0)) {
            step_of[i] = *std::prev(next);  // once more, by a module
        } else if (code.followed.shown_of[i] && !is_right(output.verdict)) {
            return false;
        }
    }
    if (next != walked.steps.end()) {
        return false;
    }
    std::vector<Judged> outputs;
    for (std::size_t i = 0; i < step_of.size(); ++i) {
        Judged output = std::move(result.outputs[i]);
        if (step_of[i]) {
            const Match match = match_of({&walked, *step_of[i]}, output.printed);
            output = {.printed = std::move(output.printed),
                      .place = output.place,
                      .item = output.item,
                      .label = std::move(output.label),
                      .verdict = right_or_settings({{&walked, *step_of[i]}})};
            output.diagnosis.matches.push_back(match);
        }
        if (step_of[i] || code.followed.shown_of[i]) {
            outputs.push_back(std::move(output));
        }
    }
    result.outputs = std::move(outputs);
    return true;
}

}  // namespace

Match match_of(const Found& found, const PrintedTensor& printed) {
    const StageTrace& walk = *found.walk;
    Match match{.stage = walk.stage, .parameters = walk.parameters, .step = walk.node(found.step).name};
    match.place = walk.place(found.step);
    match.piece.index = found.piece;
    match.piece.kind = found.piece.empty() ? PieceKind::whole : PieceKind::entry;
    match.bits = std::max(surprise(printed), convincing);
    return match;
}

void recognise_stage(const CodeReading& code, Judgement& result) {
    constexpr std::size_t most_outputs = 512;  // of a stage; a longer document would only take time
    constexpr std::size_t most_numbers = 1000;
    const Lesson lesson = code.lessons.chapters().front().lesson;
    if (result.all_right() || result.outputs.size() > most_outputs ||
        lesson.embeddings.count() > most_numbers) {
        return;
    }
    for (const Stage* const stage : catalogue()) {
        std::vector<Parameters> all{stage->defaults};
        if (uses(*stage, "seed") && uses(*stage, "lesson")) {
            std::ranges::copy(code.lessons.stated_parameters(*stage, lesson.embeddings.shape()[1]),
                              std::back_inserter(all));
        }
        constexpr std::size_t most = 4;  // variants of a stage
        all.resize(std::min(all.size(), most));
        for (const Parameters& parameters : all) {
            try {
                const StageTrace walked = walk(*stage, lesson, parameters, code.question.inputs);
                if (walked.steps.size() > result.outputs.size()) {
                    break;
                }
                if (take_steps_of(walked, code, result)) {
                    return;
                }
            } catch (const Error&) {
                continue;  // settings or a lesson that do not fit the stage
            }
        }
    }
}

}  // namespace attn
