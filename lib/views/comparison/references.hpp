// Reads the documents' printed tables from data/references/. comparison.hpp compares runs with them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "printed/tensor.hpp"
#include "stages/parameters.hpp"

namespace attn {

// A parameter that a table depends on, with its value as in JSON: 789, 0.5, false or "mkl".
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
    std::string text;     // the table's numbers, row by row; empty if only the shape is printed
    PrintedTensor table;  // the numbers of `text`, parsed

    // Returns the text of one number of the table: "-0.0739".
    std::string_view printed(std::size_t number) const;
    // Returns true if the table is for these parameters.
    bool fits(const Parameters& run) const;
    std::vector<Setting> settings() const;
};

// Parses the numbers of a table of this shape; an empty text means that only the shape is printed. Throws
// Error if the text contains anything but numbers, or the wrong count of numbers.
PrintedTensor read_table(std::string_view text, const Shape& shape);

// Returns all compiled-in tables, in document order.
std::vector<Reference> read_references();

}  // namespace attn
