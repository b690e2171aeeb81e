// Where the documents err: data/errata.json, with its words in data/narration/.
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
    std::vector<std::string> documents;  // that err; none where something else does,
    std::string source;                  // which is named here
    std::string stage;
    std::string step;   // where it is shown
    std::string says;   // the document's error, as the rest of a sentence
    std::string right;  // what would be right
    // The mistake that gives the printed numbers, and its parameters; empty if there is none.
    std::string mistake{};
    std::vector<Setting> parameters{};
    bool mended = false;  // it is of how a number is printed there, not of which

    // Sets them.
    void set(Parameters& of_run) const;
};

// All of them, in reading order.
std::vector<Erratum> read_errata(std::string_view language);

// Those shown in one walk: none over a lesson of the reader's own, which no document computes. To be called
// where they are shown: a stage's other words need no errata.
std::vector<Erratum> errata_of(std::string_view language, const StageTrace& trace);

// `Erratum: document 002 concatenates …`, one paragraph.
std::string erratum_text(const Erratum& erratum, const Words& phrases);

// All errata, each with its place.
std::string errata_list(std::span<const Erratum> errata, const Words& phrases, std::size_t columns);

}  // namespace attn
