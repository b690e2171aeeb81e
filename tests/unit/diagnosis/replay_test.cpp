// Calls repeated with edits are compared with a walk of the stage that has the same edits.
#include "notebook/replay.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "diagnosis/mistakes/mistakes.hpp"
#include "stages/catalogue.hpp"
#include "walked.hpp"

namespace {

// Compares the repeated steps with those of a walk, and returns how many of them changed.
std::size_t compare(const attn::Replay& replay, const attn::StageTrace& right,
                    const attn::StageTrace& other) {
    std::size_t others = 0;
    for (const std::size_t id : other.steps) {
        const std::string& name = other.node(id).name;
        CAPTURE(name);
        const std::size_t original = *right.find(name);
        const attn::Tensor* const changed = replay.changed(original);
        if (attn::has_other_factor(name, other, right)) {
            continue;
        }
        CHECK(attn::identical(changed != nullptr ? *changed : right.node(original).value,
                              other.node(id).value));
        others += changed != nullptr ? 1 : 0;
    }
    return others;
}

}  // namespace

TEST_CASE("calls made again with edits give what the edited stage gives") {
    std::size_t made = 0;
    std::size_t compared = 0;
    std::size_t left_to_the_stage = 0;
    for (const attn::Stage* const stage : attn::catalogue()) {
        attn::Parameters parameters = stage->defaults;
        if (parameters.d_out > 64) {  // a model's width, which would only take long
            continue;
        }
        const attn::StageTrace right = attn::walk(*stage, attn::journey(), parameters);
        attn::Replay replay(right.notebook, right.steps);
        std::vector<attn::Edit> edits;
        for (const attn::Mistake& mistake : attn::mistakes()) {
            for (const attn::Variant& variant : mistake.variants(right.parameters)) {
                if (variant.edit) {
                    edits.push_back(variant.edit);
                }
            }
        }
        for (std::size_t i = 0; i < edits.size(); ++i) {
            // Tries each edit by itself, and together with another one.
            for (const std::vector<attn::Edit>& tried :
                 {std::vector{edits[i]}, std::vector{edits[i], edits[(i + 5) % edits.size()]}}) {
                if (!replay.make(tried)) {
                    ++left_to_the_stage;
                    continue;
                }
                ++made;
                const attn::StageTrace wrong =
                    attn::walk_edited(*stage, attn::journey(), parameters, {}, tried);
                CAPTURE(stage->name);
                CAPTURE(i);
                compared += compare(replay, right, wrong);
            }
        }
        // The original must be unchanged, although the replay shares its nodes.
        const attn::StageTrace again = attn::walk(*stage, attn::journey(), parameters);
        for (std::size_t id = 0; id < again.notebook.nodes().size(); ++id) {
            const attn::Node& node = right.notebook.nodes()[id];
            CHECK(node.name == again.notebook.nodes()[id].name);
            CHECK(attn::identical(node.value, again.notebook.nodes()[id].value));
        }
    }
    CHECK(made > 1000);
    CHECK(compared > 2000);
    CHECK(left_to_the_stage < made / 4);
}

TEST_CASE("a draw made again after an odd number of normal draws begins with the second of the last pair") {
    const attn::Stage& stage = *attn::find_stage("numpy");
    attn::Parameters parameters = stage.defaults;
    parameters.d_out = 3;  // x has 15 numbers, and W_q begins with the 16th
    const attn::StageTrace right = attn::walk(stage, attn::journey(), parameters);
    attn::Replay replay(right.notebook, right.steps);
    const attn::Node& weight = right.node(right.find("W_q").value());
    const auto draw_again = [&](attn::Notebook& nb, const attn::Call& call) -> std::optional<attn::Var> {
        if (call.operation != weight.call.operation || call.draws != weight.call.draws) {
            return std::nullopt;
        }
        return nb.record(*call.operation, {{&nb, call.inputs[0]}}, call.attributes);
    };
    REQUIRE(replay.make({draw_again}));
    for (const std::size_t step : right.steps) {
        CAPTURE(right.node(step).name);
        CHECK(replay.changed(step) == nullptr);
    }
}

TEST_CASE("where a mistake is another parameter, its edit gives what the stage gives with that") {
    std::size_t made = 0;
    std::size_t compared = 0;
    for (const attn::Stage* const stage : attn::catalogue()) {
        for (const double dropout : {0.0, 0.5}) {
            for (const attn::DropoutRng rng : {attn::DropoutRng::mkl, attn::DropoutRng::mt19937}) {
                attn::Parameters parameters = stage->defaults;
                parameters.dropout = dropout;
                parameters.dropout_rng = rng;
                if (parameters.d_out > 64 || (dropout > 0.0 && !attn::uses(*stage, "dropout"))) {
                    continue;
                }
                const attn::StageTrace right = attn::walk(*stage, attn::journey(), parameters);
                attn::Replay replay(right.notebook, right.steps);
                for (const std::string_view id : {"other-seed", "dropout-other-p"}) {
                    for (const attn::Variant& variant : attn::find_mistake(id)->variants(right.parameters)) {
                        CAPTURE(stage->name);
                        CAPTURE(dropout);
                        CAPTURE(id);
                        attn::Parameters other = parameters;
                        variant.change(other);
                        const attn::StageTrace wrong = attn::walk(*stage, attn::journey(), other);
                        if (!attn::uses(*stage, id == "other-seed" ? "seed" : "dropout") ||
                            !replay.make({variant.edit})) {
                            continue;
                        }
                        ++made;
                        compared += compare(replay, right, wrong);
                    }
                }
            }
        }
    }
    CHECK(made > 100);
    CHECK(compared > 500);
}

TEST_CASE("calls made again with another given tensor give what the stage gives of it") {
    std::size_t compared = 0;
    for (const attn::Stage* const stage : attn::catalogue()) {
        if (stage->defaults.d_out > 64 || !attn::uses(*stage, "lesson")) {
            continue;
        }
        const attn::StageTrace right = attn::walk(*stage, attn::journey(), stage->defaults);
        const attn::Nodes& nodes = right.notebook.nodes();
        const auto given = std::ranges::find_if(nodes, [](const attn::Node& node) {
            return attn::identical(node.value, attn::journey().embeddings);
        });
        REQUIRE(given != nodes.end());
        attn::Lesson lesson = attn::journey();
        lesson.embeddings.values()[7] += 0.25F;
        attn::Replay replay(right.notebook, right.steps);
        CAPTURE(stage->name);
        if (!replay.make_of(static_cast<std::size_t>(given - nodes.begin()), lesson.embeddings)) {
            continue;
        }
        const attn::StageTrace other = attn::walk(*stage, lesson, stage->defaults);
        compared += compare(replay, right, other);
        REQUIRE(replay.make({}));  // without edits
        CHECK(
            std::ranges::all_of(right.steps, [&](std::size_t id) { return replay.changed(id) == nullptr; }));
    }
    CHECK(compared > 100);
}

TEST_CASE("what lies before the first call that an edit applies to is not made again") {
    const attn::StageTrace right = attn::walk(*attn::find_stage("causal"), attn::journey(), {.seed = 789});
    const std::vector<std::size_t> wanted{*right.find("context_vec")};
    attn::Replay replay(right.notebook, wanted);
    const attn::Mistake& mistake = *attn::find_mistake("not-masked");
    const attn::Edit edit = mistake.variants(right.parameters).front().edit;
    REQUIRE(replay.make({edit}));
    const attn::Tensor wrong = *replay.changed(wanted[0]);
    const std::size_t first = replay.first_changed();
    CHECK(first > *right.find("attn_scores"));
    CHECK(first <= *right.find("masked"));
    REQUIRE(replay.make({}));
    CHECK(replay.changed(wanted[0]) == nullptr);
    CHECK(replay.first_changed() == right.notebook.nodes().size());
    REQUIRE(replay.make({edit}, first));
    CHECK(attn::identical(*replay.changed(wanted[0]), wrong));
}

TEST_CASE("a walk that goes back is made again where no edit applies, and by its stage where one does") {
    const attn::StageTrace right =
        attn::walk(*attn::find_stage("causal"), attn::journey(), {.seed = 789, .backward = true});
    attn::Replay replay(right.notebook, right.steps);
    const auto edit = [&](std::string_view mistake) {
        return attn::find_mistake(mistake)->variants(right.parameters).front().edit;
    };
    CHECK(replay.make({edit("softmax-twice"), edit("draw-order")}) == false);
    CHECK(replay.make({edit("heads-merged-without-transpose")}));
    CHECK(replay.first_changed() == right.notebook.nodes().size());
    CHECK(std::ranges::all_of(right.steps, [&](std::size_t id) { return replay.changed(id) == nullptr; }));
    CHECK(replay.make({edit("not-masked")}) == false);
    CHECK(replay.make({}));
}
