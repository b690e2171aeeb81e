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
    // The documents that have the error. For an error in another source, that source is named instead.
    std::vector<std::string> documents;
    std::string source;
    std::string stage;
    std::string step;   // the step that shows the error
    std::string says;   // the error, as the end of the sentence "Document 002 …"
    std::string right;  // the correction
    // The mistake that gives the printed numbers, and the parameters; empty if no known mistake does.
    std::string mistake{};
    std::vector<Setting> parameters{};
    bool mended = false;  // the number is right but printed wrongly

    // Sets the parameters of the printed numbers.
    void set(Parameters& of_run) const;
};

// Returns all errata, in reading order.
std::vector<Erratum> read_errata(std::string_view language);

// Returns the errata of the steps that a trace shows. With a reader's own lesson there are none, because no
// document computes it.
std::vector<Erratum> errata_of(std::string_view language, const StageTrace& trace);

// `Erratum: document 002 concatenates …`, one paragraph.
std::string erratum_text(const Erratum& erratum, const Words& phrases);

// Returns all errata as text, each with its document and step.
std::string errata_list(std::span<const Erratum> errata, const Words& phrases, std::size_t columns);

}  // namespace attn
