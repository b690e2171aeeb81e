// The values of options that several commands share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "language.hpp"
#include "stages/stage.hpp"
#include "tensor/tensor_text.hpp"
#include "views/document/blocks.hpp"
#include "views/format.hpp"

namespace attn {

// --color
enum class WhenToColour { automatically, always, never };

// The value of an option can name one of these. Switches and other values, such as one of several words, name
// nothing.
enum class Names { nothing, number, stage, step, token, words, cell, input_file, output_file };

// Returns how the help usually shows such a value: N.
constexpr std::string_view usual_type(Names value) {
    constexpr std::string_view types[] = {"",      "N",      "STAGE",  "STEP", "TOKEN|INDEX",
                                          "WORDS", "CELL=X", "FILE|-", "FILE"};
    return types[std::size_t(value)];
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

// The values that every command has: its words, and the general options. The values of a command's other
// options are in a struct of its own that derives from this one or from one of those below.
struct Options {
    const Command* command = nullptr;
    std::vector<std::string> words;  // the arguments that are not options
    std::vector<const Stage*> stages;
    bool all_stages = false;
    std::vector<std::string> given;  // the names of the options on the command line
    std::string command_again;       // the command line without the files that it writes
    bool is_rehearsal = false;       // true: the command refuses what it cannot do; it writes nothing
    bool help = false;
    bool all_options = false;  // true if the help shows rare options, too
    bool version = false;
    std::string_view language = language_of_environment();
    WhenToColour colour = WhenToColour::automatically;
    bool no_pager = false;    // false: a text longer than the terminal is shown in a pager
    std::size_t threads = 0;  // number of threads; 0: one per core
};

// The values of a command that runs stages: their parameters and inputs, and the files to write.
struct RunOptions : Options {
    std::vector<Setting> parameters;
    std::optional<std::string> input;    // the file of the lesson, or "-"; empty: the built-in lesson
    std::optional<std::string> text;     // a sentence whose words are the tokens
    std::optional<std::string> focus;    // the focused token, or its index
    std::optional<std::string> weights;  // the file of the weights, or "-"; empty: weights are drawn
    std::optional<std::size_t> layer;    // the layer to take from a model's checkpoint
    std::optional<std::size_t> head;
    std::vector<Export> exports;
};

// The values of a command that shows steps.
struct StepOptions : RunOptions {
    std::vector<std::string> steps;  // the steps to show; empty: all
    std::vector<std::string> set;    // replaced numbers: `inputs[1][0]=0.5`
    PrintOptions print;
};

// The values of a command that compares the reader's numbers.
struct NumbersOptions : RunOptions {
    std::string as;    // the step to compare them with; empty: any step
    std::string data;  // the file of the numbers
};

// The values of a command about questions.
struct QuestionOptions : RunOptions {
    std::vector<std::string> steps;  // the steps that they are about; empty: all
    PrintOptions print;
    std::size_t count = 0;          // number of questions; 0: the default
    std::uint64_t quiz_seed = 123;  // the seed that chooses the questions
    std::string exercise;           // number of an exercise of the book
};

}  // namespace attn
