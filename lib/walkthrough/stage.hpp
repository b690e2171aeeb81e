// A stage: a function that records its steps in a notebook, and what the command line needs to know about it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "notebook/notebook.hpp"
#include "tensor/random.hpp"
#include "walkthrough/lesson.hpp"

namespace attn {

// What a run can be told to do otherwise; each stage has its own defaults, those of its document.
struct Parameters {
    std::uint64_t seed = 123;
    std::size_t d_out = 2;
    std::size_t num_heads = 1;
    std::size_t batch = 1;
    bool qkv_bias = false;
    double dropout = 0.0;
    std::uint64_t dropout_seed = 123;
    DropoutRng dropout_rng = DropoutRng::mt19937;
};

struct Run {
    const Lesson& lesson;
    const Parameters& parameters;
};

struct Stage {
    std::string_view name;
    std::string_view documents;                 // that it follows, such as "000 002 004"
    std::span<const std::string_view> options;  // that change it, as on the command line without the dashes
    Parameters defaults;
    void (*walk)(Notebook&, const Run&);
};

}  // namespace attn
