// The documents' printed tables, data/references/: read. Holding a run against them is comparison.hpp's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "printed/tensor.hpp"
#include "stages/parameters.hpp"

namespace attn {

// A run parameter the numbers of a table depend on, its value as JSON writes it: 789, 0.5, false, "mkl".
struct ReferenceParameter {
    const ParameterRow* row;
    std::string json;

    void set(Parameters& parameters) const;
};

struct Reference {
    std::string document;  // "000"
    std::string section;
    std::string stage;
    std::string step;
    std::vector<ReferenceParameter> parameters;
    std::string text;     // its numbers, row by row, the last axis fastest; none: only the shape is printed
    PrintedTensor table;  // the same, read

    // A number of the table as it stands in the text: "-0.0739".
    std::string_view printed(std::size_t number) const;
    // True if a run with these parameters makes this table's numbers.
    bool fits(const Parameters& run) const;
    std::vector<Setting> settings() const;
};

// The numbers of a table of this shape. Throws Error when the text holds anything else, or fewer or more.
PrintedTensor read_table(std::string_view text, const Shape& shape);

// All compiled-in tables, in document order.
std::vector<Reference> read_references();

}  // namespace attn
