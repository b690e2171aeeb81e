// Follows the arithmetic that a document's code states, with a closed list of tensor functions on numbers. No
// Python runs: there are no files, no imports, and no other functions. Every operation is counted, so the
// result is the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "documents/document.hpp"
#include "documents/python_code.hpp"
#include "tensor/random.hpp"
#include "tensor/tensor.hpp"

namespace attn {

using Ids = std::vector<std::size_t>;  // indices of tensors

// A tensor that the code computes. Equal calls with equal results are one node.
struct Computed {
    std::string operation;  // the function's name: "matmul", "softmax", "rand"
    Ids operands{};         // other tensors
    Tensor value;           // zeros if the value is unknown
    bool is_known = true;
    double slack = 0.0;  // how far the value may be off, because it was computed from printed digits
    Place place{};       // the statement that computes it
    std::string line{};  // its source
    std::string name{};  // the first variable, or the attribute of a module, that it is assigned to
};

// Random numbers that the code draws.
struct Drawn {
    std::size_t node;                     // the tensor; of a layer, its weight
    std::optional<std::uint64_t> seed{};  // the seed set last; empty if none was set
    std::uint64_t earlier = 0;            // how many 32-bit numbers were drawn since then
    std::optional<Place> seeded{};        // where the seed was set
    bool is_again = false;                // drawn by a cell that had run before
    bool is_of_module = false;            // drawn by a method
};

// A module that the code constructs: its tensors and numbers by attribute name, "W_query.weight", and the
// arguments of its constructor.
struct Module {
    std::string type;  // the name of its class
    std::string name{};
    Place place{};
    std::map<std::string, std::size_t> tensors{};
    std::map<std::string, double> numbers{};
    Ids inputs{};  // tensors that it was called with
};

// A value that the code shows: by print(), display(), or as the last value of a cell.
struct Shown {
    std::size_t item;                   // the index of its code among the document's items
    std::optional<std::size_t> node{};  // empty if the value is not known to be a tensor or a number
    bool is_number = false;             // a number of Python, shown with all its digits
    std::string source{};               // the expression
    Place place{};
    std::string returned_by{};  // the function or class of the document that returned the value
    bool is_certain = true;     // false if something that is not followed may have changed the value
};

// A method that reads a variable of the notebook instead of an argument or an attribute.
struct GlobalUse {
    std::string name;
    Place place{};  // the line of the method
    std::string line{};
    Place assigned{};  // where the variable got its value
    std::size_t node = 0;
};

// A variable whose number or tensor a loop overwrote, used afterwards.
struct Overwritten {
    std::string name;
    Place place{};     // the line that uses it
    Place assigned{};  // where it got the earlier number
    Place loop{};
};

struct Dataflow {
    std::vector<Computed> nodes{};
    std::vector<Drawn> draws{};
    std::vector<Module> modules{};
    std::vector<Shown> shown{};
    std::vector<GlobalUse> globals{};
    std::vector<Overwritten> overwritten{};
    std::set<std::size_t> dropped_in_eval{};  // nodes that a function drops in a module after eval()
    // For each variable, the places where it got a value.
    std::map<std::string, std::vector<Place>, std::less<>> assigned{};
    bool lacks_inputs = false;  // the code uses `inputs` or `batch`, and the document never assigns it
    std::optional<std::size_t> assumed_inputs{};  // then the node of DataflowOptions::inputs
};

// An earlier run of a cell, whose output the notebook no longer has.
struct EarlierRun {
    std::size_t item;
    std::size_t count;
};

struct PrintedValue {
    Tensor value;
    double slack = 0.0;  // half a unit of the last printed digit
};

struct DataflowOptions {
    bool in_document_order = false;  // ignores execution counts
    std::optional<EarlierRun> again{};
    DropoutRng rng = DropoutRng::mt19937;
    // Numbers that the document prints for values that the code does not determine, by index in `shown`.
    std::map<std::size_t, PrintedValue> printed{};
    std::map<std::size_t, PrintedValue> drawn{};  // the same for random numbers, by index in `draws`
    // The value that a node gets instead of its own.
    std::optional<std::pair<std::size_t, Tensor>> replaced{};
    std::optional<Tensor> inputs{};  // assumed if the document lacks them
};

// `code` has one entry per item of the document.
Dataflow follow(const Document& document, const std::vector<python::Code>& code,
                const DataflowOptions& options = {});

}  // namespace attn
