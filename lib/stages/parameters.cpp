#include "stages/parameters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>

#include "tensor/digits.hpp"
#include "tensor/error.hpp"
#include "text/decimal.hpp"

namespace attn {

namespace {

// The whole text must be the number; "1e3", "0x10", "-1" and " 5" are none.
template <std::unsigned_integral Integer>
bool read_number(std::string_view text, Integer& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
}

std::string_view read_seed(std::string_view text, std::uint64_t& seed) {
    return read_number(text, seed) ? "" : "a whole number from 0 to 18446744073709551615";
}

struct Limit {
    std::size_t most;
    const char* expected;
};

// Wide enough for any model, and the product of two still fits 64 bits.
constexpr Limit widest{1'000'000'000, "a whole number from 1 to 1000000000"};
constexpr Limit written_out{max_written_out, "a whole number from 1 to 1000"};

template <std::size_t Parameters::*member, const Limit& limit = widest>
std::string_view read_size(Parameters& parameters, std::string_view text) {
    std::size_t size = 0;
    if (!read_number(text, size) || size < 1 || size > limit.most) {
        return limit.expected;
    }
    parameters.*member = size;
    return "";
}

std::string_view read_probability(std::string_view text, double& p) {
    double value = 0.0;
    if (text.empty() || read_double(text, value) < text.size() ||
        !(value >= 0.0 && value <= 1.0)) {  // NaN is no probability
        return "a probability from 0 to 1";
    }
    p = std::abs(value);  // -0 is 0
    return "";
}

std::string_view read_switch(std::string_view text, bool& value) {
    value = text == "true";
    return value || text == "false" ? "" : "true or false";
}

std::string_view read_rng(std::string_view text, DropoutRng& rng) {
    rng = text == "mkl" ? DropoutRng::mkl : DropoutRng::mt19937;
    return text == "mkl" || text == "mt19937" ? "" : "mt19937 or mkl";
}

std::string_view read_lengths(Parameters& parameters, std::string_view text) {
    constexpr std::size_t longest = 1'000'000;
    constexpr std::string_view expected =
        "2 to 16 whole numbers from 1 to 1000000, the smaller ones first, such as 256,512,1024";
    Lengths lengths;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t to = std::min(text.find(',', from), text.size());
        const std::size_t least = lengths.count == 0 ? 1 : lengths.values[lengths.count - 1] + 1;
        std::size_t length = 0;
        if (lengths.count == Lengths::most || !read_number(text.substr(from, to - from), length) ||
            length < least || length > longest) {
            return expected;
        }
        lengths.values[lengths.count++] = length;
        from = to + 1;
    }
    if (lengths.count < 2) {  // how fast something grows shows from two on
        return expected;
    }
    parameters.sequence_lengths = lengths;
    return "";
}

template <auto member>
std::string json(const Parameters& parameters) {
    return fmt::format("{}", parameters.*member);
}

constexpr ParameterRow rows[] = {
    {"seed", "seed", "N", "Seed of the weights, as torch.manual_seed(N)",
     [](Parameters& p, std::string_view text) { return read_seed(text, p.seed); }, json<&Parameters::seed>},
    {"d_in", "", "", "", read_size<&Parameters::d_in>, json<&Parameters::d_in>},
    {"d_out", "d-out", "N", "Width of queries, keys and values", read_size<&Parameters::d_out>,
     json<&Parameters::d_out>},
    {"num_heads", "heads", "N", "Number of heads", read_size<&Parameters::num_heads, written_out>,
     json<&Parameters::num_heads>},
    {"batch", "batch", "N", "How many copies of the tokens make the batch",
     read_size<&Parameters::batch, written_out>, json<&Parameters::batch>},
    {"context_length", "context-length", "N", "Size of the mask; default: the number of tokens",
     read_size<&Parameters::context_length>, json<&Parameters::context_length>},
    {"qkv_bias", "qkv-bias", "", "Give the three linear layers a bias",
     [](Parameters& p, std::string_view text) { return read_switch(text, p.qkv_bias); },
     json<&Parameters::qkv_bias>},
    {"dropout", "dropout", "P", "Probability of dropping a weight",
     [](Parameters& p, std::string_view text) { return read_probability(text, p.dropout); },
     [](const Parameters& p) { return shortest_digits(p.dropout); }},
    {"dropout_seed", "dropout-seed", "N", "Seed of the dropout mask",
     [](Parameters& p, std::string_view text) { return read_seed(text, p.dropout_seed); },
     json<&Parameters::dropout_seed>},
    {"dropout_rng", "dropout-rng", "mt19937|mkl", "Which generator draws the mask; PyTorch's builds differ",
     [](Parameters& p, std::string_view text) { return read_rng(text, p.dropout_rng); },
     [](const Parameters& p) -> std::string {
         return p.dropout_rng == DropoutRng::mkl ? "\"mkl\"" : "\"mt19937\"";
     }},
    {"sequence_lengths", "tokens", "N,N,…", "Lengths of the sequences whose cost is counted", read_lengths,
     [](const Parameters& p) -> std::string {
         const auto lengths = p.sequence_lengths.all();
         return lengths.empty() ? "" : fmt::format("\"{}\"", fmt::join(lengths, ","));
     }},
};

}  // namespace

std::span<const ParameterRow> parameter_table() {
    return rows;
}

Parameters resolved(Parameters parameters, const Lesson* lesson) {
    if (parameters.d_in == same_as_d_out) {
        parameters.d_in = parameters.d_out;
    }
    if (lesson == nullptr) {
        return parameters;
    }
    parameters.d_in = lesson->embeddings.size(-1);
    if (parameters.context_length == 0) {
        parameters.context_length = lesson->tokens.size();
    }
    if (parameters.context_length < lesson->tokens.size()) {
        throw Error(fmt::format("--context-length: a context of {} has no room for {} tokens.",
                                parameters.context_length, lesson->tokens.size()));
    }
    return parameters;
}

}  // namespace attn
