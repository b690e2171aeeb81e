// The arithmetic of every cell of a step, as patterns over the step's axes: text with holes, and the
// addresses of the numbers for the holes. Patterns are made from a few cells; every other cell is checked by
// evaluating its pattern.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "files/json_value.hpp"
#include "notebook/notebook.hpp"

namespace attn {

// The numbers of a run by address: first those of all named tensors, then the results of lines.
class Memory {
public:
    static constexpr std::int64_t unnamed = std::int64_t{1} << 40;

    explicit Memory(const Notebook& notebook);

    // Returns the address of a node's first number. The page has no numbers of unnamed nodes: their addresses
    // begin at `unnamed`.
    std::int64_t address_of(std::size_t node) const { return starts_[node]; }
    // Returns the node whose tensor contains this address.
    std::size_t node_at(std::int64_t address) const;
    // Returns the number of a tensor at an address, or NaN for any other address.
    double at(std::int64_t address) const;
    // Returns the address of the first result of a line.
    std::int64_t first_result() const { return first_result_; }
    // Returns the address of the first of `count` new numbers, which are NaN.
    std::int64_t reserve(std::size_t count);
    void set_result(std::int64_t address, double value);
    const std::vector<float>& results() const { return results_; }

private:
    const Notebook& notebook_;
    std::vector<std::int64_t> starts_;
    std::vector<std::size_t> by_address_;  // nodes
    std::int64_t first_result_ = 0;
    std::vector<float> results_;
};

// Returns {"patterns": [[line, …], …], "cells": [count, pattern, …], "digits": "4465…"} for these cells, or
// null if they are not computed from other numbers. A line is [part of the operation's explanation, [piece,
// …], result]. The last line gives the cell and has no result. A piece is [text, hole, text, …], or the count
// of terms left out. A hole is [address, change along axis 0, …], or {"value", "name"} for a number of the
// code. A digit is the number of decimals that a cell's lines need to be correct as printed, or "~" if no
// number is enough. Adds to `mentioned` the nodes whose numbers are used.
Json arithmetic_json(const Notebook& notebook, std::size_t node, const std::vector<Index>& cells,
                     const Shape& shown, int precision, Memory& memory, std::vector<std::size_t>& mentioned);

}  // namespace attn
