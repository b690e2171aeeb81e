#include "quiz/exercises.hpp"

#include <fmt/format.h>

#include "notebook/render.hpp"
#include "text/lists.hpp"
#include "views/explain/arithmetic_text.hpp"
#include "words/documents.hpp"

namespace attn {

namespace {

// The stage that an exercise belongs to, and what its questions need.
struct Asking {
    Quiz& quiz;
    const StageTrace& trace;
    const Lesson& lesson;
    const Words& phrases;
    const PrintOptions& options;
    std::uint32_t seed;
    std::string_view number;  // the number of the exercise
};

QuizQuestion& add(const Asking& asking, const StageTrace& walked, const Lesson& lesson, std::size_t step,
                  std::string shown, std::string_view kind, std::string text, FindAnswer answer) {
    QuizQuestion asked{&walked, &lesson, step, kind, std::move(shown), std::move(text), std::move(answer)};
    asked.exercise = asking.number;
    return asking.quiz.questions.emplace_back(std::move(asked));
}

void add_cell(const Asking& asking, const StageTrace& walked, std::size_t step, std::string shown,
              std::string_view kind) {
    const Node& node = walked.node(step);
    const Index cell = node.value.index(asking.seed % node.value.count());
    QuizQuestion& question =
        add(asking, walked, asking.lesson, step, std::move(shown), kind,
            asking.phrases(kind, cell_name(node, cell), asking.options.precision, walked.parameters.seed),
            number_in(cell));
    question.cell = cell;
    question.decimals = asking.options.precision;
}

// The lines of SelfAttention_v1 in the stage linear, without its weights, because these are the answer. Only
// a run with dropout has keep_v1 and attn_weights_dropped_v1.
constexpr std::string_view lines_of_first_module[] = {"queries_v1",      "keys_v1", "values_v1",
                                                      "attn_weights_v1", "keep_v1", "attn_weights_dropped_v1",
                                                      "v1_context_vec"};

// 3.1: weights of linear layers are transposed for a module that multiplies by matrices.
void ask_for_transposed_weights(const Asking& asking) {
    const StageTrace& trace = asking.trace;
    const std::size_t step = *trace.find("v1_context_vec");
    std::string shown;
    for (const std::string_view name : {"inputs", "W_query", "W_key", "W_value"}) {
        shown += fmt::format("{} =\n{}\n\n", name,
                             tensor_text(trace.node(*trace.find(name)).value, {}, asking.options));
    }
    for (const std::string_view name : lines_of_first_module) {
        if (const auto line = trace.find(name)) {
            shown += statement(trace.notebook, *line, trace.language) + "\n";
        }
    }
    add_cell(asking, trace, step, shown, "exercise_3_1");
}

// 3.2: two heads with d_out = 1 give vectors of two numbers.
void ask_for_narrower_heads(const Asking& asking) {
    Parameters parameters = asking.trace.parameters;
    parameters.num_heads = 2;
    parameters.d_out = 1;
    parameters.backward = false;
    const StageTrace& walked =
        asking.quiz.walks.emplace_back(walk(*asking.trace.stage, asking.lesson, parameters));
    const std::size_t step = walked.steps.back();
    add(asking, walked, asking.lesson, step, "", "exercise_3_2_d_out", asking.phrases("exercise_3_2_d_out"),
        [](const Tensor& of_two_heads) { return Count{of_two_heads.size(-1) / 2}; });
    add_cell(asking, walked, step, "", "exercise_3_2_cell");
}

// 3.3: the attention of GPT-2 small. It runs with few tokens and a mask for them, because no width depends on
// their number.
void ask_for_gpt2_size(const Asking& asking) {
    constexpr std::size_t width = 768;
    constexpr std::size_t length = 1024;
    constexpr std::size_t tokens = 5;
    Parameters parameters = asking.trace.stage->defaults;
    parameters.d_out = width;
    parameters.num_heads = 12;
    parameters.batch = 1;
    parameters.context_length = tokens;
    Lesson& lesson = asking.quiz.lessons.emplace_back();
    lesson.tokens.assign(tokens, "token");
    lesson.embeddings = Tensor(Shape{tokens, width});
    const StageTrace& walked = asking.quiz.walks.emplace_back(walk(*asking.trace.stage, lesson, parameters));
    const auto step = [&](std::string_view name) { return *walked.find(name); };
    const FindAnswer full_shape = [](const Tensor& x) {
        Shape shape = x.shape();
        for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
            shape[axis] = shape[axis] == tokens ? length : shape[axis];
        }
        return shape;
    };
    add(asking, walked, lesson, step("queries_heads"), "", "exercise_3_3_head",
        asking.phrases("exercise_3_3_head"), [](const Tensor& x) { return Count{x.size(-1)}; });
    for (const std::string name : {"queries_heads", "attn_scores"}) {
        const std::string code = statement(walked.notebook, step(name), Language::torch);
        add(asking, walked, lesson, step(name), code + "\n", "exercise_3_3_shape",
            asking.phrases("exercise_3_3_shape", name), full_shape);
    }
}

struct Exercise {
    std::string_view number;
    bool has_widths_of_its_own;  // a reader's weights do not fit the widths of the exercise
    void (*ask)(const Asking&);
};

constexpr Exercise table[] = {
    {"3.1", false, ask_for_transposed_weights},
    {"3.2", true, ask_for_narrower_heads},
    {"3.3", true, ask_for_gpt2_size},
};

}  // namespace

void add_exercises(Quiz& quiz, const StageTrace& trace, const Lesson& lesson, const Words& phrases,
                   const PrintOptions& options, std::uint32_t seed) {
    if (trace.shown.size() < trace.steps.size()) {
        return;  // some steps have no questions
    }
    for (const Exercise& one : table) {
        const bool is_about_stage = trace.stage->name == stage_of_exercise(one.number);
        if (is_about_stage && !(one.has_widths_of_its_own && trace.own_weights)) {
            one.ask({quiz, trace, lesson, phrases, options, seed, one.number});
        }
    }
}

}  // namespace attn
