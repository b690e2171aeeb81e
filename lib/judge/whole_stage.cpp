#include "judge/whole_stage.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "diagnosis/bits.hpp"
#include "diagnosis/pieces.hpp"
#include "judge/verdicts.hpp"
#include "stages/catalogue.hpp"
#include "tensor/error.hpp"

namespace attn {

namespace {

// Returns the part of a step that an output shows: "", "[0]" for batch[0]. Behind code that shows another
// tensor it is nothing.
std::optional<std::string> part_shown(const Judged& output, const Node& step, bool has_code) {
    if (is_printed(output.printed, step.value, 0.0)) {
        return "";
    }
    const Pattern pattern(output.printed, 0.0);
    const bool is_possible =
        (!has_code || output.label.starts_with(step.name + "[")) && pattern.may_be_in(step.value.shape());
    const std::optional<Piece> piece = is_possible ? pattern.find_in(step.value) : std::nullopt;
    return piece ? std::optional(piece->index) : std::nullopt;
}

// Judges the outputs as the steps of a stage if they are its steps, and all others are right or not shown
// by code, as drawings are not.
bool take_steps_of(const StageTrace& walked, const CodeReading& code, Judgement& result) {
    std::vector<std::optional<Found>> step_of(result.outputs.size());
    auto next = walked.steps.begin();
    for (std::size_t i = 0; i < step_of.size(); ++i) {
        const Judged& output = result.outputs[i];
        const auto take = [&](auto step) {
            const auto part = part_shown(output, walked.node(*step), code.followed.shown_of[i].has_value());
            step_of[i] = part ? std::optional(Found{&walked, *step, *part}) : std::nullopt;
            return part.has_value();
        };
        if (next != walked.steps.end() && take(next)) {
            ++next;
        } else if ((next == walked.steps.begin() || !take(std::prev(next))) &&  // once more, by a module
                   code.followed.shown_of[i] && !is_right(output.verdict)) {
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
            const Match match = match_of(*step_of[i], output.printed);
            output = {.printed = std::move(output.printed),
                      .place = output.place,
                      .item = output.item,
                      .label = std::move(output.label),
                      .verdict = right_or_settings({*step_of[i]})};
            output.diagnosis.matches.push_back(match);
        }
        if (step_of[i] || code.followed.shown_of[i]) {
            outputs.push_back(std::move(output));
        }
    }
    result.outputs = std::move(outputs);
    return true;
}

// True if the outputs' labels are not the names of the steps, so that they cannot be this stage.
bool names_few_steps(const StageTrace& walked, const Judgement& result) {
    std::set<std::string_view> labels;
    for (const Judged& output : result.outputs) {
        const std::string_view shown =
            std::string_view(output.label).substr(output.label.rfind('(') + 1);  // in np.float32(x)
        labels.insert(shown.substr(0, shown.find_first_of("[)")));
    }
    const auto is_named = [&](std::size_t step) { return labels.contains(walked.node(step).name); };
    return 2 * std::ranges::count_if(walked.steps, is_named) < std::ssize(walked.steps);
}

// Adds settings that code does not state by name, in all combinations with those that it states.
void add_unstated(const Stage& stage, std::vector<Parameters>& all) {
    struct Values {
        std::string_view name;
        std::vector<std::string_view> texts;
    };
    static const std::vector<Values> values{
        {"rotary", {"halves", "neighbours"}}, {"kv_heads", {"1", "2"}}, {"window", {"1", "2", "4"}},
        {"batch", {"1", "2", "3", "4"}},      {"dropout", {"0.5"}},     {"dropout_rng", {"mkl"}},
    };
    constexpr std::size_t most = 240;  // walks
    for (const auto& [name, texts] : values) {
        const std::vector<Parameters> before = uses(stage, name) ? all : std::vector<Parameters>();
        for (const std::string_view text : texts) {
            for (std::size_t i = 0; i < before.size() && all.size() < most; ++i) {
                all.push_back(before[i]);
                find_parameter(name)->read(all.back(), text);
            }
        }
    }
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
        std::vector<Parameters> all = code.lessons.parameters_of(*stage, lesson.embeddings.shape()[1]);
        constexpr std::size_t most = 12;  // settings that the code states
        all.resize(std::min(all.size(), most));
        all.push_back(stage->defaults);
        all.back().backward = all.front().backward;
        add_unstated(*stage, all);
        for (const Parameters& parameters : all) {
            try {
                const StageTrace walked = walk(*stage, lesson, parameters, code.question.inputs);
                if (names_few_steps(walked, result)) {
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
