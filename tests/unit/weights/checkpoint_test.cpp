// One layer or head of a model: the tensors, the code for cutting them, and the errors.
// tests/oracle/formats.py compares whole models with PyTorch.
#include "weights/weights.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "draws.hpp"
#include "refusal.hpp"
#include "tensor/layout.hpp"
#include "texts.hpp"
#include "walked.hpp"

using namespace attn;

namespace {

// Returns a model with Llama's names.
TensorMap model(std::initializer_list<std::string> prefixes) {
    TensorMap tensors;
    for (const std::string& prefix : prefixes) {
        for (const std::string part : {"q", "k", "v"}) {
            tensors[prefix + part + "_proj.weight"] = counted({4, 3});
        }
        tensors[prefix + "o_proj.weight"] = counted({3, 4});
    }
    return tensors;
}

WeightSource weights_in(const TensorMap& tensors, const Selection& selection) {
    return weights_in(std::make_shared<TensorFile>("model", tensors), selection);
}

StateDict selected(const TensorMap& tensors, const Selection& selection, std::string_view stage = "causal") {
    return weights_in(tensors, selection)(*find_stage(stage));
}

std::string refusal(const TensorMap& tensors, const Selection& selection, std::string_view stage = "causal") {
    return refusal_of([&] { selected(tensors, selection, stage); });
}

Selection pick(std::optional<std::size_t> layer, std::optional<std::size_t> head,
               std::optional<std::size_t> heads) {
    return {.layer = layer, .head = head, .heads = heads};
}

const Selection first_of_two = pick({}, 0, 2);

}  // namespace

TEST_CASE("a model of one head needs no head to be picked, one of several does") {
    CHECK(has_weight(selected(model({"a."}), pick({}, {}, 1)), {"W_query.weight"}));
    CHECK(refusal(model({"h.5."}), pick(5, {}, 2)) ==
          "model: layer 5 has 2 heads, but causal uses only one; choose it with `head` 0 to 1.");
    StateDict alone = selected(model({"a."}), {});  // a module's own state_dict
    CHECK(identical(take_weight(alone, {"W_query.weight"}, Shape{4, 3}, "W_query"), counted({4, 3})));
    CHECK(refusal(model({"a."}), {}, "multi-head").ends_with("give `num_heads` N."));
    TensorMap wide;
    for (const std::string part : {"W_query", "W_key", "W_value"}) {
        wide["att." + part + ".weight"] = counted({64, 3});
    }
    CHECK(has_weight(selected(wide, {}), {"W_query.weight"}));
    CHECK(refusal(wide, pick({}, 1, {})) ==
          "model: has no head 1; its heads are 0 to 0, each 64 wide as in GPT-2; if heads have a "
          "different width, give their number as `num_heads` N.");
}

TEST_CASE("layers are told by the last number of their names, and listed where the choice is open") {
    CHECK(refusal(model({"h.2.", "h.0.", "h.1."}), first_of_two) ==
          "model: contains several layers; choose one of 0 to 2 with `layer`.");
    CHECK(refusal(model({"h.0.", "h.3x.", "h.7."}), first_of_two) ==
          "model: contains several layers; choose one of 0, 0, 7 with `layer`.");
    CHECK(refusal(model({"h.2.", "h.4."}), pick(3, 0, 2)) == "model: has no layer 3; its layers are 2, 4.");
    CHECK(refusal(model({"attn."}), pick(0, 0, 2)) ==
          "model: contains one attention module and no layers; leave `layer` out.");
    CHECK(refusal(model({"encoder.0.", "decoder.0."}), pick(0, 0, 2)) ==
          "model: contains two layers with the number 0: decoder.0. and encoder.0.; save only the one you "
          "want.");
    CHECK(has_weight(selected(model({"h.0.attn.", "h.0.cross_attn."}), first_of_two), {"W_query.weight"}));
}

TEST_CASE(
    "the state_dicts of the documents' own modules are no checkpoints, unless a layer or head of them is "
    "asked for") {
    TensorMap causal;
    TensorMap wrapper;
    for (const std::string part : {"W_query", "W_key", "W_value"}) {
        causal[part + ".weight"] = counted({4, 3});
        wrapper["heads.0." + part + ".weight"] = counted({4, 3});
    }
    StateDict own = selected(causal, {});
    CHECK(take_weight(own, {"W_query.weight"}, Shape{4, 3}, "W").count() == 12);
    CHECK(refusal(causal, pick(0, {}, 1)) ==
          "model: contains one attention module and no layers; leave `layer` out.");
    CHECK(has_weight(selected(wrapper, {}, "multi-head-wrapper"), {"heads.0.W_query.weight"}));
}

TEST_CASE("a layer that is not whole or not of matrices is refused") {
    TensorMap tensors = model({"h.0."});
    tensors.erase("h.0.v_proj.weight");
    CHECK(refusal(tensors, first_of_two) == "model: h.0.v_proj.weight of layer 0 is missing.");
    tensors["h.0.v_proj.weight"] = counted({12});
    CHECK(refusal(tensors, first_of_two) ==
          "model: at /h.0.v_proj.weight: expected a matrix but found the shape (12,).");
    tensors["h.0.v_proj.weight"] = counted({0, 3});
    CHECK(refusal(tensors, first_of_two) ==
          "model: at /h.0.v_proj.weight: expected at least one number but found the shape (0, 3).");
    for (const std::size_t rows : {std::size_t{3}, std::size_t{6}}) {
        tensors["h.0.v_proj.weight"] = counted({rows, 3});
        CHECK(has(refusal(tensors, first_of_two), "into heads of 2 rows"));
    }
}

TEST_CASE("a buffer that is no causal mask is refused, whatever its shape") {
    TensorMap tensors = model({"h.0."});
    const auto with = [&](const Tensor& mask) {
        tensors["h.0.mask"] = mask;
        return refusal(tensors, first_of_two);
    };
    CHECK(with(triu(ones({5, 5}), 1)).empty());
    CHECK(with(view(triu(ones({5, 5}), 1), {1, 1, 5, 5})).empty());
    const std::string message =
        "model: at /h.0.mask: expected the causal mask, with ones above the diagonal.";
    for (const Tensor& mask : {ones({5, 5}), Tensor({4, 5}), Tensor({5}), Tensor(Shape{})}) {
        CHECK(with(mask) == message);
    }
}

TEST_CASE("to pick of what is no model names what there is") {
    TensorMap tensors;
    tensors["fc.weight"] = counted({2, 2});
    CHECK(refusal(tensors, pick(1, {}, {})) ==
          "model: cannot choose a layer or head, because no tensor is called c_attn.weight, "
          "q_proj.weight or W_query.weight. The file has fc.weight.");
    for (char letter = 'a'; letter <= 'm'; ++letter) {
        tensors[std::string(1, letter)] = counted({1});
    }
    const std::string many = refusal(tensors, pick({}, 0, {}));
    CHECK(has(many, "cannot choose a layer or head,"));
    CHECK(many.ends_with("The file has a, b, c, d, e, f, fc.weight, g, h, i, j, k, …."));
    CHECK(refusal(tensors, {}).empty());  // the state_dict of a stage, or of no stage
}

TEST_CASE("in C++ the cuts stand as comments before the lines that take them") {
    StageTrace trace = walk(*find_stage("causal"), journey(), causal_defaults(),
                            {.weights = weights_in(model({"h.0."}), first_of_two)});
    trace.language = Language::cpp;
    const std::vector<std::string> lines = setup_lines(trace);
    const std::string cut = "W_query = state_dict[\"h.0.q_proj.weight\"][0:2]";
    CHECK(std::ranges::count(lines, "// " + cut) == 1);
    CHECK(std::ranges::count(lines, "# " + cut) == 0);
}
