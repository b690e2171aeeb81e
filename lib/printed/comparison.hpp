// Compares a run with every printed table for its parameters. lib/views turns the result into words.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "printed/references.hpp"
#include "stages/trace.hpp"

namespace attn {

struct Mismatch {
    std::size_t number;  // the number's position in the table
    Index index{};
    float computed;
};

struct Comparison {
    const Reference* reference;
    Shape computed_shape;
    Agreement agreement{};  // how the numbers agree; empty if the shapes differ
    std::optional<Mismatch> first_mismatch{};
    // The number of agreeing digits. A number that agrees counts with all its digits: 5 in "-0.0739", none in
    // "-inf". Otherwise the digits before the first difference count.
    std::size_t digits = 0;
    std::size_t digits_agreeing = 0;

    bool same_shape() const { return computed_shape == reference->table.shown; }
    bool agrees() const { return same_shape() && agreement.agrees(); }
};

Comparison compare(const Reference& reference, const Tensor& computed);

// Writes a number with the decimals, point and notation of a printed one. If `printed` is not such a number,
// x is written with its shortest digits.
std::string printed_alike(std::string_view printed, double x);

// Returns the tables of this stage's shown steps that fit its parameters.
std::vector<Comparison> compare_stage(const StageTrace& trace, std::span<const Reference> references);

// Returns every table of this stage's shown steps, each compared with a run at the table's own parameters.
std::vector<Comparison> compare_each(const StageTrace& shown, const Lesson& lesson,
                                     std::span<const Reference> references);

// Lists the other parameters with which the documents print tables of this stage's shown steps. Lines have at
// most `columns` columns: `--seed 123 --d-out 2: 004 attn_weights, …`.
std::string printed_elsewhere(const StageTrace& trace, std::span<const Reference> references,
                              const SpellSettings& spell, std::size_t columns);

}  // namespace attn
