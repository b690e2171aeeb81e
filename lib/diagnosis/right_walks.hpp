// The right walks to compare pasted numbers with: at the given parameters, at those of the documents' tables
// where none are given, and at widths that the numbers suggest.
#pragma once

#include <span>
#include <vector>

#include "diagnosis/diagnosis.hpp"
#include "words/errata.hpp"

namespace attn {

// Bits for a width or a batch that is neither given nor a document's.
inline constexpr double bits_of_width = 3.0;

// Bits for a mistake that is known to be in print.
inline constexpr double bits_of_erratum = 1.0;

struct RightWalk {
    StageTrace trace;
    double bits = 0.0;                           // that it takes to say its parameters
    std::vector<std::string_view> not_chosen{};  // those neither given nor the stage's or a document's
    bool of_document = false;  // these are those of a document's table, where others were not settled
    const Erratum* erratum =
        nullptr;  // these are those of numbers that are known to be printed with a mistake
};

// Throws Error when a requested stage does not fit the parameters, or no stage does, and when `as` is not a
// step of any.
std::vector<RightWalk> right_walks(const Question& question);

// The same with widths, heads' shares and batches of the tensors' own sizes, where the question leaves them
// open and some step then has such a shape.
std::vector<RightWalk> resized_walks(std::span<const PrintedTensor* const> tensors, const Question& question);

// True if an axis has the size of the lesson's tokens or embeddings, as in every resized step. Also true for
// rows and summaries, whose full shape is unknown.
bool may_be_resized(const PrintedTensor& pasted, const Lesson& lesson);

// The same with a bias, which torch.nn.Linear has by default, and gradients without dropout.
std::vector<RightWalk> other_layers_walks(const Question& question);

// The document that prints a table of this stage with these parameters, one of the step if there is any;
// empty when there is none.
std::string document_of(const StageTrace& trace, std::string_view step, const Question& question);

}  // namespace attn
