// Questions out of a trace. A question uses only steps whose numbers all follow from the operands shown with
// it. Random tensors and large operands are left out.
#include "quiz/questions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <utility>

#include "notebook/render.hpp"
#include "notebook/strides.hpp"
#include "quiz/exercises.hpp"
#include "views/explain/arithmetic_text.hpp"

namespace attn {

namespace {

// The part of a step shown with a question: its line of code and its operands.
class ShownStep {
public:
    ShownStep(const StageTrace& trace, std::size_t step) : trace_(trace), step_(step) {}

    const Node& node() const { return trace_.node(step_); }
    std::string line() const;
    // The line below those of the numbers it mentions: `d_in = 3`.
    std::string code() const;
    // `d_in = 3` for each named number of the stage that is wanted and known by then.
    std::string numbers(const std::function<bool(std::size_t)>& is_wanted) const;

    // The tensors the line mentions.
    std::vector<std::size_t> operands() const;
    // `keys has shape (6, 2)` for each of them.
    std::string shapes(const Words& phrases) const;
    // Each of them as it prints, of one with leading axes the part a cell of the result depends on. Empty
    // when they hold more numbers than a reader can take in.
    std::string operands_for(const Index& cell, const PrintOptions& options) const;

private:
    const StageTrace& trace_;
    std::size_t step_;
};

constexpr std::size_t most_numbers = 100;  // in all operands of a cell together

// Walks over what is written out in a node's expression.
template <typename Visit>
void visit_expression(const Notebook& notebook, std::size_t id, const Visit& visit) {
    visit(notebook.nodes()[id]);
    for (const std::size_t input : notebook.nodes()[id].call.inputs) {
        if (notebook.nodes()[input].name.empty()) {
            visit_expression(notebook, input, visit);
        }
    }
}

// The operand's part that a cell of the result depends on, as far as leading axes tell.
struct NeededPart {
    std::string name;
    Tensor value;
};

// A view's leading axes are those of its operand as long as both step through memory alike.
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

std::string ShownStep::line() const {
    return statement(trace_.notebook, step_, trace_.language) + "\n";
}

std::string ShownStep::code() const {
    std::set<std::size_t> mentioned;
    visit_expression(trace_.notebook, step_, [&](const Node& node) {
        for (const std::size_t id : node.call.attributes.nodes()) {
            mentioned.insert(id);
        }
    });
    return numbers([&](std::size_t id) { return mentioned.contains(id); }) + line();
}

std::string ShownStep::numbers(const std::function<bool(std::size_t)>& is_wanted) const {
    std::string text;
    for (std::size_t id = 0; id < step_; ++id) {
        const Node& number = trace_.node(id);
        if (number.call.operation->returns == Returns::scalar && is_wanted(id)) {
            text += fmt::format("{} = {}\n", number.name, number.value.values().front());
        }
    }
    return text;
}

std::vector<std::size_t> ShownStep::operands() const {
    std::vector<std::size_t> ids = named_operands(trace_.notebook, step_);
    std::erase_if(ids, [&](std::size_t id) {
        return trace_.node(id).call.operation->returns == Returns::random_state;
    });
    return ids;
}

std::string ShownStep::shapes(const Words& phrases) const {
    std::string text;
    for (const std::size_t id : operands()) {
        const Node& operand = trace_.node(id);
        text += phrases("has_shape", operand.name, operand.value.shape().text()) + "\n";
    }
    return text;
}

std::string ShownStep::operands_for(const Index& cell, const PrintOptions& options) const {
    std::string text;
    std::size_t numbers = 0;
    for (const std::size_t id : operands()) {
        const NeededPart needed = needed_part(trace_.notebook, id, step_, cell);
        numbers += needed.value.count();
        if (numbers > most_numbers) {
            return "";
        }
        text += fmt::format("\n{} =\n{}\n", needed.name, tensor_text(needed.value, {}, options));
    }
    return text;
}

// A step that only says whether two computations agree: a truth as 1 or 0.
bool is_check(const StageTrace& trace, const Node& step) {
    const std::optional<std::size_t> follows = step.call.operation->follows;
    return follows && trace.node(step.call.inputs[*follows]).call.operation->returns == Returns::truths;
}

class Maker {
public:
    Maker(const StageTrace& trace, const Lesson& lesson, const Words& phrases, const PrintOptions& options,
          std::mt19937& lots)
        : trace_(trace), lesson_(lesson), phrases_(phrases), options_(options), lots_(lots) {}

    void add_to(Quiz& quiz) {
        for (const std::size_t id : trace_.shown) {
            const Node& step = trace_.node(id);
            if (step.call.operation->is_given() || is_check(trace_, step)) {
                continue;
            }
            step_ = id;
            shown_.emplace(trace_, id);
            ask_for_shape(quiz, step);
            ask_for_root(quiz);
            ask_for_hidden(quiz, step);
            ask_for_cell(quiz, step);
        }
    }

private:
    void add(Quiz& quiz, std::string_view kind, std::string shown, std::string text, FindAnswer answer) {
        quiz.questions.push_back({.right = &trace_,
                                  .lesson = &lesson_,
                                  .step = step_,
                                  .kind = kind,
                                  .shown = std::move(shown),
                                  .text = std::move(text),
                                  .cell = std::nullopt,
                                  .answer = std::move(answer)});
    }

    void ask_for_shape(Quiz& quiz, const Node& step) {
        const bool changes = std::ranges::none_of(shown_->operands(), [&](std::size_t id) {
            return trace_.node(id).value.shape() == step.value.shape();
        });
        if (step.value.rank() > 0 && changes) {
            add(quiz, "shape", shown_->code() + shown_->shapes(phrases_), phrases_("shape", step.name),
                shape_of_step());
        }
    }

    // The number that a step's expression first works with, such as the one that scores are divided by.
    static const Number* first_number(const StageTrace& trace, std::size_t step) {
        const Number* found = nullptr;
        visit_expression(trace.notebook, step, [&](const Node& node) {
            found = found == nullptr ? node.call.find("value") : found;
        });
        return found;
    }

    void ask_for_root(Quiz& quiz) {
        constexpr std::string_view root = "**0.5";
        const Number* const number = first_number(trace_, step_);
        if (number == nullptr || number->formula.kind != Formula::Kind::root || number->nodes.empty()) {
            return;
        }
        const std::string& reads = number->in(Language::torch);
        std::string line = shown_->line();
        const std::size_t at = line.find(reads);
        if (at == std::string::npos) {
            return;
        }
        line.replace(at, reads.size() - root.size(), "?");
        const auto answer = [](const StageTrace& trace, std::size_t id, bool) -> std::optional<Answer> {
            const Number* const divides = first_number(trace, id);
            const double d = divides == nullptr ? 1.0 : divides->value * divides->value;
            return Count{static_cast<std::size_t>(std::lround(d))};
        };
        const auto is_width = [&](std::size_t id) {
            const std::string_view name = trace_.node(id).name;
            return name == "d_in" || name == "d_out" || name == "d_model" || name.ends_with("_heads");
        };
        add(quiz, "root", shown_->numbers(is_width) + line, phrases_("root"), answer);
    }

    void ask_for_hidden(Quiz& quiz, const Node& step) {
        const auto hidden = [](const StageTrace& trace, std::size_t id, bool) -> std::optional<Answer> {
            const auto is_hidden = [](float x) { return std::isinf(x) && x < 0; };
            return Count{
                static_cast<std::size_t>(std::ranges::count_if(trace.node(id).value.values(), is_hidden))};
        };
        if (std::get<Count>(*hidden(trace_, step_, false)).value > 0) {
            add(quiz, "hidden", shown_->code() + shown_->shapes(phrases_),
                phrases_("hidden", step.value.count(), step.name), hidden);
        }
    }

    // True if all numbers of the step follow from named tensors, without random draws.
    bool is_computed() const {
        bool computed = true;
        visit_expression(trace_.notebook, step_, [&](const Node& node) {
            const Operation& operation = *node.call.operation;
            computed = computed && !operation.is_given() && !operation.draws && !operation.parameter;
        });
        return computed;
    }

    // Masks, of which every number is 0 or 1.
    static bool is_whole(const Node& step) {
        return std::ranges::all_of(step.value.values(), [](float x) { return x == 0.0F || x == 1.0F; });
    }

    // A cell worth asking about: hidden ones where the step hides, the diagonal of a mask, else a number that
    // has digits.
    std::optional<Index> choose_cell(const Node& step) {
        const bool hides = step.call.operation->hides != nullptr &&
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
        return cells.empty() ? std::nullopt : std::optional(cells[lots_() % cells.size()]);
    }

    void ask_for_cell(Quiz& quiz, const Node& step) {
        const std::vector<std::size_t>& inputs = step.call.inputs;
        const bool drops =
            inputs.size() > 1 && trace_.node(inputs[1]).call.operation->zero == CellKind::dropped;
        const std::optional<Index> cell = choose_cell(step);
        if (!cell || (!drops && !is_computed())) {
            return;
        }
        const std::string operands = shown_->operands_for(*cell, options_);
        if (operands.empty() && !shown_->operands().empty()) {
            return;
        }
        const std::string shown = shown_->code() + operands;
        const std::string name = cell_name(step, *cell);
        if (is_whole(step)) {
            add(quiz, "whole", shown, phrases_("whole", name), count_in(*cell));
        } else {
            const std::string_view kind = drops ? "kept" : "cell";
            add(quiz, kind, shown, phrases_(kind, name, options_.precision), number_in(*cell));
            quiz.questions.back().decimals = options_.precision;
        }
        quiz.questions.back().cell = cell;
    }

    const StageTrace& trace_;
    const Lesson& lesson_;
    const Words& phrases_;
    const PrintOptions& options_;
    std::mt19937& lots_;
    std::size_t step_ = 0;
    std::optional<ShownStep> shown_;
};

}  // namespace

Quiz make_quiz(const Trace& trace, const Words& phrases, const PrintOptions& options, std::uint64_t seed) {
    std::mt19937 lots(static_cast<std::uint32_t>(seed));
    Quiz quiz;
    for (const StageTrace& stage : trace.stages) {
        Maker(stage, trace.lesson, phrases, options, lots).add_to(quiz);
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
    // The exercises, then the first of each kind, the second of each, and so on.
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
