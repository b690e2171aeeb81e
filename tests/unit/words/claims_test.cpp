// What sentences claim about numbers holds wherever they are said: stages are walked with drawn parameters
// and lessons, with weights drawn and given, whole and with something switched off, and every check that
// stands beside a sentence shown is evaluated.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "any_weights.hpp"
#include "diagnosis/mistakes/mistakes.hpp"
#include "stages/catalogue.hpp"
#include "stages/shipped.hpp"
#include "words/narration.hpp"

namespace {

using attn::drawn;
using attn::Lesson;
using attn::Narration;
using attn::Parameters;
using attn::Random;
using attn::Shape;
using attn::Situation;
using attn::Stage;
using attn::StageTrace;

std::size_t between(Random& random, std::size_t least, std::size_t most) {
    return least + random() % (most - least + 1);
}

enum class Kind { built_in, one_token, equal_tokens, zeros, large, any, overflowing };
constexpr std::size_t kinds = 6;  // of lessons that float32 can hold the products of

Lesson lesson_of(Kind kind, Random& random) {
    if (kind == Kind::built_in) {
        return attn::built_in_lesson();
    }
    const std::size_t tokens = kind == Kind::one_token ? 1 : between(random, 2, 9);
    const std::size_t width = between(random, 1, 5);
    const float scale = kind == Kind::large         ? 60.0F
                        : kind == Kind::overflowing ? 1e30F
                        : kind == Kind::zeros       ? 0.0F
                                                    : 4.0F;
    Lesson lesson{std::vector<std::string>(tokens, "token"), drawn(random, Shape{tokens, width}, scale)};
    for (std::size_t i = 0; i < lesson.embeddings.count() && kind == Kind::equal_tokens; ++i) {
        lesson.embeddings.values()[i] = lesson.embeddings.values()[i % width];
    }
    return lesson;
}

Parameters parameters_of(const Stage& stage, std::size_t tokens, Random& random) {
    Parameters p = stage.defaults;
    const auto sets = [&](std::string_view name) { return uses(stage, name) && random() % 4 != 0; };
    if (sets("seed")) {
        p.seed = random();
    }
    if (!uses(stage, "kv_heads") && sets("num_heads")) {
        p.num_heads = between(random, 1, 3);
    }
    if (sets("kv_heads")) {
        p.kv_heads = between(random, 1, 3);
        p.num_heads = p.kv_heads * between(random, 1, 3);
    }
    if (uses(stage, "d_out")) {
        const bool is_wide = (stage.name == "complexity" || stage.name == "streaming") && random() % 2 == 0;
        p.d_out = p.num_heads * between(random, 1, is_wide ? 300 : 4);
    }
    if (uses(stage, "rotary_base")) {
        p.d_out *= 2;  // pairs of numbers are turned
    }
    if (sets("rotary")) {
        p.rotary = random() % 2 == 0 ? attn::Pairing::halves : attn::Pairing::neighbours;
    }
    if (sets("short_length")) {
        p.short_length = between(random, 1, tokens);
    }
    if (sets("window")) {
        p.window = between(random, 1, tokens);
    }
    p.qkv_bias = sets("qkv_bias") || p.qkv_bias;
    if (sets("batch")) {
        p.batch = between(random, 1, 3);
    }
    if (sets("context_length")) {
        p.context_length = tokens + between(random, 0, 2);
    }
    if (uses(stage, "dropout")) {
        constexpr double rates[] = {0.0, 0.1, 0.5, 0.9, 1.0};
        p.dropout = rates[random() % std::size(rates)];
        p.dropout_seed = random();
        p.dropout_rng = random() % 2 == 0 ? attn::DropoutRng::mt19937 : attn::DropoutRng::mkl;
    }
    p.backward = sets("backward");
    p.loss = attn::Loss(random() % 3);
    if (sets("sequence_lengths")) {
        std::set<std::size_t> lengths;
        while (lengths.size() < between(random, 1, 4)) {
            lengths.insert(between(random, 1, 4000));
        }
        p.sequence_lengths = {};
        for (const std::size_t length : lengths) {
            p.sequence_lengths.values[p.sequence_lengths.count++] = length;
        }
    }
    return p;
}

class Claims {
public:
    std::size_t evaluated = 0;
    std::map<std::string, std::set<bool>> conditions;  // how each came out

    // Evaluates the checks beside all sentences of a run that are said, which a page shows in place of those
    // of the whole one; returns those that fail.
    std::vector<std::string> failing(const StageTrace& whole, const StageTrace& trace, std::string_view off) {
        const Narration narration("en", trace.stage->name);
        std::vector<std::string> failing;
        below("intro", narration, {trace, 0, off}, failing);
        for (const std::size_t step : whole.steps) {
            const std::optional<std::size_t> found = trace.find(whole.node(step).name);
            const Situation run{found ? trace : whole, found.value_or(step), off};
            below(narration.step_key(run) + "/title", narration, run, failing);
            below(narration.step_key(run) + "/note", narration, run, failing);
        }
        return failing;
    }

private:
    void below(const std::string& text, const Narration& narration, const Situation& run,
               std::vector<std::string>& failing) {
        const auto& texts = narration.words().texts();
        for (auto at = texts.lower_bound(text); at != texts.end() && at->first.starts_with(text); ++at) {
            const std::string sentence = at->first.substr(0, at->first.rfind('/'));
            const std::string place = std::string(run.trace.stage->name) + "/" + sentence;
            if (at->first.ends_with("/when")) {
                conditions[place].insert(holds(at->second, run));
            } else if (at->first.ends_with("/check")) {
                const std::string* const when = narration.words().find(sentence + "/when");
                if (when == nullptr || holds(*when, run)) {
                    ++evaluated;
                    if (!holds(at->second, run)) {
                        failing.push_back(place + ": " + at->second);
                    }
                }
            }
        }
    }
};

// The stage as it is, and as pages show it with something off.
std::vector<std::pair<std::string, StageTrace>> variants_of(const Stage& stage, const Lesson& lesson,
                                                            const Parameters& parameters,
                                                            const attn::Inputs& inputs) {
    std::vector<std::pair<std::string, StageTrace>> walked;
    walked.emplace_back("", walk(stage, lesson, parameters, inputs));
    for (const auto& [off, mistake] : {std::pair{"mask", "not-masked"}, {"scaling", "no-scaling"}}) {
        for (const attn::Variant& variant :
             attn::find_mistake(mistake)->variants(walked.front().second.parameters)) {
            StageTrace other = walk_edited(stage, lesson, parameters, inputs, {variant.edit});
            const auto differs = [&](std::size_t step) {
                const std::string& name = walked.front().second.node(step).name;
                const auto found = other.find(name);
                return found && !identical(other.node(*found).value, walked.front().second.node(step).value);
            };
            if (std::ranges::any_of(walked.front().second.steps, differs)) {
                walked.emplace_back(off, std::move(other));
            }
        }
    }
    if (walked.front().second.parameters.dropout > 0.0) {
        Parameters without = parameters;
        without.dropout = 0.0;
        walked.emplace_back("dropout", walk(stage, lesson, without, inputs));
    }
    return walked;
}

}  // namespace

TEST_CASE("what sentences claim holds at twenty sets of parameters, and each condition matters") {
    constexpr std::size_t sets = 20;
    Claims claims;
    std::set<std::string> failing;
    std::size_t runs = 0;
    for (std::size_t set = 0; set <= sets; ++set) {
        Random random(static_cast<unsigned>(set));
        const bool overflows = set == sets;  // where only conditions are to hold
        const Lesson lesson = lesson_of(overflows ? Kind::overflowing : Kind(set % kinds), random);
        for (const Stage* stage : attn::catalogue()) {
            if (set > 0 && stage->settings.empty()) {
                continue;  // always the same
            }
            const Parameters parameters =
                set == 0 ? stage->defaults : parameters_of(*stage, lesson.tokens.size(), random);
            std::vector<attn::Inputs> inputs(1);
            if (uses(*stage, "weights")) {
                inputs.push_back({{}, attn::any_weights(random)});
            }
            for (const attn::Inputs& input : inputs) {
                const auto variants = variants_of(*stage, lesson, parameters, input);
                for (const auto& [off, trace] : variants) {
                    ++runs;
                    for (const std::string& claim : claims.failing(variants.front().second, trace, off)) {
                        if (!overflows) {
                            failing.insert(claim + (off.empty() ? "" : ", " + off + " off"));
                        }
                    }
                }
            }
        }
    }
    for (const std::string& claim : failing) {
        FAIL_CHECK(claim);
    }
    for (const auto& condition : claims.conditions) {
        CHECK_MESSAGE(condition.second.size() == 2, condition.first, " is always ",
                      *condition.second.begin());
    }
    MESSAGE(runs << " runs, " << claims.evaluated << " claims, " << claims.conditions.size()
                 << " conditions");
    CHECK(claims.evaluated > 5000);
}

TEST_CASE("a claim that is not true is found: with the mask off, what is said of the mask") {
    const Stage& stage = *attn::find_stage("causal");
    const auto variants = variants_of(stage, attn::built_in_lesson(), stage.defaults, {});
    REQUIRE(variants[1].first == "mask");
    Claims claims;
    CHECK(claims.failing(variants[0].second, variants[1].second, "mask").empty());
    const std::vector<std::string> failing = claims.failing(variants[0].second, variants[1].second, "");
    for (const std::string_view false_claim :
         {"causal/intro/0", "causal/steps/masked_simple/note/1", "causal/steps/attn_weights_causal/note/2",
          "causal/steps/context_vec/note/0"}) {
        CHECK_MESSAGE(std::ranges::any_of(
                          failing, [&](const std::string& claim) { return claim.starts_with(false_claim); }),
                      std::string(false_claim));
    }
}
