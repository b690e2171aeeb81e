// Headings, wrapped prose and session lines around the printed tensors.
#include "views/text/step_text.hpp"

#include <fmt/format.h>

#include "notebook/formula.hpp"
#include "text/prose.hpp"
#include "views/document/document.hpp"

namespace attn {

namespace {

// `>>> first line`, `... the lines it goes on with`; C++, which has no session, is set in instead.
std::string session(std::string_view statement, Language language, const Words& phrases) {
    const bool python = language != Language::cpp;
    std::string text = python ? ">>> " : "    ";
    for (const char c : excerpt(statement, phrases)) {
        text += c;
        text += c != '\n' ? "" : python ? "... " : "    ";
    }
    return text + "\n";
}

}  // namespace

std::string stage_text(const StageTrace& trace, const Narration& words, const PrintOptions& options,
                       const std::optional<HeatmapStyle>& heatmaps, const std::optional<RowWindow>& window) {
    const Words phrases(words.language(), "program");
    const StagePart stage = stage_part(trace, words, options);
    const Language language = trace.language;
    std::string text = fmt::format("{} · {}\n{}\n", trace.stage->name, stage.title, wrapped(stage.intro));
    text += stage.tokens.empty() ? "" : wrapped(stage.tokens) + "\n";
    for (const std::string& line : stage.setup) {
        text += session(line, language, phrases);
    }
    for (const StepPart& part : stage.steps) {
        const Node& step = trace.node(part.id);
        text += fmt::format("\n{} {}\n{}\n{}", trace.stage->name, place_of(trace, part.id), part.title,
                            wrapped(part.note));
        for (const std::string& erratum : part.errata) {
            text += wrapped(erratum);
        }
        const std::string formula = formula_text(part.formula);
        text += formula.empty() ? "\n" : formula + "\n\n";
        for (const std::string& line : part.code) {
            text += session(line, language, phrases);
        }
        for (const auto& [statement, answer] : part.layout) {
            text += session(statement, language, phrases) + answer + "\n";
        }
        if (heatmaps && Heatmap::can_show(step.value)) {
            const Heatmap map(trace.notebook, part.id, phrases, options);
            text += "\n" + heatmap_text(map, phrases, *heatmaps);
        } else {
            const auto [statement, answer] = printing(trace, step, options, window);
            text += session(statement, language, phrases);
            text += (language == Language::cpp ? "\n" : "") + answer + "\n";
        }
        text += part.drawing.empty() ? "" : "\n" + part.drawing;
    }
    return text;
}

std::string tensors_text(const StageTrace& trace, const PrintOptions& options,
                         const std::optional<RowWindow>& window) {
    std::string text;
    for (const std::size_t id : trace.shown) {
        text += text.empty() ? "" : "\n";
        text += printed(trace, trace.node(id), options, window) + "\n";
    }
    return text;
}

std::string heatmaps_text(const StageTrace& trace, const Words& phrases, const PrintOptions& options,
                          const HeatmapStyle& style) {
    std::string text;
    for (const std::size_t id : trace.shown) {
        text += text.empty() ? "" : "\n";
        const Node& step = trace.node(id);
        text += Heatmap::can_show(step.value)
                    ? heatmap_text(Heatmap(trace.notebook, id, phrases, options), phrases, style)
                    : printed(trace, step, options) + "\n";
    }
    return text;
}

}  // namespace attn
