// What the command line asks for, read and checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stages/stage.hpp"
#include "views/format.hpp"
#include "views/text/row_window.hpp"

namespace attn {

// --color
enum class WhenToColour { automatically, always, never };

struct OptionRow;
struct Options;

// What a run does. False: it was done, and something differs.
using Task = bool (*)(const Options&);

// An option as it was given, with what stands behind it.
struct Given {
    const OptionRow* option;
    std::string text;
};

struct Options {
    Task task = nullptr;
    const OptionRow* asks = nullptr;  // the option that chose the task; null: none did
    std::vector<const Stage*> stages;
    std::vector<std::string> steps;      // empty: all
    std::vector<Given> parameters;       // of the stages
    std::vector<std::string> set;        // numbers set to others: `inputs[1][0]=0.5`
    std::optional<std::string> input;    // a file, "-", or the compiled-in lesson
    std::optional<std::string> focus;    // a token or an index
    std::optional<std::string> weights;  // a file or "-"; otherwise they are drawn
    std::optional<std::size_t> layer;    // of these, when they are a whole model's
    std::optional<std::size_t> head;
    std::optional<std::size_t> max_input_bytes;  // of each file read; otherwise what reading it is safe for
    std::optional<std::string> pasted;           // what to diagnose: a file or "-"
    std::string as;                              // the step it is meant to be; empty: any
    bool search_seeds = false;
    std::optional<Language> code;           // of the lines of code; otherwise each stage's own
    std::optional<std::size_t> quiz_count;  // how many questions; otherwise the usual number
    std::uint64_t quiz_seed = 123;          // chooses them
    std::string exercise;                   // of the book: its number
    std::optional<std::string> answers;     // to be marked: a file or "-"
    std::string given;                      // all that is given but files to write, to be typed again
    std::string cell;                       // what to explain
    std::size_t depth = 1;                  // how far
    std::string generated;                  // what to generate
    std::vector<Given> exports;             // files to write, or "-"
    bool all_stages = false;
    bool quiet = false;
    bool measure = false;
    bool heatmap = false;
    bool pager = true;              // for what is longer than a terminal
    std::optional<RowWindow> rows;  // of each tensor printed; otherwise all of it
    WhenToColour colour = WhenToColour::automatically;
    Style style;
    std::size_t threads = 0;  // 0: all there are
};

// Throws Error with one clear message for anything that is not a command line of ours.
Options parse_options(int argc, const char* const* argv);

// Adds a stage by name, or all of them.
void add_stage(Options& options, const std::string& name);

// The stage's defaults with what the command line sets and the stage uses.
Parameters parameters_of(const Stage& stage, const Options& options);

}  // namespace attn
