// One cell: the arithmetic that made its number.
#include <fmt/format.h>

#include <algorithm>

#include "commands/declare.hpp"
#include "exports.hpp"
#include "make_trace.hpp"
#include "parameters.hpp"
#include "tensor/error.hpp"
#include "terminal.hpp"
#include "text/decimal.hpp"
#include "text/printable.hpp"
#include "views/explain/arithmetic_text.hpp"
#include "views/explain/cell_address.hpp"
#include "views/explain/explanation_json.hpp"
#include "views/explain/explanation_text.hpp"

namespace attn {

namespace {

bool is_number(const std::string& word) {
    double number = 0.0;
    return !word.empty() && read_double(word, number) == word.size();
}

// The word that does not name a stage: a cell, or a printed number.
std::string cell_word(Command& command) {
    std::vector<std::string> words = take_stages(command);
    const auto is_cell = [](const std::string& word) {
        return word.find('[') != std::string::npos || is_number(word);
    };
    if (words.size() == 1) {
        return words.front();
    }
    const auto stranger = std::ranges::find_if_not(words, is_cell);
    if (stranger != words.end()) {
        fail_unknown(*command.program, *stranger);
    }
    if (words.empty()) {
        throw Error("explain: name a cell, such as 'keys[1][0]', or a number, such as 0.5517.");
    }
    throw Error("explain: expected one cell but received {}.", words.size());
}

// Gradients are there only with --backward, which their name asks for.
bool is_gradient(std::string_view cell) {
    const std::string_view name = cell.substr(0, cell.find('['));
    return name.ends_with("_grad") || name.ends_with(".grad") || name == "loss";
}

void turn_on_backward(Options& options) {
    const bool can =
        std::ranges::all_of(options.stages, [](const Stage* stage) { return uses(*stage, "backward"); });
    if (can && !is_given(options, "backward")) {
        options.parameters.push_back({"backward", "true"});
    }
}

// W.grad is the step W_grad.
std::string step_address(std::string cell) {
    const std::size_t dot = std::min(cell.find(".grad"), cell.find('['));
    if (dot < cell.size() && cell[dot] == '.') {
        cell[dot] = '_';
    }
    return cell;
}

// True if a number rounds to these digits. Digits without a point must match exactly.
bool prints_as(float value, const std::string& digits) {
    const std::size_t point = digits.find('.');
    double exact = 0.0;
    read_double(digits, exact);
    return point == std::string::npos
               ? static_cast<double>(value) == exact
               : fmt::format("{:.{}f}", static_cast<double>(value), digits.size() - point - 1) == digits;
}

std::string cells_that_print(const Trace& trace, const std::string& digits, const Words& phrases) {
    constexpr std::size_t most = 20;
    std::string text;
    std::size_t count = 0;
    for (const StageTrace& stage : trace.stages) {
        for (const std::size_t step : stage.steps) {
            const Node& node = stage.node(step);
            const std::span<const float> numbers = node.value.values();
            for (std::size_t at = 0; at < numbers.size(); ++at) {
                if (prints_as(numbers[at], digits) && ++count <= most) {
                    text +=
                        fmt::format("  {} '{}'\n", stage.stage->name, cell_name(node, node.value.index(at)));
                }
            }
        }
    }
    return text + (count > most ? "  " + phrases("more_cells", count - most) + "\n" : "");
}

ExitCode explain_number(const Options& options, const Trace& trace, const std::string& number) {
    const Words phrases(options.style.language, "program");
    const std::string cells = cells_that_print(trace, number, phrases);
    if (cells.empty()) {
        throw Error("explain: no cell of these stages prints as {}; give the digits as they are printed.",
                    in_quotes(number));
    }
    show(options, phrases("cells_that_print", number) + "\n" + cells);
    return ExitCode::agrees;
}

ExitCode run_explain(Command& command) {
    Options& options = command.options;
    const std::string word = cell_word(command);
    if (is_number(word)) {
        take_stage_unless_given(options, "all");
        if (!options.exports.empty()) {
            throw Error("--json: {} may be many cells; explain one of them, or leave --json out.",
                        in_quotes(word));
        }
        prepare(options);
        return explain_number(options, make_trace(options), word);
    }
    const std::string cell = step_address(word);
    if (is_gradient(cell)) {
        turn_on_backward(options);
    }
    if (options.stages.empty()) {
        const Stage* const stage = stage_with(name_in(cell), options);
        take_stage_unless_given(options, stage == nullptr ? "causal" : stage->name);
    }
    if (options.stages.size() > 1) {
        throw Error("explain: a cell belongs to one stage; name just one.");
    }
    prepare(options);
    const Trace trace = make_trace(options);
    const StageTrace& stage = trace.stages.front();
    const Style& style = options.style;
    const auto [node, index] = find_cell(stage, cell);
    const Explanations cells = explain(stage.notebook, node, index, options.depth);
    write_exports(options, [&] { return explanation_json(stage, cells, style.language, style.print); });
    if (!exports_to_standard_output(options)) {
        show(options, explanation_text(stage, cells, style.language, style.print));
    }
    return ExitCode::agrees;
}

void declare_explain(Command& command) {
    begin_group(command, "Display");
    add_whole(command, "--depth", command.options.depth, 1, 1000, "Also explain the operands, N steps back");
    add_parameters(command, {"--seed", "--d-out", "--heads", "--dropout", "--qkv-bias"});
    add_input(command);
    add_set(command);
    add_json(command, "The explanation, as JSON");
    add_general(command);
    add_precision(command);
}

}  // namespace

Command explain_command() {
    return {
        .name = "explain",
        .summary = "Explain one number: its arithmetic, with the operands.",
        .words = "[STAGE] CELL|NUMBER",
        .examples = {{"attn-walkthrough explain causal 'keys[1][0]'", "a cell, by its step and place"},
                     {"attn-walkthrough explain 'attn_weights[journey][Your]'", "or by its tokens"},
                     {"attn-walkthrough explain 0.5517", "all cells that print as this"}},
        .run = run_explain,
        .declare = declare_explain,
    };
}

}  // namespace attn
