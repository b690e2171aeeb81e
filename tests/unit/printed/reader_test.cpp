// The reading of pasted texts: round trips, summaries, limits and times. pastes_test.cpp reads the pastes of
// tests/pastes.json. The texts of NumPy and PyTorch were printed by NumPy 1.24 and PyTorch 1.13.

#include <doctest/doctest.h>

#include <cmath>
#include <ctime>
#include <limits>
#include <numeric>
#include <random>
#include <string>

#include "printed/reader.hpp"
#include "refusal.hpp"
#include "tensor/tensor_text.hpp"
#include "views/format.hpp"
#include "views/text/step_text.hpp"
#include "walked.hpp"
#include "words/documents.hpp"
#include "words/narration.hpp"

using attn::PrintedTensor;
using attn::read_tensors;
using attn::Shape;
using attn::Tensor;

namespace {

// Returns the single tensor of a text.
PrintedTensor only(std::string_view text) {
    const std::vector<PrintedTensor> tensors = read_tensors(text, "pasted.txt").tensors;
    REQUIRE(tensors.size() == 1);
    return tensors.front();
}

// Returns the error for a text that cannot be read, or an empty string.
std::string pasted_refusal(std::string_view text) {
    return attn::refusal_of([&] { read_tensors(text, "pasted.txt"); });
}

// Returns the index, in a tensor of a fitting shape, of the n-th number that is shown.
attn::Index index_in(const Shape& shape, const PrintedTensor& read, std::size_t n) {
    attn::Index index{};
    for (std::size_t axis = shape.rank(); axis-- > 0;) {
        index[axis] = n % read.shown[axis];
        n /= read.shown[axis];
        index[axis] +=
            index[axis] >= read.gaps[axis].value_or(shape[axis]) ? shape[axis] - read.shown[axis] : 0;
    }
    return index;
}

// Returns true if every number read is the printed one up to rounding.
bool reads_back(const PrintedTensor& read, const Tensor& printed) {
    if (!read.fits(printed.shape())) {
        return false;
    }
    for (std::size_t n = 0; n < read.numbers.size(); ++n) {
        const auto was = static_cast<double>(printed.at(index_in(printed.shape(), read, n)));
        const attn::PrintedNumber& is = read.numbers[n];
        const bool same =
            agrees(is, was) && (!std::isfinite(was) || 0.5 * last_unit(is) <= 0.5 * std::abs(was) + 0.05);
        if (!same) {
            return false;
        }
    }
    return true;
}

// The numbers 0, 1, 2, … in this shape.
Tensor counted_from_0(const Shape& shape) {
    Tensor x(shape);
    std::iota(x.values().begin(), x.values().end(), 0.0F);
    return x;
}

std::string times(std::string_view text, std::size_t count) {
    std::string repeated;
    for (std::size_t i = 0; i < count; ++i) {
        repeated += text;
    }
    return repeated;
}

}  // namespace

TEST_CASE("what the printer prints is read back, in every notation and shape") {
    std::mt19937 draw(7);
    const auto below = [&](std::size_t n) { return draw() % n; };
    std::size_t summarised = 0;
    constexpr std::size_t rounds = 3000;
    for (std::size_t round = 0; round < rounds; ++round) {
        std::vector<std::size_t> sizes(below(5));
        const bool large = below(10) == 0;
        for (std::size_t& size : sizes) {
            size = 1 + below(large ? 12 : 5);
        }
        Tensor x{Shape(sizes)};
        const std::size_t kind = below(4);
        for (float& number : x.values()) {
            const float unit = static_cast<float>(draw() >> 8U) * 0x1p-24F * 2.0F - 1.0F;
            number = kind == 0   ? std::trunc(unit * 20.0F)
                     : kind == 1 ? unit * std::pow(10.0F, static_cast<float>(below(8)) - 4.0F)
                                 : unit;
            if (kind == 3 && below(6) == 0) {
                constexpr float inf = std::numeric_limits<float>::infinity();
                number = below(3) == 0 ? inf : below(2) == 0 ? -inf : std::numeric_limits<float>::quiet_NaN();
            }
        }
        const attn::PrintOptions options{.precision = 2 + static_cast<int>(below(5)),
                                         .threshold = large ? 20U : 1000U,
                                         .edge_items = 1 + below(3),
                                         .line_width = 40 + below(60)};
        const bool grad = below(2) == 0;
        const attn::Suffix suffix{grad ? "MmBackward0" : "", below(2) == 0, below(4) == 0};
        const std::string text = tensor_text(x, suffix, options);
        CAPTURE(text);
        const PrintedTensor read = only(text);
        REQUIRE(reads_back(read, x));
        REQUIRE(read.grad_fn == suffix.grad_fn);
        summarised += read.summarised() ? 1 : 0;
    }
    CHECK(summarised > 100);
}

TEST_CASE("a summary gives the smallest possible shape") {
    // torch.arange(10000.).view(100, 100)
    const PrintedTensor x = only(
        "tensor([[0.0000e+00, 1.0000e+00, 2.0000e+00,  ..., 9.7000e+01, 9.8000e+01,\n"
        "         9.9000e+01],\n        ...,\n"
        "        [9.9000e+03, 9.9010e+03, 9.9020e+03,  ..., 9.9970e+03, 9.9980e+03,\n         9.9990e+03]])");
    CHECK(x.summarised());
    CHECK(x.shown == Shape{2, 6});
    CHECK(x.gaps[0] == 1U);
    CHECK(x.gaps[1] == 3U);
    CHECK(x.fits(Shape{100, 100}));
    CHECK(x.fits(Shape{3, 7}));
    CHECK_FALSE(x.fits(Shape{2, 100}));
    CHECK_FALSE(x.fits(Shape{100, 100, 1}));
    CHECK(reads_back(x, counted_from_0({100, 100})));
    // print(np.arange(2000.).reshape(2, 1000))
    const PrintedTensor y = only(
        "[[0.000e+00 1.000e+00 2.000e+00 ... 9.970e+02 9.980e+02 9.990e+02]\n"
        " [1.000e+03 1.001e+03 1.002e+03 ... 1.997e+03 1.998e+03 1.999e+03]]");
    CHECK(y.fits(Shape{2, 1000}));
    CHECK(reads_back(y, counted_from_0({2, 1000})));
    CHECK(only("\xEF\xBB\xBF[0.5, 0.25, \u2026, 0.75]").gaps[0] == 2U);
}

TEST_CASE("the error shows the line, and where the tensor cannot be read") {
    CHECK(pasted_refusal("tensor([[0.1, 0.2],\n        [0.3]])") ==
          "pasted.txt:2:10: 1 number here, where the other rows have 2.\n"
          "          [0.3]])\n           ^");
}

TEST_CASE("pasted text is UTF-8, or PowerShell's UTF-16") {
    using namespace std::string_literals;
    CHECK(pasted_refusal("\xFF\xFEt").starts_with("pasted.txt:1:1: this byte is not valid UTF-8"));
    const std::string refusal = pasted_refusal("caf\xe9\ntensor([0.5])");
    CHECK(refusal.starts_with("pasted.txt:1:4: this byte is not valid UTF-8"));
    const PrintedTensor wide = only("\xFF\xFE[\0000\0.\0005\0,\0001\0]\0"s);
    CHECK(wide.shown == Shape{2});
    CHECK(wide.numbers[0].value == 0.5);
    CHECK(wide.numbers[1].value == 1.0);
}

TEST_CASE("megabytes meet a limit" * doctest::test_suite("long")) {
    constexpr std::size_t many = attn::max_printed_numbers + 1;
    constexpr std::size_t half = attn::max_printed_numbers / 2 + 1;  // two copies exceed the limit
    const std::string one = "[[" + times("1 ", half) + "]]";
    const std::string sentence = times("0.25 then " + times("0.25 ", 999), half / 1000 + 1);
    CHECK(only(one).numbers.size() == half);
    for (const std::string& text :
         {"[" + times("1 ", many) + "]", times("1 ", many), one + ",\n" + one, "So " + sentence + sentence,
          "{\"x\": [" + times("1,", many - 1) + "1]}"}) {
        CAPTURE(text.substr(0, 9));
        CHECK(pasted_refusal(text).find("more than 500000 numbers, the limit for text") != std::string::npos);
    }
    std::string json = "{\"x\": [1]";
    for (std::size_t i = 0; i < attn::max_printed_tensors; ++i) {
        json += fmt::format(", \"{}\": [1]", i);
    }
    for (const std::string& text : {times("tensor([1.5])\n\n", attn::max_printed_tensors + 1), json + "}"}) {
        CHECK(pasted_refusal(text) == "pasted.txt: more than 4096 tensors, the limit.");
    }
}

TEST_CASE("a name has at most 80 letters, and stands at any depth") {
    CHECK(only(times("k", 80) + " = tensor([[0.5, 0.5]])").name.size() == 80);
    CHECK(only(times("k", 81) + " = tensor([[0.5, 0.5]])").name.empty());
    CHECK(only(times("{\"x\": ", 100) + "[[0.5, 0.25]]").name == "x");
}

TEST_CASE("whatever a text repeats, reading it takes linear time" * doctest::test_suite("long")) {
    const auto seconds = [](std::string_view repeated, std::size_t size) {  // processor time
        const std::string text = times(repeated, size / repeated.size() + 1);
        const std::clock_t started = std::clock();
        pasted_refusal(text);
        return static_cast<double>(std::clock() - started) / CLOCKS_PER_SEC;
    };
    for (const std::string_view repeated : {"[\u2212",
                                            "[np.float32(",
                                            "[-",
                                            "[+",
                                            "[.",
                                            "[1-",
                                            "[",
                                            "[ ",
                                            "[#",
                                            "[#\n",
                                            "[\n>",
                                            "[1.5, ",
                                            "[1.5, x",
                                            "[[",
                                            "[[x",
                                            "[]",
                                            "tensor(",
                                            "tensor([",
                                            "array([[",
                                            "np.float32(",
                                            "{\"a",
                                            "{\"a\":",
                                            "[{",
                                            "[{}",
                                            "{\"a\":[",
                                            "{\"a\":[\"",
                                            "{\"name\":\"a\",\"data\":[\"",
                                            "...",
                                            "[...",
                                            ">>>\n",
                                            ">>> [0.5, ",
                                            "... ",
                                            "x = [",
                                            "\\",
                                            "\"\\",
                                            "\n",
                                            "\t",
                                            "(",
                                            "()",
                                            "= ",
                                            "1x, ",
                                            "x-",
                                            "x 1e-",
                                            "x 0.25",
                                            "<b>0.5517</b>",
                                            "0.25.",
                                            "0.5x "}) {
        CAPTURE(repeated);
        // Ten times the text must take about ten times the time, not a hundred times.
        CHECK(seconds(repeated, 200'000) < 25.0 * seconds(repeated, 20'000) + 0.1);
    }
    const std::string deep = times("[", 10'000) + "0.5, 0.25" + times("]", 10'000);
    CHECK(pasted_refusal(deep).starts_with("pasted.txt: no tensor found"));
}

TEST_CASE("the text and the JSON of every stage give its steps back, by name and number") {
    const attn::Lesson lesson = attn::journey();
    std::size_t steps = 0;
    for (const attn::Stage* stage : attn::catalogue()) {
        attn::Trace trace{lesson, {}};
        trace.stages.push_back(attn::walk(*stage, lesson, stage->defaults));
        const attn::StageTrace& walked = trace.stages.front();
        std::string json;
        attn::write_json([&](std::string_view text) { json += text; }, trace, {});
        for (const std::string& text : {attn::stage_text(walked, {}), json}) {
            const std::vector<PrintedTensor> tensors = read_tensors(text, "walkthrough").tensors;
            // The text ends with what the compact class prints, if the stage has one.
            const bool has_more = text != json && !attn::module_code(stage->name).empty();
            REQUIRE(tensors.size() == walked.steps.size() + (has_more ? 1 : 0));
            for (std::size_t i = 0; i < walked.steps.size(); ++i) {
                const attn::Node& step = walked.node(walked.steps[i]);
                CAPTURE(stage->name);
                CAPTURE(step.name);
                const std::string autograd =
                    step.gradient_of ? walked.node(*step.gradient_of).name + ".grad" : "";
                CHECK((tensors[i].name == step.name || tensors[i].name == autograd));
                CHECK((step.value.count() > 1000 ? tensors[i].fits(step.value.shape())
                                                 : reads_back(tensors[i], step.value)));
                ++steps;
            }
        }
    }
    CHECK(steps > 300);
}
