// A walkthrough or a sheet of exercises as blocks in reading order. Markdown, LaTeX and notebooks are written
// from the same blocks. In a notebook, a block with a name begins a cell with this name.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "notebook/expression.hpp"
#include "notebook/notebook.hpp"
#include "views/format.hpp"
#include "views/text/memory_text.hpp"

namespace attn {

struct Heading {
    std::string name, text;
    std::size_t level = 2;  // the level of a heading; 1 for titles
};
struct Label {  // a line in bold
    std::string text;
};
struct Prose {
    std::string text, name = {};
};
struct Remark {
    std::string text;
};
struct Output {
    std::string text, name = {};
};
struct Code {
    std::string name;
    std::vector<std::string> statements;  // empty if only notebooks show the code
    Exchange cell;                        // all lines of the notebook's cell, and their output
    const Node* shows = nullptr;          // the step whose tensor the code computes and prints
    std::string drawing = {};             // a drawing of the tensor's memory; may be empty
    Language language = Language::torch;
};
struct AnswerLine {
    std::size_t task;
    std::string label;
    std::optional<std::string> text;  // the answer; without it, the sheet has space for one
};
using Block = std::variant<Heading, Label, Prose, Remark, Expr, Output, Code, AnswerLine>;
using Blocks = std::vector<Block>;

Blocks walkthrough(const Trace& trace, const Style& style);

using DocumentFormat = void (*)(const WriteBytes& write, const Blocks& blocks, const Style& style);
template <DocumentFormat format>
void write_walkthrough(const WriteBytes& write, const Trace& trace, const Style& style) {
    format(write, walkthrough(trace, style), style);
}

}  // namespace attn
