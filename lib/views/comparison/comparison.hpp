// Compares a run with all printed tables for its parameters. lib/views writes the result as text.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stages/trace.hpp"
#include "views/comparison/references.hpp"

namespace attn {

struct Mismatch {
    std::size_t number;  // the number's position in the table
    Index index{};
    float computed;
};

struct Comparison {
    const Reference* reference;
    Shape computed_shape;
    Agreement agreement{};  // which numbers agree; empty if the shapes differ
    std::optional<Mismatch> first_mismatch{};
    // How many digits agree. If a number agrees, all its digits count: 5 in "-0.0739", 0 in "-inf".
    // Otherwise, the digits before the first difference count.
    std::size_t digits = 0;
    std::size_t digits_agreeing = 0;

    bool same_shape() const { return computed_shape == reference->table.shown; }
    bool agrees() const { return same_shape() && agreement.agrees(); }
};

Comparison compare(const Reference& reference, const Tensor& computed);

// Writes a number with the decimals, point and notation of a printed one. If `printed` is not a number,
// writes x with as few digits as identify it.
std::string printed_alike(std::string_view printed, double x);

// Returns the tables for the trace's parameters, of the steps that are shown.
std::vector<Comparison> compare_stage(const StageTrace& trace, std::span<const Reference> references);

// Returns all tables of the steps that are shown. Each is compared with a run at the table's own parameters.
std::vector<Comparison> compare_each(const StageTrace& shown, const Lesson& lesson,
                                     std::span<const Reference> references);

// Lists the documents' tables of these steps at other parameters: `--seed 123 --d-out 2: 004 attn_weights,
// …`. Lines have at most `columns` columns.
std::string printed_elsewhere(const StageTrace& trace, std::span<const Reference> references,
                              const SpellSettings& spell, std::size_t columns);

}  // namespace attn
