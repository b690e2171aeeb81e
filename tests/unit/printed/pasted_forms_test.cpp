// Unusual forms in which people paste tensors, and texts that only look like a tensor.
#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

#include "read.hpp"

using attn::Doubles;
using attn::only;
using attn::PrintedTensor;
using attn::read_tensors;
using attn::refusal;
using attn::Shape;
using attn::values;

namespace {

// Returns the name of a tensor that follows these words.
std::string name_after(const std::string& words) {
    return only(words + "tensor([[0.5, 0.5]])").name;
}

}  // namespace

TEST_CASE("brackets that index, cite or stand in prose are no tensors") {
    for (const std::string_view text :
         {"f(x)[0.5, 0.25]", "x[0][0.5, 0.25]", "\"a\"[0.5, 0.25]", "'a'[0.5, 0.25]", "[3] is a citation",
          "by [0.5] or so", "see [[", "tensor(-x)", "[+, -]", " \n", "{", "{}", "{x"}) {
        CAPTURE(text);
        CHECK(refusal(text).starts_with("pasted.txt: no tensor found"));
    }
    CHECK(values(only("it was [0.5, 0.25] here")) == Doubles{0.5, 0.25});
}

TEST_CASE("of what cannot be read, the one that most looked like a tensor is told") {
    CHECK(refusal("tensor([a, b]) [0.5, x]").starts_with("pasted.txt:1:22: \"x\" is not a number."));
    CHECK(refusal("tensor([a, b]) tensor([-b])").starts_with("pasted.txt:1:9: \"a\" is not a number."));
    CHECK(refusal("tensor([[[[[a]]]]])").starts_with("pasted.txt:1:12: brackets nested more than 4 deep"));
    CHECK(refusal("tensor([[[[0.5, [0.5]]]]])")
              .starts_with("pasted.txt:1:17: brackets nested more than 4 deep"));
    CHECK(refusal("tensor([[[1.], [2.]], [[3.]]])")
              .starts_with("pasted.txt:1:23: 1 row here, but 2 in the first matrix"));
    CHECK(refusal("see [[[[[[[0.5]]]]]]]").starts_with("pasted.txt:1:9: brackets nested more than 4 deep"));
}

TEST_CASE("a slip within a number is shown, not split into two numbers") {
    for (const std::string_view slip :
         {"0.2_1", "0.2X", "nan5", "0.5.1", "0.5+1", "1-2", "1e+x", "1ex", "é"}) {
        CAPTURE(slip);
        CHECK(refusal("tensor([[0.1, " + std::string(slip) + "]])")
                  .starts_with("pasted.txt:1:15: \"" + std::string(slip) + "\" is not a number."));
    }
    CHECK(refusal("tensor([[0.1, 0.2{]])").starts_with("pasted.txt:1:18: a bracket among numbers"));
    CHECK(refusal("tensor([0.1, 1e").starts_with("pasted.txt:1:14: \"1e\" is not a number."));
    CHECK(refusal("tensor([0.1, 1e+").starts_with("pasted.txt:1:14: \"1e+\" is not a number."));
    CHECK(refusal("[np.float32(0.25), np.float32(0.5]")
              .starts_with("pasted.txt:1:20: \"np.float32(0.5\" is not a number."));
    CHECK(values(only("[np.float64(0.25), +1.5, .5, 1E-1, 2E+1]")) == Doubles{0.25, 1.5, 0.5, 0.1, 20});
    CHECK(values(only("[.5, 1.5]")) == Doubles{0.5, 1.5});
    CHECK(values(only("[+.5, 1.5]")) == Doubles{0.5, 1.5});
}

TEST_CASE("what stands behind the numbers is read as far as it can be made out") {
    const PrintedTensor x =
        only("tensor([0.5, 0.25], device=torch.device(type='cuda', index=0), dtype=torch.float64)");
    CHECK(x.dtype == "torch.float64");
    CHECK(only("tensor([[0.5, 0.25]]\n").dtype.empty());
    const std::vector<PrintedTensor> two =
        read_tensors("tensor([0.5, 0.25] and [0.75, 1.0])", "pasted.txt").tensors;
    REQUIRE(two.size() == 2);
    CHECK(values(two[1]) == Doubles{0.75, 1.0});
}

TEST_CASE("marks of quotations and tables before each line are no part of a tensor") {
    CHECK(values(only("| [[0.1, 0.2],\n|  [0.3, 0.4]]")) == Doubles{0.1, 0.2, 0.3, 0.4});
    CHECK(values(only(">> [[0.1, 0.2],\n>>  [0.3, 0.4]]")) == Doubles{0.1, 0.2, 0.3, 0.4});
    CHECK(values(only("#| [[0.1, 0.2],\n#|  [0.3, 0.4]]")) == Doubles{0.1, 0.2, 0.3, 0.4});
}

TEST_CASE("code typed at a prompt is no output, to the last line of the text") {
    CHECK(only("tensor([[0.5, 0.5]])\n>>> torch.tensor([[1.0, 2.0]])").line == 1);
    const PrintedTensor x =
        only(">>> with torch.no_grad():\n...     print(torch.tensor([[1.0]]))\n...\ntensor([[0.5, 0.5]])");
    CHECK(x.line == 4);
    CHECK(x.name.empty());
}

TEST_CASE("names stand in many places, and not every word is one") {
    CHECK(name_after("keys:\n```\n") == "keys");
    CHECK(name_after("keys =\n") == "keys");
    CHECK(name_after("Out[3]: Keys:\n") == "Keys");
    CHECK(only("keys = np.asarray([[0.5, 0.25]])").name == "keys");
    for (const std::string words : {"keys\n", "d{0}\n", ">>> print(3)\n", ">>> print(.5)\n", "\" = ", "x, ",
                                    "= ", "\" is what: \"= ", "**Parameter containing:**\n"}) {
        CAPTURE(words);
        CHECK(name_after(words).empty() == (words != "\" is what: \"= "));
    }
    CHECK(name_after("In [Figure 3, keys:\n") == "In [Figure 3, keys");
    CHECK(name_after(std::string(80, 'k') + " = ").size() == 80);
    CHECK(name_after(std::string(81, 'k') + " = ").empty());
}

TEST_CASE("JSON that holds a crooked tensor is told by line and column, as other text is") {
    CHECK(only(R"({"none": [], "x": [1, 2]})").place == "/x");
    CHECK(only(R"([{"x": [1, 2]}])").place == "/0/x");
    CHECK(only(R"({"a/b": [{"x\u0041": [1, 2]}]})").place == "/a~1b/0/xA");
    CHECK(only(R"({"name": "x", "data": 0.5})").shown == Shape{});
    CHECK(only(R"({"name": "x", "data": 0.5, "more": [1, 2]})").name == "x");
    CHECK(only(R"({"data": [0.5], "more": 1, "name": 7})").name == "data");
    CHECK(values(only(R"({"x": [NaN, "NaN", Infinity, "-Infinity", 0.5]})"))[3] ==
          -std::numeric_limits<double>::infinity());
    const std::string mixed = "booleans and numbers in one tensor; use only one of them.";
    for (const auto& one : {
             std::pair<std::string, std::string>{R"({"x": [[1, 2], [3, "a"]]})",
                                                 "21: \"a\"\" is not a number."},
             {R"({"x": [true, null]})", "14: \"null\" is not a number."},
             {R"({"x": [true, [1]]})", "14: a bracket among numbers"},
             {R"({"x": [[1], []]})", "13: an empty bracket"},
             {R"({"x": [[[1]], [2]]})", "16: a number between rows"},
             {R"({"x": [[1, 2], [3]]})", "16: 1 number here, but 2 in the first row"},
             {R"({"x": [[1, 2], 3]})", "16: a number between rows"},
             {R"({"x": [[1, 2], )", "16: the text was cut off inside a tensor; 1 closing bracket"},
             {R"({"x": [[0.5, 1], [true, 1]]})", "19: " + mixed},
             {R"({"x": [[true], [0.5]]})", "17: " + mixed},
         }) {
        CAPTURE(one.first);
        CHECK(refusal(one.first).starts_with("pasted.txt:1:" + one.second));
    }
}

TEST_CASE("what begins as JSON and goes on as something else is read to its end") {
    CHECK(only(R"({"keys": tensor([[0.5, 0.25]])})").name == "keys");
    CHECK(only(R"({"keys": [[0.5, 0.25]], "n": nothing)").name == "keys");
    CHECK(only(R"({"keys": [[0.5, 0.25]], "prin)").name == "keys");
    const std::vector<PrintedTensor> lines =
        read_tensors("{\"x\": [0.5, 1]}\n{\"y\": [0.25, 1]}\nz = [0.5, 0.25]", "pasted.txt").tensors;
    REQUIRE(lines.size() == 3);
    CHECK(lines[1].name == "y");
    CHECK(lines[1].line == 2);
    CHECK(lines[2].place == "line 3");
    std::string deep;
    for (int i = 0; i < 100; ++i) {
        deep += "{\"x\": ";
    }
    CHECK(only(deep + "[[0.5, 0.25]]").name == "x");
}

TEST_CASE("JSON meets the limits of other texts") {
    std::string many = "{";
    for (std::size_t i = 0; i <= attn::max_printed_tensors; ++i) {
        many += (i == 0 ? "\"" : ", \"") + std::to_string(i) + "\": [1]";
    }
    CHECK(refusal(many + "}") == "pasted.txt: more than 4096 tensors, the limit.");
    std::string numbers = "{\"x\": [1";
    for (std::size_t i = 0; i < attn::max_printed_numbers; ++i) {
        numbers += ",1";
    }
    CHECK(refusal(numbers + "]}").find("more than 500000 numbers, the limit for text") != std::string::npos);
}

TEST_CASE("numbers that were broken or misread are mended where those beside them leave no doubt") {
    for (const char* text : {"tensor([[0. 5517, 0.4483],\n        [0.2500, 0 .7500]])",
                             "tensor([[0,4483, 0.5517],\n        [0.2500, 0.7500]])",
                             "tensor([[0.55l7, 0.44B3],\n        [O.2SOO, 0.7500]])"}) {
        CAPTURE(text);
        CHECK(only(text).shown == Shape{2, 2});
        CHECK(values(only(text))[3] == 0.75);
    }
    CHECK(only("tensor([[0. 5517, 0.4483]])").mended);
    CHECK(values(only("[0.5517, 0,12]")) == Doubles{0.5517, 0, 12});
    const attn::PrintedText rows = read_tensors("0.5517 0.2l\n0.2500 0.7500\n0.1 0.25", "pasted.txt");
    CHECK(rows.tensors.at(0).shown == Shape{2, 2});
    CHECK(rows.leaves_out);  // two digits among four
}

TEST_CASE("decimal commas are read in lists, rows and quoted CSV, and whole numbers stay whole") {
    for (const char* text :
         {"tensor([[0,5517; 0,4483], [0,2500; 0,7500]])", "tensor([[0,5517, 0,4483],\n [0,2500, 0,7500]])",
          "0,5517, 0,4483\n0,2500, 0,7500", "\"0,5517\",\"0,4483\"\n\"0,2500\",\"0,7500\""}) {
        CAPTURE(text);
        CHECK(only(text).shown == Shape{2, 2});
        CHECK(values(only(text)) == Doubles{0.5517, 0.4483, 0.25, 0.75});
    }
    CHECK(values(only("[[0.5517\uff0c\uff10.\uff14483], [0.25, 0.75]]")) ==
          Doubles{0.5517, 0.4483, 0.25, 0.75});
    CHECK(values(only("[[12,34],[56,78]]")) == Doubles{12, 34, 56, 78});
    CHECK(values(only("1,2,3\n4,5,6")) == Doubles{1, 2, 3, 4, 5, 6});
}

TEST_CASE("other programs' forms: pandas, PowerShell, R, autograd") {
    using namespace std::string_literals;
    const Doubles expected{0.5517, 0.4483, 0.25, 0.75};
    CHECK(values(only(R"({"0":{"0":0.5517,"1":0.25},"1":{"0":0.4483,"1":0.75}})")) == expected);
    CHECK(values(only(R"([{"0":0.5517,"1":0.4483},{"0":0.25,"1":0.75}])")) == expected);
    CHECK(values(only("\xFF\xFE[\0000\0.\0005\0,\0001\0]\0"s)) == Doubles{0.5, 1});
    CHECK(values(only("     [,1] [,2]\n[1,] 0.5517 -Inf\n[2,] 0.2500 0.7500"))[1] ==
          -std::numeric_limits<double>::infinity());
    CHECK(name_after("keys.grad\n") == "keys.grad");
}

TEST_CASE("whatever looks like a number and was not used is reported") {
    const auto message = [](const char* text) {
        const attn::PrintedText read = read_tensors(text, "pasted.txt");
        CHECK(read.leaves_out == !read.skipped.empty());
        return read.skipped.empty() ? "" : read.skipped[0].english();
    };
    CHECK(message("x = tensor([0.5517, 0.4483])\nloss: 0.6931\n") ==
          "line 2: \"0.6931\" is not part of a tensor and is not compared.");
    CHECK(message("w[0]: [0.5517, 0.4483]\nw[1]: [0.2500, 0.75x]") == "line 2: \"0.75x\" is not a number.");
    CHECK(message("The 0.5517 of layer 1:\ntensor([0.5517, 0.4483])").empty());  // part of a sentence
    CHECK(message("Row 1 looks at token 0\n(0.5517) and itself (0.4483).\ntensor([0.5517, 0.4483])").empty());
    CHECK(read_tensors("I have [0.5517, 0.4483], the book 0.25, 0.7 there.", "pasted.txt").tensors.size() ==
          2);
}
