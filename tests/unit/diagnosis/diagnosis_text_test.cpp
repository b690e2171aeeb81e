// The text of diagnoses.
#include "diagnosis/diagnosis_text.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "diagnosed.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/layout.hpp"
#include "texts.hpp"

using namespace attn;

namespace {

std::string said(const std::string& text, const std::vector<Candidate>& candidates = {candidate("causal")}) {
    const Lesson lesson = journey();
    const Question question{lesson, {}, candidates, ""};
    const PrintedText pasted = read_tensors(text, "test");
    return diagnosis_text(pasted, diagnose(pasted.tensors, question), question, Words("en", "diagnosis"));
}

std::string said(const Tensor& x, const std::vector<Candidate>& candidates = {candidate("causal")}) {
    return said(tensor_text(x), candidates);
}

std::string labelled(const std::string& label, const Tensor& x) {
    return label + " = " + tensor_text(x) + "\n\n";
}

Tensor right(std::string_view step, const Candidate& of = candidate("causal")) {
    return step_value(walk(of), step);
}

Tensor wrong(std::string_view step, std::initializer_list<std::string_view> mistakes,
             const Candidate& of = candidate("causal")) {
    return step_value(walk_mistaken(*of.stage, mistakes, of.parameters), step);
}

}  // namespace

TEST_CASE("a step is named with the options that give it") {
    CHECK(said(right("values")) == "line 1, shape (6, 2): right\nThis is values of causal.\n");
    const Candidate wide = candidate("causal", [](Parameters& p) {
        p.d_out = 4;
        p.qkv_bias = true;
    });
    CHECK(said(labelled("Values", right("values", wide)), {wide}) ==
          "line 1, Values, shape (6, 4): right\nThis is values of causal with d_out=4, qkv_bias=true.\n");
    for (const char* const sentence : {"What I get", "\u6211\u5f97\u5230\u7684\u7ed3\u679c\u662f"}) {
        CHECK(said(labelled(sentence, right("values"))) == said(right("values")));
    }
    CHECK(
        has(said(labelled("Attention weights", right("attn_weights"))), "line 1, Attention weights, shape"));
    const Candidate mkl = candidate("causal", [](Parameters& p) { p.dropout_rng = DropoutRng::mkl; });
    CHECK(has(said(right("attn_weights_dropped", mkl), {mkl}),
              "This is attn_weights_dropped of causal with dropout_rng=mkl, as document 002\n"
              "prints it.\n"));
    CHECK(
        has(said(right("attn_weights_dropped"), {mkl}),
            "This is attn_weights_dropped of causal with a different setting,\ndropout-other-rng: this is"));
    const Candidate heads = candidate("head-split");  // head-split has a lesson of its own
    CHECK(has(said(right("a", heads), {heads}), " of head-split.\n"));
}

TEST_CASE("right numbers of other settings are no mistake, and weights without a mask are told as such") {
    const Candidate seeded = candidate("causal", [](Parameters& p) { p.seed = 42; });
    const std::string other = said(right("queries", seeded));
    CHECK(other.starts_with("line 1, shape (6, 2): right, but with a different parameter\n"));
    CHECK(!has(other, "mistake"));
    CHECK(has(said(right("attn_weights")), "If the weights should be causal, the mask is missing:"));
    CHECK(!has(said(right("attn_weights_causal")), "mask is missing"));
}

TEST_CASE("other explanations come in the order of their bits, in both languages") {
    const auto match = [](std::string_view id, double bits) {
        return Match{.stage = find_stage("causal"),
                     .parameters = find_stage("causal")->defaults,
                     .step = "attn_weights",
                     .mistakes = {id},
                     .bits = bits};
    };
    Diagnosis one;
    one.matches = {match("no-scaling", 40.0), match("softmax-wrong-axis", 35.0),
                   match("softmax-twice", 34.0)};
    const Lesson lesson = journey();
    const Question question{lesson, {}, {}};
    PrintedText pasted;
    pasted.tensors = read_tensors("tensor([[1., 2.]])", "test").tensors;
    for (const char* language : {"en", "zh"}) {
        const std::string text = diagnosis_text(pasted, {one}, question, Words(language, "diagnosis"));
        CHECK(text.find("no-scaling") < text.find("softmax-wrong-axis"));
        CHECK(text.find("softmax-wrong-axis") < text.find("softmax-twice"));
    }
}

TEST_CASE("a mistake is told with its lines, and with the options of its stage") {
    CHECK(said(wrong("attn_weights_causal", {"softmax-wrong-axis"})) ==
          "line 1, shape (6, 6): a mistake\n"
          "    yours  attn_weights_causal = torch.softmax(masked / keys.shape[-1]**0.5, dim=0)\n"
          "    right  attn_weights_causal = torch.softmax(masked / keys.shape[-1]**0.5, dim=-1)\n"
          "This is attn_weights_causal of causal with a mistake, softmax-wrong-axis:\n"
          "softmax runs down the columns, over the queries, so the columns sum to 1 instead\n"
          "of the rows; use dim=-1, the axis of the keys.\n");
    const Candidate seeded = candidate("causal", [](Parameters& p) { p.seed = 5; });
    CHECK(has(said(wrong("attn_weights_causal", {"softmax-wrong-axis"}, seeded), {seeded}),
              "This is attn_weights_causal of causal with seed=5 with a mistake"));
    CHECK(has(said(right("attn_weights_dropped",
                         candidate("causal", [](Parameters& p) { p.dropout_rng = DropoutRng::mkl; }))),
              "right, but with a different parameter\n"
              "    yours  attn_weights_dropped = attn_weights_causal * (keep / (1 - 0.5))\n"
              "    right  attn_weights_dropped = torch.dropout(attn_weights_causal, p=0.5, train=True)\n"));
}

TEST_CASE("the other explanations that fit are told too, three of them") {
    CHECK(said(labelled("mask", wrong("mask", {"mask-flipped"}))) ==
          "line 1, mask, shape (6, 6): right\n"
          "This is mask_simple of causal.\n"
          "Or mask of causal with a mistake, mask-flipped: the mask is inverted: each token\n"
          "sees the tokens after it instead of the tokens before it.\n"
          "    yours  mask = torch.tril(torch.ones(context_length, context_length))\n"
          "    right  mask = torch.triu(torch.ones(context_length, context_length), diagonal=1)\n");
    std::vector<Candidate> all;
    for (const Stage* stage : catalogue()) {
        if (stage->group != StageGroup::onward) {
            all.push_back(candidate(stage->name));
        }
    }
    CHECK(said("tensor(1.)", all) ==
          "line 1, shape (): cannot tell\n"
          "This is attn_weights_2_tmp_sum of simplified.\n"
          "These are also the numbers of attn_weights_2_naive_sum of simplified,\n"
          "attn_weights_2_sum of simplified.\n"
          "21 more explanations fit these digits; --json shows all of them.\n"
          "There are too few digits to decide. Paste another row, or the whole tensor.\n");
}

TEST_CASE("right numbers are called a mistake only where their label names a different step") {
    const Tensor drawn_first = wrong("W_key", {"draw-order"});
    CHECK(said(drawn_first) == "line 1, shape (2, 3): right\nThis is W_query of causal.\n");
    const std::string named = said(labelled("W_key", drawn_first));
    CHECK(
        named.starts_with("line 1, W_key, shape (2, 3): a different step\n"
                          "These are W_query of causal, not W_key.\n"));
    CHECK(has(named, "Or W_key of causal with a mistake, same-projection: the wrong layer is used"));
}

TEST_CASE("a result without its last operation is an earlier step as well, unless it has a label") {
    const Candidate heads = candidate("multi-head");
    const Tensor merged = right("context_merged", heads);
    const std::string unlabelled = said(merged, {heads});
    CHECK(unlabelled.starts_with(
        "line 1, shape (2, 6, 2): cannot tell\nThis is context_merged of multi-head."));
    CHECK(has(unlabelled, "--as context_merged or\n--as context_vec.\n"));
    CHECK(said(labelled("context_merged", merged), {heads})
              .starts_with("line 1, context_merged, shape (2, 6, 2): right\n"));
    CHECK(said(labelled("context_vec", merged), {heads})
              .starts_with("line 1, context_vec, shape (2, 6, 2): a mistake\n"));
}

TEST_CASE("tensors between steps, and gradients without a label, are recognised") {
    const Candidate heads = candidate("multi-head");
    CHECK(said(right("W_out", heads), {heads}) ==
          "line 1, shape (2, 2): right\nThis is W_out of multi-head.\n");
    const Candidate trainable = candidate("trainable");
    CHECK(said(div(right("attn_scores_2", trainable), std::sqrt(2.0)), {trainable}) ==
          "line 1, shape (6,): right\n"
          "This is attn_scores_2 / keys.shape[-1]**0.5 of trainable.\n"
          "These are also the numbers of (attn_scores / keys.shape[-1]**0.5)[1] (row 2) of\n"
          "trainable.\n");
    const Candidate backward = candidate("linear", [](Parameters& p) { p.backward = true; });
    CHECK(said(right("W_query_grad", backward), {candidate("linear")})
              .starts_with("line 1, shape (2, 3): right\nThis is W_query_grad of linear with backward"));
}

TEST_CASE("a piece is told as Python takes it, and in words") {
    const std::pair<std::string, std::string> rows[] = {
        {"[0.2758, 0.2460, 0.2462, 0.2319, 0.0000, 0.0000]", "masked_simple_norm[3] (row 4)"},
        {"[[0.5517, 0.4483, 0., 0., 0., 0.], [0.3800, 0.3097, 0.3103, 0., 0., 0.]]",
         "masked_simple_norm[1:3] (rows 2 to 3)"},
        {"[[0.5517, 0.4483], [0.3800, 0.3097]]", "masked_simple_norm[1:3, 0:2] (a block)"},
        {"[0.0000, 0.4483, 0.3097, 0.2460, 0.1983, 0.1663]", "masked_simple_norm[:, 1] (column 2)"},
        {"tensor(0.1983)", "masked_simple_norm[4, 1] (one number)"},
    };
    for (const auto& row : rows) {
        const std::string text = said(row.first);
        CHECK(has(text, "\nThis is " + row.second + " of causal.\n"));
        CHECK(has(text, "too few digits") == row.first.starts_with("tensor("));
    }
    CHECK(
        has(said("[1.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000]"), "There are too few digits to decide"));
}

TEST_CASE("two mistakes are told together, and what is transposed with the lines of the other") {
    const std::string both = said(wrong("attn_weights_causal", {"softmax-wrong-axis", "scaled-by-d-in"}));
    CHECK(has(both, "This is attn_weights_causal of causal with 2 mistakes: softmax-wrong-axis:\n"));
    CHECK(has(both, "of the keys; scaled-by-d-in:"));
    CHECK(has(both,
              "    yours  attn_weights_causal = torch.softmax(masked / d_in**0.5, dim=0)\n"
              "    right  attn_weights_causal = torch.softmax(masked / keys.shape[-1]**0.5, dim=-1)\n"));
    const std::string turned = said(transpose(wrong("attn_weights_causal", {"softmax-wrong-axis"}), 0, 1));
    CHECK(has(turned, "transposed: the tensor is"));
    CHECK(has(turned,
              "    yours  attn_weights_causal = torch.softmax(masked / keys.shape[-1]**0.5, dim=0)\n"
              "    right  attn_weights_causal = torch.softmax(masked / keys.shape[-1]**0.5, dim=-1)\n"
              "    yours  attn_weights_causal.T\n"
              "    right  attn_weights_causal\n"));
    CHECK(has(said(transpose(right("values"), 0, 1)), "This is values.T (transposed) of causal.\n"));
}

TEST_CASE("of a tensor nothing explains, rows are told where it has some") {
    CHECK(said("x = tensor([0.5, 0.25])\n\ntensor([[9., 8.], [7., 6.]])") ==
          "line 1, x, shape (2,): not recognised\n"
          "line 3, shape (2, 2): not recognised\nNo step of the chosen stages has this shape.\n");
    Tensor off = right("attn_scores");
    off.values()[8] += 0.25F;
    CHECK(has(said(off), "Rows that agree, counted from 0: 0, 2, 3, 4, 5.\n"));
    for (std::size_t i = 0; i < off.count(); i += 6) {
        off.values()[i] += 0.25F;
    }
    CHECK(said(off).ends_with(" No row agrees completely.\n"));
    CHECK(said("tensor([9.5, 8.5, 7.5])", {candidate("simplified")}) ==
          "line 1, shape (3,): not recognised\n"
          "These numbers are not recognised. Usual causes are: a different seed; other\n"
          "layers drawn before without setting the seed again; different inputs, width,\n"
          "heads or dropout probability; several changes at once.\n");
    CHECK(said("tensor([0.9544, 1.4950, 8.5, 0.8434, 0.7070, 9.5])", {candidate("simplified")})
              .ends_with("The nearest step is attn_scores_2 of simplified: 4 of 6 numbers agree, the\n"
                         "largest difference is 8.4e+00. The first number that differs is [2]: yours is\n"
                         "8.5, the right one is 1.4754001.\n"));
}

TEST_CASE("of several tensors those that are right, or follow from another, take a line each") {
    const std::string text = said(
        labelled("a", right("queries")) + labelled("b", wrong("context_vec_dropped", {"softmax-twice"})) +
        labelled("c", wrong("attn_weights_causal", {"softmax-twice"})) + labelled("d", right("keys")));
    CHECK(text.starts_with(
        "line 15, c, shape (6, 6): a mistake; this is the first step that differs\n    yours  "));
    CHECK(has(text,
              "line 8, b, shape (6, 2): follows from attn_weights_causal\n"
              "line 1, a, shape (6, 2): right, queries of causal\n"
              "line 22, d, shape (6, 2): right, keys of causal\n"));
}
