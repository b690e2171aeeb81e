// The arithmetic of every cell of a step, small enough to ship: most cells of a step read alike, and the
// addresses of what they take grow evenly along the step's axes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "files/json_value.hpp"
#include "notebook/notebook.hpp"

namespace attn {

// Where the numbers of named tensors lie when they are laid end to end: the address of a number is that of
// its tensor plus its offset in it. A stage walked another way uses the addresses of the first walk.
class Addresses {
public:
    struct Place {
        std::string name;
        Shape shape;
        std::int64_t address;
    };

    explicit Addresses(const Notebook& notebook);

    // The place of a node of that name and shape; null when there is none.
    const Place* of(const Node& node) const;
    // The place an address lies in.
    const Place& at(std::int64_t address) const;

private:
    std::vector<Place> places_;  // by address
};

// A line of a derivation that is shipped. A sum of more than 64 terms breaks off in the line that computes
// the cell, and stands elsewhere as what it comes to.
struct ShippedLine {
    std::string_view part;  // which part of the operation's explanation; empty: it computes a cell
    Arithmetic arithmetic;
};

// How a cell came about: lines, the last of which gives it. Their numbers are looked up, in the order they
// are written: the number at an address, or for -1 - k what line k comes to.
struct ShippedCell {
    std::vector<ShippedLine> lines;
    std::vector<std::int64_t> numbers;
};

ShippedCell shipped_cell(const Notebook& notebook, std::size_t node, const Index& cell,
                         const Addresses& addresses);

// Cells that read alike: the numbers of the first, and by how much each grows along each axis of the step.
class CellPattern {
public:
    CellPattern(const Index& cell, ShippedCell first) : first_cell_(cell), first_(std::move(first)) {}

    // Returns whether a cell is one of them. The first other cell along an axis says how numbers grow there.
    bool takes(const Index& cell, const ShippedCell& shipped);
    // Whether its cells are more than numbers that stand as they are.
    bool looks_up() const { return !first_.numbers.empty(); }
    // [["part", arithmetic], …]. Arithmetic is a number, or ["sign", arithmetic, …], or for a number that is
    // looked up [in the step's first cell, growth along axis 0, growth along axis 1, …].
    Json json() const;

private:
    Json json(const Arithmetic& arithmetic, std::size_t& next) const;
    Json growing(std::size_t number) const;
    std::int64_t steps_along(std::size_t axis, const Index& cell) const;

    Index first_cell_;
    ShippedCell first_;
    std::array<std::optional<std::vector<std::int64_t>>, Shape::max_rank> growth_;  // none: not known yet
};

struct StepArithmetic {
    std::vector<CellPattern> patterns;
    std::vector<std::size_t> cells;       // the pattern of each cell asked for, in order
    std::vector<std::int64_t> addresses;  // all that are looked up, each once, in order

    // False when a step is nothing but numbers, given or drawn.
    bool explains() const;
};

StepArithmetic step_arithmetic(const Notebook& notebook, std::size_t node, const std::vector<Index>& cells,
                               const Addresses& addresses);

// {"patterns": […], "cells": [how many, of which pattern, how many, …]}
Json arithmetic_json(const StepArithmetic& step);

}  // namespace attn
