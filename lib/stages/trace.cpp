#include "stages/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "files/resources.hpp"
#include "notebook/render.hpp"
#include "stages/focus.hpp"
#include "stages/loss.hpp"
#include "tensor/error.hpp"
#include "text/lists.hpp"
#include "text/split.hpp"

namespace attn {

namespace {

// Splits text into statements. A line break ends a statement, unless the next line begins with a space or a
// closing brace.
void append_statements(const std::string& text, std::vector<std::string>& statements) {
    if (text.empty()) {  // some languages need no setup
        return;
    }
    std::size_t start = 0;
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
        if (text[at + 1] != ' ' && text[at + 1] != '}') {
            statements.push_back(text.substr(start, at - start));
            start = at + 1;
        }
    }
    statements.push_back(text.substr(start));
}

// Returns the setup of an operation: its statement, or the text of the files it names.
std::string setup_text(std::string_view setup, Language language) {
    if (!setup.ends_with(".py")) {
        return std::string(setup);
    }
    std::string text;
    for (const std::string_view file : split(setup, " ")) {
        text += resource(fmt::format("python/{}/{}", name_of(language), file));
    }
    return text;
}

// Returns true if no token has a name: those of a file of numbers are called 0, 1, ….
bool are_positions(const std::vector<std::string>& tokens) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i] != std::to_string(i)) {
            return false;
        }
    }
    return true;
}

// The bytes that the tensors of a walk take: a polynomial of the number n of tokens.
struct Memory {
    double constant, per_token, per_pair;

    double at(double n) const { return constant + n * (per_token + n * per_pair); }
    // The largest number of tokens that fits.
    std::size_t tokens_within(double bytes) const {
        const double room = std::max(bytes - constant, 0.0);
        const double root = std::sqrt(per_token * per_token + 4 * per_pair * room);
        return std::size_t(per_pair > 0 ? (root - per_token) / (2 * per_pair) : 0.0);
    }
};

// Measures the memory of a stage by three walks of few tokens.
Memory memory_of_walk(const Stage& stage, const Lesson& lesson, Parameters parameters,
                      const WeightSource& weights) {
    constexpr std::size_t step = 16;  // tokens
    double bytes[3]{};
    for (const std::size_t i : {0U, 1U, 2U}) {
        const std::size_t count = step * (i + 1);
        const std::size_t width = lesson.embeddings.shape()[1];
        const auto numbers = lesson.embeddings.values().first(count * width);
        Lesson part = lesson;
        part.tokens.resize(count);
        part.words.clear();  // the embeddings are given
        part.embeddings = Tensor({count, width}, std::vector<float>(numbers.begin(), numbers.end()));
        parameters.context_length = count;
        const StageTrace small = walk(stage, part, parameters, {0, weights, nullptr, nullptr, true});
        for (const Node& node : small.notebook.nodes()) {
            bytes[i] += double(sizeof(float) * node.value.count());
        }
    }
    constexpr auto h = double(step);
    const double per_pair = (bytes[2] - 2 * bytes[1] + bytes[0]) / (2 * h * h);
    const double per_token = (bytes[1] - bytes[0]) / h - 3 * h * per_pair;
    return {bytes[0] - h * (per_token + h * per_pair), per_token, per_pair};
}

// Throws Error before a walk that would need more memory than a program should take.
void require_memory(const Stage& stage, const Lesson& lesson, const Parameters& parameters,
                    const Inputs& inputs) {
    constexpr std::size_t few = 1000;  // tokens
    const std::size_t tokens = lesson.tokens.size();
    const std::size_t length = inputs.short_masks ? tokens : std::max(tokens, parameters.context_length);
    if (length <= few) {
        return;
    }
    // Some 20 tensors have n × n scores of each head, if the stage does not walk with few tokens.
    const double heads = double(parameters.num_heads) * double(parameters.batch);
    Memory memory{0.0, 0.0, 80.0 * heads};
    if (tokens > few) {
        try {
            memory = memory_of_walk(stage, lesson, parameters, inputs.weights);
        } catch (const Error&) {  // the walk itself says what does not fit
        }
    }
    const double needed = memory.at(double(length));
    if (needed > most_memory) {
        const std::size_t fitting = memory.tokens_within(most_memory);
        const std::string about = fmt::format("{:.1f}", needed / 1e9);
        if (length > tokens) {
            throw Error(
                "`context_length`: {} tokens need about {} GB of memory; the limit is 2 GB. Give at most {}.",
                length, about, fitting);
        }
        throw Error(
            "`lesson`: {} tokens need about {} GB of memory; the limit is 2 GB. Give at most {} tokens.",
            length, about, fitting);
    }
}

StageTrace walk_notebook(const Stage& stage, const Lesson& lesson, const Parameters& parameters,
                         const Inputs& inputs, Notebook notebook) {
    const Lesson* const own_lesson = uses(stage, "lesson") ? &lesson : nullptr;
    std::optional<StateDict> weights;
    if (inputs.weights != nullptr) {
        weights = inputs.weights(stage);
    }
    StageTrace trace{.stage = &stage,
                     .parameters = resolved(parameters, stage, lesson, weights ? &*weights : nullptr),
                     .own_lesson = own_lesson != nullptr && lesson.is_own,
                     .own_weights = inputs.weights != nullptr,
                     .cuts = {},
                     .language = stage.language,
                     .notebook = std::move(notebook),
                     .steps = {},
                     .shown = {}};
    if (own_lesson != nullptr) {
        require_memory(stage, lesson, trace.parameters, inputs);
        if (!are_positions(lesson.tokens)) {
            for (const std::string_view axis : {"token", "query", "key"}) {
                trace.notebook.label(axis, lesson.tokens);
            }
        }
    }
    trace.notebook.watch(inputs.watcher);
    trace.notebook.watch_names(inputs.setter);
    const std::size_t focus = inputs.focus ? *inputs.focus : find_focus(lesson, std::nullopt);
    const Run run{lesson, trace.parameters, focus, weights ? &*weights : nullptr, inputs.short_masks};
    try {
        stage.walk(trace.notebook, run);
        if (run.parameters.backward) {
            record_backward(trace.notebook, stage, run);
        }
        if (weights && !trace.notebook.is_edited()) {
            require_all_taken(*weights, stage.name, trace.parameters.context_length);
        }
    } catch (const Error&) {
        if (!trace.notebook.is_edited()) {  // with a mistake, the run may end early
            throw;
        }
    }
    trace.notebook.watch(nullptr);
    trace.notebook.watch_names(nullptr);
    if (weights) {
        trace.cuts = std::move(weights->cuts);
    }
    const Nodes& nodes = trace.notebook.nodes();
    for (std::size_t id = 0; id < nodes.size(); ++id) {
        if (nodes[id].role == Role::step) {
            trace.steps.push_back(id);
        }
    }
    trace.shown = trace.steps;
    return trace;
}

bool is_generator(const Node& node) {
    return node.call.operation->is_state();
}

// Adds the generators that a statement draws from; its nested calls count, too.
void add_generators(const Nodes& nodes, std::size_t id, std::set<std::size_t>& generators) {
    for (const std::size_t input : nodes[id].call.inputs) {
        if (is_generator(nodes[input])) {
            generators.insert(input);
        } else if (nodes[input].name.empty()) {
            add_generators(nodes, input, generators);
        }
    }
}

// For each node, returns true if a shown step needs it. A draw needs all earlier draws of its generator.
std::vector<bool> needed_nodes(const StageTrace& trace) {
    const Nodes& nodes = trace.notebook.nodes();
    std::vector<bool> needed(nodes.size(), false);
    for (const std::size_t id : trace.shown) {
        needed[id] = true;
    }
    std::set<std::size_t> drawn_from_later;
    for (std::size_t id = nodes.size(); id-- > 0;) {
        std::set<std::size_t> generators;
        if (!nodes[id].name.empty()) {
            add_generators(nodes, id, generators);
        }
        needed[id] = needed[id] || std::ranges::any_of(generators, [&](std::size_t generator) {
                         return drawn_from_later.contains(generator);
                     });
        if (!needed[id]) {
            continue;
        }
        drawn_from_later.merge(generators);
        for (const std::size_t input : nodes[id].call.inputs) {
            needed[input] = true;
        }
        for (const std::size_t mentioned : nodes[id].call.attributes.nodes()) {
            needed[mentioned] = true;
        }
    }
    return needed;
}

bool takes(const StageTrace& trace, std::size_t id) {
    return trace.needed.empty() || trace.needed[id];
}

}  // namespace

std::optional<std::size_t> StageTrace::find(std::string_view name) const {
    const Nodes& nodes = notebook.nodes();
    const auto found = std::ranges::find_if(nodes, [&](const Node& node) {
        return !name.empty() && node.name == name && node.call.operation->is_tensor();
    });
    return found == nodes.end() ? std::nullopt : std::optional<std::size_t>(found - nodes.begin());
}

std::size_t StageTrace::place(std::size_t step) const {
    return std::size_t(std::ranges::upper_bound(steps, step) - steps.begin());
}

bool StageTrace::shows(std::string_view step) const {
    return std::ranges::any_of(shown, [&](std::size_t id) { return node(id).name == step; });
}

void StageTrace::show_only(std::span<const std::string> names) {
    std::erase_if(shown, [&](std::size_t id) { return !contains(names, node(id).name); });
    // loss.backward() needs tensors that no line mentions.
    const bool has_gradients = std::ranges::any_of(
        notebook.nodes(), [](const Node& one) { return one.call.operation->returns == Returns::grad_mode; });
    needed = shown == steps || has_gradients ? std::vector<bool>() : needed_nodes(*this);
}

StageTrace walk(const Stage& stage, const Lesson& lesson, const Parameters& parameters,
                const Inputs& inputs) {
    return walk_notebook(stage, lesson, parameters, inputs, Notebook());
}

StageTrace walk_edited(const Stage& stage, const Lesson& lesson, const Parameters& parameters,
                       const Inputs& inputs, const std::vector<Edit>& edits) {
    return walk_notebook(stage, lesson, parameters, inputs, Notebook(edits));
}

std::vector<std::string> setup_lines(const StageTrace& trace) {
    static const std::vector<std::string> first_lines[] = {
        {"import torch"}, {"import numpy as np"}, {"#include <attn/attention.hpp>", "#include <cmath>"}};
    std::vector<std::string> lines = first_lines[std::size_t(trace.language)];
    const Nodes& nodes = trace.notebook.nodes();
    for (std::size_t id = 0; id < nodes.size(); ++id) {
        if (!takes(trace, id)) {
            continue;
        }
        const Node& node = nodes[id];
        std::vector<std::string> needed;
        const Syntax syntax = node.call.operation->syntax(trace.language, node.call);
        append_statements(setup_text(syntax.setup, trace.language), needed);
        for (std::string& statement : needed) {
            if (!statement.empty() && !contains(lines, statement)) {
                lines.push_back(std::move(statement));
            }
        }
    }
    if (trace.language == Language::cpp) {
        std::ranges::sort(lines);
        lines.emplace_back("using namespace attn;");
    }
    for (const std::string& cut : trace.cuts) {
        lines.push_back((trace.language == Language::cpp ? "// " : "# ") + cut);
    }
    for (std::size_t id = 0; id < nodes.size(); ++id) {
        if (nodes[id].role == Role::setup && takes(trace, id)) {
            append_statements(statement(trace.notebook, id, trace.language), lines);
        }
    }
    return lines;
}

std::vector<std::string> step_lines(const StageTrace& trace, std::size_t step) {
    std::vector<std::string> lines;
    const auto shown = std::ranges::lower_bound(trace.shown, step);
    for (std::size_t id = shown == trace.shown.begin() ? 0 : *(shown - 1) + 1; id <= step; ++id) {
        const Role role = trace.node(id).role;
        if ((role == Role::line || role == Role::step) && takes(trace, id)) {
            append_statements(statement(trace.notebook, id, trace.language), lines);
        }
    }
    return lines;
}

}  // namespace attn
