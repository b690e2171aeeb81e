// Headings, wrapped prose and session lines around the printed tensors.
#include "views/text/step_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "notebook/ops/layout.hpp"
#include "notebook/render.hpp"
#include "text/printable.hpp"
#include "text/prose.hpp"
#include "views/text/memory_text.hpp"
#include "words/errata.hpp"

namespace attn {

namespace {

// `Rows: 0 Your, 1 journey, …`; nothing where the tokens are only called after their positions.
std::string token_list(const std::vector<std::string>& tokens, const Words& phrases) {
    bool named = false;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        named = named || tokens[i] != std::to_string(i);
    }
    if (!named) {
        return "";
    }
    constexpr std::size_t most_tokens = 32;
    std::string text;
    for (std::size_t i = 0; i < std::min(tokens.size(), most_tokens); ++i) {
        text += fmt::format("{}{} {}", i == 0 ? "" : ", ", i, printable(tokens[i]));
    }
    const std::size_t left = tokens.size() - std::min(tokens.size(), most_tokens);
    return phrases("rows", left == 0 ? text : fmt::format("{} … {}", text, phrases("more_rows", left)));
}

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

// The statement that shows a tensor, or the rows of it in the window, as PyTorch does.
std::string print_statement(const Node& step, Language language, const PrintOptions& options,
                            const std::optional<RowWindow>& window) {
    const std::size_t rank = step.value.rank();
    const bool sliced = window && rank > 0;
    switch (language) {
        case Language::numpy: {  // a single number is no array
            const std::string tensor =
                fmt::format("torch.{}(np.float32({}))", rank == 0 ? "tensor" : "from_numpy", step.name);
            return fmt::format("print({})", sliced ? python_slice(tensor, *window, rank) : tensor);
        }
        case Language::cpp: {
            const bool usual = options.precision == PrintOptions{}.precision;
            const std::string precision = usual ? "" : fmt::format(", {{}}, {{{}}}", options.precision);
            return fmt::format("std::cout << tensor_text({}{}) << '\\n';",
                               sliced ? cpp_slice(step.name, *window, rank) : step.name, precision);
        }
        default:
            return fmt::format("print({})", sliced ? python_slice(step.name, *window, rank) : step.name);
    }
}

}  // namespace

std::string excerpt(std::string_view statement, const Words& phrases) {
    constexpr std::size_t most_lines = 24;
    constexpr std::size_t first_lines = 4;
    constexpr std::size_t last_lines = 3;
    constexpr std::size_t most_columns = 200;
    std::vector<std::string> lines;
    for (std::size_t from = 0; from <= statement.size();) {
        const std::size_t to = std::min(statement.find('\n', from), statement.size());
        const std::string_view line = statement.substr(from, to - from);
        lines.push_back(std::string(line.substr(0, most_columns)) + (line.size() > most_columns ? " …" : ""));
        from = to + 1;
    }
    if (lines.size() > most_lines) {
        const std::size_t cut = lines.size() - first_lines - last_lines;
        lines.erase(lines.begin() + first_lines, lines.end() - last_lines);
        const std::string left_out = fmt::format("     … {}", phrases("more_lines", cut));
        lines.insert(lines.begin() + first_lines, left_out);
    }
    return fmt::format("{}", fmt::join(lines, "\n"));
}

std::string printed(const StageTrace& trace, const Node& step, const PrintOptions& options,
                    const std::optional<RowWindow>& window) {
    const bool has_autograd = trace.language == Language::torch;
    if (window && step.value.rank() > 0) {
        Suffix slice;  // no leaf and no parameter, whatever it is cut from
        if (has_autograd && step.requires_grad) {
            slice.grad_fn = slice_grad_fn;
        }
        return tensor_text(rows_in(*window, step.value), slice, options);
    }
    const Suffix autograd{step.grad_fn, step.requires_grad, step.call.operation->parameter};
    return tensor_text(step.value, has_autograd ? autograd : Suffix{}, options);
}

std::vector<std::string> session_setup(const StageTrace& trace, const PrintOptions& options) {
    std::vector<std::string> lines = setup_lines(trace);
    if (trace.language == Language::cpp) {
        lines.emplace(lines.begin(), "#include <iostream>");
        std::sort(lines.begin(), std::ranges::find_if(lines, [](const std::string& line) {
                      return !line.starts_with("#include");
                  }));
        return lines;
    }
    if (trace.language == Language::numpy) {
        lines.emplace_back(
            "import torch");  // arrays are shown as PyTorch prints them, so that all stages read alike
    }
    if (options.precision != PrintOptions{}.precision) {
        lines.push_back(fmt::format("torch.set_printoptions(precision={})", options.precision));
    }
    return lines;
}

std::string stage_text(const StageTrace& trace, const Narration& words, const PrintOptions& options,
                       const std::optional<HeatmapStyle>& heatmaps, const std::optional<RowWindow>& window) {
    const Words phrases(words.language(), "program");
    std::string text =
        fmt::format("{} · {}\n{}\n", trace.stage->name, words.title(), wrapped(words.intro({trace})));
    const Language language = trace.language;
    const std::string tokens = token_list(trace.notebook.labels("token"), phrases);
    text += tokens.empty() ? "" : wrapped(tokens) + "\n";
    for (const std::string& line : session_setup(trace, options)) {
        text += session(line, language, phrases);
    }
    const std::vector<Erratum> errata = errata_of(words.language(), trace.stage->name);
    for (const std::size_t id : trace.shown) {
        const Node& step = trace.node(id);
        text += fmt::format("\n{} {}/{} · {}\n{}\n{}", trace.stage->name, trace.place(id), trace.steps.size(),
                            step.name, words.title({trace, id}), wrapped(words.note({trace, id})));
        for (const Erratum& erratum : errata) {
            text += erratum.step == step.name ? wrapped(erratum_text(erratum, phrases)) : "";
        }
        const std::string formula = formula_text(equation_of(trace.notebook, id));
        text += formula.empty() ? "\n" : formula + "\n\n";
        for (const std::string& line : step_lines(trace, id)) {
            text += session(line, language, phrases);
        }
        text += layout_session(trace.notebook, id, language);
        if (heatmaps && Heatmap::can_show(step.value)) {
            const Heatmap map(trace.notebook, id, phrases, options);
            text += "\n" + heatmap_text(map, phrases, *heatmaps);
        } else {
            text += session(print_statement(step, language, options, window), language, phrases);
            text += (language == Language::cpp ? "\n" : "") + printed(trace, step, options, window) + "\n";
        }
        const std::string drawing = memory_drawing(trace.notebook, id, phrases);
        text += drawing.empty() ? "" : "\n" + drawing;
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
