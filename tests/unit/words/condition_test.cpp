// Conditions on a run: what they may mention, and what they come to.
#include "words/condition.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

#include "walked.hpp"

using namespace attn;

namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

StageTrace trace_with(Tensor x) {
    StageTrace trace{.stage = find_stage("causal"),
                     .parameters = causal_defaults(),
                     .own_weights = false,
                     .cuts = {},
                     .language = {},
                     .notebook = {},
                     .steps = {},
                     .shown = {}};
    trace.notebook.step("x_1", trace.notebook.given(std::move(x)));
    return trace;
}

// Of the matrix 1 2 / 3 4 at the causal stage's defaults.
bool is_true(std::string_view condition, std::string_view off = {}) {
    return holds(condition, {trace_with(Tensor({2, 2}, {1, 2, 3, 4})), 0, off});
}

std::string mistake(std::string_view condition) {
    try {
        is_true(condition);
    } catch (const std::logic_error& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("conditions compare parameters, and join comparisons as Python does") {
    CHECK(is_true("dropout == 0.5"));
    CHECK(is_true("0 < dropout < 1"));
    CHECK_FALSE(is_true("0 < dropout < 0.5"));
    CHECK_FALSE(is_true("qkv_bias"));
    CHECK(is_true("not qkv_bias and num_heads == 1"));
    CHECK(is_true("qkv_bias or num_heads >= 1"));
    CHECK(is_true("seed == 789 or qkv_bias and own_weights"));
    CHECK_FALSE(is_true("(seed == 789 or qkv_bias) and own_weights"));
    CHECK(is_true("2 * d_out - 1 == 3 and 1 - 2 - 3 == -4 and 8 / 4 / 2 == 1"));
}

TEST_CASE("what no longer decides is passed over, as in Python") {
    CHECK_FALSE(is_true("has(y) and y[0, (1)] == 1"));
    CHECK(is_true("not has(y) or y == 1"));
    CHECK_FALSE(is_true("has(y) and min(y) == 1 and this > 0"));
    CHECK(is_true("has(y) and y == 1 or this > 0"));
    CHECK(is_true("this > 0 or y == 1 and y == 2"));
    CHECK(is_true("(has(y) and y == 1) == 0 and max(this) == 4"));
    CHECK(mistake("has(y) and") == "has(y) and: expected more at \"\"");
    CHECK(mistake("this > 0 or y == 1 2)") == "this > 0 or y == 1 2): expected its end at \")\"");
}

TEST_CASE("conditions know the parameters that are words") {
    CHECK(is_true("is(dropout_rng, mt19937)"));
    CHECK_FALSE(is_true("is(dropout_rng, mkl)"));
    CHECK_FALSE(is_true("is(loss, sum)"));  // which a run without a way back does not have
}

TEST_CASE("conditions know what is switched off, and which tensors there are") {
    CHECK(is_true("off(mask)", "mask"));
    CHECK_FALSE(is_true("off(mask)", "scaling"));
    CHECK_FALSE(is_true("off(mask)"));
    CHECK(is_true("has(x_1) and has(x_2) and not has(y)"));  // names that differ in a number mean the same
    CHECK(is_true("this == x_7"));
}

TEST_CASE("of tensors a comparison holds when it does for all numbers") {
    CHECK(is_true("this > 0"));
    CHECK_FALSE(is_true("this > 1"));
    CHECK_FALSE(is_true("this < 2"));
    CHECK(is_true("not this == 1"));
    CHECK(is_true("this[0] < this[1]"));
    CHECK(is_true("this[1] - this == 2 - 0 * this or this[1] >= this"));  // a row beside each row
}

TEST_CASE("indices and ranges are Python's") {
    CHECK(is_true("this[1, 0] == 3 and this[-1][-2] == 3 and this[-1, 1:] == 4 and this[:, 0] < 4"));
    CHECK(is_true("this[:-1] == this[0] and this[:, :1] < this[:, 1:] and size(this[0:2, 0], 0) == 2"));
    CHECK(is_true("this[:0] == 5"));  // of no numbers all are 5
}

TEST_CASE("functions are those of PyTorch") {
    CHECK(is_true("min(this) == 1 and max(this) == 4 and max(abs(-this)) == 4"));
    CHECK(is_true("sum(this, -1)[:, 0] - 3 == this[:, 0] * 2 - 2 and sum(this, 0) >= 4"));
    CHECK(is_true("size(this, 0) == 2 and size(this, -1) == 2"));
    CHECK(is_true("transpose(this)[0, 1] == 3"));
    CHECK(is_true("tril(this)[0, 1] == 0 and tril(this)[1, 1] == 4 and triu(this, 1)[1, 1] == 0"));
    CHECK(is_true("close(this, this + 0.00001) and not close(this, this + 0.001)"));
    CHECK(is_true("max(this) < inf"));
}

TEST_CASE("NaN is equal, close and next to nothing") {
    const StageTrace trace = trace_with(Tensor({2}, {1, not_a_number}));
    for (const std::string_view condition :
         {"this == this", "this < inf", "close(this, this)", "max(this) > 0", "this >= 0"}) {
        CHECK_MESSAGE(!holds(condition, {trace}), std::string(condition));
    }
}

TEST_CASE("what is no condition says where it goes wrong") {
    CHECK(mistake("dropout > 0 0") == "dropout > 0 0: expected its end at \"0\"");
    CHECK(mistake("min(this") == "min(this: expected \")\" at \"\"");
    CHECK(mistake("1 <") == "1 <: expected more at \"\"");
    CHECK(mistake("this") == "this: a tensor is neither true nor false at \"\"");
    CHECK(mistake("y == 1") == "y == 1: the run has no y at \"==\"");
    CHECK(mistake("mean(this) == 1") == "mean(this) == 1: there is no such function mean at \"==\"");
}
