// Makes questions from a trace. All numbers of a question's step follow from the operands that are shown, so
// random tensors and large operands are left out.
#include "quiz/questions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <utility>

#include "notebook/ops.hpp"
#include "notebook/render.hpp"
#include "notebook/strides.hpp"
#include "quiz/exercises.hpp"
#include "views/explain/arithmetic_text.hpp"

namespace attn {

namespace {

constexpr std::size_t most_operands = 100;  // the most numbers that all operands of a cell may have together

// Visits the nodes and numbers that a node's expression contains.
template <typename Visit>
void visit_expression(const Notebook& notebook, std::size_t id, const Visit& visit) {
    visit(notebook.nodes()[id]);
    for (const std::size_t input : notebook.nodes()[id].call.inputs) {
        if (notebook.nodes()[input].name.empty()) {
            visit_expression(notebook, input, visit);
        }
    }
}

// The part of an operand on which a cell of the result depends; its leading indices are those of the cell.
struct NeededPart {
    std::string name;
    Tensor value;
};

// If a view and its operand have the same strides on the leading axes, these axes are the same.
NeededPart needed_part(const Notebook& notebook, std::size_t operand_id, std::size_t id, const Index& cell) {
    const Node& operand = notebook.nodes()[operand_id];
    const Shape& shape = operand.value.shape();
    const Shape& result = notebook.nodes()[id].value.shape();
    const bool is_view = memory_of(notebook, id) != id;
    const Strides steps = strides(notebook, operand_id);
    const Strides result_steps = strides(notebook, id);
    std::size_t leading = 0;
    if (shape.rank() > 2 && shape.rank() == result.rank()) {
        while (leading < shape.rank() - 2 && shape[leading] == result[leading] &&
               (!is_view || steps[leading] == result_steps[leading])) {
            ++leading;
        }
    }
    NeededPart part{operand.name, Tensor(Shape(std::span(shape.begin(), shape.end()).subspan(leading)))};
    Index first{};
    for (std::size_t axis = 0; axis < leading; ++axis) {
        first[axis] = cell[axis];
        part.name += fmt::format("[{}]", cell[axis]);
    }
    const auto from = operand.value.values().subspan(operand.value.offset(first), part.value.count());
    std::ranges::copy(from, part.value.values().begin());
    return part;
}

std::string line_of(const StageTrace& trace, std::size_t step) {
    return statement(trace.notebook, step, trace.language) + "\n";
}

// Returns lines such as `d_in = 3` for the named numbers before the step that `is_wanted` accepts.
std::string numbers_before(const StageTrace& trace, std::size_t step,
                           const std::function<bool(std::size_t)>& is_wanted) {
    std::string text;
    for (std::size_t id = 0; id < step; ++id) {
        const Node& number = trace.node(id);
        if (number.call.operation->returns == Returns::scalar && is_wanted(id)) {
            text += fmt::format("{} = {}\n", number.name, number.value.values().front());
        }
    }
    return text;
}

// Returns the named numbers that the step's line mentions, then the line itself.
std::string code_of(const StageTrace& trace, std::size_t step) {
    std::set<std::size_t> mentioned;
    visit_expression(trace.notebook, step, [&](const Node& node) {
        for (const std::size_t id : node.call.attributes.nodes()) {
            mentioned.insert(id);
        }
    });
    return numbers_before(trace, step, [&](std::size_t id) { return mentioned.contains(id); }) +
           line_of(trace, step);
}

// The tensors that the step's line mentions.
std::vector<std::size_t> operands_of(const StageTrace& trace, std::size_t step) {
    std::vector<std::size_t> ids = named_operands(trace.notebook, step);
    std::erase_if(
        ids, [&](std::size_t id) { return trace.node(id).call.operation->returns == Returns::random_state; });
    return ids;
}

// Returns the code, and a sentence such as `keys has shape (6, 2)` for each operand.
std::string code_and_shapes(const StageTrace& trace, std::size_t step, const Words& phrases) {
    std::string text = code_of(trace, step);
    for (const std::size_t id : operands_of(trace, step)) {
        const Node& operand = trace.node(id);
        text += phrases("has_shape", operand.name, operand.value.shape().text()) + "\n";
    }
    return text;
}

// Returns the code and the printed operands. If an operand has leading axes, only the part on which the cell
// depends is printed. Returns an empty text if there are too many numbers to read.
std::string code_and_operands(const StageTrace& trace, std::size_t step, const Index& cell,
                              const PrintOptions& options) {
    std::string text = code_of(trace, step);
    std::size_t numbers = 0;
    for (const std::size_t id : operands_of(trace, step)) {
        const NeededPart needed = needed_part(trace.notebook, id, step, cell);
        numbers += needed.value.count();
        if (numbers > most_operands) {
            return "";
        }
        text += fmt::format("\n{} =\n{}\n", needed.name, tensor_text(needed.value, {}, options));
    }
    return text;
}

// True if the step only checks whether two computations agree: its numbers are truth values, 1 or 0.
bool is_check(const StageTrace& trace, const Node& step) {
    const std::optional<std::size_t> followed = step.call.operation->followed(step.call);
    return followed && trace.node(step.call.inputs[*followed]).call.operation->returns == Returns::truths;
}

// A question about a step; make_quiz adds run and lesson.
QuizQuestion question(std::size_t step, std::string_view kind, std::string shown, std::string text,
                      FindAnswer answer) {
    return {nullptr, nullptr, step, kind, std::move(shown), std::move(text), std::move(answer)};
}

using MaybeQuestion = std::optional<QuizQuestion>;

MaybeQuestion ask_for_shape(const StageTrace& trace, std::size_t id, const Words& phrases) {
    const Node& step = trace.node(id);
    const bool changes = std::ranges::none_of(operands_of(trace, id), [&](std::size_t operand) {
        return trace.node(operand).value.shape() == step.value.shape();
    });
    if (step.value.rank() == 0 || !changes) {
        return std::nullopt;
    }
    return question(id, "shape", code_and_shapes(trace, id, phrases), phrases("shape", step.name),
                    shape_of_step());
}

// Returns the first number in a step's expression, such as the divisor of scores.
const Number* first_number(const StageTrace& trace, std::size_t step) {
    const Number* found = nullptr;
    visit_expression(trace.notebook, step,
                     [&](const Node& node) { found = found == nullptr ? node.call.find("value") : found; });
    return found;
}

// Returns this number if it is the root of a named number.
const Number* first_root(const StageTrace& trace, std::size_t step) {
    const Number* const number = first_number(trace, step);
    const bool is_root = number != nullptr && number->is_root() && !number->nodes().empty();
    return is_root ? number : nullptr;
}

MaybeQuestion ask_for_root(const StageTrace& trace, std::size_t id, const Words& phrases) {
    const Number* const number = first_root(trace, id);
    if (number == nullptr) {
        return std::nullopt;
    }
    const std::string reads = number->in(Language::torch);
    std::string line = line_of(trace, id);
    const std::size_t at = line.find(reads);
    if (at == std::string::npos) {
        return std::nullopt;
    }
    line.replace(at, number->parts[0].in(Language::torch).size(), "?");
    const auto answer = [](const StageTrace& walked, std::size_t step, bool) -> std::optional<Answer> {
        const Number* const divides = first_number(walked, step);
        const double d = divides == nullptr ? 1.0 : divides->value() * divides->value();
        return Count{static_cast<std::size_t>(std::lround(d))};
    };
    const auto is_width = [&](std::size_t other) {
        const std::string_view name = trace.node(other).name;
        return name == "d_in" || name == "d_out" || name == "d_model" || name.ends_with("_heads");
    };
    return question(id, "root", numbers_before(trace, id, is_width) + line, phrases("root"), answer);
}

MaybeQuestion ask_for_hidden(const StageTrace& trace, std::size_t id, const Words& phrases) {
    const auto hidden = [](const StageTrace& walked, std::size_t step, bool) -> std::optional<Answer> {
        const auto is_hidden = [](float x) { return std::isinf(x) && x < 0; };
        return Count{
            static_cast<std::size_t>(std::ranges::count_if(walked.node(step).value.values(), is_hidden))};
    };
    if (std::get<Count>(*hidden(trace, id, false)).value == 0) {
        return std::nullopt;
    }
    const Node& step = trace.node(id);
    return question(id, "hidden", code_and_shapes(trace, id, phrases),
                    phrases("hidden", step.value.count(), step.name), hidden);
}

// Asks for one of three reasons, given by their keys. The first is right; the order on the screen is random.
QuizQuestion ask_why(std::size_t step, std::string_view kind, std::string shown, const std::string& text,
                     const std::array<std::string_view, 3>& reasons, const Words& phrases,
                     std::mt19937& lots) {
    const std::size_t place = lots() % reasons.size();
    std::string choices;
    for (std::size_t i = 0; i < reasons.size(); ++i) {
        const std::string_view reason = reasons[(i + reasons.size() - place) % reasons.size()];
        choices += fmt::format("{}{} = {}", i == 0 ? "" : "; ", i + 1, phrases.at(reason));
    }
    return question(step, kind, std::move(shown), phrases("choice", text, choices),
                    [place](const StageTrace&, std::size_t, bool) { return Count{place + 1}; });
}

// Asks which rule hides a score: the causal mask, or a window.
MaybeQuestion ask_why_hidden(const StageTrace& trace, std::size_t id, const Words& phrases,
                             std::mt19937& lots) {
    const Node& step = trace.node(id);
    const std::size_t rank = step.value.rank();
    if (rank < 2 || step.axes[rank - 2] != "query" || step.axes[rank - 1] != "key" ||
        step.value.size(-2) != step.value.size(-1)) {
        return std::nullopt;
    }
    std::vector<Index> hidden;
    for (std::size_t n = 0; n < step.value.count(); ++n) {
        if (std::isinf(step.value.values()[n])) {
            hidden.push_back(step.value.index(n));
        }
    }
    if (hidden.empty()) {
        return std::nullopt;
    }
    const Index& cell = hidden[lots() % hidden.size()];
    const bool is_future = cell[rank - 1] > cell[rank - 2];
    if (!is_future && trace.parameters.window == 0) {
        return std::nullopt;
    }
    const std::string_view other = is_future ? "because past" : "because future";
    return ask_why(id, "why_hidden", line_of(trace, id), phrases("why_hidden", cell_name(step, cell)),
                   {is_future ? "because future" : "because past", other, "because small"}, phrases, lots);
}

// Returns the largest softmax weight after the scores are multiplied by a factor.
double largest_weight(std::span<const float> scores, double factor) {
    const double largest = static_cast<double>(*std::ranges::max_element(scores));
    double sum = 0.0;
    for (const float score : scores) {
        sum += std::exp((static_cast<double>(score) - largest) * factor);
    }
    return 1.0 / sum;
}

// Asks how a row's largest weight changes without the division by √d_k.
MaybeQuestion ask_why_scaled(const StageTrace& trace, std::size_t id, const Words& phrases,
                             const PrintOptions& options, std::mt19937& lots) {
    const Node& step = trace.node(id);
    const Number* const root = first_root(trace, id);
    if (root == nullptr || step.call.operation != &softmax_op || step.call.integer("dim") != -1 ||
        step.value.rank() < 2) {
        return std::nullopt;
    }
    const Tensor& scores = trace.node(step.call.inputs.front()).value;
    const std::size_t width = scores.size(-1);
    const std::size_t row = lots() % (scores.count() / width);
    Index cell = step.value.index(row * width);
    const auto of_row = scores.values().subspan(row * width, width);
    const double now = largest_weight(of_row, 1.0);
    const double without = largest_weight(of_row, root->value());
    std::string shown = code_and_operands(trace, id, cell, options);
    if (shown.empty() || std::isnan(now) || std::isnan(without)) {
        return std::nullopt;
    }
    constexpr double rounding = 1e-6;
    std::array<std::string_view, 3> reasons{"weight grows", "weight stays", "weight shrinks"};
    if (without <= now + rounding) {
        std::swap(reasons[0], reasons[without < now - rounding ? 2 : 1]);
    }
    std::string name = cell_name(step, cell);
    name.erase(name.rfind('['));
    return ask_why(id, "why_scaled", std::move(shown), phrases("why_scaled", name), reasons, phrases, lots);
}

// Returns true if all numbers of the step follow from named tensors, without random draws.
bool is_computed(const StageTrace& trace, std::size_t step) {
    bool computed = true;
    visit_expression(trace.notebook, step, [&](const Node& node) {
        const Operation& operation = *node.call.operation;
        computed = computed && !operation.is_given() && !operation.draws && !operation.is_parameter();
    });
    return computed;
}

// Returns true for masks, in which every number is 0 or 1.
bool is_whole(const Node& step) {
    return std::ranges::all_of(step.value.values(), [](float x) { return x == 0.0F || x == 1.0F; });
}

// Chooses an interesting cell: a hidden one if the step masks scores, one on the diagonal of a mask,
// otherwise a number with decimals.
std::optional<Index> choose_cell(const Node& step, std::mt19937& lots) {
    const bool hides = step.call.operation->marks.hides != nullptr &&
                       std::ranges::any_of(step.value.values(), [](float x) { return std::isinf(x); });
    const bool whole = is_whole(step);
    std::vector<Index> cells;
    for (std::size_t n = 0; n < step.value.count(); ++n) {
        const float x = step.value.values()[n];
        const Index index = step.value.index(n);
        const bool diagonal =
            step.value.rank() > 1 && index[step.value.rank() - 1] == index[step.value.rank() - 2];
        const bool worth = hides   ? std::isinf(x)
                           : whole ? diagonal
                                   : std::abs(x) >= 0.01F && std::abs(x) < 1000.0F && x != 1.0F;
        if (worth) {
            cells.push_back(index);
        }
    }
    return cells.empty() ? std::nullopt : std::optional(cells[lots() % cells.size()]);
}

MaybeQuestion ask_for_cell(const StageTrace& trace, std::size_t id, const Words& phrases,
                           const PrintOptions& options, std::mt19937& lots) {
    const Node& step = trace.node(id);
    const std::vector<std::size_t>& inputs = step.call.inputs;
    const bool drops =
        inputs.size() > 1 && trace.node(inputs[1]).call.operation->marks.zero == CellKind::dropped;
    const std::optional<Index> cell = choose_cell(step, lots);
    if (!cell || (!drops && !is_computed(trace, id))) {
        return std::nullopt;
    }
    std::string shown = code_and_operands(trace, id, *cell, options);
    if (shown.empty()) {
        return std::nullopt;
    }
    const std::string name = cell_name(step, *cell);
    const bool whole = is_whole(step);
    const std::string_view kind = whole ? "whole" : drops ? "kept" : "cell";
    QuizQuestion asked = question(id, kind, std::move(shown),
                                  whole ? phrases(kind, name) : phrases(kind, name, options.precision),
                                  whole ? count_in(*cell) : number_in(*cell));
    asked.decimals = whole ? 0 : options.precision;
    asked.cell = cell;
    return asked;
}

}  // namespace

Quiz make_quiz(const Trace& trace, const Words& phrases, const PrintOptions& options, std::uint64_t seed) {
    std::mt19937 lots(static_cast<std::uint32_t>(seed));
    std::mt19937 reasons(static_cast<std::uint32_t>(seed));
    Quiz quiz;
    for (const StageTrace& stage : trace.stages) {
        for (const std::size_t id : stage.shown) {
            const Node& step = stage.node(id);
            if (step.call.operation->is_given() || is_check(stage, step)) {
                continue;
            }
            for (MaybeQuestion asked :
                 {ask_for_shape(stage, id, phrases), ask_for_root(stage, id, phrases),
                  ask_for_hidden(stage, id, phrases), ask_for_cell(stage, id, phrases, options, lots),
                  ask_why_hidden(stage, id, phrases, reasons),
                  ask_why_scaled(stage, id, phrases, options, reasons)}) {
                if (asked) {
                    asked->right = &stage;
                    asked->lesson = &trace.lesson;
                    quiz.questions.push_back(*std::move(asked));
                }
            }
        }
        add_exercises(quiz, stage, trace.lesson, phrases, options, static_cast<std::uint32_t>(lots()));
    }
    return quiz;
}

void select_questions(Quiz& quiz, std::size_t count, std::uint64_t seed) {
    std::mt19937 lots(static_cast<std::uint32_t>(seed));
    std::vector<std::size_t> order(quiz.questions.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = order.size(); i > 1; --i) {  // std::shuffle differs between standard libraries
        std::swap(order[i - 1], order[lots() % i]);
    }
    // Orders the questions: the exercises, then the first question of each kind, the second of each, and so
    // on.
    std::map<std::string_view, std::size_t> of_kind;
    std::vector<std::size_t> turn(order.size());
    for (const std::size_t i : order) {
        turn[i] = quiz.questions[i].is_exercise() ? 0 : ++of_kind[quiz.questions[i].kind];
    }
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return turn[i]; });

    const auto asks_for_shape = [&](std::size_t i) { return quiz.questions[i].asks_for_shape(); };
    const auto shapes = static_cast<std::size_t>(std::ranges::count_if(order, asks_for_shape));
    if (const std::size_t others = order.size() - shapes; others > 0) {
        const std::size_t most_shapes = std::min(count, others + others / 4) / 5;
        std::size_t asked = 0;
        std::erase_if(order, [&](std::size_t i) { return asks_for_shape(i) && ++asked > most_shapes; });
    }
    order.resize(std::min(count, order.size()));
    std::ranges::sort(order);
    std::vector<QuizQuestion> selected;
    for (const std::size_t i : order) {
        selected.push_back(std::move(quiz.questions[i]));
    }
    quiz.questions = std::move(selected);
}

}  // namespace attn
