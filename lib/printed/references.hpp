// The documents' printed tables, data/references/: their digits kept as text. Comparing is agreement.hpp's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stages/parameters.hpp"
#include "tensor/tensor.hpp"

namespace attn {

// A run parameter the numbers of a table depend on, its value as JSON writes it: 789, 0.5, false, "mkl".
struct ReferenceParameter {
    const ParameterRow* row;
    std::string json;
};

struct Reference {
    std::string document;  // "000"
    std::string section;
    std::string stage;
    std::string step;
    std::vector<ReferenceParameter> parameters;
    Shape shape;
    std::vector<std::string> numbers;  // row by row, the last axis fastest; none: only the shape is printed

    // Whether a run with these parameters makes this table's numbers.
    bool fits(const Parameters& run) const;
    // How to ask for them: `--seed 789 --d-out 2`.
    std::string options() const;
};

// All compiled-in tables, in document order.
std::vector<Reference> read_references();

}  // namespace attn
