// Errors in the documents: data/errata.json, with its texts in data/narration/.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stages/parameters.hpp"
#include "stages/trace.hpp"
#include "words/words.hpp"

namespace attn {

struct Erratum {
    std::string id;
    // The documents that have the error. If it is in a different source, that is named instead.
    std::vector<std::string> documents;
    std::string source;
    std::string stage;
    std::string step;   // the step that shows the error
    std::string says;   // the document's error, as the rest of a sentence
    std::string right;  // the correction
    // The mistake that gives the printed numbers, and its parameters; empty if there is none.
    std::string mistake{};
    std::vector<Setting> parameters{};
    bool mended = false;  // the error is in how a number is printed, not in its value

    // Sets these parameters.
    void set(Parameters& of_run) const;
};

// Returns all errata, in reading order.
std::vector<Erratum> read_errata(std::string_view language);

// The errata of the steps that a trace shows; none for a reader's own lesson, which no document computes.
std::vector<Erratum> errata_of(std::string_view language, const StageTrace& trace);

// `Erratum: document 002 concatenates …`, one paragraph.
std::string erratum_text(const Erratum& erratum, const Words& phrases);

// All errata, each with its document and step.
std::string errata_list(std::span<const Erratum> errata, const Words& phrases, std::size_t columns);

}  // namespace attn
