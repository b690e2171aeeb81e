// Tensors as people paste them. The texts of NumPy and PyTorch were printed by NumPy 1.24 and PyTorch 1.13.

#include <doctest/doctest.h>

#include <cmath>
#include <ctime>
#include <limits>
#include <random>
#include <string>

#include "read.hpp"
#include "tensor/tensor_text.hpp"
#include "views/json/trace_json.hpp"
#include "views/text/step_text.hpp"
#include "walked.hpp"
#include "words/narration.hpp"

using attn::Doubles;
using attn::Index;
using attn::only;
using attn::PrintedTensor;
using attn::read_tensors;
using attn::refusal;
using attn::Shape;
using attn::Tensor;
using attn::values;

namespace {

// Returns true if every number read is the printed one up to rounding.
bool reads_back(const PrintedTensor& read, const Tensor& printed) {
    if (!read.fits(printed.shape())) {
        return false;
    }
    for (std::size_t n = 0; n < read.numbers.size(); ++n) {
        const auto was = static_cast<double>(printed.at(read.index_in(printed.shape(), n)));
        const attn::PrintedNumber& is = read.numbers[n];
        const bool same =
            agrees(is, was) && (!std::isfinite(was) || 0.5 * last_unit(is) <= 0.5 * std::abs(was) + 0.05);
        if (!same) {
            return false;
        }
    }
    return true;
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

TEST_CASE("a number is known to the decimals of the longest beside it") {
    const auto unit = [](std::string_view text, std::size_t n) { return last_unit(only(text).numbers[n]); };
    CHECK(unit("tensor([0.1921, 0.1646])", 0) == doctest::Approx(1e-4));
    CHECK(unit("tensor([1.2340e-04, 1.0000e+00])", 0) == doctest::Approx(1e-8));
    CHECK(unit("tensor([1.2340e-04, 1.0000e+00])", 1) == doctest::Approx(1e-4));
    CHECK(unit("tensor([1., 0.])", 0) == 0.0);
    CHECK(unit("tensor([1., nan])", 1) == 0.0);
    CHECK(unit("tensor([0.5, inf])", 1) == 0.0);
    // print(np.float32([0.5, 0.1921, 1])): NumPy omits trailing zeros
    CHECK(unit("[0.5    0.1921 1.    ]", 0) == doctest::Approx(1e-4));
    CHECK(unit("[0.5    0.1921 1.    ]", 2) == doctest::Approx(1e-4));
    // Python's whole numbers
    CHECK(unit("[[1.0, 0.0], [1.0, 1.0]]", 1) == 0.0);
    CHECK(unit("[[1.0, 0.5], [1.0, 1.0]]", 0) == doctest::Approx(0.1));
    CHECK(unit("[[1.00, 0.00], [1.00, 1.00]]", 0) == doctest::Approx(0.01));
    // Python and JSON mix notations, and print all digits
    CHECK(unit("[1e-05, 0.12345678]", 0) == doctest::Approx(1e-8));
    CHECK(unit("[1.234e-05, 0.12]", 0) == doctest::Approx(1e-8));
    CHECK(unit(R"({"x": [0.1921, 0.5]})", 1) == doctest::Approx(1e-4));
    CHECK(unit(R"({"x": [0.5516780614852905]})", 0) == doctest::Approx(1e-16));
}

TEST_CASE("suffixes, scalars and parameters") {
    const PrintedTensor x = only(
        "tensor([[0.1, 0.2]], device='cuda:0', dtype=torch.float64,\n       grad_fn=<SoftmaxBackward0>)");
    CHECK(x.shown == Shape{1, 2});
    CHECK(x.dtype == "torch.float64");
    CHECK(x.grad_fn == "SoftmaxBackward0");
    CHECK(only("tensor(0.5000, grad_fn=<DotBackward0>)").shown == Shape{});
    CHECK(only("tensor(7)").numbers[0].value == 7.0);
    CHECK(only("Parameter containing:\ntensor([[0.1, 0.2]], requires_grad=True)").numbers.size() == 2);
    CHECK(only("Parameter containing: tensor([[0.1, 0.2]], requires_grad=True)").name.empty());
    const PrintedTensor mask = only("tensor([[False,  True],\n        [False, False]])");
    CHECK(values(mask) == Doubles{0, 1, 0, 0});
    CHECK(only("tensor([[0.5, 0.1]], grad_fn=)").numbers.size() == 2);  // a web page drops the <…>
}

TEST_CASE("NumPy's arrays, with commas and without") {
    CHECK(only("array([[0.4 , 0.15],\n       [0.55, 0.87]], dtype=float32)").dtype == "float32");
    CHECK(values(only("[[ 1. -0.5]\n [ 0.  2. ]]")) == Doubles{1, -0.5, 0, 2});
    CHECK(values(only("[[-inf   1.]\n [ nan   0.]]"))[1] == 1.0);
    CHECK(values(only("[0 1 2]")) == Doubles{0, 1, 2});
    CHECK(values(only("[np.float32(0.25), np.float32(0.5)]")) == Doubles{0.25, 0.5});
    // print(np.arange(2000.).reshape(2, 1000))
    const PrintedTensor x = only(
        "[[0.000e+00 1.000e+00 2.000e+00 ... 9.970e+02 9.980e+02 9.990e+02]\n"
        " [1.000e+03 1.001e+03 1.002e+03 ... 1.997e+03 1.998e+03 1.999e+03]]");
    CHECK(x.fits(Shape{2, 1000}));
    CHECK(x.index_in(Shape{2, 1000}, 9) == Index{1, 997});
}

TEST_CASE("a summary tells the least a shape can be") {
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
    CHECK(x.index_in(Shape{100, 100}, 11) == Index{99, 99});
    CHECK(x.index_in(Shape{100, 100}, 2) == Index{0, 2});
}

TEST_CASE("names are found where people write them") {
    CHECK(only("attn_weights = torch.tensor([[0.5, 0.5]])").name == "attn_weights");
    CHECK(only("keys: tensor([[0.5, 0.5]])").name == "keys");
    CHECK(only(">>> print(keys)\ntensor([[0.5, 0.5]])").name == "keys");
    CHECK(only("In [3]: keys\nOut[3]: tensor([[0.5, 0.5]])").name == "keys");
    CHECK(only("In [3]: keys\nOut[3]:\ntensor([[0.5, 0.5]])").name == "keys");
    CHECK(only("print(keys)\n\ntensor([[0.5, 0.5]])").name == "keys");
    CHECK(only(">>> print(torch.from_numpy(np.float32(Q)))\ntensor([[0.5, 0.5]])").name == "Q");
    CHECK(only("print(sa_v1(inputs))\ntensor([[0.5, 0.5]])").name.empty());
    CHECK(only("Attention weights:\ntensor([[0.5, 0.5]])").name == "Attention weights");
    CHECK(only("**Attention weights：**\n[[0.5, 0.5]]").name == "Attention weights");
    CHECK(only("注意力权重：\n[[0.5, 0.5]]").name == "注意力权重");
    CHECK(only("Attention weights: tensor([0.1455, 0.2278])").name == "Attention weights");
    CHECK(only("weight Parameter containing:\ntensor([0.5, 0.5])").name == "weight");
    CHECK(only("weight: Parameter containing:\ntensor([0.5, 0.5])").name == "weight");
    CHECK(only("OrderedDict([('W_query', tensor([[0.5, 0.5]]))])").name == "W_query");
    CHECK(only("{\"W_query\": tensor([[0.5, 0.5]])}").name == "W_query");
    CHECK(only("The result is tensor([[0.5, 0.5]])").name.empty());
    CHECK(only(R"({"a": {"b": [[1, 2]]}})").name == "b");
}

TEST_CASE("tensors are found among prose, code, shapes and citations") {
    const std::vector<PrintedTensor> tensors =
        read_tensors(
            R"text(In [3] and on page [12], x[1, 2] had 0.5. 形状 [6, 6]，权重如下：
>>> mask = torch.tensor([[1.0, 0.0],
...     [1.0, 1.0]])
>>> print(mask)
tensor([[1., 0.],
        [1., 1.]])

attn.shape: torch.Size([2, 6, 2])
Use torch.tensor(x) or torch.tensor([a, b]).
> quoted: [[0.1, 0.2],
>   [0.3, 0.4]]
# tensor([0.5, 0.25,
#         0.75])
inputs = torch.tensor(
  [[0.43, 0.15, 0.89], # Your [x^1]
   [0.55, 0.87, 0.66]] # journey
)
)text",
            "notes.md")
            .tensors;
    REQUIRE(tensors.size() == 4);
    CHECK(tensors[0].name == "mask");
    CHECK(tensors[0].place == "line 5");
    CHECK(values(tensors[1]) == Doubles{0.1, 0.2, 0.3, 0.4});
    CHECK(tensors[1].name == "quoted");
    CHECK(values(tensors[2]) == Doubles{0.5, 0.25, 0.75});
    CHECK(tensors[3].name == "inputs");
    CHECK(tensors[3].shown == Shape{2, 3});
    CHECK(tensors[3].line == 14);
}

TEST_CASE("colours, no-break spaces and typographic signs are what they look like") {
    CHECK(values(only("\x1b[1mtensor\x1b[0m([[\x1b[31m0.5\x1b[0m,\u00a0\u22120.25]])")) ==
          Doubles{0.5, -0.25});
    CHECK(only("\xEF\xBB\xBF[0.5, 0.25, \u2026, 0.75]").gaps[0] == 2U);
}

TEST_CASE("JSON: nested arrays by their keys, and the data of a walkthrough's steps") {
    const std::vector<PrintedTensor> tensors =
        read_tensors(
            R"({"tokens": ["Your", "journey"], "n": 3, "embeddings": [[0.43, 0.15], [0.55, "-Infinity"]],
            "mask": [[true, false]], "more": [{"x": [1, 2]}]})",
            "lesson.json")
            .tensors;
    REQUIRE(tensors.size() == 3);
    CHECK(tensors[0].name == "embeddings");
    CHECK(tensors[0].place == "/embeddings");
    CHECK(tensors[0].numbers[3].value == -std::numeric_limits<double>::infinity());
    CHECK(values(tensors[1]) == Doubles{1, 0});
    CHECK(tensors[2].place == "/more/0/x");
    const PrintedTensor step = only(
        R"json({"steps": [{"name": "keys", "axes": ["a", "b"], "shape": [2, 1], "data": [[0.5], [0.25]],
                           "printed": "tensor([[0.5000], [0.2500]])"}]})json");
    CHECK(step.name == "keys");
    CHECK(step.shown == Shape{2, 1});
}

TEST_CASE("a tensor that cannot be read is told by line, column and text") {
    CHECK(refusal("tensor([[0.1, 0.2],\n        [0.3]])") ==
          "pasted.txt:2:9: 1 number here, but 2 in the first row; all rows need the same length.\n"
          "          [0.3]])\n          ^");
    CHECK(refusal("x\ntensor([[0.1, 0.2],\n        [0.3, 0.")
              .starts_with("pasted.txt:3:17: the text was cut off inside"));
    CHECK(refusal("tensor([[0.1, 0.2], 0.3])").starts_with("pasted.txt:1:21: a number between rows"));
    CHECK(refusal("tensor([[0.1, 0.2x]])").starts_with("pasted.txt:1:15: \"0.2x\" is not a number."));
    CHECK(refusal("tensor([[0.1, O.2]])").starts_with("pasted.txt:1:15: \"O.2\" is not a number."));
    CHECK(refusal("tensor([[abc, 0.1]])").starts_with("pasted.txt:1:10: \"abc\" is not a number."));
    CHECK(refusal("tensor([0.1,, 0.2])").starts_with("pasted.txt:1:13: a comma with nothing"));
    CHECK(refusal("tensor([[[[[0.1]]]]])").starts_with("pasted.txt:1:12: brackets nested more than 4 deep"));
    CHECK(refusal("see [[[[[0.1, 0.2]]]]]").starts_with("pasted.txt:1:9: brackets nested more than 4 deep"));
    CHECK(refusal("tensor([])").starts_with("pasted.txt:1:8: an empty bracket"));
    CHECK(refusal("tensor([0.1, ..., 0.2, ..., 0.3])").starts_with("pasted.txt:1:24: a second ..."));
    CHECK(refusal("tensor([[0.1, ..., 0.2], [0.1, 0.2]])")
              .starts_with("pasted.txt:1:26: ... is not in the same place"));
    CHECK(refusal("tensor([1e999])").starts_with("pasted.txt:1:9: \"1e999\" is not a number."));
    CHECK(refusal("[0.1, 0.2").starts_with("pasted.txt:1:10: the text was cut off inside"));
    CHECK(refusal("tensor(").starts_with("pasted.txt:1:8: the text was cut off where a number was expected"));
    CHECK(refusal("no numbers [here] at all").starts_with("pasted.txt: no tensor found; expected tensor(["));
    CHECK(refusal("\xFF\xFEt").starts_with("pasted.txt:1:1: this byte is not valid UTF-8"));
}

TEST_CASE("pasted text is UTF-8, and colours are no part of it") {
    using namespace std::string_literals;
    CHECK(refusal("tensor([0.5])\0"s).starts_with("pasted.txt:1:14: a NUL byte, as in UTF-16"));
    CHECK(refusal("caf\xe9\ntensor([0.5])").starts_with("pasted.txt:1:4: this byte is not valid UTF-8"));
    CHECK(read_tensors("\x1b[1;39m{\x1b[0m\"x\": [0.5]}", "coloured").tensors.size() ==
          1);  // as jq prints it
    CHECK(refusal("tensor([True, 0.5])") ==
          "pasted.txt:1:15: booleans and numbers in one tensor; use only one of them.\n"
          "  tensor([True, 0.5])\n                ^");
}

TEST_CASE("megabytes meet a limit") {
    std::string numbers = "[";
    while (numbers.size() < 2 * attn::max_printed_numbers + 8) {
        numbers += "1 ";
    }
    CHECK(refusal(numbers + "]", "big").find("more than 500000 numbers, the limit for text") !=
          std::string::npos);
    CHECK(refusal(numbers.substr(1), "rows").find("more than 500000 numbers, the limit for text") !=
          std::string::npos);
    std::string half = "[[";  // two copies exceed the limit
    std::string sentence;
    for (std::size_t i = 0; i <= attn::max_printed_numbers / 2; ++i) {
        half += "1 ";
        sentence += i % 1000 == 0 ? "0.25 then " : "0.25 ";
    }
    half += "]]";
    CHECK(read_tensors(half, "one").tensors.at(0).numbers.size() == attn::max_printed_numbers / 2 + 1);
    for (const std::string& text : {half + ",\n" + half, "So " + sentence + sentence + sentence}) {
        CHECK(refusal(text, "two").find("more than 500000 numbers, the limit for text") != std::string::npos);
    }
    std::string many;
    for (std::size_t i = 0; i <= attn::max_printed_tensors; ++i) {
        many += "tensor([1.5])\n\n";
    }
    CHECK(refusal(many, "many") == "many: more than 4096 tensors, the limit.");
}

TEST_CASE("rows are read without brackets, and from what is left of a tensor") {
    CHECK(values(only("0.1 0.2\n0.3 0.4\n")) == Doubles{0.1, 0.2, 0.3, 0.4});
    CHECK(only("a,0.1,0.2\nb,0.3,0.4\n").shown == Shape{2, 2});
    CHECK(only("0.1\t0.2\t0.3").shown == Shape{3});
    CHECK(only("0.1\n0.2\n0.3\n").shown == Shape{3});
    CHECK(values(only("0,1921;0,1646\n-0,2;1,5")) == Doubles{0.1921, 0.1646, -0.2, 1.5});
    CHECK(values(only("|  | Your | key |\n|---|---|---|\n| Your | 0.5 | 0.25 |\n| key | 1.5 | 0.75 |")) ==
          Doubles{0.5, 0.25, 1.5, 0.75});
    CHECK(values(only("\\begin{pmatrix}\n0.5 & -\\infty \\\\\n1.5 & 0.75 \\\\\n\\end{pmatrix}")) ==
          Doubles{0.5, -std::numeric_limits<double>::infinity(), 1.5, 0.75});
    CHECK(values(only("          0     1\n0  0.43  0.15\n1  0.55  0.87\n")) ==
          Doubles{0.43, 0.15, 0.55, 0.87});
    CHECK(values(only("12  tensor([[0.1, 0.2],\n13          [0.3, 0.4]])")) == Doubles{0.1, 0.2, 0.3, 0.4});
    CHECK(values(only("tensor([[0 .1000, 0.2000],\n        [-0 .3000, 0.4000]])")) ==
          Doubles{0.1, 0.2, -0.3, 0.4});
    CHECK(values(only("tensor([[0.1, 0.2\n        [0.3, 0.4]])")) == Doubles{0.1, 0.2, 0.3, 0.4});
    CHECK(values(only("[[0.1 0.2]\n [0.3 0.4]")) == Doubles{0.1, 0.2, 0.3, 0.4});
    CHECK(only("[0.1, 0.2],\n [0.3, 0.4]], grad_fn=<X>)").shown == Shape{2, 2});
    CHECK(only("0.1, 0.2,\n 0.3, 0.4])").shown == Shape{4});
    const attn::PrintedText cut = read_tensors("tensor([[0.1, 0.2],\n [0.3, 0.4],\n [0.5, 0.", "pasted.txt");
    REQUIRE(cut.tensors.size() == 1);
    CHECK(values(cut.tensors[0]) == Doubles{0.1, 0.2, 0.3, 0.4});
    REQUIRE(cut.skipped.size() == 1);
    CHECK(cut.skipped[0].english().starts_with("line 3: the text was cut off inside a tensor"));
    const attn::PrintedText uneven = read_tensors("0.1 0.2 0.3\n0.4 0.5\n0.6 0.7 0.8\n", "pasted.txt");
    CHECK(uneven.tensors.at(0).shown == Shape{2, 3});
    REQUIRE(uneven.skipped.size() == 1);
    CHECK(uneven.skipped[0].english() == "line 2: 2 numbers here, where the other rows have 3.");
    CHECK(read_tensors("first\n0.1 0.2\n\nthen\n0.3 0.4\n", "pasted.txt").tensors.size() == 2);
    const auto ended = read_tensors("0.1921 0.1646, dtype=torch.float32\nthen\n", "pasted.txt").tensors;
    REQUIRE(ended.size() == 1);
    CHECK(ended[0].shown == Shape{2});
}

TEST_CASE("what most numbers have tells how precisely a shorter one is known") {
    const auto decimals = [](const char* text) {
        std::vector<int> all;
        for (const attn::PrintedNumber& number : only(text).numbers) {
            all.push_back(number.decimals);
        }
        return all;
    };
    CHECK(decimals("[0.1921, 0.5, 0.25]") == std::vector<int>{4, 4, 4});  // NumPy omits trailing zeros
    CHECK(decimals("[0.12345678, 0.5, 0.25]") == std::vector<int>{8, 8, 8});
    CHECK(decimals("[0.12345678, 0.5, 0.5, 0.5, 0.5, 0.5, 0.25]") == std::vector<int>{8, 8, 8, 8, 8, 8, 8});
    CHECK(decimals("[0.11, 0.12, 0.13, 0.14, 0.15, 0.16, 0.12345678]") ==
          std::vector<int>{2, 2, 2, 2, 2, 2, 8});
    CHECK(decimals("[0.1921, 0.1646, 0.164615, 0.1540, 0.1658, 0.1540, 0.1921, 0.1646, 0, 1.]") ==
          std::vector<int>{4, 4, 6, 4, 4, 4, 4, 4, 4, 4});
}

TEST_CASE("a triangle has zeros above its diagonal") {
    const PrintedTensor triangle = only("0.1\n0.2 0.3\n0.4 0.5 0.6\n");
    CHECK(triangle.shown == Shape{3, 3});
    CHECK(values(triangle) == Doubles{0.1, 0, 0, 0.2, 0.3, 0, 0.4, 0.5, 0.6});
    CHECK(only("0.1 0.2\n0.3 0.4 0.5\n0.6 0.7 0.8 0.9\n").shown == Shape{3, 4});  // lacks its first row
    CHECK(refusal("attn_weights:\n>tensor([,\n    g ]  \\\\\\").find("pasted.txt") ==
          0);  // ends in a command
    std::string large;
    for (std::size_t row = 1; row <= 800; ++row) {
        for (std::size_t column = 0; column < row; ++column) {
            large += "0.5 ";
        }
        large += '\n';
    }
    CHECK(refusal(large).find("more than 500000 numbers") != std::string::npos);
}

TEST_CASE("rows that are left out are told, and that they are") {
    const auto leaves_out = [](const char* text) { return read_tensors(text, "pasted.txt").leaves_out; };
    CHECK(leaves_out("0.1 0.2 0.3\n0.4 0.5\n0.6 0.7 0.8\n"));
    CHECK(leaves_out("0.1 0.2 0.3\n0.4 0.5 0.6x\n0.6 0.7 0.8\n"));
    CHECK(leaves_out("0.1 0.2B 0.3\n0.4 0.5 0.6\n0.6 0.7 0.8\n"));
    CHECK(leaves_out("tensor([[0.1B, 0.2, 0.3],\n        [0.4, 0.5, 0.6]])"));
    CHECK_FALSE(leaves_out("0.1 0.2 0.3\n0.4 0.5 0.6\n"));
    CHECK_FALSE(leaves_out("These are mine:\n0.1 0.2 0.3\n0.4 0.5 0.6\nor not\n"));
    CHECK_FALSE(leaves_out("tensor([[0.1, 0.2, 0.3],\n        [0.4, 0.5"));  // truncated, as pastes often are
    CHECK_FALSE(
        leaves_out("OrderedDict([('h.0.weight', tensor([[0.1, 0.2, 0.3],\n        [0.4, 0.5, 0.6]]))])"));
    CHECK(leaves_out("[[0.1 0.2]\n 0.3 [0.4 0.5]]"));  // one number belongs to no row
    CHECK(leaves_out("0.1 0.2 0.3\n0.4 0.5 0.6\n0.6 0.7B 0.8\n"));
    CHECK(leaves_out("0.1 0.2B 0.3\n\n0.4 0.5 0.6\n0.7 0.8 0.9\n"));
    const auto numbered = read_tensors("1 tensor([[0.1, 0.2],\n2         [0.3, 0.4]])\n~\n", "vim");
    CHECK(numbered.skipped.empty());
    CHECK(numbered.tensors.at(0).shown == Shape{2, 2});
    const auto damaged = read_tensors("0.1 0.2B 0.3\n0.4 0.5 0.6\n", "pasted.txt");
    REQUIRE(damaged.skipped.size() == 1);
    CHECK(damaged.skipped[0].english() == "line 1: \"0.2B\" is not a number.");
    CHECK(only("[tensor(0.9544), tensor(1.4950),\n tensor(1.4754)]").shown == Shape{3});
    CHECK(
        read_tensors("tensor(0.9544)\n\n\ntensor(1.4950)\n\n\ntensor(1.4754)", "pasted.txt").tensors.size() ==
        3);
}

TEST_CASE("the letter O in a number is 0") {
    CHECK(values(only("O.1646 0.OO5 -1O.5\n")) == Doubles{0.1646, 0.005, -10.5});
    CHECK(values(only("[[o.25, 0.5o]]")) == Doubles{0.25, 0.50});
    CHECK(refusal("see model.o1.00 and foo.12").find("no tensor found") != std::string::npos);
}

TEST_CASE("numbers in sentences are read where a text has neither lists nor rows") {
    CHECK(values(only("My row is 0.19, 0.16 and -0.17. Why?")) == Doubles{0.19, 0.16, -0.17});
    CHECK(values(only("it gave 1.25e-03, 2.5000e-01.")) == Doubles{1.25e-3, 0.25});
    CHECK(values(only("第一行是 0.19，0.16 和 0.17。")) == Doubles{0.19, 0.16, 0.17});
    const PrintedTensor rows = only("w[0] = 0.19 0.16 ...\nw[1] = 0.20 0.16 ...\n");
    CHECK(rows.shown == Shape{2, 2});
    CHECK(rows.name == "w");
    const auto apart = read_tensors("Mine are 0.19, 0.16; the book has 0.20, 0.17 there.\n", "mail").tensors;
    REQUIRE(apart.size() == 2);
    CHECK(values(apart[1]) == Doubles{0.2, 0.17});
    for (const char* none : {"see 3.1 and 3.2 of the book", "torch 1.13.1, 2.01.0 or later",
                             "only 0.19 there", "v0.19, v0.16", "in 2024, 12 of 36"}) {
        CAPTURE(none);
        CHECK(refusal(none).find("no tensor found") != std::string::npos);
    }
}

TEST_CASE("whatever a text repeats, reading it takes linear time") {
    const auto seconds = [](std::string_view repeated, std::size_t size) {  // processor time
        std::string text;
        while (text.size() < size) {
            text += repeated;
        }
        const std::clock_t started = std::clock();
        CHECK_FALSE(refusal(text).empty());
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
                                            "0.25.",
                                            "0.5x "}) {
        CAPTURE(repeated);
        // Ten times the text must take about ten times the time, not a hundred times.
        CHECK(seconds(repeated, 1'000'000) < 25.0 * seconds(repeated, 100'000) + 0.1);
    }
    std::string deep(10'000, '[');
    deep += "0.5, 0.25";
    deep.append(10'000, ']');
    CHECK(refusal(deep).starts_with("pasted.txt:1:5: brackets nested more than 4 deep"));
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
        for (const std::string& text :
             {attn::stage_text(walked, attn::Narration("en", stage->name), {}), json}) {
            const std::vector<PrintedTensor> tensors = read_tensors(text, "walkthrough").tensors;
            REQUIRE(tensors.size() == walked.steps.size());
            for (std::size_t i = 0; i < tensors.size(); ++i) {
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
