// The parts of a walkthrough: text, code and output. The text on the terminal, the page and documents show
// them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "notebook/expression.hpp"
#include "stages/trace.hpp"
#include "tensor/tensor_text.hpp"
#include "views/document/memory_text.hpp"
#include "views/document/row_window.hpp"
#include "views/format.hpp"
#include "words/narration.hpp"

namespace attn {

struct StepPart {
    std::size_t id;       // the node's id
    std::string heading;  // the heading of the group, if this step is the first of one; may be empty
    std::string title, note;
    std::vector<std::string> errata;
    Expr formula;                   // the formula; empty if the operation has none
    std::vector<std::string> code;  // the step's statements
    std::vector<Exchange> layout;   // the memory layout of a tensor of higher rank
    std::string drawing;            // drawing of the memory; may be empty
};

struct StagePart {
    std::string title;
    std::string book;  // `In the book: 3.5.1, …`; empty if the book does not cover the stage
    std::string intro;
    std::string tokens;  // `Rows: 0 Your, 1 journey, …`; empty if tokens have only positions
    std::string letters;  // `Letters in formulas: X = inputs, W_q = W_query, …`; empty if formulas have names
    std::vector<std::string> setup;
    std::vector<StepPart> steps;  // the shown steps
    // The compact class that computes the same in one call, and what it prints; empty if the stage has none.
    std::vector<std::string> module;
    std::string module_output;
    // `In: …`, `Out: …`, `Next: …`: what goes in, what comes out, what the next stage adds
    std::vector<std::string> closing;
    std::string next;  // suggestions of what to try next; may be empty
};

// `variant` is what the page switched off, mask, scaling or dropout; the texts depend on it.
StagePart stage_part(const StageTrace& trace, const Style& style, std::string_view variant = {});

// Returns what the letters in the formulas of steps stand for: `X = inputs, W_q = W_query, d_k =
// keys.shape[-1]`. If more than two names differ only in their number, they are listed once, as `K_i =
// cache_keys_i`. A gradient's letter is not listed, because it is that of its tensor with ∂.
std::string letters_of(const StageTrace& trace, std::span<const std::size_t> steps);

// `16/20 · attn_weights_causal`
std::string place_of(const StageTrace& trace, std::size_t step);

// Returns the code that prints a step's tensor, and the output as PyTorch prints it. With a window, these are
// the tensor's rows; with an index of the leading axes, only this item: `print(queries_heads[0, 0])`. Only
// the output of PyTorch code has requires_grad and grad_fn. A single number has no rows and is always
// printed.
Exchange printing(const StageTrace& trace, std::size_t id, const PrintOptions& options,
                  const std::optional<RowWindow>& window = {}, const std::vector<std::size_t>& index = {});

// Returns the index of the first sequence and of a head, or of the first one, among the leading axes. Empty
// for a stage without heads, and for a matrix. If query heads share keys and values, this is the shared head.
std::vector<std::size_t> head_index(const StageTrace& trace, std::size_t id, std::optional<std::size_t> head);

// Returns a function that translates the English words of formulas. It refers to the phrases.
FormulaWord formula_words(const Words& phrases);

// Returns options with which PyTorch prints the stage without exponents, if all its numbers remain readable;
// otherwise the given ones.
PrintOptions without_exponents(const StageTrace& trace, const PrintOptions& options);

// Returns a statement, shortened: of many lines, such as the rows of a large tensor, the middle is left out,
// and of very long rows of numbers the end. JSON has the whole statement.
std::string excerpt(std::string_view statement, const Words& phrases);

// Joins several excerpts, one below the other.
std::string excerpts(const std::vector<std::string>& statements, const Words& phrases);

}  // namespace attn
