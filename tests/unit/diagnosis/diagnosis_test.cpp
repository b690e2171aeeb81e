// Each mistake is recognised by its effect, for the documents' lesson and for a different one.
#include "diagnosis/diagnosis.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "diagnosed.hpp"
#include "diagnosis/together.hpp"
#include "mistakes/bits.hpp"
#include "notebook/ops.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/layout.hpp"
#include "tensor/random.hpp"
#include "tensor/reduce.hpp"
#include "tensor/softmax.hpp"
#include "tensor/threads.hpp"
#include "weights/weights.hpp"
#include "words/words.hpp"

using namespace attn;

namespace {

StageTrace made(const WalkEdit& edit, const Candidate& of, const Lesson& lesson = journey()) {
    return walk_with({&edit}, *of.stage, lesson, of.parameters, {}).value();
}

// Returns true if the first answer is this step with this mistake.
bool says(const Diagnosis& diagnosis, std::string_view step, std::string_view id) {
    return !diagnosis.matches.empty() && diagnosis.matches.front().step == step &&
           diagnosis.matches.front().mistakes == std::vector{id};
}

// Returns the last step whose printed digits differ from the right ones. The sums of rows are left out,
// because many tensors have sums of 1.
const Node* last_changed(const StageTrace& wrong, const StageTrace& right) {
    for (auto id = wrong.steps.rbegin(); id != wrong.steps.rend(); ++id) {
        const Node& step = wrong.node(*id);
        const std::optional<std::size_t> same = right.find(step.name);
        if (same && step.shows.empty() && step.value.rank() > 0 && step.name != "row_sums" &&
            tensor_text(step.value) != tensor_text(right.node(*same).value)) {
            return &step;
        }
    }
    return nullptr;
}

}  // namespace

// The accuracy test makes the mistakes in PyTorch. This one shows within two seconds which is not found.
TEST_CASE("each mistake is the first answer for the last step that it changes" *
          doctest::test_suite("long")) {
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
    std::set<std::string_view> made_here;
    for (const std::string_view name :
         {"causal", "multi-head", "multi-head-wrapper", "linear", "simplified", "masks", "kv-cache",
          "sliding-window", "grouped-query", "rotary", "trainable"}) {
        Candidate stage = candidate(name);  // exchanging axes of 2 and 2 changes nothing
        stage.parameters.d_out = name == "multi-head" ? 8 : name == "linear" ? 3 : 4;
        stage.parameters.dropout = name == "causal" ? 0.2 : 0.0;
        const StageTrace right = walk(stage);
        for (const Mistake& mistake : mistakes()) {
            const std::vector<WalkEdit> edits = mistake.edits(right.parameters);
            if (edits.empty() || made_here.contains(mistake.id)) {
                continue;
            }
            const StageTrace wrong = made(edits.front(), stage);
            const Node* const step = last_changed(wrong, right);
            if (step == nullptr) {
                continue;
            }
            made_here.insert(mistake.id);
            CAPTURE(name);
            CAPTURE(mistake.id);
            CAPTURE(step->name);
            const Diagnosis diagnosis = diagnosed(tensor_text(step->value), stage);
            REQUIRE(!diagnosis.matches.empty());
            const Ids first = mistakes_of(diagnosis);
            const auto other = same_digits.find(mistake.id);
            CHECK((first.empty() ? "nothing" : first.front()) ==
                  (other == same_digits.end() ? mistake.id : other->second));
        }
    }
    // Four concern gradients, one a loss, and five are found by searches of their own.
    CHECK(made_here.size() == mistakes().size() - 14);
}

TEST_CASE("in a long walk the search ends with a mistake that makes the numbers, on any number of threads") {
    Generator generator(5);
    constexpr std::size_t tokens = 200;
    const Lesson lesson{std::vector<std::string>(tokens, "a"), rand(generator, {tokens, 3})};
    const Candidate causal = candidate("causal");
    const auto makes = [&](std::string_view id, const std::string& step, const std::string& printed) {
        return std::ranges::any_of(find_mistake(id)->edits(causal.parameters), [&](const WalkEdit& edit) {
            const StageTrace wrong = made(edit, causal, lesson);
            return wrong.find(step) && printed_step(wrong, step) == printed;
        });
    };
    int told = 0;
    int another = 0;  // a different mistake with a lower cost has the same numbers
    for (const std::string_view id : {"mask-flipped", "not-masked", "masked-not-renormalised", "no-scaling",
                                      "softmax-wrong-axis", "mask-excludes-diagonal"}) {
        for (const WalkEdit& edit : find_mistake(id)->edits(causal.parameters)) {
            const std::string printed = printed_step(made(edit, causal, lesson), "attn_weights_causal");
            std::vector<Diagnosis> found;
            for (const std::size_t threads : {1U, 2U, 4U}) {
                set_num_threads(threads);
                found.push_back(diagnosed(printed, causal, {}, lesson));
            }
            set_num_threads(0);
            CAPTURE(id);
            REQUIRE(!found[0].matches.empty());
            const Match& best = found[0].matches[0];
            CHECK(best.mistakes.size() < 2);
            CHECK((best.mistakes.empty() || makes(best.mistakes[0], best.step, printed)));
            told += best.mistakes.size() == 1 ? 1 : 0;
            another += says(found[0], "attn_weights_causal", id) ? 0 : 1;
            for (const Diagnosis& other : found) {
                CHECK(std::ranges::equal(other.matches, found[0].matches, {}, &Match::mistakes,
                                         &Match::mistakes));
            }
        }
    }
    CHECK(told > 4);
    CHECK(another > 0);
}

TEST_CASE("mistakes on the way back are recognised, in one head and in several" *
          doctest::test_suite("long")) {
    for (const std::string_view name : {"causal", "multi-head", "sliding-window"}) {
        Candidate stage = candidate(name);
        stage.parameters.d_out =
            6;  // √4 would be 2, which is also the effect of gradients that are not zeroed
        Candidate backward = stage;
        backward.parameters.backward = true;
        for (const std::string_view id : {"gradient-not-zeroed", "softmax-gradient-without-sum",
                                          "gradient-not-scaled", "keys-gradient-not-transposed"}) {
            CAPTURE(name);
            CAPTURE(id);
            const std::vector<WalkEdit> edits = find_mistake(id)->edits(backward.parameters);
            REQUIRE(edits.size() == 1);
            const std::string printed = printed_step(made(edits.front(), backward), "W_key_grad");
            CHECK(says(diagnosed(printed, backward), "W_key_grad", id));
        }
    }
}

TEST_CASE("a mask of dropout that is not rescaled is recognised, whichever algorithm drew it") {
    for (const DropoutRng rng : {DropoutRng::mt19937, DropoutRng::mkl}) {
        Candidate causal = candidate("causal");
        causal.parameters.dropout_rng = rng;
        const Tensor kept = div(step_value(walk(causal), "attn_weights_dropped"), 2);  // p is 0.5
        CHECK(says(diagnosed(tensor_text(kept), causal), "attn_weights_dropped", "dropout-not-rescaled"));
    }
}

TEST_CASE("a right tensor is right, whatever else would make it too") {
    const StageTrace right = walk_defaults("causal");
    for (const std::size_t id : right.steps) {
        const Node& step = right.node(id);
        CAPTURE(step.name);
        const Diagnosis diagnosis = diagnosed(tensor_text(step.value));
        CHECK(diagnosis.is_right());
        CHECK(!diagnosis.nearest);
        CHECK(std::ranges::all_of(diagnosis.matches, [&](const Match& match) {
            return match.step != step.name || match.mistakes.empty();
        }));
    }
}

// Computes, without our edits, the result of dividing by √d_in.
TEST_CASE("weights divided by the root of the embeddings' width are recognised") {
    const Tensor scaled = div(step_value(walk_defaults("causal"), "attn_scores"), std::sqrt(3.0));
    CHECK(says(diagnosed(tensor_text(softmax(scaled, -1))), "attn_weights", "scaled-by-d-in"));
}

// Computes, without our edits, what torch.nn.LayerNorm makes of the inputs.
TEST_CASE("inputs that were normalised are recognised") {
    Lesson lesson = journey();
    const Tensor centred = sub(lesson.embeddings, mean(lesson.embeddings, -1, true));
    const Tensor variance = mean(mul(centred, centred), -1, true);
    lesson.embeddings = div(centred, attn::sqrt(add(variance, full({}, 1e-5F))));
    const std::string queries = printed_step(walk_causal(lesson), "queries");
    CHECK(says(diagnosed(queries), "queries", "inputs-normalised"));
}

TEST_CASE("with --as only the step that is meant is considered") {
    const std::string weights = printed_step(walk_defaults("causal"), "attn_weights");
    CHECK(mistakes_of(diagnosed(weights, "causal", {.as = "attn_weights_causal"})) == Ids{"not-masked"});
}

TEST_CASE("two mistakes are found where no step has the shape that one of them makes") {
    const Ids both{"inputs-for-values", "weights-transposed"};
    const StageTrace wrong = walk_mistaken("linear", {"inputs-for-values", "weights-transposed"});
    CHECK(mistakes_of(diagnosed(printed_step(wrong, "context_vec"), "linear")) == both);
}

TEST_CASE("layers drawn as rand and rand drawn as layers do not go in circles") {
    const std::string row = "[0.1234, 0.8821, 0.4532, 0.9911, 0.2325, 0.1127]";  // one per number of a weight
    CHECK(diagnosed(row).matches.empty());
}

TEST_CASE("a step that shows a mistake on purpose is called that mistake, unless it has this name") {
    std::size_t steps = 0;
    std::size_t called_so = 0;  // others have the numbers of a step of another stage, or too few digits
    for (const Stage* const stage : catalogue()) {
        const StageTrace trace = walk_defaults(stage->name);
        for (const std::size_t id : trace.steps) {
            const Node& step = trace.node(id);
            if (step.shows.empty()) {
                continue;
            }
            ++steps;
            REQUIRE(find_mistake(step.shows) != nullptr);
            INFO(step.name);
            called_so += says(diagnosed(tensor_text(step.value), stage->name), step.name, step.shows) ? 1 : 0;
            CHECK(diagnosed(tensor_text(step.value), stage->name, {.as = step.name}).is_right());
        }
    }
    CHECK(steps == 14);
    CHECK(called_so == 8);
}

TEST_CASE("what explains nothing costs a limited number of bits, all in whole sixteenths") {
    const Diagnosis weights =
        diagnosed(printed_step(walk_mistaken("causal", {"not-masked"}), "attn_weights_causal"));
    REQUIRE(weights.matches.size() > 2);
    for (const Match& match : weights.matches) {
        CHECK(16.0 * match.bits == std::floor(16.0 * match.bits));
    }
    for (const Mistake& mistake : mistakes()) {
        CHECK(16.0 * mistake.bits == std::floor(16.0 * mistake.bits));
    }
    CHECK(bits_for(1.0) == 0.0);
    CHECK(bits_for(8.0) == 3.0);
    CHECK(bits_for(10.0) == 3.3125);  // log2(10) is 3.3219
}

TEST_CASE("a mistake that no table knows is found as an edit of its line") {
    const auto edited = [](std::string_view stage, const Edit& edit) {
        return walk_edited(*find_stage(stage), journey(), find_stage(stage)->defaults, {}, {edit});
    };
    const auto added = [](Notebook& notebook, const Call& call) -> std::optional<Var> {
        return call.operation == &mul_op
                   ? std::optional(Var{&notebook, call.inputs[0]} + Var{&notebook, call.inputs[1]})
                   : std::nullopt;
    };
    const Diagnosis operation = diagnosed(printed_step(edited("causal", added), "masked_simple"), "causal");
    CHECK(mistakes_of(operation) == Ids{"other-operation"});
    CHECK(operation.matches.front().line == "masked_simple = attn_weights + mask_simple");
    CHECK(operation.matches.front().instead_of == "masked_simple = attn_weights * mask_simple");
    const auto three_above = [](Notebook& notebook, const Call& call) -> std::optional<Var> {
        return call.operation == &triu_op ? std::optional(triu({&notebook, call.inputs[0]}, 3))
                                          : std::nullopt;
    };
    const Diagnosis number =
        diagnosed(printed_step(edited("causal", three_above), "attn_weights_causal"), "causal");
    CHECK(mistakes_of(number) == Ids{"other-number"});
    CHECK(number.matches.front().line ==
          "mask = torch.triu(torch.ones(context_length, context_length), diagonal=3)");
}

TEST_CASE("a seed that one tensor shows is tried for the others, right and with mistakes") {
    const Candidate seeded = candidate("causal", [](Parameters& p) { p.seed = 77; });
    const StageTrace right = walk(seeded);
    const StageTrace wrong = walk_mistaken(*seeded.stage, {"no-scaling"}, seeded.parameters);
    const std::string text = "queries = " + printed_step(right, "queries") +
                             "\n\nvalues = " + printed_step(right, "values") +
                             "\n\nw = " + printed_step(wrong, "attn_weights_causal") + "\n";
    const Question question{journey(), {}, {{find_stage("causal"), find_stage("causal")->defaults}}};
    const std::vector<Diagnosis> found = diagnose(read_tensors(text, "test").tensors, question);
    REQUIRE(found.size() == 3);
    for (const Diagnosis& one : found) {
        REQUIRE(!one.matches.empty());
        CHECK(one.matches.front().parameters.seed == 77);
    }
    CHECK(found[1].matches.front().has_other_settings());
    const Ids both = found[2].matches.front().mistakes;
    CHECK(std::set(both.begin(), both.end()) == std::set<std::string_view>{"no-scaling", "other-seed"});
}

TEST_CASE("a cost that several tensors share counts once") {
    // The rarer mistake explains each tensor by three bits less, but costs eight more.
    const auto match = [](std::string_view id, double bits, double cost) {
        return Match{.stage = find_stage("causal"),
                     .parameters = find_stage("causal")->defaults,
                     .step = "attn_weights",
                     .mistakes = {id},
                     .bits = bits,
                     .mistake_bits = cost};
    };
    std::vector<Diagnosis> both(2);
    both[0].matches = {match("no-scaling", 40.0, 8.0), match("scaled-by-d-k", 35.0, 16.0)};
    both[1].matches = {match("no-scaling", 40.0, 8.0), match("scaled-by-d-k", 34.0, 16.0)};
    take_together(both, {}, {}, Question{journey(), {}, {}});
    for (const Diagnosis& one : both) {  // 40 + 40 + 8 is more than 35 + 34 + 16
        CHECK(mistakes_of(one) == Ids{"no-scaling"});
    }
}

TEST_CASE("the dropout seed is found with weights of one's own, which draw nothing") {
    Candidate causal{find_stage("causal"), find_stage("causal")->defaults};
    Candidate other = causal;
    other.parameters.dropout_seed = 42;
    Generator generator(8);
    TensorMap tensors;
    for (const std::string name : {"W_query", "W_key", "W_value"}) {
        tensors.emplace(name + ".weight", rand(generator, {2, 3}));
    }
    const Inputs own{.weights = weights_in(std::make_shared<TensorFile>("own.json", std::move(tensors)))};
    const StageTrace walked = walk(*other.stage, journey(), other.parameters, own);
    const Diagnosis found = diagnosed(printed_step(walked, "context_vec_dropped"), causal, {own});
    CHECK(mistakes_of(found) == Ids{"other-seed"});
    CHECK(found.matches.front().parameters.dropout_seed == 42);
}

TEST_CASE("every mistake is put into words") {
    for (const char* language : {"en", "zh"}) {
        const Words phrases(language, "diagnosis");
        for (const Mistake& mistake : mistakes()) {
            CHECK(phrases(mistake.id).size() > 20);
        }
    }
}
