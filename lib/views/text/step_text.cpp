// Writes headings, wrapped prose and session lines around the printed tensors.
#include "views/text/step_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "notebook/expression.hpp"
#include "notebook/render.hpp"
#include "text/split.hpp"
#include "text/wrapped_code.hpp"
#include "views/document/document.hpp"
#include "views/text/stage_map.hpp"
#include "words/documents.hpp"
#include "words/errata.hpp"

namespace attn {

namespace {

constexpr std::string_view bold = "\x1b[1m";
constexpr std::string_view cyan = "\x1b[36m";
constexpr std::string_view plain = "\x1b[0m";

class Session {
public:
    Session(const StageTrace& trace, const Style& style, const SessionStyle& session)
        : trace_(trace),
          phrases_(style.language, "program"),
          style_(style),
          session_(session),
          words_(style.language, trace.stage->name) {}

    // Returns only the tensors.
    std::string tensors() const {
        std::string text;
        for (const std::size_t id : trace_.shown) {
            const std::string map = drawn(id);
            text += text.empty() ? "" : "\n";
            text += map.empty() ? printed(id).answer + "\n" : map;
        }
        return text;
    }

    std::string text() {
        const bool is_excerpt = session_.extent == Extent::steps;
        const bool is_alone = session_.extent == Extent::one;
        const std::vector<std::size_t>& around = is_alone ? trace_.steps : trace_.shown;
        for (const std::size_t id : trace_.shown) {
            if (is_alone && id != session_.step) {
                continue;
            }
            text_ += text_.empty() ? "" : "\n";
            if (id == around.front() && !is_excerpt) {
                introduction();
            }
            if (const std::string group = words_.heading({trace_, id}); !group.empty() && !is_excerpt) {
                heading(fmt::format("── {} ──", group));
                text_ += "\n";
            }
            step(id);
            if (id == around.back() && !is_excerpt) {
                closing();
            }
        }
        const std::string_view language = trace_.language == Language::numpy ? "numpy" : "torch";
        text_ += leaves_out_ ? "\n" + wrapped(phrases_("lines_before", language), session_.columns) : "";
        return text_;
    }

private:
    // Returns a step's heat map. Empty if the user wants none, or if the tensor has no numbers.
    std::string drawn(std::size_t id) const {
        const Tensor& x = trace_.node(id).value;
        if (!session_.heatmaps || !Heatmap::can_show(x)) {
            return "";
        }
        Heatmap map(trace_.notebook, id, phrases_, style_.print);
        if (style_.head) {
            map.show_matrices(head_index(trace_, id, style_.head));
        }
        if (session_.window) {
            const auto [first, count] = rows_of(*session_.window, x.rank() == 1 ? x.size(0) : x.size(-2));
            if (count == 0) {
                return "";
            }
            map.show_rows(first, count);
        }
        return heatmap_text(map, phrases_, *session_.heatmaps);
    }

    // Returns the index of the only sequence and head that are printed; empty if all are.
    std::vector<std::size_t> printed_index(std::size_t id) const {
        const bool is_complete =
            session_.all_heads || session_.window || session_.heatmaps || session_.extent == Extent::steps;
        return trace_.language != Language::torch || (is_complete && !style_.head)
                   ? std::vector<std::size_t>()
                   : head_index(trace_, id, style_.head);
    }

    Exchange printed(std::size_t id) const {
        return printing(trace_, id, style_.print, session_.window, printed_index(id));
    }

    void introduction() {
        heading(fmt::format("{} · {}", trace_.stage->name, words_.title()));
        prose(book_place(trace_.stage->name, phrases_));
        prose(words_.intro({trace_}));
        text_ += "\n";
        const bool is_shortened = !style_.head && std::ranges::any_of(trace_.shown, [&](std::size_t id) {
            return !printed_index(id).empty();
        });
        for (const std::string& paragraph :
             {session_.map ? map_with_shapes(trace_) : "", token_list(trace_, phrases_),
              letters_line(trace_, phrases_), is_shortened ? phrases_("first_of_heads") : ""}) {
            prose(paragraph);
            text_ += paragraph.empty() ? "" : "\n";
        }
        for (const std::string& line : session_setup(trace_, style_.print)) {
            statement(line);
        }
        text_ += "\n";
    }

    void closing() {
        if (const auto module = module_of(trace_, style_.print); module && session_.code) {
            text_ += "\n";
            prose(phrases_("as_module"));
            text_ += "\n";
            for (const std::string& one : module->statements) {
                statement(one);
            }
            text_ += module->output + "\n";
        }
        std::vector<std::string> lines = closing_of(trace_, words_, phrases_);
        const bool is_whole = session_.extent == Extent::whole;
        const std::size_t errata = errata_of(style_.language, trace_).size();
        if (is_whole && errata > 0) {
            lines.push_back(phrases_("errata_of", errata, trace_.stage->name));
        }
        text_ += lines.empty() ? "" : "\n";
        lines.push_back(is_whole ? words_.next() : "");
        for (const std::string& line : lines) {
            prose(line);
        }
    }

    void step(std::size_t id) {
        prose(session_.map ? map_at(trace_, id) : "");
        heading(fmt::format("{} {}", trace_.stage->name, place_of(trace_, id)));
        heading(words_.title({trace_, id}));
        prose(words_.note({trace_, id}));
        const std::string formula = formula_text(equation_of(trace_.notebook, id), formula_words(phrases_));
        text_ += formula.empty() ? "\n" : formula + "\n\n";
        const std::vector<std::string> code = step_lines(trace_, id);
        const std::size_t first = session_.extent == Extent::steps && !code.empty() ? code.size() - 1 : 0;
        leaves_out_ = leaves_out_ || (first > 0 && session_.code);
        for (std::size_t i = first; i < code.size(); ++i) {
            statement(code[i]);
        }
        for (const auto& [line, answer] : layout_exchanges(trace_.notebook, id, trace_.language)) {
            statement(line);
            text_ += session_.code ? answer + "\n" : "";
        }
        if (const std::string map = drawn(id); !map.empty()) {
            text_ += "\n" + map;
        } else {
            const auto [line, answer] = printed(id);
            statement(line);
            text_ += (trace_.language == Language::cpp ? "\n" : "") + answer + "\n";
        }
        const std::string drawing = memory_drawing(trace_.notebook, id, phrases_);
        text_ += drawing.empty() ? "" : "\n" + drawing;
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
    const Narration words_;
    bool leaves_out_ = false;  // lines before a step are not shown
    std::string text_;
};

}  // namespace

std::string stage_text(const StageTrace& trace, const Style& style, const SessionStyle& session) {
    return Session(trace, style, session).text();
}

std::string tensors_text(const StageTrace& trace, const Style& style, const SessionStyle& session) {
    return Session(trace, style, session).tensors();
}

}  // namespace attn
