// The parameters of a run, and the table of their names and readers. How whoever runs it is to say so, as
// options of a command line, is not known here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "stages/lesson.hpp"
#include "tensor/random.hpp"

namespace attn {

// In place of d_in: the same as d_out, for a stage that has one width and draws its own input.
inline constexpr std::size_t same_as_d_out = std::numeric_limits<std::size_t>::max();

// In place of a window: three tokens, or all where there are fewer.
inline constexpr std::size_t three_or_all = std::numeric_limits<std::size_t>::max();

// In place of the length of a batch's shorter sentence: two tokens fewer, or as many as leave it one.
inline constexpr std::size_t two_fewer = std::numeric_limits<std::size_t>::max();

// How many heads, or sequences of a batch, there are at most: each is written out in the code.
inline constexpr std::size_t max_written_out = 1000;

// The pairs of a row that its position rotates: a number of the first half with its counterpart in the
// second, two neighbours, or none.
enum class Pairing { none, halves, neighbours };

// The default RoPE base.
inline constexpr double usual_rotary_base = 10'000.0;

// How many tokens the sequences have that a stage looks at side by side; in ascending order.
struct Lengths {
    static constexpr std::size_t most = 16;

    std::array<std::size_t, most> values{};
    std::size_t count = 0;

    std::span<const std::size_t> all() const { return {values.data(), count}; }
};

// The loss of the last step; mse has a target of zeros.
enum class Loss { sum, mean, mse };

// Each stage has its own defaults, those of its document.
struct Parameters {
    std::uint64_t seed = 123;
    std::size_t d_in = 0;  // 0: the lesson's width
    std::size_t d_out = 2;
    std::size_t num_heads = 1;
    std::size_t batch = 1;
    std::size_t context_length = 0;  // 0: as many as there are tokens
    bool qkv_bias = false;
    double dropout = 0.0;
    std::uint64_t dropout_seed = 123;
    DropoutRng dropout_rng = DropoutRng::mt19937;
    bool backward = false;         // also the gradients of all steps that were trained
    Loss loss = Loss::sum;         // that a backward pass starts from
    Lengths sequence_lengths{};    // none: the stage looks at the lesson's
    std::size_t window = 0;        // tokens that one looks at, itself among them; 0: the stage has none
    std::size_t kv_heads = 0;      // heads of keys and values; 0: the stage has none of their own
    std::size_t short_length = 0;  // tokens of a batch's shorter sentence; 0: the stage has none
    Pairing rotary = Pairing::none;
    double rotary_base = 0.0;  // of the slowest pair's rate; 0: the stage turns nothing
    double lr = 0.0;           // how far a step of training goes; 0: the stage takes none
};

struct ParameterRow {
    std::string_view name;  // in the trace and in data/references
    // Reads a value. Returns what would have been right when the text is not, otherwise nothing.
    std::string_view (*read)(Parameters&, std::string_view text);
    // The value as JSON: 789, 0.5, false, "mkl"; empty where the stage has none.
    std::string (*json)(const Parameters&);
};

// In the order of the trace's "parameters".
std::span<const ParameterRow> parameter_table();

// The row of that name, or null.
const ParameterRow* find_parameter(std::string_view name);

// A parameter and its value as text that the row reads.
struct Setting {
    std::string_view parameter;
    std::string value;
};

// The text of a JSON value: `mkl` for `"mkl"`.
Setting setting_of(const ParameterRow& row, std::string_view json);

// How a reader is told to set these, `--seed 123 --d-out 2` on a command line.
using SpellSettings = std::function<std::string(std::span<const Setting>)>;

// As arguments of a call: `seed=123, d_out=2`.
std::string as_arguments(std::span<const Setting> settings);

// Fills in what follows from the lesson: its width, and its length where no context length was given. A stage
// with data of its own has no lesson (null). Throws Error when the context is too short for the tokens.
Parameters resolved(Parameters parameters, const Lesson* lesson);

}  // namespace attn
