// The text of diagnoses.
#include "diagnosis/diagnosis_text.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "diagnosis/mistakes/mistakes.hpp"
#include "printed/reader.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/layout.hpp"
#include "tensor/tensor_text.hpp"
#include "walked.hpp"

using attn::Candidate;
using attn::Parameters;
using attn::Stage;
using attn::StageTrace;
using attn::tensor_text;

namespace {

const attn::Lesson& lesson() {
    static const attn::Lesson read = attn::journey();
    return read;
}

std::string said(const std::string& text, const std::vector<Candidate>& candidates) {
    const attn::Question question{lesson(), {}, candidates, ""};
    const attn::PrintedText pasted = attn::read_tensors(text, "test");
    return attn::diagnosis_text(pasted, attn::diagnose(pasted.tensors, question), question,
                                attn::Words("en", "diagnosis"));
}

Candidate candidate(
    std::string_view name, void (*change)(Parameters&) = [](Parameters&) {}) {
    const Stage& stage = *attn::find_stage(name);
    Parameters parameters = stage.defaults;
    change(parameters);
    return {&stage, parameters, attn::all_parameter_names()};
}

std::string printed(const Candidate& one, std::string_view step) {
    return tensor_text(attn::step_value(attn::walk(*one.stage, lesson(), one.parameters), step));
}

attn::Tensor mistaken(const Candidate& one, std::string_view step,
                      std::initializer_list<std::string_view> ids) {
    const Parameters right = attn::walk(*one.stage, lesson(), one.parameters).parameters;
    std::vector<attn::Edit> edits;
    for (const std::string_view id : ids) {
        edits.push_back(attn::find_mistake(id)->variants(right).front().edit);
    }
    return attn::step_value(attn::walk_edited(*one.stage, lesson(), right, {}, edits), step);
}

bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a step is named with the options that give it") {
    const Candidate usual = candidate("causal");
    CHECK(said(printed(usual, "values"), {usual}) ==
          "line 1, shape (6, 2): right\nThis is values of causal.\n");
    const Candidate wide = candidate("causal", [](Parameters& p) {
        p.d_out = 4;
        p.qkv_bias = true;
    });
    CHECK(said("Values = " + printed(wide, "values"), {wide}) ==
          "line 1, Values, shape (6, 4): right\nThis is values of causal with d_out=4, qkv_bias=true.\n");
    const Candidate mkl = candidate("causal", [](Parameters& p) { p.dropout_rng = attn::DropoutRng::mkl; });
    CHECK(contains(said(printed(mkl, "attn_weights_dropped"), {mkl}),
                   "This is attn_weights_dropped of causal with dropout_rng=mkl, as document 002\n"
                   "prints it.\n"));
    CHECK(contains(said(printed(usual, "attn_weights_dropped"), {mkl}),
                   "This is attn_weights_dropped of causal with a mistake, dropout-other-rng:"));
    const Candidate heads = candidate("head-split");  // head-split has a lesson of its own
    const StageTrace split = attn::walk(*heads.stage, lesson(), heads.parameters);
    CHECK(contains(said(tensor_text(split.node(split.steps.front()).value), {heads}), " of head-split.\n"));
}

TEST_CASE("a mistake is told with its lines, and with the options of its stage") {
    const Candidate usual = candidate("causal");
    CHECK(said(tensor_text(mistaken(usual, "attn_weights_causal", {"softmax-wrong-axis"})), {usual}) ==
          "line 1, shape (6, 6): a mistake\n"
          "    yours  attn_weights_causal = torch.softmax(masked / keys.shape[-1]**0.5, dim=0)\n"
          "    right  attn_weights_causal = torch.softmax(masked / keys.shape[-1]**0.5, dim=-1)\n"
          "This is attn_weights_causal of causal with a mistake, softmax-wrong-axis:\n"
          "softmax runs down the columns, over the queries, so the columns sum to 1 instead\n"
          "of the rows; use dim=-1, the axis of the keys.\n");
    const Candidate seeded = candidate("causal", [](Parameters& p) { p.seed = 5; });
    CHECK(
        contains(said(tensor_text(mistaken(seeded, "attn_weights_causal", {"softmax-wrong-axis"})), {seeded}),
                 "This is attn_weights_causal of causal with seed=5 with a mistake"));
    CHECK(contains(
        said(printed(candidate("causal", [](Parameters& p) { p.dropout_rng = attn::DropoutRng::mkl; }),
                     "attn_weights_dropped"),
             {usual}),
        "a mistake\n"
        "    yours  attn_weights_dropped = attn_weights_causal * (keep / (1 - 0.5))\n"
        "    right  attn_weights_dropped = torch.dropout(attn_weights_causal, p=0.5, train=True)\n"));
}

TEST_CASE("the other explanations that fit are told too, three of them") {
    const Candidate usual = candidate("causal");
    CHECK(said("mask = " + tensor_text(mistaken(usual, "mask", {"mask-flipped"})), {usual}) ==
          "line 1, mask, shape (6, 6): right\n"
          "This is mask_simple of causal.\n"
          "Or mask of causal with a mistake, mask-flipped: the mask is inverted: each token\n"
          "sees the tokens after it instead of the tokens before it.\n"
          "    yours  mask = torch.tril(torch.ones(context_length, context_length))\n"
          "    right  mask = torch.triu(torch.ones(context_length, context_length), diagonal=1)\n");
    std::vector<Candidate> all;
    for (const Stage* stage : attn::catalogue()) {
        if (stage->group != attn::StageGroup::onward) {
            all.push_back({stage, stage->defaults, attn::all_parameter_names()});
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
    const Candidate usual = candidate("causal");
    const std::string wrong = tensor_text(mistaken(usual, "W_key", {"draw-order"}));
    CHECK(said(wrong, {usual}) == "line 1, shape (2, 3): right\nThis is W_query of causal.\n");
    const std::string labelled = said("W_key = " + wrong, {usual});
    CHECK(
        labelled.starts_with("line 1, W_key, shape (2, 3): a different step\n"
                             "These are W_query of causal, not W_key.\n"));
    CHECK(contains(labelled, "Or W_key of causal with a mistake, same-projection: the wrong layer is used"));
}

TEST_CASE("a result without its last operation is an earlier step as well, unless it has a label") {
    const Candidate heads = candidate("multi-head");
    const std::string merged = printed(heads, "context_merged");
    const std::string unlabelled = said(merged, {heads});
    CHECK(unlabelled.starts_with(
        "line 1, shape (2, 6, 2): cannot tell\nThis is context_merged of multi-head."));
    CHECK(contains(unlabelled, "--as context_merged or\n--as context_vec.\n"));
    CHECK(said("context_merged = " + merged, {heads})
              .starts_with("line 1, context_merged, shape (2, 6, 2): right\n"));
    CHECK(said("context_vec = " + merged, {heads})
              .starts_with("line 1, context_vec, shape (2, 6, 2): a mistake\n"));
}

TEST_CASE("tensors between steps, and gradients without a label, are recognised") {
    const Candidate heads = candidate("multi-head");
    CHECK(said(printed(heads, "W_out"), {heads}) ==
          "line 1, shape (2, 2): right\nThis is W_out of multi-head.\n");
    const Candidate trainable = candidate("trainable");
    const attn::Tensor scores =
        attn::step_value(attn::walk(*trainable.stage, lesson(), trainable.parameters), "attn_scores_2");
    CHECK(said(tensor_text(attn::div(scores, std::sqrt(2.0))), {trainable}) ==
          "line 1, shape (6,): right\n"
          "This is attn_scores_2 / keys.shape[-1]**0.5 of trainable.\n");
    const Candidate backward = candidate("linear", [](Parameters& p) { p.backward = true; });
    CHECK(said(printed(backward, "W_query_grad"), {candidate("linear")})
              .starts_with("line 1, shape (2, 3): right\nThis is W_query_grad of linear with backward"));
}

TEST_CASE("a piece is told as Python takes it, and in words") {
    const Candidate usual = candidate("causal");
    const auto piece = [&](const std::string& text) {
        const std::string all = said(text, {usual});
        const std::size_t from = std::min(all.find("This is "), all.size());
        return all.substr(from, all.find('\n', from) - from);
    };
    CHECK(piece("[0.2758, 0.2460, 0.2462, 0.2319, 0.0000, 0.0000]") ==
          "This is masked_simple_norm[3] (row 4) of causal.");
    CHECK(piece("[[0.5517, 0.4483, 0., 0., 0., 0.], [0.3800, 0.3097, 0.3103, 0., 0., 0.]]") ==
          "This is masked_simple_norm[1:3] (rows 2 to 3) of causal.");
    CHECK(piece("[[0.5517, 0.4483], [0.3800, 0.3097]]") ==
          "This is masked_simple_norm[1:3, 0:2] (a block) of causal.");
    CHECK(piece("[0.0000, 0.4483, 0.3097, 0.2460, 0.1983, 0.1663]") ==
          "This is masked_simple_norm[:, 1] (column 2) of causal.");
    CHECK(piece("tensor(0.1983)") == "This is masked_simple_norm[4, 1] (one number) of causal.");
    CHECK(contains(said("[1.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000]", {usual}),
                   "There are too few digits to decide"));
    CHECK_FALSE(contains(said("[0.2758, 0.2460, 0.2462, 0.2319, 0.0000, 0.0000]", {usual}), "So few"));
}

TEST_CASE("two mistakes are told together, and what is transposed with the lines of the other") {
    const Candidate usual = candidate("causal");
    const std::string both =
        said(tensor_text(mistaken(usual, "attn_weights_causal", {"softmax-wrong-axis", "scaled-by-d-in"})),
             {usual});
    CHECK(contains(both, "This is attn_weights_causal of causal with 2 mistakes: softmax-wrong-axis:\n"));
    CHECK(contains(both, "of the keys; scaled-by-d-in:"));
    CHECK(contains(both,
                   "    yours  attn_weights_causal = torch.softmax(masked / d_in**0.5, dim=0)\n"
                   "    right  attn_weights_causal = torch.softmax(masked / keys.shape[-1]**0.5, dim=-1)\n"));
    const attn::Tensor wrong = mistaken(usual, "attn_weights_causal", {"softmax-wrong-axis"});
    const std::string turned = said(tensor_text(attn::transpose(wrong, 0, 1)), {usual});
    CHECK(contains(turned, "transposed: the tensor is"));
    CHECK(contains(turned,
                   "    yours  attn_weights_causal = torch.softmax(masked / keys.shape[-1]**0.5, dim=0)\n"
                   "    right  attn_weights_causal = torch.softmax(masked / keys.shape[-1]**0.5, dim=-1)\n"
                   "    yours  attn_weights_causal.T\n"
                   "    right  attn_weights_causal\n"));
    const attn::Tensor values =
        attn::step_value(attn::walk(*usual.stage, lesson(), usual.parameters), "values");
    CHECK(contains(said(tensor_text(attn::transpose(values, 0, 1)), {usual}),
                   "This is values.T (transposed) of causal.\n"));
}

TEST_CASE("of a tensor nothing explains, rows are told where it has some") {
    const Candidate usual = candidate("causal");
    CHECK(said("x = tensor([0.5, 0.25])\n\ntensor([[9., 8.], [7., 6.]])", {usual}) ==
          "line 1, x, shape (2,): not recognised\n"
          "line 3, shape (2, 2): not recognised\nNo step of the chosen stages has this shape.\n");
    attn::Tensor off = attn::step_value(attn::walk(*usual.stage, lesson(), usual.parameters), "attn_scores");
    off.values()[8] += 0.25F;
    CHECK(contains(said(tensor_text(off), {usual}), "Rows that agree, counted from 0: 0, 2, 3, 4, 5.\n"));
    for (std::size_t i = 0; i < off.count(); i += 6) {
        off.values()[i] += 0.25F;
    }
    CHECK(said(tensor_text(off), {usual}).ends_with(" No row agrees completely.\n"));
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
    const Candidate usual = candidate("causal");
    const auto wrong = [&](std::string_view step) {
        return tensor_text(mistaken(usual, step, {"softmax-twice"}));
    };
    const std::string text =
        said("a = " + printed(usual, "queries") + "\n\nb = " + wrong("context_vec_dropped") +
                 "\n\nc = " + wrong("attn_weights_causal") + "\n\nd = " + printed(usual, "keys"),
             {usual});
    CHECK(text.starts_with(
        "line 15, c, shape (6, 6): a mistake; this is the first step that differs\n    yours  "));
    CHECK(contains(text,
                   "line 8, b, shape (6, 2): follows from attn_weights_causal\n"
                   "line 1, a, shape (6, 2): right, queries of causal\n"
                   "line 22, d, shape (6, 2): right, keys of causal\n"));
}
