// Questions out of a trace. A step is asked about only where all its numbers follow from what is shown with
// the question: nothing drawn at random, and no more than a reader can take in.
#include "quiz/quiz.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

#include "notebook/rows.hpp"
#include "quiz/quiz_questions.hpp"
#include "quiz/quiz_shown.hpp"
#include "text/ascii.hpp"
#include "views/explain/arithmetic_text.hpp"

namespace attn {

namespace {

// Steps that only say whether two ways agree, and such that hold a case of their own.
bool is_check(const Node& step) {
    return step.value.rank() == 0 && (step.name.ends_with("agrees") || step.name == "same_numbers");
}

class Maker {
public:
    Maker(const StageTrace& trace, const Lesson& lesson, const Phrases& phrases, const PrintOptions& options,
          std::mt19937& lots)
        : trace_(trace), lesson_(lesson), phrases_(phrases), options_(options), lots_(lots) {}

    void add_to(Quiz& quiz) {
        for (const std::size_t position : trace_.shown) {
            const Node& step = trace_.step(position);
            if (step.call.operation == &rows::given || is_check(step)) {
                continue;
            }
            position_ = position;
            shown_.emplace(trace_, position);
            ask_for_shape(quiz, step);
            ask_for_root(quiz);
            ask_for_hidden(quiz, step);
            ask_for_cell(quiz, step);
        }
    }

private:
    void add(Quiz& quiz, std::string shown, std::string text, Ask answer, int decimals = 0) {
        quiz.questions.push_back({&trace_, &lesson_, position_, std::move(shown), std::move(text), decimals,
                                  false, std::move(answer)});
    }

    void ask_for_shape(Quiz& quiz, const Node& step) {
        const std::vector<const Node*> inputs = shown_->operands();
        const bool changes = std::ranges::none_of(
            inputs, [&](const Node* input) { return input->value.shape() == step.value.shape(); });
        if (step.value.rank() > 0 && changes) {
            add(quiz, shown_->code() + shown_->shapes(phrases_), phrases_("shape", step.name), ask_shape());
        }
    }

    // Walks over what is written out in a node's expression.
    template <typename Visit>
    static void visit_expression(const Notebook& notebook, std::size_t id, bool root, const Visit& visit) {
        const Node& node = notebook.nodes()[id];
        if (!root && !node.name.empty()) {
            return;
        }
        visit(node);
        for (const std::size_t input : node.call.inputs) {
            visit_expression(notebook, input, false, visit);
        }
    }

    static const Number* divisor(const StageTrace& trace, std::size_t position) {
        const Number* found = nullptr;
        visit_expression(trace.notebook, trace.steps[position], true, [&](const Node& node) {
            if (node.call.operation == &rows::divide_by) {
                found = &node.call.number("by");
            }
        });
        return found;
    }

    void ask_for_root(Quiz& quiz) {
        constexpr std::string_view root = "**0.5";
        const Number* const by = divisor(trace_, position_);
        std::string line = shown_->line();
        const bool is_root = by != nullptr && by->in(Language::torch).ends_with(root);
        if (!is_root || is_digit(by->in(Language::torch).front())) {
            return;
        }
        const std::size_t at = line.find(by->in(Language::torch));
        if (at == std::string::npos) {
            return;
        }
        line.replace(at, by->in(Language::torch).size() - root.size(), "?");
        const auto answer = [](const StageTrace& trace, std::size_t position, bool) -> std::optional<Answer> {
            const Number* const divides = divisor(trace, position);
            const double d = divides == nullptr ? 1.0 : divides->value * divides->value;
            return Count{static_cast<std::size_t>(std::lround(d))};
        };
        const auto is_width = [](std::string_view name) {
            return name == "d_in" || name == "d_out" || name == "d_model" || name.ends_with("_heads");
        };
        add(quiz, shown_->numbers(is_width) + line, phrases_("root"), answer);
    }

    void ask_for_hidden(Quiz& quiz, const Node& step) {
        const auto hidden = [](const StageTrace& trace, std::size_t position, bool) -> std::optional<Answer> {
            const auto is_hidden = [](float x) { return std::isinf(x) && x < 0; };
            return Count{static_cast<std::size_t>(
                std::ranges::count_if(trace.step(position).value.values(), is_hidden))};
        };
        if (std::get<Count>(*hidden(trace_, position_, false)).value > 0) {
            add(quiz, shown_->code() + shown_->shapes(phrases_),
                phrases_("hidden", step.value.count(), step.name), hidden);
        }
    }

    // Whether all numbers of the step follow from named tensors: it draws none itself.
    bool is_computed() const {
        static constexpr const Operation* draws[] = {&rows::linear,   &rows::rand, &rows::randn,
                                                     &rows::weight,   &rows::bias, &rows::numpy_randn,
                                                     &rows::keep_mask};
        bool computed = true;
        visit_expression(trace_.notebook, trace_.steps[position_], true, [&](const Node& node) {
            const bool leaf = node.call.inputs.empty() && node.call.operation != &rows::ones;
            computed = computed && !leaf && std::ranges::find(draws, node.call.operation) == std::end(draws);
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
        const bool hides = step.call.operation == &rows::masked_fill;
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
        const bool drops = step.call.operation == &rows::dropout;
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
            add(quiz, shown, phrases_("whole", name), ask_whole(*cell));
            return;
        }
        add(quiz, shown, phrases_(drops ? "kept" : "cell", name, options_.precision), ask_cell(*cell),
            options_.precision);
    }

    const StageTrace& trace_;
    const Lesson& lesson_;
    const Phrases& phrases_;
    const PrintOptions& options_;
    std::mt19937& lots_;
    std::size_t position_ = 0;
    std::optional<ShownStep> shown_;
};

}  // namespace

Quiz make_quiz(const Trace& trace, const Phrases& phrases, const PrintOptions& options, std::uint64_t seed) {
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
    for (std::size_t i = order.size(); i > 1; --i) {  // std::shuffle is another one in every library
        std::swap(order[i - 1], order[lots() % i]);
    }
    std::stable_partition(order.begin(), order.end(),
                          [&](std::size_t i) { return quiz.questions[i].exercise; });
    order.resize(std::min(count, order.size()));
    std::ranges::sort(order);
    std::vector<QuizQuestion> selected;
    for (const std::size_t i : order) {
        selected.push_back(std::move(quiz.questions[i]));
    }
    quiz.questions = std::move(selected);
}

}  // namespace attn
