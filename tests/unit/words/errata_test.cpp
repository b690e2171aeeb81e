// The claims of the errata, recomputed where possible.
#include "words/errata.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "bits.hpp"
#include "mistaken.hpp"
#include "tensor/layout.hpp"
#include "tensor/random.hpp"
#include "texts.hpp"

using namespace attn;

namespace {

std::string words_of(const std::string& id) {
    for (const Erratum& erratum : read_errata("en")) {
        if (erratum.id == id) {
            return erratum.says + "\n" + erratum.right;
        }
    }
    return "";
}

// Two heads of one number each, as in exercise 3.2.
Parameters narrow_heads() {
    Parameters parameters = find_stage("multi-head-wrapper")->defaults;
    parameters.d_out = 1;
    return parameters;
}

// Returns the two numbers of a token.
std::string row_of(const StageTrace& trace, std::size_t token, std::string_view between) {
    const Tensor& context = step_value(trace, "context_vec");
    return fmt::format("{:.4f}{}{:.4f}", context.at({0, token, 0}), between, context.at({0, token, 1}));
}

}  // namespace

TEST_CASE("exercise 3.2: softmax over the queries gives the public answer, over the keys ours") {
    const Stage& wrapper = *find_stage("multi-head-wrapper");
    const StageTrace right = walk(wrapper, journey(), narrow_heads());
    std::string rows = row_of(right, 0, " ");
    for (std::size_t token = 1; token < 6; ++token) {
        rows += ", " + row_of(right, token, " ");
    }
    CHECK(has(words_of("exercise-3.2"), rows));
    const StageTrace over_queries = walk_mistaken(wrapper, {"softmax-wrong-axis"}, narrow_heads());
    CHECK(has(words_of("exercise-3.2"), row_of(over_queries, 0, ", ")));
}

TEST_CASE("heads side by side are (2, 6, 4), along dim=1 they would be (2, 12, 2)") {
    const StageTrace trace = walk_defaults("multi-head-wrapper");
    const std::string words = words_of("002-cat-dim");
    CHECK(has(words, step_value(trace, "context_vec").shape().text()));
    CHECK(has(words, cat({step_value(trace, "head_1"), step_value(trace, "head_2")}, 1).shape().text()));
}

TEST_CASE("one seed draws two masks, and each document's table begins with one of them") {
    const auto first_row = [](DropoutRng rng) {
        Generator generator(123);
        return digits(keep_mask(generator, Shape{6}, 0.5, rng));
    };
    CHECK(first_row(DropoutRng::mt19937) == "110110");  // 2. 2. 0. 2. 2. 0. in document 000
    CHECK(first_row(DropoutRng::mkl) == "111111");      // 2. 2. 2. 2. 2. 2. in document 002
    const std::string words = words_of("two-dropout-tables");
    CHECK(has(words, "document 000 for builds with mt19937, document 002 for builds with MKL"));
}

TEST_CASE("an erratum names the documents that err, or what else does") {
    const Words phrases("en", "program");
    const auto text = [&](const std::vector<std::string>& documents, const std::string& source) {
        return erratum_text({"", documents, source, "", "", "say.", "Right."}, phrases);
    };
    CHECK(text({"000"}, "") == "Erratum: document 000 say. Right.");
    CHECK(text({"000", "001", "002"}, "") == "Erratum: documents 000, 001 and 002 say. Right.");
    CHECK(text({}, "the answers") == "Erratum: the answers say. Right.");
}

TEST_CASE("an erratum has words and a step of its stage, and none is of a lesson of the reader's own") {
    std::size_t found = 0;
    for (const Stage* stage : catalogue()) {
        StageTrace trace = walk_defaults(stage->name);
        for (const Erratum& erratum : errata_of("en", trace)) {
            CAPTURE(erratum.id);
            CHECK(erratum.stage == stage->name);
            CHECK((!erratum.says.empty() && !erratum.right.empty()));
            CHECK(trace.shows(erratum.step));
            ++found;
        }
        trace.own_lesson = true;
        CHECK(errata_of("en", trace).empty());
    }
    CHECK(found == read_errata("en").size());
    CHECK(found >= 9);
}
