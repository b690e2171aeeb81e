#include "stages/parameters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "stages/stage.hpp"
#include "stages/state_dict.hpp"
#include "tensor/digits.hpp"
#include "tensor/error.hpp"
#include "text/decimal.hpp"
#include "text/lists.hpp"
#include "text/split.hpp"

namespace attn {

namespace {

std::string_view read_seed(std::string_view text, std::uint64_t& seed) {
    return read_whole(text, seed) ? "" : "a whole number from 0 to 18446744073709551615";
}

struct Limit {
    std::size_t most;
    const char* expected;
};

// The names of an enum's values, and the text that lists them in errors.
template <typename Enum>
struct Choice {
    struct Named {
        std::string_view name;
        Enum value;
    };
    Named values[3];
    const char* expected;
};

constexpr Choice<DropoutRng> rngs{{{"mt19937", DropoutRng::mt19937}, {"mkl", DropoutRng::mkl}},
                                  "mt19937 or mkl"};
constexpr Choice<Loss> losses{{{"sum", Loss::sum}, {"mean", Loss::mean}, {"mse", Loss::mse}},
                              "sum, mean or mse"};
constexpr Choice<Pairing> pairings{
    {{"none", Pairing::none}, {"halves", Pairing::halves}, {"neighbours", Pairing::neighbours}},
    "halves, neighbours or none"};

template <const auto& choice, typename Enum>
std::string_view read_choice(std::string_view text, Enum& value) {
    const auto* const found = find_in(choice.values, text, &Choice<Enum>::Named::name);
    if (text.empty() || found == nullptr) {
        return choice.expected;
    }
    value = found->value;
    return "";
}

template <typename Enum>
std::string choice_in_quotes(const Choice<Enum>& choice, Enum value) {
    return fmt::format("\"{}\"", find_in(choice.values, value, &Choice<Enum>::Named::value)->name);
}

struct Range {
    double least, most;
    bool includes_least;
    const char* expected;
};

constexpr Range probabilities{0.0, 1.0, true, "a probability from 0 to 1"};
constexpr Range learning_rate{0.0, 1e6, false, "a number above 0, at most 1000000, such as 0.1"};
constexpr Range rope_base{1.0, 1e12, false, "a number above 1, up to 1e12, such as 10000"};

template <const Range& range>
std::string_view read_real(std::string_view text, double& value) {
    double read = 0.0;
    if (text.empty() || read_double(text, read) < text.size() ||
        !(read <= range.most && (range.includes_least ? read >= range.least : read > range.least))) {
        return range.expected;  // also rejects NaN
    }
    value = std::abs(read);  // -0 becomes 0
    return "";
}

// The width of the largest models; a square matrix of this width is the largest tensor.
constexpr Limit most_width{16384, "a whole number from 1 to 16384"};
constexpr Limit most_length{1'000'000'000, "a whole number from 1 to 1000000000"};
constexpr Limit written_out{max_written_out, "a whole number from 1 to 1000"};

template <const Limit& limit>
std::string_view read_size(std::string_view text, std::size_t& size) {
    std::uint64_t value = 0;
    if (!read_whole(text, value) || value < 1 || value > limit.most) {
        return limit.expected;
    }
    size = std::size_t(value);
    return "";
}

std::string_view read_switch(std::string_view text, bool& value) {
    value = text == "true";
    return value || text == "false" ? "" : "true or false";
}

std::string_view read_lengths(std::string_view text, std::vector<std::size_t>& sequence_lengths) {
    constexpr std::string_view expected =
        "2 to 16 whole numbers from 1 to 1000000 in increasing order, such as 256,512,1024";
    std::vector<std::size_t> lengths;
    for (const std::string_view part : split(text, ",")) {
        std::uint64_t length = 0;
        if (!read_whole(part, length) || length > 1'000'000 ||
            length <= (lengths.empty() ? 0 : lengths.back())) {
            return expected;
        }
        lengths.push_back(std::size_t(length));
    }
    if (lengths.size() < 2 || lengths.size() > 16 || text.ends_with(',')) {
        return expected;
    }
    sequence_lengths = lengths;
    return "";
}

template <typename Value>
std::string as_json(Value value) {
    return fmt::format("{}", value);
}

std::string as_json(double value) {
    return shortest_digits(value);
}

std::string as_json(DropoutRng rng) {
    return choice_in_quotes(rngs, rng);
}

std::string as_json(Pairing pairing) {
    return pairing == Pairing::none ? "" : choice_in_quotes(pairings, pairing);
}

std::string as_json(const std::vector<std::size_t>& lengths) {
    return lengths.empty() ? "" : fmt::format("\"{}\"", fmt::join(lengths, ","));
}

template <typename Value>
std::string as_json(const std::optional<Value>& value) {
    return value ? as_json(*value) : "";
}

template <auto reader, typename Value>
std::string_view read_into(Value& value, std::string_view text) {
    return reader(text, value);
}

template <auto reader, typename Value>
std::string_view read_into(std::optional<Value>& value, std::string_view text) {
    Value read{};
    const std::string_view expected = reader(text, read);
    value = expected.empty() ? std::optional(read) : value;
    return expected;
}

template <auto member, auto reader>
constexpr ParameterRow row(std::string_view name) {
    return {.name = name,
            .read = [](Parameters& p, std::string_view text) { return read_into<reader>(p.*member, text); },
            .json = [](const Parameters& p) { return as_json(p.*member); }};
}

constexpr ParameterRow parameter_rows[] = {
    row<&Parameters::seed, read_seed>("seed"),
    row<&Parameters::d_in, read_size<most_width>>("d_in"),
    row<&Parameters::d_out, read_size<most_width>>("d_out"),
    row<&Parameters::num_heads, read_size<written_out>>("num_heads"),
    row<&Parameters::batch, read_size<written_out>>("batch"),
    row<&Parameters::context_length, read_size<most_length>>("context_length"),
    row<&Parameters::qkv_bias, read_switch>("qkv_bias"),
    row<&Parameters::dropout, read_real<probabilities>>("dropout"),
    row<&Parameters::dropout_seed, read_seed>("dropout_seed"),
    row<&Parameters::dropout_rng, read_choice<rngs, DropoutRng>>("dropout_rng"),
    {.name = "backward",
     .read = [](Parameters& p, std::string_view text) { return read_switch(text, p.backward); },
     .json = [](const Parameters& p) { return std::string(p.backward ? "true" : ""); }},
    {.name = "loss",
     .read = [](Parameters& p, std::string_view text) { return read_choice<losses>(text, p.loss); },
     .json = [](const Parameters& p) { return p.backward ? choice_in_quotes(losses, p.loss) : ""; }},
    row<&Parameters::sequence_lengths, read_lengths>("sequence_lengths"),
    row<&Parameters::window, read_size<most_length>>("window"),
    row<&Parameters::kv_heads, read_size<written_out>>("kv_heads"),
    row<&Parameters::short_length, read_size<most_length>>("short_length"),
    row<&Parameters::rotary, read_choice<pairings, Pairing>>("rotary"),
    row<&Parameters::rotary_base, read_real<rope_base>>("rotary_base"),
    row<&Parameters::lr, read_real<learning_rate>>("lr"),
};

}  // namespace

std::span<const ParameterRow> parameter_table() {
    return parameter_rows;
}

const ParameterRow* find_parameter(std::string_view name) {
    return find_in(parameter_rows, name, &ParameterRow::name);
}

Setting setting_of(const ParameterRow& row, std::string_view json) {
    Setting setting{row.name, std::string(json)};
    std::erase(setting.value, '"');
    return setting;
}

std::string as_arguments(std::span<const Setting> settings) {
    return joined(
        mapped(settings, [](const Setting& one) { return fmt::format("{}={}", one.parameter, one.value); }));
}

Parameters resolved(Parameters parameters, const Stage& stage, const Lesson& lesson,
                    const StateDict* weights) {
    const std::size_t tokens = lesson.tokens.size();
    const bool uses_lesson = uses(stage, "lesson");
    if (uses_lesson) {
        parameters.d_in = lesson.embeddings.size(-1);
    }
    if (uses(stage, "kv_heads") && !parameters.kv_heads) {
        parameters.kv_heads = parameters.num_heads % 2 == 0 ? 2 : 1;
    }
    if (weights != nullptr) {
        if (uses_lesson) {
            require_width(*weights, parameters.d_in);
        }
        adopt(*weights, parameters);
    }
    if (stage.is_square) {
        parameters.d_in = parameters.d_out;
    }
    if (parameters.rotary != Pairing::none && !parameters.rotary_base) {
        parameters.rotary_base = usual_rotary_base;
    }
    if (uses(stage, "window") && !parameters.window) {
        parameters.window = std::min<std::size_t>(3, tokens);
    }
    if (uses(stage, "short_length") && !parameters.short_length) {
        parameters.short_length = std::max<std::size_t>(3, tokens) - 2;
    }
    if (uses_lesson && parameters.context_length == 0) {
        parameters.context_length = tokens;
    }
    if (uses_lesson && parameters.context_length < tokens) {
        throw Error("`context_length`: a context of {} is too short for {} tokens.",
                    parameters.context_length, tokens)
            .correcting("`context_length`", fmt::format("`context_length` {}", tokens));
    }
    return parameters;
}

}  // namespace attn
