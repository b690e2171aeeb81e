// One table that a document prints, its digits kept as the document's text. What reads data/references/ and
// what compares (agreement.hpp) lie elsewhere.
#pragma once

#include <string>
#include <vector>

#include "tensor/tensor.hpp"

namespace attn {

// A run parameter the numbers of a table depend on, as JSON writes its value: "789", "0.5", "false"; a string
// without its quotes: "mkl".
struct ReferenceParameter {
    std::string name;
    std::string value;
};

struct Reference {
    std::string document;  // "000"
    std::string section;
    std::string stage;
    std::string step;
    std::vector<ReferenceParameter> parameters;
    Shape shape;
    std::vector<std::string> numbers;  // row by row, the last axis fastest; none: only the shape is printed
};

}  // namespace attn
