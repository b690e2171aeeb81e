// A walkthrough as the parts a document is made of: what is said, what is run, and what it answers. How they
// are set is left to the formats: session text, Markdown, LaTeX, notebook.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "notebook/expression.hpp"
#include "stages/trace.hpp"
#include "tensor/tensor_text.hpp"
#include "views/format.hpp"
#include "views/text/memory_text.hpp"
#include "views/text/row_window.hpp"
#include "words/narration.hpp"

namespace attn {

struct StepPart {
    std::size_t id;       // of its node
    std::string heading;  // of the steps from this one on; mostly empty
    std::string title, note;
    std::vector<std::string> errata;
    Expr formula;                   // none for an operation without one
    std::vector<std::string> code;  // statements
    std::vector<Exchange> layout;   // the memory layout of a tensor of higher rank
    std::string drawing;            // of that memory; empty where there is none
};

struct StagePart {
    std::string title, intro;
    std::string tokens;  // `Rows: 0 Your, 1 journey, …`; empty where positions are all their names
    std::string
        letters;  // `Letters in formulas: X = inputs, W_q = W_query, …`; empty where formulas use names
    std::vector<std::string> setup;
    std::vector<StepPart> steps;  // those shown
    std::string next;             // suggestions of what to try next; may be empty
};

StagePart stage_part(const StageTrace& trace, const Narration& words, const PrintOptions& options);

// `16/20 · attn_weights_causal`
std::string place_of(const StageTrace& trace, std::size_t step);

// The lines before the first step, what makes PyTorch print as `options` say among them.
std::vector<std::string> session_setup(const StageTrace& trace, const PrintOptions& options);

// The code that shows a step's tensor, or its rows in the window, and the output as PyTorch prints it. The
// output has requires_grad and grad_fn only if the code is PyTorch's. A single number has no rows and stays
// as it is.
Exchange printing(const StageTrace& trace, const Node& step, const PrintOptions& options,
                  const std::optional<RowWindow>& window = std::nullopt);

// The answer alone.
std::string printed(const StageTrace& trace, const Node& step, const PrintOptions& options,
                    const std::optional<RowWindow>& window = std::nullopt);

// The lines of a cell that shows all of a step when it is run, and what they print.
Exchange cell_of(const StageTrace& trace, const StepPart& step, const PrintOptions& options);

// A statement; of a literal with many rows or columns the middle is left out, as PyTorch prints a large
// tensor. JSON has all of it.
std::string excerpt(std::string_view statement, const Words& phrases);

// Several, one below the other.
std::string excerpts(const std::vector<std::string>& statements, const Words& phrases);

// `python` or `cpp`, as Markdown and notebooks call the language of code lines.
std::string_view highlighted_as(Language language);

}  // namespace attn
