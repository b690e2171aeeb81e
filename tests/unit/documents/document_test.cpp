// Documents of every format: the kinds, texts and places of their items.
#include "documents/document.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "refusal.hpp"

using attn::Document;
using attn::Item;
using attn::Place;
using attn::read_document;

namespace {

// Lists the items as "kind@line: text", with line breaks as /.
std::string items_of(std::string_view text) {
    constexpr std::string_view kinds[] = {"code", "output", "error", "prose"};
    std::string all;
    for (const Item& item : read_document(text, "mine").items) {
        std::string one = item.text.substr(0, item.text.find_last_not_of('\n') + 1);
        for (char& c : one) {
            c = c == '\n' ? '/' : c;
        }
        all += fmt::format("{}@{}: {}\n", kinds[static_cast<int>(item.kind)], item.place.line, one);
    }
    return all;
}

constexpr std::string_view notebook = R"({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
 {"cell_type": "markdown", "source": ["# Mine"]},
 {"cell_type": "code", "execution_count": 27, "source": ["%%time\n", "print(keys)\n", "keys"], "outputs": [
  {"output_type": "stream", "name": "stdout", "text": "tensor([[0.3669, 0.7646],\n"},
  {"output_type": "stream", "name": "stderr", "text": "a warning\n"},
  {"output_type": "stream", "name": "stdout", "text": ["        [0.4433, 1.1419]])\nten", "sor("]},
  {"output_type": "stream", "name": "stdout", "text": "0.5)\ntensor(0.6)\n"},
  {"output_type": "display_data", "data": {"image/png": "iVBORw0KGgo="}},
  {"output_type": "execute_result", "data": {"text/plain": "\u001b[31m0.5\u001b[0m"}},
  {"output_type": "error", "ename": "NameError", "evalue": "no W", "traceback": []}]},
 {"cell_type": "code", "execution_count": null, "source": "", "outputs": []}]})";

}  // namespace

TEST_CASE("a notebook is read with cells as in its JSON, and split streams in one piece") {
    const Document document = read_document(notebook, "mine.ipynb");
    REQUIRE(document.items.size() == 6);
    CHECK(document.format == Document::Format::notebook);
    CHECK(document.items[1].kind == Item::Kind::code);
    const Item& stream = document.items[2];
    CHECK(stream.text == "tensor([[0.3669, 0.7646],\n        [0.4433, 1.1419]])\ntensor(0.5)\ntensor(0.6)\n");
    CHECK(document.items[3].kind == Item::Kind::error);
    CHECK(document.items[4].text == "0.5");
    CHECK(document.items[4].place.output == 5);
    CHECK(document.items[5].text == "NameError: no W");
    const auto at = [&](std::size_t line) {
        const Place place = stream.place_of(line);
        CHECK(place.cell == 1U);
        return fmt::format("{} {}", place.output, place.line);
    };
    CHECK(at(1) == "0 1");
    CHECK(at(2) == "2 1");
    CHECK(at(3) == "2 2");
    CHECK(at(4) == "3 2");
}

TEST_CASE("a place is named as its owner counts: cells from 1, with the execution count") {
    CHECK(attn::place_text({.cell = 13, .execution_count = 27}).english() == "cell 14 [27]");
    CHECK(attn::place_text({.cell = 13}).english() == "cell 14");
    CHECK(attn::place_text({.line = 31}).english() == "line 31");
}

TEST_CASE("notebooks of nbformat 3 are read, and damaged ones are refused with the place") {
    const Document document = read_document(
        R"({"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "code", "input": "x", "prompt_number": 2,
            "outputs": [{"output_type": "pyout", "text": ["0.25"]}]}]}]})",
        "old.ipynb");
    REQUIRE(document.items.size() == 2);
    CHECK(document.items[1].text == "0.25");
    CHECK(document.items[1].place.execution_count == 2U);
    CHECK(attn::refusal_of([] { read_document(notebook.substr(0, 500), "cut.ipynb"); }).find("cut.ipynb:") ==
          0);
}

TEST_CASE("texts are split into code and outputs") {
    CHECK(items_of("I get\n```python\nprint(keys)\n```\nand\n\n```\ntensor([0.5])\n```\nWhy?\n") ==
          "prose@1: I get\ncode@3: print(keys)\nprose@5: and\noutput@8: tensor([0.5])\nprose@10: Why?\n");
    CHECK(items_of("```python\ntensor([[0.5, 0.25]])\n```\n") == "output@2: tensor([[0.5, 0.25]])\n");
    CHECK(items_of(">>> for x in a:\n...     print(x)\n...\n0.5\n0.25\n>>> b\ntensor([1.])\n") ==
          "code@1: for x in a:/    print(x)\noutput@4: 0.5/0.25\ncode@6: b\noutput@7: tensor([1.])\n");
    CHECK(items_of(
              "In [7]: x = f(\n   ...:     2)\n\nIn [8]: x\nOut[8]: \ntensor([[0.5],\n        [0.25]])\n") ==
          "code@1: x = f(/    2)\ncode@4: x\noutput@6: tensor([[0.5],/        [0.25]])\n");
    CHECK(items_of("x = a @ b\nprint(x)  # tensor([0.5])\n\ndef f():\n    # [[0.5]]\n    return 1\n# Sum:\n# "
                   "0.25\n") ==
          "code@1: x = a @ b/print(x)  # tensor([0.5])\noutput@2:  tensor([0.5])\n"
          "code@4: def f():/    # [[0.5]]/    return 1\noutput@7:  Sum:/ 0.25\n");
    CHECK(items_of("import torch\nx = torch.tensor([\n    [0.5, 0.25],  # "
                   "one\n])\nprint(x)\ntensor([[0.5000, 0.2500]])\n") ==
          "code@1: import torch/x = torch.tensor([/    [0.5, 0.25],  # one/])/print(x)\n"
          "output@6: tensor([[0.5000, 0.2500]])\n");
    CHECK(items_of("keys = tensor([[0.5, 0.25]])\n") == "output@1: keys = tensor([[0.5, 0.25]])\n");
}
