#include "judge/named_steps.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "diagnosis/pieces.hpp"
#include "judge/code_names.hpp"
#include "judge/verdicts.hpp"
#include "mistakes/bits.hpp"
#include "stages/catalogue.hpp"
#include "tensor/error.hpp"

namespace attn {

namespace {

// Returns the part of a step that an output shows: "" for the whole, "[0]" for batch[0]; nothing if it shows
// other numbers.
std::optional<std::string> part_shown(const Judged& output, const Node& step) {
    if (is_printed(output.printed, step.value, 0.0)) {
        return "";
    }
    const Pattern pattern(output.printed, 0.0);
    const bool is_possible =
        output.label.starts_with(step.name + "[") && pattern.may_be_in(step.value.shape());
    const std::optional<Piece> piece = is_possible ? pattern.find_in(step.value) : std::nullopt;
    return piece ? std::optional(piece->index) : std::nullopt;
}

// For each output, the step that it is by its name and numbers, and which part of it is shown.
struct Claimed {
    std::vector<std::optional<std::pair<std::size_t, std::string>>> step_of;
    bool is_whole = false;  // true if all steps of the stage are shown, and no other output is wrong
};

// True if the outputs' labels are not the names of the steps, so that they cannot be this stage.
bool names_few_steps(const StageTrace& walked, const Judgement& result) {
    const auto is_named = [&](std::size_t step) {
        return std::ranges::any_of(result.outputs, [&](const Judged& output) {
            return find_word(output.label, walked.node(step).name) != std::string::npos;
        });
    };
    return 2 * std::ranges::count_if(walked.steps, is_named) < std::ssize(walked.steps);
}

// True if the code beside an output gives other numbers, more than another order of sums would.
bool contradicts_code(const CodeReading& code, const Judged& output, std::size_t i) {
    constexpr double share = 1e-3;
    const std::optional<std::size_t> node = code.followed.node_of(i);
    if (!node || !code[*node].is_known || code[*node].operation == "printed" ||
        code.followed.agrees(output.printed, *node) || code.followed.is_doubtful(i)) {
        return false;
    }
    const std::span<const float> given = code[*node].value.values();
    return !std::ranges::equal(output.printed.numbers, given, [](const PrintedNumber& number, float x) {
        const double right = static_cast<double>(x);
        return agrees(number, right) || std::abs(number.value - right) <= share * std::abs(right);
    });
}

Claimed claimed_by(const StageTrace& walked, const CodeReading& code, const Judgement& result) {
    Claimed claimed;
    claimed.step_of.resize(result.outputs.size());
    std::set<std::size_t> shown;
    for (std::size_t i = 0; i < result.outputs.size(); ++i) {
        const Judged& output = result.outputs[i];
        if (contradicts_code(code, output, i)) {
            continue;
        }
        for (const std::size_t step : walked.steps) {
            const Node& node = walked.node(step);
            const bool is_named =  // without a name, the numbers must do
                !code.followed.shown_of[i] || find_word(output.label, node.name) != std::string::npos ||
                (node.gradient_of && output.label == walked.node(*node.gradient_of).name + ".grad");
            const auto part = is_named ? part_shown(output, node) : std::nullopt;
            if (part) {
                claimed.step_of[i].emplace(step, *part);
                shown.insert(step);
                break;
            }
        }
    }
    claimed.is_whole = shown.size() == walked.steps.size();
    for (std::size_t i = 0; i < result.outputs.size(); ++i) {
        claimed.is_whole = claimed.is_whole && (claimed.step_of[i] || !code.followed.shown_of[i] ||
                                                is_right(result.outputs[i].verdict));
    }
    return claimed;
}

// True for an output that may be judged as a step. A mistake is one that is only about the name. Other
// mistakes are steps in a whole stage, which may show a mistake on purpose.
bool is_open(const Judged& output, bool is_whole) {
    using enum OutputVerdict;
    const bool is_wrong = output.verdict == mistake || output.verdict == follows;
    return output.verdict == unknown || output.verdict == consistent ||
           (is_wrong && (is_whole || mistake_of(output.diagnosis) == "other-than-its-name"));
}

double bits_of(const Claimed& claimed, const Judgement& result) {
    double bits = 0.0;
    for (std::size_t i = 0; i < result.outputs.size(); ++i) {
        const Judged& output = result.outputs[i];
        bits += claimed.step_of[i] && is_open(output, claimed.is_whole) ? surprise(output.printed) : 0.0;
    }
    return bits;
}

void take(const StageTrace& walked, const Claimed& claimed, const CodeReading& code, Judgement& result) {
    std::vector<Judged> outputs;
    for (std::size_t i = 0; i < result.outputs.size(); ++i) {
        Judged output = std::move(result.outputs[i]);
        const auto& step = claimed.step_of[i];
        if (step && is_open(output, claimed.is_whole)) {
            const Found found{&walked, step->first, step->second};
            const Match match = match_of(found, output.printed);
            output = {.printed = std::move(output.printed),
                      .place = output.place,
                      .item = output.item,
                      .label = std::move(output.label),
                      .verdict = right_or_settings({found})};
            output.diagnosis.matches.push_back(match);
        }
        if (!claimed.is_whole || step || code.followed.shown_of[i]) {  // drawings have no code
            outputs.push_back(std::move(output));
        }
    }
    for (Judged& output : outputs) {  // they followed from an output that is right now
        const bool is_free = output.because && outputs[*output.because].verdict != OutputVerdict::mistake;
        output.verdict = is_free ? OutputVerdict::by_product : output.verdict;
        output.because = is_free ? std::nullopt : output.because;
    }
    result.outputs = std::move(outputs);
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

void recognise_steps(const CodeReading& code, Judgement& result) {
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
        const std::size_t stated = all.size();
        add_unstated(*stage, all);
        std::optional<StageTrace> best;
        Claimed claimed;
        double most_bits = convincing;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (contains(std::span(all).first(i), all[i])) {
                continue;
            }
            try {
                StageTrace walked = walk(*stage, lesson, all[i], code.question.inputs);
                if (i >= stated && names_few_steps(walked, result)) {
                    break;
                }
                Claimed now = claimed_by(walked, code, result);
                if (const double bits = bits_of(now, result); bits > most_bits) {
                    std::tie(best, claimed, most_bits) = std::tuple(std::move(walked), std::move(now), bits);
                }
            } catch (const Error&) {
                continue;  // settings or a lesson that do not fit the stage
            }
        }
        if (best) {
            take(*best, claimed, code, result);
        }
    }
}

}  // namespace attn
