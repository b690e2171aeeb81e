// Adds two operations and a stage, and tests them in every view. This file has all that a new operation
// needs: a row, which stages call.
#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "diagnosis/diagnosed.hpp"
#include "notebook/backward.hpp"
#include "notebook/ops.hpp"
#include "notebook/ops/row.hpp"
#include "notebook/render.hpp"
#include "notebook/strides.hpp"
#include "quiz/judging.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/layout.hpp"
#include "texts.hpp"
#include "views/document/document.hpp"
#include "views/explain/cell_address.hpp"
#include "views/explain/explanation.hpp"
#include "views/format.hpp"
#include "views/heatmap/heatmap_svg.hpp"
#include "views/heatmap/heatmap_text.hpp"
#include "views/page/page.hpp"
#include "views/text/step_text.hpp"

namespace attn {

namespace {

// x where it is above 0, else 0; such a 0 counts as masked. torch.relu(x)
const Operation relu{
    .name = "relu",
    .evaluate = [](const Arguments& x) { return maximum(x[0], Tensor()); },
    .numpy = "np.maximum({0}, 0)",
    .cpp = {"relu({0})", "#include \"relu.hpp\""},
    .gradient = [](const Backward& y) { return masked_fill(y.grad, eq(y.result, literal(0)), literal(0)); },
    .cells = Elementwise{[](const Terms& x) { return combined(Operator::maximum, x(0), constant(0)); }},
    .marks = {.hides = [](const CellOf& x,
                          CellKind) { return x.value(0) < 0 ? CellKind::masked : CellKind{}; }},
};

// (b, n, h, d) → (b, h, n, d), in the same memory. x.movedim(1, 2)
const Operation movedim{
    .name = "movedim",
    .evaluate = [](const Arguments& x) { return transpose(x[0], 1, 2); },
    .torch = "{0}.movedim(1, 2)",
    .numpy = "np.moveaxis({0}, 1, 2)",
    .cpp = "transpose({0}, 1, 2)",
    .formula = "move",
    .cells = Moves{},
    .strides = [](const Arguments&, const Strides& operand, const Shape&) -> std::optional<Strides> {
        return Strides{operand[0], operand[2], operand[1], operand[3]};
    },
};

const Stage own_stage{
    .name = "own",
    .settings = {"lesson"},
    .defaults = {},
    .walk =
        [](Notebook& nb, const Run& run) {
            const Var inputs = nb.step({"inputs", "X"}, parameter(nb.given(run.lesson.embeddings)));
            nb.step({"positive", "", {"token", "feature"}}, relu(inputs));
            const std::vector<Number> size{literal(1), literal(3), literal(2), literal(2)};
            nb.step({"moved", "", {"batch", "head", "token", "feature"}}, movedim(view(inputs, size)));
        },
};

struct OwnWalk {
    Trace trace{Lesson{{"a", "b", "c"}, Tensor({3, 4}, {0.25F, -1.5F, 2, 3, -0.5F, 4, 5, 6, 7, 8, -9, 1})},
                {}};

    explicit OwnWalk(Language language = Language::torch) {
        trace.stages.push_back(walk(own_stage, trace.lesson, own_stage.defaults));
        trace.stages[0].language = language;
    }

    const StageTrace& stage() const { return trace.stages[0]; }
    std::size_t node(std::string_view name) const { return stage().find(name).value(); }
};

constexpr std::string_view printed_positive =
    "tensor([[0.2500, 0.0000, 2.0000, 3.0000],\n"
    "        [0.0000, 4.0000, 5.0000, 6.0000],\n"
    "        [7.0000, 8.0000, 0.0000, 1.0000]], grad_fn=<ReluBackward0>)";

}  // namespace

}  // namespace attn

using namespace attn;

TEST_CASE("an operation of a reader's own is in every view") {
    const OwnWalk walked, numpy(Language::numpy), cpp(Language::cpp);
    const StageTrace& stage = walked.stage();
    const Words words("en", "program");
    const Heatmap map(stage.notebook, walked.node("positive"), words, {});
    CHECK(map.scale() == Scale::sequential);
    CHECK(map.cell(0, 0, 1).kind == CellKind::masked);
    CHECK(map.cell(0, 1, 1).kind == CellKind::number);
    std::string json, page;
    write_json([&](std::string_view part) { json += part; }, walked.trace, {});
    write_page([&](std::string_view part) { page += part; }, walked.trace, {}, {});
    const auto told = [&](std::string_view address) {
        const CellAddress cell = find_cell(stage, address);
        return explanation_text(stage, explain(stage, cell.node, cell.index, 1, {}), {});
    };
    const std::pair<std::string, std::vector<std::string_view>> views[] = {
        {stage_text(stage, {}),
         {"own 2/3 · positive\n", "positive = max(X, 0)\n", ">>> positive = torch.relu(inputs)\n",
          printed_positive, ">>> moved = inputs.view(1, 3, 2, 2).movedim(1, 2)\n"}},
        {fmt::format("{}", fmt::join(step_lines(numpy.stage(), numpy.node("positive")), "\n")),
         {"positive = np.maximum(inputs, 0)"}},
        {fmt::format("{}", fmt::join(step_lines(cpp.stage(), cpp.node("positive")), "\n")),
         {"const auto positive = relu(inputs);"}},
        {fmt::format("{}", fmt::join(setup_lines(cpp.stage()), "\n")), {"#include \"relu.hpp\""}},
        {json,
         {"\"op\": \"relu\"", "\"positive = torch.relu(inputs)\"", "\"grad_fn\": \"ReluBackward0\"",
          "[0.25, 0.0, 2.0, 3.0]"}},
        {heatmap_text(map, words, {}), {"/"}},
        {heatmap_svg(map, words, {"positive", "Nothing below 0", "en"}),
         {"Nothing below 0", ">4.0000</text>", "url(#"}},  // the hatching of masked cells
        {page, {"<mi>max</mi><mo>(</mo>", "positive = torch.relu(inputs)"}},
        {told("positive[a][1]"), {"positive[0][1] = max(inputs[0][1], 0) = max(-1.5, 0) = 0\n"}},
        {told("moved[0][1][2][0]"), {"= inputs[2][2] = -9\n"}},
    };
    for (const auto& view : views) {
        for (const std::string_view part : view.second) {
            CHECK_MESSAGE(has(view.first, part), view.first);
        }
    }
}

TEST_CASE("an operation of a reader's own is recognised in what is pasted") {
    const OwnWalk walked;
    const Candidate own{&own_stage, own_stage.defaults};
    const Diagnosis right = diagnosed(std::string(printed_positive), own, {}, walked.trace.lesson);
    REQUIRE(right.is_right());
    CHECK(right.matches[0].step == "positive");
    const Diagnosis nearest =
        diagnosed("[[0.25, 0, 2, 3], [0, 45.5, 5, 6], [7, 98.25, 0, 1]]", own, {}, walked.trace.lesson);
    REQUIRE(nearest.nearest);
    CHECK(nearest.nearest->step == "positive");
    CHECK(nearest.nearest->first == Index{1, 1});
}

TEST_CASE("an operation of a reader's own is asked about") {
    const OwnWalk walked;
    const Quiz quiz = make_quiz(walked.trace, Words("en", "quiz"), {}, 1);
    const auto found = std::ranges::find_if(
        quiz.questions, [](const QuizQuestion& question) { return has(question.text, "What is positive["); });
    REQUIRE(found != quiz.questions.end());
    CHECK(has(found->shown, "positive = torch.relu(inputs)\n"));
    CHECK(has(found->shown, "inputs =\ntensor([[ 0.2500, -1.5000,"));
    CHECK(AnswerJudge(quiz.questions, {}).judge(*found, answer_text(found->right_answer(), 4)).right);
    CHECK_FALSE(AnswerJudge(quiz.questions, {}).judge(*found, "17").right);
}

TEST_CASE("the gradient of an operation of a reader's own passes where its row says") {
    Notebook nb;
    const Var x = nb.step("x", requires_grad(nb.given(Tensor({4}, {-1, 2, -3, 4}))));
    backward(nb.step("loss", sum(relu(x) * literal(5))));
    CHECK(identical(gradient_of(x)->value(), Tensor({4}, {0, 5, 0, 5})));
}

TEST_CASE("an operation of a reader's own lies in memory as its row says") {
    const OwnWalk walked;
    const Notebook& notebook = walked.stage().notebook;
    CHECK(strides(notebook, walked.node("moved")) == Strides{12, 2, 4, 1});
    CHECK(memory_of(notebook, walked.node("moved")) == walked.node("inputs"));
    CHECK(memory_of(notebook, walked.node("positive")) == walked.node("positive"));
}
