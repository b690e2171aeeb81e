// The parameters of a run, and a table of their names with the functions that read them. app/parameters.cpp
// sets them from a command line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stages/lesson.hpp"
#include "tensor/random.hpp"

namespace attn {

// The most heads, and the most sequences of a batch: the code writes each out.
inline constexpr std::size_t max_written_out = 1000;

// The pairs that rotary positions rotate: a number of a row's first half and its counterpart in the second,
// two neighbours, or none.
enum class Pairing { none, halves, neighbours };

// The default RoPE base.
inline constexpr double usual_rotary_base = 10'000.0;

// The loss of the last step; mse has a target of zeros.
enum class Loss { sum, mean, mse };

// Each stage has the defaults of its document. A parameter that a stage does not use is empty.
struct Parameters {
    std::uint64_t seed = 123;
    std::size_t d_in = 0;  // width of the inputs; 0: the lesson's width
    std::size_t d_out = 2;
    std::size_t num_heads = 1;
    std::size_t batch = 1;
    std::size_t context_length = 0;  // size of the mask; 0: as many as tokens
    bool qkv_bias = false;
    double dropout = 0.0;
    std::uint64_t dropout_seed = 123;
    DropoutRng dropout_rng = DropoutRng::mt19937;
    bool backward = false;                        // also computes gradients
    Loss loss = Loss::sum;                        // the loss from which a backward pass starts
    std::vector<std::size_t> sequence_lengths{};  // sequence lengths to compare, in ascending order
    std::optional<std::size_t> window{};          // how many keys a token sees, including its own
    std::optional<std::size_t> kv_heads{};        // key and value heads
    std::optional<std::size_t> short_length{};    // length of the shorter sentence in a batch
    Pairing rotary = Pairing::none;
    std::optional<double> rotary_base{};  // RoPE base
    std::optional<double> lr{};           // learning rate

    bool operator==(const Parameters& other) const = default;
};

struct Stage;
struct StateDict;

struct ParameterRow {
    std::string_view name;  // the parameter's name in the trace and in data/references
    // Reads a value. If the text is invalid, returns a description of valid values, otherwise an empty text.
    std::string_view (*read)(Parameters&, std::string_view text);
    // The value as JSON: 789, 0.5, false, "mkl"; empty if the stage does not use it.
    std::string (*json)(const Parameters&);
};

// All parameters, in the order of "parameters" in JSON.
std::span<const ParameterRow> parameter_table();

// Returns the parameter of this name, or null.
const ParameterRow* find_parameter(std::string_view name);

// A parameter and its value, as text for ParameterRow::read.
struct Setting {
    std::string_view parameter;
    std::string value;
};

// Returns a JSON value as text: `mkl` for `"mkl"`.
Setting setting_of(const ParameterRow& row, std::string_view json);

// Formats settings for a reader, as `--seed 123 --d-out 2` on a command line.
using SpellSettings = std::function<std::string(std::span<const Setting>)>;

// Formats settings as arguments of a call: `seed=123, d_out=2`.
std::string as_arguments(std::span<const Setting> settings);

// Sets the parameters that follow from the reader's weights, and those that were not given: width, context
// length, window (three tokens) and the length of the shorter sentence (two fewer). An even number of heads
// gets two key heads, an odd one gets one. Width and context length follow from the lesson, if the stage uses
// it. Throws Error if weights, context and tokens do not fit.
Parameters resolved(Parameters parameters, const Stage& stage, const Lesson& lesson,
                    const StateDict* weights = nullptr);

}  // namespace attn
