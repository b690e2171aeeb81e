// A walked stage: its steps can be found by name and place, and selected.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "walked.hpp"

using namespace attn;

TEST_CASE("in every stage a name finds its own step, and places count from one") {
    for (const Stage* stage : catalogue()) {
        const StageTrace trace = walk_defaults(stage->name);
        for (std::size_t i = 0; i < trace.steps.size(); ++i) {
            CAPTURE(trace.node(trace.steps[i]).name);
            CHECK(trace.find(trace.node(trace.steps[i]).name) == trace.steps[i]);
            CHECK(trace.place(trace.steps[i]) == i + 1);
        }
    }
}

TEST_CASE("a line between steps is found as well, a generator and what has no name are not") {
    const StageTrace trace = walk_causal();
    CHECK(std::ranges::any_of(trace.notebook.nodes(),
                              [](const Node& node) { return node.name == "generator"; }));
    CHECK(trace.find("generator") == std::nullopt);
    CHECK(trace.find("") == std::nullopt);
    CHECK(trace.find("no_such_step") == std::nullopt);
    const StageTrace leakage = walk_defaults("leakage");
    CHECK(leakage.node(leakage.find("token").value()).role == Role::line);
}

TEST_CASE("the lines of a step are those since the step shown before it") {
    StageTrace trace = walk_causal();
    const std::vector<std::string> names{"values", "attn_weights"};
    const std::size_t weights = trace.find("attn_weights").value();
    const std::size_t all = step_lines(trace, weights).size();
    trace.show_only(names);
    CHECK(trace.shows("values"));
    CHECK_FALSE(trace.shows("attn_scores"));
    CHECK(trace.shown == std::vector<std::size_t>{trace.find("values").value(), weights});
    CHECK(step_lines(trace, weights).size() == all + 1);  // the line of attn_scores
}

TEST_CASE("a mask that is made short leaves every step as it is") {
    const Stage& stage = *find_stage("causal-self-attention");
    const StageTrace usual = walk(stage, journey(), stage.defaults);
    const StageTrace shortened = walk(stage, journey(), stage.defaults, {.short_masks = true});
    CHECK(usual.node(usual.find("causal_mask").value()).value.size(-1) == 1024);
    CHECK(shortened.node(shortened.find("causal_mask").value()).value.size(-1) == 10);
    REQUIRE(usual.steps.size() == shortened.steps.size());
    for (std::size_t i = 0; i < usual.steps.size(); ++i) {
        CAPTURE(usual.node(usual.steps[i]).name);
        CHECK(identical(usual.node(usual.steps[i]).value, shortened.node(shortened.steps[i]).value));
    }
}
