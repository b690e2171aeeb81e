// Judges every output of a document: each is a step, a by-product, a mistake, a consequence of one, or not
// recognised. The code beside an output says how its numbers were computed; diagnosis.hpp names mistakes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataflow/dataflow.hpp"
#include "diagnosis/diagnosis.hpp"
#include "documents/document.hpp"

namespace attn {

// settings: right with the settings of the code, which are not the documents'. consistent: follows from the
// code, but no step. follows: wrong only because something earlier is wrong.
enum class OutputVerdict { right, settings, consistent, by_product, mistake, follows, unknown };

// The name in JSON.
std::string_view name_of(OutputVerdict verdict);

// True for right steps, also with the code's settings, and for by-products.
bool is_right(OutputVerdict verdict);

// A cause other than a formula, such as an output that is older than its code: a key of
// data/narration/*/diagnosis.json with its arguments.
struct Circumstance {
    std::string key;
    std::string name{};  // the variable
    Place place{};       // the line that it is about
    Place other{};       // the other place that the sentence names
};

struct Judged {
    PrintedTensor printed;
    Place place{};
    std::size_t item = 0;  // the item of the document
    std::string label{};   // the expression that was shown, or the printed name
    OutputVerdict verdict = OutputVerdict::unknown;
    Diagnosis diagnosis{};     // the steps and mistakes
    std::string line{};        // the reader's line that departs, or that follows
    std::string right_line{};  // the stage's line beside it
    Place line_place{};
    bool is_line_of_code = true;           // false for a line that would give these numbers
    std::optional<std::size_t> because{};  // of `follows`: the index of the output that departs first
    std::vector<Circumstance> circumstances{};
};

// A setting that the code states: "seed" with value "123".
struct Stated {
    std::string key;
    std::vector<std::string> values;
    Place place{};
};

struct Judgement {
    std::vector<Judged> outputs{};
    std::vector<Stated> stated{};
    std::vector<Message> skipped{};  // outputs that were not read, with place and reason
    bool assumes_inputs = false;     // the code uses `inputs` without any, so the lesson's are taken

    // The first output that departs, if any.
    std::optional<std::size_t> first_departure() const;
    // True if there are outputs, and all of them were read, and are right or by-products.
    bool all_right() const;
};

// `question` says what to compare outputs with that the code does not explain: its lesson, stages and
// parameters as the user gave them.
Judgement judge(const Document& document, const Question& question);

}  // namespace attn
