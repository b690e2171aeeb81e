// The parts of a walkthrough that its views share: text, code and output. Narration has the other texts.
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
#include "words/narration.hpp"

namespace attn {

// Returns the lines before the first step. Some of them make PyTorch print as `options` say.
std::vector<std::string> session_setup(const StageTrace& trace, const PrintOptions& options);

// Returns `Rows: 0 Your, 1 journey, …`; empty if tokens have only positions.
std::string token_list(const StageTrace& trace, const Words& phrases);

// Returns `In: …`, `Out: …`, `Next: …`: what goes in, what comes out, what the next stage adds. Empty if the
// narration does not say what goes in.
std::vector<std::string> closing_of(const StageTrace& trace, const Narration& words, const Words& phrases);

// The compact class that computes the same as a stage in one call, and what it prints.
struct ModuleCode {
    std::vector<std::string> statements;
    std::string output;
};

// Returns nothing if the stage has no such class, the weights are not drawn as it draws them, or something is
// left out or replaced.
std::optional<ModuleCode> module_of(const StageTrace& trace, const PrintOptions& options);

// Returns what the letters in the formulas of steps stand for: `X = inputs, W_q = W_query, d_k =
// keys.shape[-1]`. If more than two names differ only in their number, they are listed once, as `K_i =
// cache_keys_i`. A gradient's letter is not listed, because it is that of its tensor with ∂.
std::string letters_of(const StageTrace& trace, std::span<const std::size_t> steps);

// Returns `Letters in formulas: X = inputs, …` for the shown steps; empty if formulas have names.
std::string letters_line(const StageTrace& trace, const Words& phrases);

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
