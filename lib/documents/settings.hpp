// Settings of the chapter's stages, read from a document's code: seeds, embeddings, sizes, heads, dropout,
// and for each printed expression the ones that its value depends on. A small interpreter follows names,
// shapes and the random numbers that are drawn, but computes no tensor. Values that the code does not state
// in a simple way are left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "documents/document.hpp"
#include "documents/python_code.hpp"
#include "stages/lesson.hpp"

namespace attn {

// A value that the code states for a parameter.
struct StatedSetting {
    // A name of parameter_table() in stages/parameters.hpp, such as "seed", "d_out" or "dropout_seed". Also
    // "dtype" and "precision", the digits set with set_printoptions().
    std::string_view parameter;
    std::string value;     // as text for ParameterRow::read
    Place place{};         // the line of code that states it
    std::string source{};  // this line: `torch.manual_seed(123)`
};

// A literal of two axes, which may be the inputs of a stage.
struct StatedLesson {
    Lesson lesson;
    std::string name{};  // the variable: "inputs"
    Place place{};
};

// Random numbers that the code draws for a tensor or a module with all its layers.
struct Draw {
    std::string_view what{};  // the class or function: "Linear", "CausalAttention", "rand"
    std::string name{};       // the variable it is assigned to
    Place place{};
    std::size_t run = 0;                    // the draw belongs to this run of a cell: its index in `runs`
    std::optional<std::uint64_t> seed{};    // the seed set last; empty if none was set
    bool of_numpy = false;                  // NumPy's generator
    std::optional<std::size_t> earlier{};   // how many numbers were drawn after the seed, if known
    std::vector<StatedSetting> settings{};  // the seed, sizes and arguments of the constructor
};

// An expression whose value the code shows: an argument of print() or display(), an expression in an
// f-string, or the last line of a cell. Loops and functions show the same expression several times.
struct ShownExpression {
    std::size_t item = 0;                             // the index of the executed code in the document
    const python::Expression* expression = nullptr;   // in `code`
    const python::Expression* call = nullptr;         // the call of print(); null for the last line of a cell
    Place place{};                                    // of the expression, perhaps in the cell of a class
    std::vector<std::size_t> draws{};                 // indices of the draws that its value depends on
    std::optional<std::size_t> lesson{};              // the index of the lesson that its value depends on
    std::optional<std::vector<std::size_t>> sizes{};  // the shape, if known
    std::vector<StatedSetting> settings{};  // that its value depends on; of equal parameters the first counts
};

struct DocumentSettings {
    std::vector<python::Code> code{};  // one per item; empty for other items than code
    std::vector<std::size_t> runs{};   // indices of the code items in the order of execution
    std::vector<StatedLesson> lessons{};
    std::vector<Draw> draws{};             // in order of execution
    std::vector<ShownExpression> shown{};  // in order of execution
    // One per item: the settings stated last when it had been executed, for tensors that no shown expression
    // explains.
    std::vector<std::vector<StatedSetting>> in_force{};
};

// Cells are executed in the order of their counts, if these are different and out of order; else in the order
// of the document. `document` must outlive the result.
DocumentSettings read_settings(const Document& document);

}  // namespace attn
