// The arithmetic of every cell of a step, small enough to ship: what the operations explain, with the cells
// it mentions as addresses, and neighbouring cells whose arithmetic differs by a constant step written once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "files/json_writer.hpp"
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

// Lines of arithmetic that read the same but for their numbers.
struct ArithmeticLine {
    std::size_t count = 1;
    std::string part;  // which part of the explanation; empty: it computes a cell
    std::string text;  // with a `{}` for each number that differs

    auto operator<=>(const ArithmeticLine&) const = default;
};

// How a cell came about, its last line computing it. Each `{}` stands for the next of `numbers`: the number
// at an address, or for -1 - k what line k comes to. A sum of more than 64 terms on the way stands as what it
// comes to; in the last line such a sum breaks off in "…".
struct Arithmetic {
    std::vector<ArithmeticLine> lines;
    std::vector<std::int64_t> numbers;
};

Arithmetic arithmetic(const Notebook& notebook, std::size_t node, const Index& cell,
                      const Addresses& addresses);

// `count` cells in a row with the same lines, whose numbers run evenly: those of the first cell, and by how
// much they grow from each cell to the next.
struct EvenCells {
    std::size_t count = 0;
    std::size_t lines = 0;  // which
    // Runs [how many, period, the first numbers of the run: as many as the period, their steps].
    std::vector<std::int64_t> first, growth;
};

struct StepArithmetic {
    std::vector<std::vector<ArithmeticLine>> lines;
    std::vector<EvenCells> cells;         // of the cells asked for, in order
    std::vector<std::int64_t> addresses;  // all that are mentioned, each once, in order

    // False when a step is nothing but numbers, given or drawn.
    bool explains() const;
};

StepArithmetic step_arithmetic(const Notebook& notebook, std::size_t node, const std::vector<Index>& cells,
                               const Addresses& addresses);

// {"lines": [[[how many, part, "{}·{} + {}·{}"], …], …],
//  "cells": [[how many, which lines, numbers as runs, their growth], …]}
void write_arithmetic(JsonWriter& json, const StepArithmetic& step);

}  // namespace attn
