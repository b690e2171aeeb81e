// The arithmetic of all cells of a step, as patterns: texts with holes, and the addresses of the numbers for
// the holes, which depend on the cell's index. A few cells define a pattern. For every other cell, the
// pattern is evaluated and compared with the cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "files/json_value.hpp"
#include "notebook/notebook.hpp"
#include "views/explain/arithmetic_text.hpp"

namespace attn {

// All numbers of a run have addresses: first the numbers of named tensors, then the results of lines.
class Memory {
public:
    static constexpr std::int64_t unnamed = std::int64_t{1} << 40;

    explicit Memory(const Notebook& notebook);

    // Returns the address of a node's first number. Addresses from `unnamed` on belong to unnamed nodes,
    // whose numbers are not on the page.
    std::int64_t address_of(std::size_t node) const { return starts_[node]; }
    // Returns the number at an address of a tensor, and NaN for any other address.
    double at(std::int64_t address) const;
    // Returns the address of the first result of a line.
    std::int64_t first_result() const { return first_result_; }
    // Adds `count` numbers, all NaN, and returns the address of the first.
    std::int64_t reserve(std::size_t count);
    void set_result(std::int64_t address, double value);
    const std::vector<float>& results() const { return results_; }
    // Returns a float32 number as it is shown with these decimals. Most numbers are in the arithmetic of many
    // cells.
    const ShownNumber& shown(double number, int digits);

private:
    std::vector<std::int64_t> starts_;
    std::int64_t first_result_ = 0;
    std::vector<float> named_;   // the numbers at the addresses from 0
    std::vector<float> others_;  // the numbers at the addresses from `unnamed`
    std::vector<float> results_;
    std::unordered_map<std::uint64_t, ShownNumber> shown_;
};

// Returns {"patterns": [[line, …], …], "cells": [count, pattern, …], "digits": "4465…"} for these cells, or
// null if the cells are not computed from other numbers. A line is [part of the operation's explanation,
// [piece, …], result]. The last line gives the cell and has no result. A piece is [text, hole, text, …], or
// the count of terms left out. A hole is [address, change along axis 0, …], or {"value", "name"} for a number
// of the code. "digits" has a character for each cell: how many decimals its lines need to be correct as
// printed, or "~" if no number of decimals is enough.
Json arithmetic_json(const Notebook& notebook, std::size_t node, const std::vector<Index>& cells,
                     const Shape& shown, int precision, Memory& memory);

}  // namespace attn
