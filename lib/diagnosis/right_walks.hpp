// The right walks to compare pasted numbers with: at the given parameters; if none are given, at those of the
// documents' tables; and at widths that the numbers suggest.
#pragma once

#include <span>
#include <vector>

#include "diagnosis/budget.hpp"
#include "diagnosis/diagnosis.hpp"
#include "words/errata.hpp"

namespace attn {

// Returns how many numbers a walk computes, which is proportional to its time and memory.
std::size_t effort(const StageTrace& trace);

struct RightWalk {
    StageTrace trace;
    double bits = 0.0;                           // description length of its parameters
    std::vector<std::string_view> not_chosen{};  // parameters without a known value
    bool of_document = false;                    // the parameters are those of a document's table
    const Erratum* erratum = nullptr;            // the parameters are those of a known erratum
};

// Throws Error when a requested stage does not fit the parameters, when no stage does, and when no stage has
// a step called `as`.
std::vector<RightWalk> right_walks(const Question& question, Budget& budget);

// Walks at widths, shared heads and batch sizes that the tensors' sizes suggest, if the question leaves them
// open and some step then has a tensor's shape.
std::vector<RightWalk> resized_walks(std::span<const PrintedTensor* const> tensors, const Question& question,
                                     Budget& budget);

// Returns true if an axis has the size of the lesson's tokens or embeddings, as every step of resized_walks()
// has. Returns true also for rows and summaries, whose full shape is unknown.
bool may_be_resized(const PrintedTensor& pasted, const Lesson& lesson);

// Walks with a bias where the candidate has none, or without its bias, and gradients without dropout.
std::vector<RightWalk> other_layers_walks(const Question& question, Budget& budget);

// Returns the backward walks of candidates that were to walk forward only, with the gradients of weights as
// their steps: a paste of layer.weight.grad may have no label.
std::vector<RightWalk> gradient_walks(const Question& question, Budget& budget);

// Returns the document that prints a table of this stage with these parameters, preferably a table of this
// step; empty when there is none.
std::string document_of(const StageTrace& trace, std::string_view step, const Question& question);

}  // namespace attn
