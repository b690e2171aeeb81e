// Each mistake is recognised by its effect, for the documents' lesson and for a different one.
#include "diagnosis/diagnosis.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "diagnosis/mistakes/mistakes.hpp"
#include "notebook/ops.hpp"
#include "printed/reader.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"
#include "tensor/random.hpp"
#include "tensor/softmax.hpp"
#include "tensor/tensor_text.hpp"
#include "tensor/threads.hpp"
#include "walked.hpp"
#include "words/words.hpp"

using attn::Diagnosis;
using attn::Lesson;
using attn::Mistake;
using attn::Parameters;
using attn::Question;
using attn::Stage;
using attn::StageTrace;
using attn::Tensor;

namespace {

Diagnosis diagnosed(const std::string& text, const Lesson& lesson, const Stage& stage,
                    const Parameters& parameters, const std::string& as = "") {
    const Question question{lesson, {}, {{&stage, parameters, attn::all_parameter_names()}}, as};
    return attn::diagnose(attn::read_tensors(text, "test").tensors, question).at(0);
}

StageTrace made(const attn::Variant& variant, const Stage& stage, const Lesson& lesson,
                Parameters parameters) {
    std::vector<attn::Edit> edits;
    if (variant.change) {
        variant.change(parameters);
    } else {
        edits.push_back(variant.edit);
    }
    return attn::walk_edited(stage, lesson, parameters, {}, edits);
}

// Returns true if the first answer is this step with this mistake.
bool says(const Diagnosis& diagnosis, std::string_view step, std::string_view id) {
    return !diagnosis.matches.empty() && diagnosis.matches.front().step == step &&
           diagnosis.matches.front().mistakes == std::vector{id};
}

// Returns the last step whose printed digits differ from the right ones. The sums of rows are left out,
// because many tensors have sums of 1.
const attn::Node* last_changed(const StageTrace& wrong, const StageTrace& right) {
    for (auto id = wrong.steps.rbegin(); id != wrong.steps.rend(); ++id) {
        const attn::Node& step = wrong.node(*id);
        const std::optional<std::size_t> same = right.find(step.name);
        if (same && step.shows.empty() && step.value.rank() > 0 && step.name != "row_sums" &&
            attn::tensor_text(step.value) != attn::tensor_text(right.node(*same).value)) {
            return &step;
        }
    }
    return nullptr;
}

constexpr std::string_view gradient_mistakes[] = {"gradient-not-zeroed", "softmax-gradient-without-sum",
                                                  "gradient-not-scaled", "keys-gradient-not-transposed"};

}  // namespace

// The accuracy test makes the mistakes in PyTorch. This one shows within two seconds which is not found.
TEST_CASE("each mistake is the first answer for the last step that it changes") {
    const std::map<std::string_view, std::string_view> same_digits = {
        // a likelier mistake, or none
        {"draw-order", "queries-keys-swapped"},
        {"dropout-in-eval", "nothing"},
        {"dropout-left-out", "nothing"},
        {"dropout-on-unmasked", "not-masked"},
        {"heads-view-swapped", "other-heads"},
        {"kv-heads-repeated-in-the-wrong-order", "nothing"},
        {"mask-convention-inverted", "mask-flipped"},
        {"no-out-proj", "nothing"},
        {"scaled-by-other-number", "no-scaling"}};
    const Lesson lesson = attn::journey();
    std::set<std::string_view> made_here;
    for (const std::string_view name :
         {"causal", "multi-head", "multi-head-wrapper", "linear", "simplified", "masks", "kv-cache",
          "sliding-window", "grouped-query", "rotary", "trainable"}) {
        const Stage& stage = *attn::find_stage(name);
        Parameters parameters = stage.defaults;  // exchanging axes of 2 and 2 changes nothing
        parameters.d_out = name == "multi-head" ? 8 : name == "linear" ? 3 : 4;
        parameters.dropout = name == "causal" ? 0.2 : 0.0;
        const StageTrace right = attn::walk(stage, lesson, parameters);
        for (const Mistake& mistake : attn::mistakes()) {
            const std::vector<attn::Variant> variants = mistake.variants(right.parameters);
            if (variants.empty() || made_here.contains(mistake.id)) {
                continue;
            }
            const StageTrace wrong = made(variants.front(), stage, lesson, parameters);
            const attn::Node* const step = last_changed(wrong, right);
            if (step == nullptr) {
                continue;
            }
            made_here.insert(mistake.id);
            CAPTURE(name);
            CAPTURE(mistake.id);
            CAPTURE(step->name);
            const Diagnosis diagnosis = diagnosed(attn::tensor_text(step->value), lesson, stage, parameters);
            REQUIRE(!diagnosis.matches.empty());
            const std::vector<std::string_view>& first = diagnosis.matches.front().mistakes;
            const auto other = same_digits.find(mistake.id);
            CHECK((first.empty() ? "nothing" : first.front()) ==
                  (other == same_digits.end() ? mistake.id : other->second));
        }
    }
    // Four concern gradients, one a loss, and four are not made by editing calls.
    CHECK(made_here.size() == attn::mistakes().size() - 9);
}

TEST_CASE("in a long walk the search ends with a mistake that makes the numbers, on any number of threads") {
    attn::Generator generator(5);
    constexpr std::size_t tokens = 200;
    const Lesson lesson{std::vector<std::string>(tokens, "a"), attn::rand(generator, {tokens, 3})};
    const Stage& causal = *attn::find_stage("causal");
    const auto makes = [&](std::string_view id, const std::string& step, const std::string& printed) {
        return std::ranges::any_of(
            attn::find_mistake(id)->variants(causal.defaults), [&](const attn::Variant& variant) {
                const StageTrace wrong = made(variant, causal, lesson, causal.defaults);
                return wrong.find(step) && attn::tensor_text(wrong.node(*wrong.find(step)).value) == printed;
            });
    };
    int told = 0;
    int another = 0;  // a different mistake with a lower cost has the same numbers
    for (const std::string_view id : {"mask-flipped", "not-masked", "masked-not-renormalised", "no-scaling",
                                      "softmax-wrong-axis", "mask-excludes-diagonal"}) {
        for (const attn::Variant& variant : attn::find_mistake(id)->variants(causal.defaults)) {
            const StageTrace wrong = made(variant, causal, lesson, causal.defaults);
            const std::string printed = attn::tensor_text(attn::step_value(wrong, "attn_weights_causal"));
            std::vector<Diagnosis> found;
            for (const std::size_t threads : {1U, 2U, 4U}) {
                attn::set_num_threads(threads);
                found.push_back(diagnosed(printed, lesson, causal, causal.defaults));
            }
            attn::set_num_threads(0);
            CAPTURE(id);
            REQUIRE(!found[0].matches.empty());
            const attn::Match& best = found[0].matches[0];
            CHECK(best.mistakes.size() < 2);
            CHECK((best.mistakes.empty() || makes(best.mistakes[0], best.step, printed)));
            told += best.mistakes.size() == 1 ? 1 : 0;
            another += says(found[0], "attn_weights_causal", id) ? 0 : 1;
            for (const Diagnosis& other : found) {
                CHECK(std::ranges::equal(other.matches, found[0].matches, {}, &attn::Match::mistakes,
                                         &attn::Match::mistakes));
            }
        }
    }
    CHECK(told > 4);
    CHECK(another > 0);
}

TEST_CASE("mistakes on the way back are recognised, in one head and in several") {
    for (const std::string_view name : {"causal", "multi-head", "sliding-window"}) {
        const Stage& stage = *attn::find_stage(name);
        Parameters parameters = stage.defaults;
        parameters.d_out = 6;  // √4 would be 2, which is also the effect of gradients that are not zeroed
        for (const std::string_view id : gradient_mistakes) {
            CAPTURE(name);
            CAPTURE(id);
            const Mistake& mistake = *attn::find_mistake(id);
            parameters.backward = true;
            REQUIRE(mistake.variants(parameters).size() == 1);
            const StageTrace wrong =
                made(mistake.variants(parameters).front(), stage, attn::journey(), parameters);
            const std::string printed = attn::tensor_text(attn::step_value(wrong, "W_key_grad"));
            CHECK(says(diagnosed(printed, attn::journey(), stage, parameters), "W_key_grad", id));
        }
    }
}

TEST_CASE("a mask of dropout that is not rescaled is recognised, whichever algorithm drew it") {
    const Stage& causal = *attn::find_stage("causal");
    const Lesson lesson = attn::journey();
    for (const attn::DropoutRng rng : {attn::DropoutRng::mt19937, attn::DropoutRng::mkl}) {
        Parameters parameters = causal.defaults;
        parameters.dropout_rng = rng;
        attn::Tensor kept = attn::step_value(attn::walk(causal, lesson, parameters), "attn_weights_dropped");
        for (float& weight : kept.values()) {
            weight /= 2;  // p is 0.5
        }
        const Diagnosis diagnosis = diagnosed(attn::tensor_text(kept), lesson, causal, parameters);
        CHECK(says(diagnosis, "attn_weights_dropped", "dropout-not-rescaled"));
    }
}

TEST_CASE("the lines that differ are shown, wrong and right") {
    const Stage& causal = *attn::find_stage("causal");
    const Lesson lesson = attn::journey();
    const Mistake& mistake = *attn::find_mistake("softmax-wrong-axis");
    const StageTrace right = attn::walk(causal, lesson, causal.defaults);
    const StageTrace wrong =
        made(mistake.variants(right.parameters).front(), causal, lesson, causal.defaults);
    const std::string printed = attn::tensor_text(attn::step_value(wrong, "attn_weights_causal"));
    const Diagnosis diagnosis = diagnosed(printed, lesson, causal, causal.defaults);
    REQUIRE(!diagnosis.matches.empty());
    const attn::Match& match = diagnosis.matches.front();
    CHECK(match.line == "attn_weights_causal = torch.softmax(masked / keys.shape[-1]**0.5, dim=0)");
    CHECK(match.instead_of == "attn_weights_causal = torch.softmax(masked / keys.shape[-1]**0.5, dim=-1)");
    CHECK(!diagnosis.is_right());
}

TEST_CASE("a right tensor is right, whatever else would make it too") {
    const Stage& causal = *attn::find_stage("causal");
    const Lesson lesson = attn::journey();
    const StageTrace right = attn::walk(causal, lesson, causal.defaults);
    for (const std::size_t id : right.steps) {
        const attn::Node& step = right.node(id);
        CAPTURE(step.name);
        const Diagnosis diagnosis = diagnosed(attn::tensor_text(step.value), lesson, causal, causal.defaults);
        CHECK(diagnosis.is_right());
        CHECK(!diagnosis.nearest);
        CHECK(std::ranges::all_of(diagnosis.matches, [&](const attn::Match& match) {
            return match.step != step.name || match.mistakes.empty();
        }));
    }
}

// Computes, without our edits, the result of dividing by √d_in.
TEST_CASE("weights divided by the root of the embeddings' width are recognised") {
    const Stage& causal = *attn::find_stage("causal");
    const Lesson lesson = attn::journey();
    const StageTrace right = attn::walk(causal, lesson, causal.defaults);
    const Tensor scaled = div(attn::step_value(right, "attn_scores"), std::sqrt(3.0));
    const std::string printed = attn::tensor_text(attn::softmax(scaled, -1));
    CHECK(says(diagnosed(printed, lesson, causal, causal.defaults), "attn_weights", "scaled-by-d-in"));
}

TEST_CASE("with --as only the step that is meant is considered") {
    const Stage& causal = *attn::find_stage("causal");
    const Lesson lesson = attn::journey();
    const StageTrace right = attn::walk(causal, lesson, causal.defaults);
    const std::string weights = attn::tensor_text(attn::step_value(right, "attn_weights"));
    CHECK(diagnosed(weights, lesson, causal, causal.defaults).is_right());
    const Diagnosis meant = diagnosed(weights, lesson, causal, causal.defaults, "attn_weights_causal");
    REQUIRE(!meant.matches.empty());
    CHECK(meant.matches.front().mistakes == std::vector<std::string_view>{"not-masked"});
    CHECK_THROWS_AS(diagnosed(weights, lesson, causal, causal.defaults, "attn_weigths"), attn::Error);
}

TEST_CASE("two mistakes at once are found when no single one will do") {
    const Stage& causal = *attn::find_stage("causal");
    const Lesson lesson = attn::journey();
    const Parameters parameters = attn::walk(causal, lesson, causal.defaults).parameters;
    const auto edit = [&](std::string_view id) {
        return attn::find_mistake(id)->variants(parameters).front().edit;
    };
    const StageTrace wrong = attn::walk_edited(causal, lesson, causal.defaults, {},
                                               {edit("softmax-wrong-axis"), edit("scaled-by-d-in")});
    const std::string printed = attn::tensor_text(attn::step_value(wrong, "attn_weights_causal"));
    const Diagnosis diagnosis = diagnosed(printed, lesson, causal, causal.defaults);
    REQUIRE(!diagnosis.matches.empty());
    CHECK(diagnosis.matches.front().mistakes ==
          std::vector<std::string_view>{"softmax-wrong-axis", "scaled-by-d-in"});
}

TEST_CASE("two mistakes are found where no step has the shape that one of them makes") {
    const Stage& linear = *attn::find_stage("linear");
    const Lesson lesson = attn::journey();
    const auto edit = [&](std::string_view id) {
        return attn::find_mistake(id)->variants(linear.defaults).front().edit;
    };
    const StageTrace wrong = attn::walk_edited(linear, lesson, linear.defaults, {},
                                               {edit("inputs-for-values"), edit("weights-transposed")});
    const std::string printed = attn::tensor_text(attn::step_value(wrong, "context_vec"));
    const Diagnosis diagnosis = diagnosed(printed, lesson, linear, linear.defaults);
    REQUIRE(!diagnosis.matches.empty());
    CHECK(diagnosis.matches.front().mistakes ==
          std::vector<std::string_view>{"inputs-for-values", "weights-transposed"});
}

TEST_CASE("layers drawn as rand and rand drawn as layers do not go in circles") {
    const std::string row = "[0.1234, 0.8821, 0.4532, 0.9911, 0.2325, 0.1127]";  // one per number of a weight
    const Stage& causal = *attn::find_stage("causal");
    CHECK(diagnosed(row, attn::journey(), causal, causal.defaults).matches.empty());
}

TEST_CASE("of a tensor nothing explains, the nearest step and the first cell that differs are told") {
    const Stage& causal = *attn::find_stage("causal");
    const Lesson lesson = attn::journey();
    const StageTrace right = attn::walk(causal, lesson, causal.defaults);
    Tensor off = attn::step_value(right, "attn_scores");
    off.values()[8] += 0.25F;
    const Diagnosis diagnosis = diagnosed(attn::tensor_text(off), lesson, causal, causal.defaults);
    CHECK(diagnosis.matches.empty());
    REQUIRE(diagnosis.nearest);
    CHECK(diagnosis.nearest->step == "attn_scores");
    CHECK(diagnosis.nearest->numbers_agreeing == 35);
    CHECK(diagnosis.nearest->first == attn::Index{1, 2});
    CHECK(diagnosis.nearest->rows_agreeing == std::vector<std::size_t>{0, 2, 3, 4, 5});
    CHECK(diagnosis.nearest->largest_difference == doctest::Approx(0.25).epsilon(0.001));
}

TEST_CASE("a step that shows a mistake on purpose is called that mistake") {
    std::size_t steps = 0;
    for (const Stage* const stage : attn::catalogue()) {
        const StageTrace trace = attn::walk(*stage, attn::built_in_lesson(), stage->defaults);
        for (const std::size_t id : trace.steps) {
            const attn::Node& step = trace.node(id);
            if (step.shows.empty()) {
                continue;
            }
            ++steps;
            REQUIRE(attn::find_mistake(step.shows) != nullptr);
            const std::string text = attn::tensor_text(step.value);
            const Diagnosis found =
                diagnosed(text, attn::built_in_lesson(), *stage, stage->defaults, step.name);
            INFO(step.name);
            CHECK(!found.is_right());
            CHECK(says(found, step.name, step.shows));
        }
    }
    CHECK(steps == 14);
}

TEST_CASE("every mistake is put into words") {
    for (const char* language : {"en", "zh"}) {
        const attn::Words phrases(language, "diagnosis");
        for (const Mistake& mistake : attn::mistakes()) {
            CHECK(phrases(mistake.id).size() > 20);
        }
    }
}
