// Writes headings, wrapped prose and session lines around the printed tensors.
#include "views/text/step_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "notebook/expression.hpp"
#include "text/split.hpp"
#include "text/wrapped_code.hpp"
#include "views/document/document.hpp"
#include "views/text/stage_map.hpp"

namespace attn {

namespace {

constexpr std::string_view bold = "\x1b[1m";
constexpr std::string_view cyan = "\x1b[36m";
constexpr std::string_view plain = "\x1b[0m";

// Returns a step's heat map; empty if none is asked for, or there is no number to draw.
std::string drawn(const StageTrace& trace, std::size_t id, const Words& phrases, const Style& style,
                  const SessionStyle& session) {
    const Tensor& x = trace.node(id).value;
    if (!session.heatmaps || !Heatmap::can_show(x)) {
        return "";
    }
    Heatmap map(trace.notebook, id, phrases, style.print);
    if (style.head) {
        map.show_matrices(head_index(trace, id, style.head));
    }
    if (session.window) {
        const auto [first, count] = rows_of(*session.window, x.rank() == 1 ? x.size(0) : x.size(-2));
        if (count == 0) {
            return "";
        }
        map.show_rows(first, count);
    }
    return heatmap_text(map, phrases, *session.heatmaps);
}

// Returns the index of the only sequence and head that are printed; empty if all are.
std::vector<std::size_t> printed_index(const StageTrace& trace, std::size_t id, const Style& style,
                                       const SessionStyle& session) {
    const bool is_complete =
        session.all_heads || session.window || session.heatmaps || session.extent == Extent::steps;
    return trace.language != Language::torch || (is_complete && !style.head)
               ? std::vector<std::size_t>()
               : head_index(trace, id, style.head);
}

class Session {
public:
    Session(const StageTrace& trace, const Style& style, const SessionStyle& session)
        : trace_(trace),
          phrases_(style.language, "program"),
          style_(style),
          session_(session),
          part_(stage_part(trace, style)) {}

    std::string text() {
        const bool is_excerpt = session_.extent == Extent::steps;
        for (const StepPart& step : part_.steps) {
            const bool is_alone = session_.extent == Extent::one;
            if (is_alone && step.id != session_.step) {
                continue;
            }
            const std::size_t first = is_alone ? trace_.steps.front() : part_.steps.front().id;
            const std::size_t last = is_alone ? trace_.steps.back() : part_.steps.back().id;
            text_ += text_.empty() ? "" : "\n";
            if (step.id == first && !is_excerpt) {
                introduction();
            }
            if (!step.heading.empty() && !is_excerpt) {
                heading(fmt::format("── {} ──", step.heading));
                text_ += "\n";
            }
            append(step);
            if (step.id == last && !is_excerpt) {
                closing();
            }
        }
        const std::string_view language = trace_.language == Language::numpy ? "numpy" : "torch";
        text_ += leaves_out_ ? "\n" + wrapped(phrases_("lines_before", language), session_.columns) : "";
        return text_;
    }

private:
    void introduction() {
        heading(fmt::format("{} · {}", trace_.stage->name, part_.title));
        prose(part_.book);
        prose(part_.intro);
        text_ += "\n";
        const bool is_shortened = !style_.head && std::ranges::any_of(trace_.shown, [&](std::size_t id) {
            return !printed_index(trace_, id, style_, session_).empty();
        });
        for (const std::string& paragraph : {session_.map ? map_with_shapes(trace_) : "", part_.tokens,
                                             part_.letters, is_shortened ? phrases_("first_of_heads") : ""}) {
            prose(paragraph);
            text_ += paragraph.empty() ? "" : "\n";
        }
        for (const std::string& line : part_.setup) {
            statement(line);
        }
        text_ += "\n";
    }

    void closing() {
        if (!part_.module.empty() && session_.code) {
            text_ += "\n";
            prose(phrases_("as_module"));
            text_ += "\n";
            for (const std::string& one : part_.module) {
                statement(one);
            }
            text_ += part_.module_output + "\n";
        }
        std::vector<std::string> lines = part_.closing;
        if (session_.extent == Extent::whole) {
            std::size_t errata = 0;
            for (const StepPart& step : part_.steps) {
                errata += step.errata.size();
            }
            lines.push_back(errata == 0 ? "" : phrases_("errata_of", errata, trace_.stage->name));
            text_ += errata == 0 && part_.closing.empty() ? "" : "\n";
            lines.push_back(part_.next);
        } else {
            text_ += lines.empty() ? "" : "\n";
        }
        for (const std::string& line : lines) {
            prose(line);
        }
    }

    void append(const StepPart& part) {
        prose(session_.map ? map_at(trace_, part.id) : "");
        heading(fmt::format("{} {}", trace_.stage->name, place_of(trace_, part.id)));
        heading(part.title);
        prose(part.note);
        const std::string formula = formula_text(part.formula, formula_words(phrases_));
        text_ += formula.empty() ? "\n" : formula + "\n\n";
        const std::size_t first =
            session_.extent == Extent::steps && !part.code.empty() ? part.code.size() - 1 : 0;
        leaves_out_ = leaves_out_ || (first > 0 && session_.code);
        for (std::size_t i = first; i < part.code.size(); ++i) {
            statement(part.code[i]);
        }
        for (const auto& [line, answer] : part.layout) {
            statement(line);
            text_ += session_.code ? answer + "\n" : "";
        }
        if (const std::string map = drawn(trace_, part.id, phrases_, style_, session_); !map.empty()) {
            text_ += "\n" + map;
        } else {
            const auto [line, answer] = printing(trace_, part.id, style_.print, session_.window,
                                                 printed_index(trace_, part.id, style_, session_));
            statement(line);
            text_ += (trace_.language == Language::cpp ? "\n" : "") + answer + "\n";
        }
        text_ += part.drawing.empty() ? "" : "\n" + part.drawing;
    }

    void prose(std::string_view paragraph) {
        text_ += paragraph.empty() ? "" : wrapped(paragraph, session_.columns);
    }

    void heading(std::string_view title) {
        for (const std::string lines = wrapped(title, session_.columns);
             const std::string_view line : split_lines(lines)) {
            coloured(bold, line);
        }
    }

    // Writes `>>> first line` and `... further lines`. C++ has no interactive session, so its code is
    // indented instead.
    void statement(std::string_view lines) {
        if (!session_.code) {
            return;
        }
        const bool python = trace_.language != Language::cpp;
        std::string_view prompt = python ? ">>> " : "    ";
        const std::string text =
            wrapped_code(excerpt(lines, phrases_), session_.code_columns - prompt.size(), python);
        for (const std::string_view line : split_lines(text)) {
            coloured(cyan, fmt::format("{}{}", prompt, line));
            prompt = python ? "... " : prompt;
        }
    }

    // Writes a line. Each is coloured separately, because pagers begin every line without colour.
    void coloured(std::string_view colour, std::string_view line) {
        text_ += session_.colour ? fmt::format("{}{}{}\n", colour, line, plain) : fmt::format("{}\n", line);
    }

    const StageTrace& trace_;
    Words phrases_;
    const Style& style_;
    const SessionStyle& session_;
    StagePart part_;
    bool leaves_out_ = false;  // lines before a step are not shown
    std::string text_;
};

}  // namespace

std::string stage_text(const StageTrace& trace, const Style& style, const SessionStyle& session) {
    return Session(trace, style, session).text();
}

std::string tensors_text(const StageTrace& trace, const Style& style, const SessionStyle& session) {
    const Words phrases(style.language, "program");
    std::string text;
    for (const std::size_t id : trace.shown) {
        const std::string map = drawn(trace, id, phrases, style, session);
        const std::vector<std::size_t> index = printed_index(trace, id, style, session);
        text += text.empty() ? "" : "\n";
        text += map.empty() ? printing(trace, id, style.print, session.window, index).answer + "\n" : map;
    }
    return text;
}

}  // namespace attn
