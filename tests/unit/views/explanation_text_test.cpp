// Explanations as text.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "refusal.hpp"
#include "texts.hpp"
#include "views/explain/arithmetic_text.hpp"
#include "views/explain/cell_address.hpp"
#include "views/explain/explanation.hpp"
#include "walked.hpp"

using namespace attn;

namespace {

std::string told(const StageTrace& trace, std::size_t node, const Index& index, std::size_t depth = 1) {
    const Explanations cells = explain(trace, node, index, depth, {});
    return explanation_text(trace, cells, {});
}

std::string told(const StageTrace& trace, std::string_view address, std::size_t depth = 1) {
    const CellAddress cell = find_cell(trace, address);
    return told(trace, cell.node, cell.index, depth);
}

std::string refusal(const StageTrace& trace, std::string_view address) {
    return refusal_of([&] { find_cell(trace, address); });
}

}  // namespace

TEST_CASE("an explanation goes on to the embeddings, each cell once") {
    const StageTrace trace = walk_causal();
    const std::string text = told(trace, "context_vec[journey][0]", 10);
    for (const std::string_view needle :
         {"context_vec[1][0] = 0.5517*(-0.0872) + 0.4483*(-0.1137) = -0.0991\n", "inputs[1][2] = 0.66\n",
          "Repeated cells are explained above, where they first appear.\n", "W_query[1][2]",
          "torch.manual_seed(789)"}) {
        CAPTURE(needle);
        CHECK(has(text, needle));
    }
    const std::string title = "inputs[1][2] · token 1 “journey”, feature 2\n";
    CHECK(text.find(title) == text.rfind(title));
    CHECK(!has(told(trace, "context_vec[1][0]", 1), "inputs"));
    CHECK(has(told(trace, "context_vec[1][0]", 2), "attn_weights_causal[1][0] · query"));
    CHECK(!has(told(trace, "context_vec[1][0]", 2), "attn_scores[1][0] ·"));
}

TEST_CASE("an explanation of a softmax shows scores, division, maximum, exponentials, sum and quotient") {
    const std::string text = told(walk_causal(), "attn_weights_causal[1][0]");
    std::size_t at = 0;
    for (const std::string_view needle :
         {"masked[1][1] / keys.shape[-1]**0.5 = 0.1723 / 1.4142 = 0.1218", "the largest = max(",
          "(subtracted first, so that exp cannot overflow; the quotient stays the same)", "exp[1][1] = exp(",
          "their sum = 1 + 0.8127 = 1.8127", "attn_weights_causal[1][0] = 1 / 1.8127 = 0.5517"}) {
        CAPTURE(needle);
        at = text.find(needle, at);
        CHECK(at != std::string::npos);
    }
}

TEST_CASE("what arithmetic does not tell, words do") {
    Parameters parameters = causal_defaults();
    const auto tells = [&](const char* address, const char* needle) {
        std::string text = told(walk_causal(parameters), address);
        std::ranges::replace(text, '\n', ' ');
        CAPTURE(text);
        CHECK(has(text, needle));
    };
    tells("masked[1][3]",
          "Masked: mask[1][3] = 1. The cell is above the diagonal, because key 3 “with” comes after query 1");
    tells("masked[3][1]", "Not masked: mask[3][1] = 0.");
    tells("mask_simple[0][5]", "tril sets it to 0");
    tells("inputs[0][0]", "Given, not computed.");
    tells("W_key[1][0]", "nn.Linear draws between ±1/√3 = ±0.5774.");
    tells("attn_weights_dropped[4][1]", "Kept, because its random number 0.4198 is below 1 − p = 0.5.");
    tells("attn_weights_dropped[4][1]", "multiplies kept numbers by 1/(1 − p) = 2");
    parameters.dropout_rng = DropoutRng::mkl;
    tells("attn_weights_dropped[4][1]", "of MKL's generator, seeded by draw 1 after torch.manual_seed(123).");
    parameters.dropout = 1.0;
    parameters.dropout_rng = DropoutRng::mt19937;
    tells("attn_weights_dropped[4][1]", "p = 1: everything is dropped");
}

TEST_CASE("a cell is named by indices from either end or by words") {
    const StageTrace trace = walk_causal();
    const CellAddress cell = find_cell(trace, "attn_weights[1][5]");
    for (const char* same : {"attn_weights[journey][step]", "attn_weights[-5][-1]", "attn_weights[1, 5]",
                             "attn_weights[journey,5]"}) {
        CAPTURE(same);
        const CellAddress other = find_cell(trace, same);
        CHECK((other.node == cell.node && other.index == cell.index));
    }
}

// tests/cli/refusals.py tests the other errors.
TEST_CASE("a cell there is none of is refused with what would be right") {
    const StageTrace trace = walk_causal();
    const std::pair<std::string_view, std::string_view> rows[] = {
        {"keys[0][0][0]", "expected keys[token][feature]"},
        {"keys", "expected keys[token][feature]"},
        {"generator", "no step \"generator\""},
        {"", "no step \"\""},
        {"[0][0]", "expected a cell such as"},
        {"keys[-7][0]", "expected an index from -6 to 5 for token but received -7"},
        {"keys[1x][0]", "there is no token \"1x\""},
    };
    for (const auto& row : rows) {
        CHECK_MESSAGE(has(refusal(trace, row.first), row.second), row.first);
    }
    CHECK(find_cell(walk_defaults("encoder-decoder"), "weights[绿茶][green]").index == Index{2, 2});
}
