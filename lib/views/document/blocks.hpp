// A walkthrough or a sheet of exercises as blocks in reading order. Markdown, LaTeX and notebooks are written
// from the same blocks. In a notebook, a block with a name begins a cell with this name.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "notebook/expression.hpp"
#include "notebook/notebook.hpp"
#include "views/document/memory_text.hpp"
#include "views/format.hpp"
#include "words/words.hpp"

namespace attn {

enum class ProseKind { title, heading, label, paragraph, remark };  // a label is a line in bold

struct Prose {
    ProseKind kind;
    std::string text, name = {};
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
struct Comment {  // in the source, but not shown
    std::string text;
};
using Block = std::variant<Prose, Expr, Output, Code, AnswerLine, Comment>;
using Blocks = std::vector<Block>;

Blocks walkthrough(const Trace& trace, const Style& style);

using DocumentFormat = void (*)(const WriteBytes& write, const Blocks& blocks, const Style& style);
template <DocumentFormat format>
void write_walkthrough(const WriteBytes& write, const Trace& trace, const Style& style) {
    format(write, walkthrough(trace, style), style);
}

// A document for LaTeX with amsmath; printed tensors become matrices.
void write_latex(const WriteBytes& write, const Blocks& blocks, const Style& style);

// CommonMark, with formulas between dollar signs as in GitHub and Jupyter.
void write_markdown(const WriteBytes& write, const Blocks& blocks, const Style& style);
std::string markdown(const Block& block, const Words& phrases);

// A Jupyter notebook, nbformat 4.5. Titles, notes and formulas are Markdown cells. The code of a step is a
// code cell, and the printed tensor is its stored output. An answer to an exercise is a code cell.
void write_ipynb(const WriteBytes& write, const Blocks& blocks, const Style& style);

// The code as a Python program that prints the same tensors, with headings as comments.
void write_python(const WriteBytes& write, const Blocks& blocks, const Style& style);

// The code as a C++ program that prints the same tensors. Each stage has a block of its own.
void write_cpp(const WriteBytes& write, const Blocks& blocks, const Style& style);

// Throw Error unless the code is Python, because notebooks run Python, and unless it is C++.
void require_python(const Trace& trace);
void require_cpp(const Trace& trace);

}  // namespace attn
