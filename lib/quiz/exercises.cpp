#include "quiz/exercises.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "notebook/render.hpp"
#include "views/explain/arithmetic_text.hpp"

namespace attn {

namespace {

class Exercises {
public:
    Exercises(Quiz& quiz, const StageTrace& trace, const Lesson& lesson, const Words& phrases,
              const PrintOptions& options, std::uint32_t lot, std::string_view number)
        : quiz_(quiz),
          trace_(trace),
          lesson_(lesson),
          phrases_(phrases),
          options_(options),
          lot_(lot),
          number_(number) {}

    // The weights of linear layers, transposed, in a module that multiplies by its weights as they are.
    void transposed_weights() {
        const std::size_t step = *trace_.find("v1_context_vec");
        const std::size_t original = *trace_.find("context_vec");
        std::string shown =
            fmt::format("context_vec =\n{}\n\n", tensor_text(trace_.node(original).value, {}, options_));
        for (std::size_t id = 0; id <= step; ++id) {
            const std::string& name = trace_.node(id).name;
            if (name.ends_with("_v1") || name.starts_with("v1_")) {
                shown += statement(trace_.notebook, id, trace_.language) + "\n";
            }
        }
        add_cell(trace_, lesson_, step, shown, "exercise_3_1");
    }

    // Two heads that give two numbers together.
    void narrower_heads() {
        Parameters parameters = trace_.parameters;
        parameters.num_heads = 2;
        parameters.d_out = 1;
        const StageTrace& walked = quiz_.walks.emplace_back(walk(*trace_.stage, lesson_, parameters));
        const std::size_t step = walked.steps.back();
        add(walked, lesson_, step, "", "exercise_3_2_d_out", phrases_("exercise_3_2_d_out"),
            [](const StageTrace& trace, std::size_t, bool) { return Count{trace.parameters.d_out}; });
        add_cell(walked, lesson_, step, "", "exercise_3_2_cell");
    }

    // The attention of GPT-2 small. A few tokens stand for all: no width depends on how many there are.
    void gpt2_size() {
        constexpr std::size_t width = 768;
        constexpr std::size_t length = 1024;
        constexpr std::size_t tokens = 5;
        Parameters parameters = trace_.stage->defaults;
        parameters.d_out = width;
        parameters.num_heads = 12;
        parameters.batch = 1;
        parameters.context_length = length;
        Lesson& lesson = quiz_.lessons.emplace_back();
        lesson.tokens.assign(tokens, "token");
        lesson.embeddings = Tensor(Shape{tokens, width});
        const StageTrace& walked = quiz_.walks.emplace_back(walk(*trace_.stage, lesson, parameters));
        const auto step = [&](std::string_view name) { return *walked.find(name); };
        const FindAnswer full_shape = [](const StageTrace& trace, std::size_t id, bool transposed) {
            std::optional<Answer> answer = shape_of_step()(trace, id, transposed);
            Shape& shape = std::get<Shape>(*answer);
            for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
                shape[axis] = shape[axis] == tokens ? length : shape[axis];
            }
            return answer;
        };
        add(walked, lesson, step("queries_heads"), "", "exercise_3_3_head", phrases_("exercise_3_3_head"),
            [](const StageTrace& trace, std::size_t id, bool) {
                return Count{trace.node(id).value.size(-1)};
            });
        for (const std::string name : {"queries_heads", "attn_scores"}) {
            const std::string code = statement(walked.notebook, step(name), Language::torch);
            add(walked, lesson, step(name), code + "\n", "exercise_3_3_shape",
                phrases_("exercise_3_3_shape", name), full_shape);
        }
    }

private:
    QuizQuestion& add(const StageTrace& walked, const Lesson& lesson, std::size_t step, std::string shown,
                      std::string_view kind, std::string text, FindAnswer answer) {
        quiz_.questions.push_back({.right = &walked,
                                   .lesson = &lesson,
                                   .step = step,
                                   .kind = kind,
                                   .shown = std::move(shown),
                                   .text = std::move(text),
                                   .cell = std::nullopt,
                                   .exercise = number_,
                                   .answer = std::move(answer)});
        return quiz_.questions.back();
    }

    void add_cell(const StageTrace& walked, const Lesson& lesson, std::size_t step, std::string shown,
                  std::string_view kind) {
        const Node& node = walked.node(step);
        const Index cell = node.value.index(lot_ % node.value.count());
        QuizQuestion& question =
            add(walked, lesson, step, std::move(shown), kind,
                phrases_(kind, cell_name(node, cell), options_.precision, walked.parameters.seed),
                number_in(cell));
        question.cell = cell;
        question.decimals = options_.precision;
    }

    Quiz& quiz_;
    const StageTrace& trace_;
    const Lesson& lesson_;
    const Words& phrases_;
    const PrintOptions& options_;
    std::uint32_t lot_;
    std::string_view number_;
};

struct Exercise {
    std::string_view number, stage;
    bool has_widths_of_its_own;  // which a reader's weights do not fit
    void (Exercises::*ask)();
};

constexpr Exercise table[] = {
    {"3.1", "linear", false, &Exercises::transposed_weights},
    {"3.2", "multi-head-wrapper", true, &Exercises::narrower_heads},
    {"3.3", "multi-head", true, &Exercises::gpt2_size},
};

}  // namespace

void add_exercises(Quiz& quiz, const StageTrace& trace, const Lesson& lesson, const Words& phrases,
                   const PrintOptions& options, std::uint32_t lot) {
    if (trace.shown.size() < trace.steps.size()) {
        return;  // only some steps are asked about
    }
    for (const Exercise& one : table) {
        if (trace.stage->name == one.stage && !(one.has_widths_of_its_own && trace.own_weights)) {
            Exercises exercises(quiz, trace, lesson, phrases, options, lot, one.number);
            (exercises.*one.ask)();
        }
    }
}

std::vector<std::string_view> exercise_numbers() {
    std::vector<std::string_view> numbers;
    for (const Exercise& one : table) {
        numbers.push_back(one.number);
    }
    return numbers;
}

std::string_view stage_of_exercise(std::string_view number) {
    const auto* const found = std::ranges::find(table, number, &Exercise::number);
    return found == std::end(table) ? "" : found->stage;
}

}  // namespace attn
