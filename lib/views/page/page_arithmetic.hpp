// The arithmetic of every cell of a step, as patterns over the step's axes: text with holes, and where the
// numbers in the holes stand. Made from a few cells per pattern; every other cell is checked by evaluating
// its pattern.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "files/json_value.hpp"
#include "notebook/notebook.hpp"

namespace attn {

// The numbers of a run by address: its named tensors laid end to end, then what lines of arithmetic come to.
class Memory {
public:
    explicit Memory(const Notebook& notebook);

    // The address of a named node's first number; -1 for an unnamed one.
    std::int64_t address_of(std::size_t node) const { return starts_[node]; }
    // The named node that an address lies in; nothing for the result of a line.
    std::size_t node_at(std::int64_t address) const;
    // Not a number outside of all tensors.
    double at(std::int64_t address) const;
    // Where the numbers of lines begin.
    std::int64_t first_result() const { return first_result_; }
    // Returns the address of the first of `count` new numbers, which are NaN.
    std::int64_t reserve(std::size_t count);
    void set_result(std::int64_t address, double value);
    const std::vector<float>& results() const { return results_; }

private:
    const Notebook& notebook_;
    std::vector<std::int64_t> starts_;
    std::vector<std::size_t> named_;
    std::int64_t first_result_ = 0;
    std::vector<float> results_;
};

// {"patterns": [[line, …], …], "cells": [how many, of which pattern, …], "digits": "4465…"} for these cells;
// null when nothing goes into them. A line is [part of the operation's explanation, [piece, …], result]; the
// last one gives the cell and has no result. A piece is [text, hole, text, …] or, in place of terms left out,
// their count. A hole is [address, growth along axis 0, …], or {"value", "name"} for a number of the code. A
// digit is how many decimals a cell's lines need so that they are true as they are shown; "~" where none are
// enough. Adds to `mentioned` the nodes that are looked up.
Json arithmetic_json(const Notebook& notebook, std::size_t node, const std::vector<Index>& cells,
                     const Shape& shown, int precision, Memory& memory, std::vector<std::size_t>& mentioned);

}  // namespace attn
