// Calls repeated with edits are compared with a walk of the stage that has the same edits.
#include "notebook/replay.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "diagnosis/seeds.hpp"
#include "mistaken.hpp"
#include "notebook/ops.hpp"

using namespace attn;

namespace {

// Compares the repeated steps with those of a walk, and returns how many of them changed.
std::size_t compare(const Replay& replay, const StageTrace& right, const StageTrace& other) {
    std::size_t others = 0;
    for (const std::size_t id : other.steps) {
        const std::string& name = other.node(id).name;
        CAPTURE(name);
        const std::size_t original = *right.find(name);
        const Tensor* const changed = replay.changed(original);
        if (has_other_factor(name, other, right)) {
            continue;
        }
        CHECK(identical(changed != nullptr ? *changed : right.node(original).value, other.node(id).value));
        others += changed != nullptr ? 1 : 0;
    }
    return others;
}

bool is_unchanged(const Replay& replay, const StageTrace& right) {
    return std::ranges::all_of(right.steps, [&](std::size_t id) { return replay.changed(id) == nullptr; });
}

// Returns the stages that are not as wide as a model, which would only take long.
std::vector<const Stage*> narrow_stages() {
    std::vector<const Stage*> stages;
    std::ranges::copy_if(catalogue(), std::back_inserter(stages),
                         [](const Stage* stage) { return stage->defaults.d_out <= 64; });
    return stages;
}

}  // namespace

TEST_CASE("calls made again with edits give what the edited stage gives" * doctest::test_suite("long")) {
    std::size_t made = 0;
    std::size_t compared = 0;
    std::size_t left_to_the_stage = 0;
    for (const Stage* const stage : narrow_stages()) {
        const StageTrace right = walk_defaults(stage->name);
        Replay replay(right.notebook, right.steps);
        std::vector<Edit> edits;
        for (const Mistake& mistake : mistakes()) {
            for (const WalkEdit& edit : mistake.edits(right.parameters)) {
                if (edit.calls) {
                    edits.push_back(edit.calls);
                }
            }
        }
        for (std::size_t i = 0; i < edits.size(); ++i) {
            // Tries each edit by itself, and every third together with another one.
            std::vector<std::vector<Edit>> trials{{edits[i]}};
            if (i % 3 == 0) {
                trials.push_back({edits[i], edits[(i + 5) % edits.size()]});
            }
            for (const std::vector<Edit>& tried : trials) {
                if (!replay.make(tried)) {
                    ++left_to_the_stage;
                    continue;
                }
                ++made;
                const StageTrace wrong = walk_edited(*stage, journey(), stage->defaults, {}, tried);
                CAPTURE(stage->name);
                CAPTURE(i);
                compared += compare(replay, right, wrong);
            }
        }
        // The original must be unchanged, although the replay shares its nodes.
        const StageTrace again = walk_defaults(stage->name);
        for (std::size_t id = 0; id < again.notebook.nodes().size(); ++id) {
            const Node& node = right.notebook.nodes()[id];
            CHECK(node.name == again.notebook.nodes()[id].name);
            CHECK(identical(node.value, again.notebook.nodes()[id].value));
        }
    }
    CHECK(made > 1000);
    CHECK(compared > 2000);
    CHECK(left_to_the_stage < made / 4);
}

TEST_CASE("a draw made again after an odd number of normal draws begins with the second of the last pair") {
    const Stage& stage = *find_stage("numpy");
    Parameters parameters = stage.defaults;
    parameters.d_out = 3;  // x has 15 numbers, and W_q begins with the 16th
    const StageTrace right = walk(stage, journey(), parameters);
    Replay replay(right.notebook, right.steps);
    const Node& weight = right.node(right.find("W_q").value());
    const auto draw_again = [&](Notebook& nb, const Call& call) -> std::optional<Var> {
        if (call.operation != weight.call.operation || call.draws != weight.call.draws) {
            return std::nullopt;
        }
        return nb.record(*call.operation, {{&nb, call.inputs[0]}}, call.attributes);
    };
    REQUIRE(replay.make({draw_again}));
    CHECK(is_unchanged(replay, right));
}

TEST_CASE("a preview of another seed gives what the stage gives with that seed") {
    std::size_t made = 0;
    std::size_t compared = 0;
    for (const Stage* const stage : narrow_stages()) {
        for (const DropoutRng rng : {DropoutRng::mkl, DropoutRng::mt19937}) {
            Parameters parameters = stage->defaults;
            parameters.dropout = uses(*stage, "dropout") ? 0.5 : 0.0;
            parameters.dropout_rng = rng;
            const Lesson lesson = journey();
            const RightWalk right{walk(*stage, lesson, parameters)};
            Replay replay(right.trace.notebook, right.trace.steps);
            const Question question{lesson, {}, {}};
            for (std::uint64_t Parameters::*const which : {&Parameters::seed, &Parameters::dropout_seed}) {
                Parameters other = parameters;
                other.*which = 42;
                const std::vector<WalkEdit> edits = seed_edits(right, which, question, {{42}, 0.0});
                CAPTURE(stage->name);
                if (edits.empty() || !edits[0].calls || !replay.make({edits[0].calls}, edits[0].from)) {
                    continue;
                }
                ++made;
                compared += compare(replay, right.trace, walk(*stage, lesson, other));
            }
        }
    }
    CHECK(made > 20);
    CHECK(compared > 100);
}

TEST_CASE("calls made again with another given tensor give what the stage gives of it") {
    std::size_t compared = 0;
    for (const Stage* const stage : narrow_stages()) {
        if (!uses(*stage, "lesson")) {
            continue;
        }
        const StageTrace right = walk_defaults(stage->name);
        const Nodes& nodes = right.notebook.nodes();
        const auto given = std::ranges::find_if(
            nodes, [](const Node& node) { return identical(node.value, journey().embeddings); });
        REQUIRE(given != nodes.end());
        Lesson lesson = journey();
        lesson.embeddings.values()[7] += 0.25F;
        Replay replay(right.notebook, right.steps);
        CAPTURE(stage->name);
        if (!replay.make_of(static_cast<std::size_t>(given - nodes.begin()), lesson.embeddings)) {
            continue;
        }
        const StageTrace other = walk_defaults(stage->name, lesson);
        compared += compare(replay, right, other);
        REQUIRE(replay.make({}));  // without edits
        CHECK(is_unchanged(replay, right));
    }
    CHECK(compared > 100);
}

TEST_CASE("what lies before the first call that an edit applies to is not made again") {
    const StageTrace right = walk_defaults("causal");
    const std::vector<std::size_t> wanted{*right.find("context_vec")};
    Replay replay(right.notebook, wanted);
    const Edit edit = edit_of("not-masked", right.parameters);
    REQUIRE(replay.make({edit}));
    const Tensor wrong = *replay.changed(wanted[0]);
    const std::size_t first = replay.first_changed();
    CHECK(first > *right.find("attn_scores"));
    CHECK(first <= *right.find("masked"));
    REQUIRE(replay.make({}));
    CHECK(replay.changed(wanted[0]) == nullptr);
    CHECK(replay.first_changed() == right.notebook.nodes().size());
    REQUIRE(replay.make({edit}, first));
    CHECK(identical(*replay.changed(wanted[0]), wrong));
}

TEST_CASE("a name that an edit gives to an earlier call does not stay") {
    const StageTrace right = walk_defaults("causal");
    const std::vector<std::size_t> wanted{*right.find("masked")};
    const std::size_t mask = *right.find("mask");
    Replay replay(right.notebook, wanted);
    const Edit left_out = [](Notebook& notebook, const Call& call) -> std::optional<Var> {
        return call.operation == &triu_op ? std::optional(Var{&notebook, call.inputs[0]}) : std::nullopt;
    };
    const Edit of_nameless = [](Notebook& notebook, const Call& call) -> std::optional<Var> {
        return call.operation == &triu_op && notebook.nodes()[call.inputs[0]].name.empty()
                   ? std::optional(triu({&notebook, call.inputs[0]}, 2))
                   : std::nullopt;
    };
    REQUIRE(replay.make({left_out}, mask));  // the matrix of ones is now the mask
    CHECK(replay.changed(wanted[0]) != nullptr);
    REQUIRE(replay.make({of_nameless}, mask));
    CHECK(replay.changed(wanted[0]) != nullptr);
}

TEST_CASE("a walk that goes back is made again where no edit applies, and by its stage where one does") {
    const StageTrace right = walk_causal(journey(), {.seed = 789, .backward = true});
    Replay replay(right.notebook, right.steps);
    const auto edit = [&](std::string_view mistake) { return edit_of(mistake, right.parameters); };
    CHECK(replay.make({edit("softmax-twice"), edit("draw-order")}) == false);
    CHECK(replay.make({edit("heads-merged-without-transpose")}));
    CHECK(replay.first_changed() == right.notebook.nodes().size());
    CHECK(is_unchanged(replay, right));
    CHECK(replay.make({edit("not-masked")}) == false);
    CHECK(replay.make({}));
}
