// Makes questions from a trace. All numbers of a question's step follow from the operands that are shown, so
// random tensors and large operands are left out.
#include "quiz/questions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <utility>

#include "mistakes/changed_lines.hpp"
#include "mistakes/general_edits.hpp"
#include "mistakes/mistakes.hpp"
#include "notebook/render.hpp"
#include "notebook/replay.hpp"
#include "notebook/strides.hpp"
#include "quiz/exercises.hpp"
#include "tensor/layout.hpp"
#include "text/lists.hpp"
#include "views/explain/arithmetic_text.hpp"

namespace attn {

namespace {

constexpr std::size_t most_operands = 100;   // the most numbers that all operands of a cell may have together
constexpr std::size_t most_listed = 10'000;  // the most numbers in lines of code that a question shows

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

// Returns the named numbers that the step's line mentions, then the line itself.
std::string code_of(const StageTrace& trace, std::size_t step) {
    std::set<std::size_t> mentioned;
    visit_expression(trace.notebook, step, [&](const Node& node) {
        for (const std::size_t id : node.call.attributes.nodes()) {
            mentioned.insert(id);
        }
    });
    std::string text;
    for (const std::size_t id : mentioned) {
        const Node& number = trace.node(id);
        if (number.call.operation->returns == Returns::scalar) {
            text += fmt::format("{} = {}\n", number.name, number.value.values().front());
        }
    }
    return text + statement(trace.notebook, step, trace.language) + "\n";
}

// The tensors that the step's line mentions.
std::vector<std::size_t> operands_of(const StageTrace& trace, std::size_t step) {
    std::vector<std::size_t> ids = named_operands(trace.notebook, step);
    std::erase_if(
        ids, [&](std::size_t id) { return trace.node(id).call.operation->returns == Returns::random_state; });
    return ids;
}

// True if the step only checks whether two computations agree: its numbers are truth values, 1 or 0.
bool is_check(const StageTrace& trace, const Node& step) {
    const std::optional<std::size_t> followed = step.call.operation->followed(step.call);
    return followed && trace.node(step.call.inputs[*followed]).call.operation->returns == Returns::truths;
}

// The result of a step with a known mistake.
struct Mistaken {
    const WalkEdit* edit;
    Tensor value;
};

// Returns true if dropout made the numbers of the step.
bool is_dropped(const StageTrace& trace, const Node& step) {
    const std::vector<std::size_t>& inputs = step.call.inputs;
    return inputs.size() > 1 && trace.node(inputs[1]).call.operation->marks.zero == CellKind::dropped;
}

// Returns true if all numbers of the step follow from named tensors, without random draws except dropout.
bool is_computed(const StageTrace& trace, std::size_t step) {
    bool computed = true;
    visit_expression(trace.notebook, step, [&](const Node& node) {
        const Operation& operation = *node.call.operation;
        computed = computed && !operation.is_given() && !operation.draws && !operation.is_parameter();
    });
    return computed || is_dropped(trace, trace.node(step));
}

// Returns true for masks, in which every number is 0 or 1.
bool is_whole(const Node& step) {
    return std::ranges::all_of(step.value.values(), [](float x) { return x == 0.0F || x == 1.0F; });
}

// Returns true if a known mistake gives an answer that is not accepted.
bool tells_mistakes(const FindAnswer& answer, const Tensor& right, std::span<const Mistaken> mistaken,
                    int decimals) {
    const std::optional<Answer> expected = answer(right);
    const auto is_refused = [&](const Tensor& wrong) {
        const std::optional<Answer> given = answer(wrong);
        const auto typed = given ? read_answer(answer_text(*given, decimals), *expected) : std::nullopt;
        return typed && !agrees(*typed, *expected, decimals);
    };
    return expected &&
           (is_refused(transposed(right)) || std::ranges::any_of(mistaken, is_refused, &Mistaken::value));
}

// True for the embeddings and for a seeded generator: with other ones, every result can come out.
bool is_input(const StageTrace& trace, std::size_t step) {
    const Call& call = trace.node(step).call;
    return call.inputs.empty() || call.operation->seeds();
}

using MaybeQuestion = std::optional<QuizQuestion>;

// Asks about the steps of one stage.
class Asker {
public:
    Asker(const Trace& trace, const StageTrace& stage, const Words& phrases, const PrintOptions& options,
          std::mt19937& lots)
        : trace_(trace),
          stage_(stage),
          phrases_(phrases),
          options_(options),
          lots_(lots),
          edits_(known_edits(stage.parameters)) {
        std::ranges::copy_if(stage.shown, std::back_inserter(readable_), [&](std::size_t id) {
            return is_computed(stage, id) && !code_and_operands(id, {}).empty();
        });
        Replay replay(stage.notebook, readable_);
        for (const WalkEdit& edit : edits_) {
            const bool is_made = edit.calls && replay.make({edit.calls});
            for (const std::size_t id : readable_) {
                if (const Tensor* const value = is_made ? replay.changed(id) : nullptr) {
                    mistaken_[id].push_back({&edit, *value});
                }
            }
        }
    }

    void add_questions(std::vector<QuizQuestion>& questions) {
        const auto add = [&](MaybeQuestion asked) {
            if (asked) {
                questions.push_back(*std::move(asked));
            }
        };
        for (const std::size_t id : stage_.shown) {
            const Node& step = stage_.node(id);
            if (step.call.operation->is_given() || is_check(stage_, step)) {
                continue;
            }
            add(shape_of(id));
            if (contains(readable_, id)) {
                add(cell_of(id));
                add(line_of(id));
            }
        }
    }

private:
    QuizQuestion question(std::size_t step, std::string_view kind, std::string shown, std::string text,
                          FindAnswer answer) const {
        return {&stage_, &trace_.lesson, step, kind, std::move(shown), std::move(text), std::move(answer)};
    }

    // Shows the code, and the shapes of the operands: `keys has shape (6, 2)`.
    MaybeQuestion shape_of(std::size_t id) const {
        const Node& step = stage_.node(id);
        std::string shown = code_of(stage_, id);
        bool changes = step.value.rank() > 0;
        for (const std::size_t operand_id : operands_of(stage_, id)) {
            const Node& operand = stage_.node(operand_id);
            shown += phrases_("has_shape", operand.name, operand.value.shape().text()) + "\n";
            changes = changes && operand.value.shape() != step.value.shape();
        }
        return changes ? MaybeQuestion(question(id, "shape", std::move(shown), phrases_("shape", step.name),
                                                shape_of_step()))
                       : std::nullopt;
    }

    // Returns the code and the printed operands. If an operand has leading axes, only the part on which the
    // cell depends is printed. Returns an empty text if there are too many numbers to read.
    std::string code_and_operands(std::size_t step, const Index& cell) const {
        std::string text = code_of(stage_, step);
        std::size_t numbers = 0;
        for (const std::size_t id : operands_of(stage_, step)) {
            const NeededPart needed = needed_part(stage_.notebook, id, step, cell);
            numbers += needed.value.count();
            if (numbers > most_operands) {
                return "";
            }
            text += fmt::format("\n{} =\n{}\n", needed.name, tensor_text(needed.value, {}, options_));
        }
        return text;
    }

    MaybeQuestion cell_of(std::size_t id) {
        const Node& step = stage_.node(id);
        const bool drops = is_dropped(stage_, step);
        const bool whole = is_whole(step);
        const int decimals = whole ? 0 : options_.precision;
        const std::size_t first = lots_();
        for (std::size_t n = 0; n < step.value.count(); ++n) {
            const std::size_t place = (first + n) % step.value.count();
            const Index cell = step.value.index(place);
            const FindAnswer answer = whole ? count_in(cell) : number_in(cell);
            if ((drops && step.value.values()[place] == 0.0F) ||
                !tells_mistakes(answer, step.value, mistaken_[id], decimals)) {
                continue;
            }
            const std::string_view kind = whole ? "whole" : drops ? "kept" : "cell";
            QuizQuestion asked = question(id, kind, code_and_operands(id, cell),
                                          phrases_(kind, cell_name(step, cell), options_.precision), answer);
            asked.decimals = decimals;
            asked.cell = cell;
            return asked;
        }
        return std::nullopt;
    }

    // Asks about a mistake for which a reader can find the line.
    MaybeQuestion line_of(std::size_t id) {
        const std::vector<Mistaken>& mistaken = mistaken_[id];
        const std::size_t first = mistaken.empty() ? 0 : lots_();
        for (std::size_t n = 0; n < mistaken.size() && walked_ < most_walked; ++n) {
            walked_ += stage_.notebook.nodes().size();
            if (MaybeQuestion asked = line_of_mistake(id, mistaken[(first + n) % mistaken.size()])) {
                return asked;
            }
        }
        return std::nullopt;
    }

    // Shows the result of a step with a known mistake, and asks which line was different. No other known
    // mistake gives the same digits, and no change of a different line. Lines that draw numbers are left out,
    // and mistakes in which a line draws them, because a reader cannot check them.
    MaybeQuestion line_of_mistake(std::size_t id, const Mistaken& one) {
        const Node& right = stage_.node(id);
        const auto text_of = [&](const Tensor& x) { return tensor_text(x, {}, options_); };
        const std::string printed = text_of(one.value);
        const auto is_alike = [&](const Mistaken& other) { return text_of(other.value) == printed; };
        if (right.value.count() > most_operands || trace_.lesson.embeddings.count() > most_listed ||
            std::ranges::count_if(mistaken_[id], is_alike) != 1) {
            return std::nullopt;
        }
        const std::optional<StageTrace> wrong =
            walk_with({one.edit}, *stage_.stage, trace_.lesson, stage_.parameters, trace_.inputs_of(stage_));
        const std::optional<std::size_t> step = wrong ? wrong->find(right.name) : std::nullopt;
        if (!step) {
            return std::nullopt;
        }
        const ChangedLines changed = changed_lines(*wrong, stage_, *step, id);
        const auto draws = [&](const CodeLine& line) {
            return line.text == changed.line && !is_computed(*wrong, line.node);
        };
        std::string shown;
        std::vector<std::size_t> numbered;  // the nodes of the numbered lines
        std::size_t answer = 0;
        for (const CodeLine& line : lines_to(stage_.notebook, id)) {
            if (is_computed(stage_, line.node) && !is_input(stage_, line.node)) {
                numbered.push_back(line.node);
                shown += fmt::format("{:>2}  {}\n", numbered.size(), line.text);
                answer = line.text == changed.instead_of ? numbered.size() : answer;
            }
        }
        if (answer == 0 || numbered.size() == 1 ||
            std::ranges::any_of(lines_to(wrong->notebook, *step), draws)) {
            return std::nullopt;
        }
        const std::size_t right_line = numbered[answer - 1];
        std::erase(numbered, right_line);
        if (std::ranges::any_of(changes_of_lines()[id], [&](const ChangedLine& other) {
                return contains(numbered, other.line) && text_of(other.value) == printed;
            })) {
            return std::nullopt;
        }
        shown += fmt::format("\n{} =\n{}\n\n{}\n{}\n", right.name, printed, phrases_("should_be"),
                             text_of(right.value));
        return question(id, "wrong_line", std::move(shown), phrases_("wrong_line", right.name),
                        [answer](const Tensor&) { return Count{answer}; });
    }

    // A line with a small change, and the result that a step then has.
    struct ChangedLine {
        std::size_t line;  // the node that the line defines
        Tensor value;
    };

    // Returns these results by step. Computes them when the first question needs them.
    std::map<std::size_t, std::vector<ChangedLine>>& changes_of_lines() {
        if (!changes_) {
            changes_.emplace();
            const Nodes& nodes = stage_.notebook.nodes();
            Replay replay(stage_.notebook, readable_);
            for (const WalkEdit& edit : general_edits(stage_.notebook)) {
                if (!edit.calls || !replay.make({edit.calls}, edit.from)) {
                    continue;
                }
                std::size_t line = replay.first_changed();
                while (line < nodes.size() && nodes[line].name.empty()) {
                    ++line;
                }
                for (const std::size_t id : readable_) {
                    if (const Tensor* const value = replay.changed(id)) {
                        (*changes_)[id].push_back({line, *value});
                    }
                }
            }
            add_triangles(replay);
        }
        return *changes_;
    }

    // Adds the results with .tril(), .triu() or .T behind a line.
    void add_triangles(Replay& replay) {
        for (const std::size_t line : stage_.steps) {
            const Tensor& right = stage_.node(line).value;
            if (right.rank() < 2 || right.size(-1) != right.size(-2)) {
                continue;
            }
            for (const Tensor& changed : {tril(right), triu(right), transposed(right)}) {
                const bool is_made = replay.make_of(line, changed);
                for (const std::size_t id : readable_) {
                    const Tensor* const value = is_made ? replay.changed(id) : nullptr;
                    if (value != nullptr) {
                        (*changes_)[id].push_back({line, *value});
                    }
                }
            }
        }
    }

    // The tensors computed for all questions about wrong lines of a stage. Stages with hundreds of heads have
    // fewer of these questions.
    static constexpr std::size_t most_walked = 100'000;

    const Trace& trace_;
    const StageTrace& stage_;
    const Words& phrases_;
    const PrintOptions& options_;
    std::mt19937& lots_;
    const std::vector<WalkEdit> edits_;
    std::vector<std::size_t> readable_;  // the steps whose operands a reader can compute with
    std::map<std::size_t, std::vector<Mistaken>> mistaken_;  // their results with each known mistake
    std::optional<std::map<std::size_t, std::vector<ChangedLine>>> changes_;
    std::size_t walked_ = 0;
};

}  // namespace

Quiz make_quiz(const Trace& trace, const Words& phrases, const PrintOptions& options, std::uint64_t seed) {
    std::mt19937 lots{std::uint32_t(seed)};
    Quiz quiz;
    for (const StageTrace& stage : trace.stages) {
        Asker(trace, stage, phrases, options, lots).add_questions(quiz.questions);
        add_exercises(quiz, stage, trace.lesson, phrases, options, std::uint32_t(lots()));
    }
    return quiz;
}

void select_questions(Quiz& quiz, std::size_t count, std::uint64_t seed) {
    std::mt19937 lots{std::uint32_t(seed)};
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
    const auto shapes = std::size_t(std::ranges::count_if(order, asks_for_shape));
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
