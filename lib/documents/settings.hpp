// Settings of the chapter's stages, read from a document's code without executing it: seeds, embeddings,
// sizes, heads and dropout, for each printed expression the values that it depends on. Values that the code
// does not state in a simple way are left out.
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
#include "stages/parameters.hpp"

namespace attn {

// A value that the code states for a parameter of stages/parameters.hpp.
struct StatedSetting {
    std::string_view parameter;  // a name of parameter_table(): "seed", "d_out", "dropout_seed", …
    std::string value;           // as text for ParameterRow::read
    Place place{};               // the line of code that states it
    std::string source{};        // this line: `torch.manual_seed(123)`
};

// A tensor literal that may be the inputs of a stage, or a known lesson.
struct StatedLesson {
    Lesson lesson;
    std::string name{};  // the variable: "inputs"
    Place place{};
};

// Random numbers that the code draws for a module or a tensor.
struct Draw {
    std::string_view what;  // the class or function: "Linear", "CausalAttention", "rand"
    std::string name{};     // the variable it is assigned to
    Place place{};
    std::optional<std::uint64_t> seed{};  // the seed set last; empty if none is set before
    std::optional<Place> seed_place{};
    std::optional<std::size_t> earlier{};   // how many numbers were drawn after the seed, if known
    std::vector<StatedSetting> settings{};  // seed, sizes and arguments of the constructor
};

// An expression whose value the code shows: an argument of print() or display(), or the last line of a cell.
struct ShownExpression {
    std::size_t item = 0;  // the index of its code in the document
    const python::Expression* expression = nullptr;
    Place place{};
    std::vector<std::size_t> draws{};       // indices of the draws that its value depends on
    std::optional<std::size_t> lesson{};    // index of the lesson that its value depends on
    std::vector<StatedSetting> settings{};  // the settings in force for it, the most relevant first
};

struct DocumentSettings {
    std::vector<python::Code> code{};  // of each item; empty for other items than code
    std::vector<StatedLesson> lessons{};
    std::vector<Draw> draws{};             // in order of execution
    std::vector<ShownExpression> shown{};  // in order of execution
    // For each item, the settings in force after it: of its last seed, module and lesson.
    std::vector<std::vector<StatedSetting>> in_force{};
};

// The document must outlive the result.
DocumentSettings read_settings(const Document& document);

}  // namespace attn
