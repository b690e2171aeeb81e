// The right walks that pasted numbers are compared with. Their parameters are the given ones, those of the
// documents' tables if none are given, and widths that the numbers suggest.
#pragma once

#include <vector>

#include "diagnosis/costs.hpp"
#include "diagnosis/target.hpp"
#include "mistakes/work.hpp"
#include "words/errata.hpp"

namespace attn {

struct RightWalk {
    StageTrace trace{};
    bool is_usual = false;                       // the parameters are those of the user or of a document
    double bits = 0.0;                           // description length of its parameters
    std::vector<std::string_view> not_chosen{};  // parameters without a known value
    bool of_document = false;                    // the parameters are those of a document's table
    const Erratum* erratum = nullptr;            // the parameters are those of a known erratum
    // Mistakes that are other settings, such as a different seed, which another tensor has shown.
    std::vector<std::string_view> settings{};

    double cost() const { return bits + static_cast<double>(settings.size()) * cost::known_setting; }
};

using Walks = std::vector<const RightWalk*>;

// A step of a right walk, or a line between steps.
struct RightStep {
    const RightWalk* walk;
    std::size_t id;

    const Node& node() const { return walk->trace.node(id); }
};
std::vector<RightStep> steps_of(const Walks& walks);

// Returns true if all parameters are equal.
bool same(const Parameters& a, const Parameters& b);

// Throws Error if a requested stage does not fit the parameters, if no stage fits them, or if no stage has a
// step called `as`.
std::vector<RightWalk> right_walks(const Question& question, Budget& budget);

// Returns walks with widths and batch sizes that the tensors' sizes suggest. The question must leave these
// open.
std::vector<RightWalk> resized_walks(Targets targets, const Question& question, Budget& budget);

// Returns true if the tensor may be a step of resized_walks(). Except in a row, one axis must be as long as
// the lesson's tokens or embeddings. The others must not be longer than the sizes that are guessed. The full
// shape of a summary is unknown, so it always may be one.
bool may_be_resized(const PrintedTensor& pasted, const Question& question);

// Returns walks in which a bias is added or left out, and backward walks without dropout.
std::vector<RightWalk> other_layers_walks(const Question& question, Budget& budget);

// Returns backward walks of the candidates without a backward pass. Their steps are the gradients of the
// weights, because a pasted layer.weight.grad may have no label.
std::vector<RightWalk> gradient_walks(const Question& question, Budget& budget);

// Returns a document that prints a table of this stage with these parameters, preferably of this step; empty
// if there is none.
std::string document_of(const StageTrace& trace, std::string_view step, const Question& question);

}  // namespace attn
