// A run held against every printed table that its parameters make. Putting it into words is the views'.
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
    std::size_t number;  // of the table, by its place
    Index index{};
    float computed;
};

struct Comparison {
    const Reference* reference;
    Shape computed_shape;
    Agreement agreement{};  // of no numbers when the shapes differ
    std::optional<Mismatch> first_mismatch{};
    // Digits of the printed text: 5 in "-0.0739", none in "-inf". All of a number that agrees do; of one that
    // does not, those before the first that differs from the computed number printed alike.
    std::size_t digits = 0;
    std::size_t digits_agreeing = 0;

    bool same_shape() const { return computed_shape == reference->table.shown; }
    bool agrees() const { return same_shape() && agreement.agrees(); }
};

Comparison compare(const Reference& reference, const Tensor& computed);

// A number with the decimals, point and notation of a printed one; what stands for no such text is written
// short.
std::string printed_alike(std::string_view printed, double x);

// The tables of this stage's shown steps that fit its parameters.
std::vector<Comparison> compare_stage(const StageTrace& trace, std::span<const Reference> references);

// Every table of this stage's shown steps, each at the parameters it was printed with, whatever those of the
// run are.
std::vector<Comparison> compare_each(const StageTrace& shown, const Lesson& lesson,
                                     std::span<const Reference> references);

// For which other parameters tables of this stage's shown steps are printed, one entry each, in lines of at
// most so many columns: `--seed 123 --d-out 2: 004 attn_weights, …`.
std::string printed_elsewhere(const StageTrace& trace, std::span<const Reference> references,
                              const SpellSettings& spell, std::size_t columns);

}  // namespace attn
