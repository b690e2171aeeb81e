// The values of a command line's options.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stages/stage.hpp"
#include "views/document/blocks.hpp"
#include "views/document/row_window.hpp"
#include "views/format.hpp"

namespace attn {

// --color
enum class WhenToColour { automatically, always, never };

// The value of an option can name one of these. Switches and other values, such as one of several words, name
// nothing.
enum class Names { nothing, number, stage, step, token, words, cell, input_file, output_file };

// Returns how the help usually shows such a value: N.
constexpr std::string_view usual_type(Names value) {
    switch (value) {
        case Names::nothing:
            return "";
        case Names::number:
            return "N";
        case Names::stage:
            return "STAGE";
        case Names::step:
            return "STEP";
        case Names::token:
            return "TOKEN|INDEX";
        case Names::words:
            return "WORDS";
        case Names::cell:
            return "CELL=X";
        case Names::input_file:
            return "FILE|-";
        case Names::output_file:
            return "FILE";
    }
    return "";
}

// A file format of --out, chosen by the suffix.
struct FileFormat {
    std::string_view suffix;
    Format write;
    Requirement require = nullptr;         // a check before writing; null if every trace can be written
    DocumentFormat write_sheet = nullptr;  // writes a sheet of exercises; null if this format cannot
    bool is_binary = false;
};

// A file to write, or "-" for standard output, and the option that names it.
struct Export {
    std::string_view option;
    std::string target;
    const FileFormat* format;
};

struct Command;

struct Options {
    const Command* command = nullptr;
    std::vector<std::string> words;  // the arguments that are not options
    bool help = false;
    bool all_options = false;  // true if the help shows rare options, too
    bool version = false;
    std::vector<const Stage*> stages;
    bool all_stages = false;
    bool is_stage_guessed = false;       // true: the command line names steps, but no stage
    std::vector<std::string> steps;      // the steps to show; empty: all
    std::vector<Setting> parameters;     // values of the stages' parameters
    std::vector<std::string> set;        // replaced numbers: `inputs[1][0]=0.5`
    std::optional<std::string> input;    // the file of the lesson, or "-"; empty: the built-in lesson
    std::optional<std::string> text;     // a sentence whose words are the tokens
    std::optional<std::string> focus;    // the focused token, or its index
    std::optional<std::string> weights;  // the file of the weights, or "-"; empty: weights are drawn
    std::optional<std::size_t> layer;    // the layer to take from a model's checkpoint
    std::optional<std::size_t> head;
    std::optional<std::string> data;  // the file of a pasted tensor or of answers
    std::vector<Export> exports;
    std::optional<Language> code;           // language of the code lines; empty: each stage's default
    std::optional<std::string> rows_asked;  // the value of --rows: a window, or a token
    std::optional<RowWindow> rows;
    bool quiet = false;
    bool heatmap = false;
    bool all_heads = false;
    bool one_by_one = false;  // true: the steps are shown one at a time
    bool variants = false;    // page: also the runs with something switched off
    bool pager = true;        // true: a text longer than the terminal is shown in a pager
    bool map = true;          // true: the main path of the stage is shown above each step
    bool shows_code = true;   // true: lines of code are shown
    WhenToColour colour = WhenToColour::automatically;
    Style style;
    std::size_t threads = 0;         // number of threads; 0: one per core
    std::string as;                  // the diagnosed tensor should be this step; empty: any step
    bool all_seeds = false;          // true: a diagnosis tries many seeds, too
    std::optional<double> atol;      // compare: how far equal numbers may differ
    std::size_t depth = 1;           // how many steps back an explanation goes
    std::size_t count = 0;           // number of questions; 0: the default
    std::uint64_t quiz_seed = 123;   // the seed that chooses the questions
    std::string exercise;            // number of an exercise of the book
    std::vector<std::string> given;  // the names of the options on the command line
    std::string command_again;       // the command line without the files that it writes
    bool is_rehearsal = false;       // true: the command refuses what it cannot do; it writes nothing
};

}  // namespace attn
