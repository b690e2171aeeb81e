// Writes headings, wrapped prose and session lines around the printed tensors.
#include "views/text/step_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "notebook/expression.hpp"
#include "text/prose.hpp"
#include "text/split.hpp"
#include "text/wrapped_code.hpp"
#include "views/document/document.hpp"
#include "views/text/stage_map.hpp"

namespace attn {

namespace {

constexpr std::string_view bold = "\x1b[1m";
constexpr std::string_view cyan = "\x1b[36m";
constexpr std::string_view plain = "\x1b[0m";

std::size_t row_count(const Tensor& x) {
    return x.rank() == 1 ? x.size(0) : x.size(-2);
}

bool can_draw(const Tensor& x, const std::optional<RowWindow>& window) {
    return Heatmap::can_show(x) && (!window || rows_of(*window, row_count(x)).second > 0);
}

Heatmap heatmap_of(const StageTrace& trace, std::size_t id, const Words& phrases, const PrintOptions& options,
                   const std::optional<RowWindow>& window, const std::optional<std::size_t>& head) {
    Heatmap map(trace.notebook, id, phrases, options);
    if (head) {
        show_head(map, trace, id, *head);
    }
    if (window) {
        const auto [first, count] = rows_of(*window, row_count(trace.node(id).value));
        map.show_rows(first, count);
    }
    return map;
}

class Session {
public:
    Session(const StageTrace& trace, const Narration& words, const PrintOptions& options,
            const SessionStyle& style)
        : trace_(trace),
          phrases_(words.language(), "program"),
          options_(options),
          style_(style),
          part_(stage_part(trace, words, options)) {}

    std::string text() {
        return style_.extent == Extent::whole ? whole_stage()
               : style_.extent == Extent::one ? one_step()
                                              : excerpt_of_stage();
    }

private:
    void introduction() {
        heading(fmt::format("{} · {}", trace_.stage->name, part_.title));
        prose_unless_empty(part_.book);
        prose(part_.intro);
        text_ += "\n";
        if (const std::string map = style_.map ? map_with_shapes(trace_) : ""; !map.empty()) {
            prose(map);
            text_ += "\n";
        }
        if (!part_.tokens.empty()) {
            prose(part_.tokens);
            text_ += "\n";
        }
        if (!part_.letters.empty()) {
            prose(part_.letters);
            text_ += "\n";
        }
        const bool is_shortened = std::ranges::any_of(
            trace_.shown, [&](std::size_t id) { return shortened_here(trace_.node(id)) > 0; });
        if (is_shortened && !style_.head) {
            prose(phrases_("first_of_heads"));
            text_ += "\n";
        }
        for (const std::string& line : part_.setup) {
            statement(line);
        }
        text_ += "\n";
    }

    void append_with_heading(const StepPart& step) {
        if (!step.heading.empty()) {
            heading(fmt::format("── {} ──", step.heading));
            text_ += "\n";
        }
        append(step);
    }

    // The leading axes of which only the first item is printed.
    std::size_t shortened_here(const Node& step) const {
        const bool is_complete =
            style_.all_heads || style_.window || style_.heatmaps || style_.extent == Extent::steps;
        return is_complete && !style_.head ? 0 : shortened_axes(trace_, step);
    }

    void append_module() {
        if (part_.module.empty() || style_.extent == Extent::steps || !style_.code) {
            return;
        }
        text_ += "\n";
        prose(phrases_("as_module"));
        text_ += "\n";
        for (const std::string& one : part_.module) {
            statement(one);
        }
        text_ += part_.module_output + "\n";
    }

    std::string one_step() {
        const StepPart& step = *std::ranges::find(part_.steps, style_.step, &StepPart::id);
        if (step.id == trace_.steps.front()) {
            introduction();
        }
        append_with_heading(step);
        if (step.id == trace_.steps.back()) {
            append_module();
            text_ += part_.closing.empty() ? "" : "\n";
            for (const std::string& line : part_.closing) {
                prose(line);
            }
        }
        return text_;
    }

    std::string whole_stage() {
        introduction();
        for (const StepPart& step : part_.steps) {
            text_ += &step == part_.steps.data() ? "" : "\n";
            append_with_heading(step);
        }
        append_module();
        std::size_t errata = 0;
        for (const StepPart& step : part_.steps) {
            errata += step.errata.size();
        }
        text_ += errata == 0 && part_.closing.empty() ? "" : "\n";
        for (const std::string& line : part_.closing) {
            prose(line);
        }
        prose_unless_empty(errata == 0 ? "" : phrases_("errata_of", errata, trace_.stage->name));
        prose_unless_empty(part_.next);
        return text_;
    }

    std::string excerpt_of_stage() {
        for (const StepPart& step : part_.steps) {
            text_ += text_.empty() ? "" : "\n";
            append(step);
        }
        const std::string_view language = trace_.language == Language::numpy ? "numpy" : "torch";
        text_ += leaves_out_ ? "\n" + wrapped(phrases_("lines_before", language), style_.columns) : "";
        return text_;
    }

    void append(const StepPart& part) {
        prose_unless_empty(style_.map ? map_at(trace_, part.id) : "");
        heading(fmt::format("{} {}", trace_.stage->name, place_of(trace_, part.id)));
        heading(part.title);
        prose_unless_empty(part.note);
        const std::string formula = worded_formula(part.formula, phrases_);
        text_ += formula.empty() ? "\n" : formula + "\n\n";
        const std::size_t first =
            style_.extent == Extent::steps && !part.code.empty() ? part.code.size() - 1 : 0;
        leaves_out_ = leaves_out_ || (first > 0 && style_.code);
        for (std::size_t i = first; i < part.code.size(); ++i) {
            statement(part.code[i]);
        }
        for (const auto& [line, answer] : part.layout) {
            statement(line);
            text_ += style_.code ? answer + "\n" : "";
        }
        show(part);
        text_ += part.drawing.empty() ? "" : "\n" + part.drawing;
    }

    void show(const StepPart& part) {
        const Node& step = trace_.node(part.id);
        if (style_.heatmaps && can_draw(step.value, style_.window)) {
            const Heatmap map = heatmap_of(trace_, part.id, phrases_, options_, style_.window, style_.head);
            text_ += "\n" + heatmap_text(map, phrases_, *style_.heatmaps);
            return;
        }
        const std::size_t axes = shortened_here(step);
        const auto [line, answer] =
            axes > 0 ? printing_one(trace_, step, options_, head_index(trace_, step, axes, style_.head))
                     : printing(trace_, step, options_, style_.window);
        statement(line);
        text_ += (trace_.language == Language::cpp ? "\n" : "") + answer + "\n";
    }

    void heading(std::string_view line) { coloured(bold, line); }
    void prose(std::string_view paragraph) { text_ += wrapped(paragraph, style_.columns); }
    void prose_unless_empty(std::string_view paragraph) {
        if (!paragraph.empty()) {
            prose(paragraph);
        }
    }

    // Writes `>>> first line` and `... further lines`. C++ has no interactive session, so its code is
    // indented instead.
    void statement(std::string_view lines) {
        if (!style_.code) {
            return;
        }
        const bool python = trace_.language != Language::cpp;
        std::string text = python ? ">>> " : "    ";
        const std::size_t prompt = text.size();
        for (const char c : wrapped_code(excerpt(lines, phrases_), style_.code_columns - prompt, python)) {
            text += c;
            text += c != '\n' ? "" : python ? "... " : "    ";
        }
        coloured(cyan, text);
    }

    // Colours each line separately, because pagers begin every line without colour.
    void coloured(std::string_view colour, std::string_view lines) {
        for (const std::string_view line : split_lines(lines)) {
            text_ += style_.colour ? fmt::format("{}{}{}\n", colour, line, plain) : fmt::format("{}\n", line);
        }
    }

    const StageTrace& trace_;
    Words phrases_;
    const PrintOptions& options_;
    const SessionStyle& style_;
    StagePart part_;
    bool leaves_out_ = false;  // lines before a step are not shown
    std::string text_;
};

}  // namespace

std::string stage_text(const StageTrace& trace, const Narration& words, const PrintOptions& options,
                       const SessionStyle& style) {
    return Session(trace, words, options, style).text();
}

std::string tensors_text(const StageTrace& trace, const PrintOptions& options,
                         const std::optional<RowWindow>& window, const std::optional<std::size_t>& head) {
    std::string text;
    for (const std::size_t id : trace.shown) {
        const Node& step = trace.node(id);
        const std::size_t axes = head ? shortened_axes(trace, step) : 0;
        text += text.empty() ? "" : "\n";
        text += (axes > 0 ? printing_one(trace, step, options, head_index(trace, step, axes, head)).answer
                          : printed(trace, step, options, window)) +
                "\n";
    }
    return text;
}

std::string heatmaps_text(const StageTrace& trace, const Words& phrases, const PrintOptions& options,
                          const HeatmapStyle& style, const std::optional<RowWindow>& window,
                          const std::optional<std::size_t>& head) {
    std::string text;
    for (const std::size_t id : trace.shown) {
        text += text.empty() ? "" : "\n";
        const Node& step = trace.node(id);
        text += can_draw(step.value, window)
                    ? heatmap_text(heatmap_of(trace, id, phrases, options, window, head), phrases, style)
                    : printed(trace, step, options, window) + "\n";
    }
    return text;
}

}  // namespace attn
