#include "parameters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "stages/catalogue.hpp"
#include "tensor/error.hpp"
#include "text/ascii.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

constexpr ParameterOption option_rows[] = {
    {"--input", "lesson", "FILE|-",
     "Tokens and embeddings as JSON, or embeddings as .npy, .npz or .safetensors"},
    {"--weights", "weights", "FILE|-",
     "Your weights: a state_dict as JSON, .npz or .safetensors, or a checkpoint of GPT-2, Llama or the book"},
    {"--seed", "seed", "N", "Seed of the weights, as torch.manual_seed(N)"},
    {"--d-out", "d_out", "N", "Width of queries, keys and values"},
    {"--heads", "num_heads", "N", "Number of heads"},
    {"--qkv-bias", "qkv_bias", "", "Give the three linear layers a bias"},
    {"--dropout", "dropout", "P", "Probability of dropping a weight"},
    {"--dropout-seed", "dropout_seed", "N", "Seed of the dropout mask"},
    {"--dropout-rng", "dropout_rng", "mt19937|mkl", "Generator of the dropout mask; PyTorch's builds differ"},
    {"--focus", "focus", "TOKEN|INDEX", "The query token of single-row steps; default: journey"},
    {"--backward", "backward", "", "Also run the backward pass: the loss, and the gradient of every step"},
    {"--loss", "loss", "sum|mean|mse", "Loss of the backward pass; mse uses a target of zeros"},
    {"--batch", "batch", "N", "Batch size, as copies of the tokens; default: 2, with --input 1"},
    {"--context-length", "context_length", "N", "Size of the mask; default: the number of tokens"},
    {"--kv-heads", "kv_heads", "N", "Number of key and value heads, shared by groups of query heads"},
    {"--rotary", "rotary", "KIND[:BASE]",
     "Rotate queries and keys by position: halves (as Hugging Face does), neighbours or none; base 10000"},
    {"--window", "window", "N", "Window size, including the token itself; default: 3"},
    {"--short-length", "short_length", "N",
     "Tokens of the shorter sentence in a padded batch; default: 2 fewer"},
    {"--tokens", "sequence_lengths", "N,N,…", "Sequence lengths of the cost table"},
    {"--lr", "lr", "X", "Learning rate"},
};

// `rotary_base` is set by --rotary, too.
std::string_view row_name(std::string_view parameter) {
    return parameter == "rotary_base" ? "rotary" : parameter;
}

void require_use(const Options& options, std::string_view parameter) {
    const auto uses_it = [&](const Stage* stage) { return uses(*stage, parameter); };
    if (options.stages.empty() || std::ranges::any_of(options.stages, uses_it)) {
        return;
    }
    std::vector<std::string_view> users;
    for (const Stage* stage : catalogue()) {
        if (uses_it(stage)) {
            users.push_back(stage->name);
        }
    }
    std::vector<std::string_view> asked;
    for (const Stage* stage : options.stages) {
        asked.push_back(stage->name);
    }
    if (parameter == "rotary" &&
        std::ranges::any_of(options.stages, [](const Stage* stage) { return uses(*stage, "rotary_base"); })) {
        throw Error("--rotary: {} rotates in both ways; give the base alone, as :500.",
                    fmt::format("{}", fmt::join(asked, ", ")));
    }
    const std::string_view why = options.stages.front()->no_way_back;
    const bool gives_reason = parameter == "backward" && options.stages.size() == 1 && !why.empty();
    throw Error("{}: {} does not use it.{} These stages do: {}.", option_for(parameter)->name,
                fmt::format("{}", fmt::join(asked, ", ")),
                gives_reason ? Message(" In this stage {}.", Message(std::string(why).c_str())) : Message(),
                fmt::format("{}", fmt::join(users, ", ")));
}

}  // namespace

std::span<const ParameterOption> parameter_options() {
    return option_rows;
}

const ParameterOption* option_for(std::string_view parameter) {
    const auto* const found =
        std::ranges::find(option_rows, row_name(parameter), &ParameterOption::parameter);
    return found == std::end(option_rows) ? nullptr : found;
}

bool uses_option(const Stage& stage, const ParameterOption& option) {
    return uses(stage, option.parameter) || (option.parameter == "rotary" && uses(stage, "rotary_base"));
}

std::string spelled(std::span<const Setting> settings) {
    const auto value_of = [&](std::string_view parameter) {
        const auto found = std::ranges::find(settings, parameter, &Setting::parameter);
        return found == settings.end() ? std::string() : found->value;
    };
    std::vector<std::string> options;
    for (const auto& [parameter, value] : settings) {
        const ParameterOption& row = *option_for(parameter);
        if (row.type.empty()) {
            options.push_back(value == "true" ? std::string(row.name) : "");
        } else if (parameter == "rotary" || parameter == "rotary_base") {
            const std::string base = value_of("rotary_base");
            options.push_back(
                fmt::format("{} {}{}{}", row.name, value_of("rotary"), base.empty() ? "" : ":", base));
        } else {
            options.push_back(fmt::format("{} {}", row.name, value));
        }
        if (std::ranges::count(options, options.back()) > 1 || options.back().empty()) {
            options.pop_back();
        }
    }
    return fmt::format("{}", fmt::join(options, " "));
}

bool is_given(const Options& options, std::string_view parameter) {
    return std::ranges::find(options.parameters, parameter, &Setting::parameter) != options.parameters.end();
}

Parameters parameters_of(const Stage& stage, const Options& options) {
    Parameters parameters = stage.defaults;
    for (const auto& [parameter, text] : options.parameters) {
        if (uses(stage, parameter)) {
            find_parameter(parameter)->read(parameters, text);
        }
    }
    return parameters;
}

std::vector<Setting> rotary_parameters(const std::string& text) {
    const std::size_t colon = text.find(':');
    std::vector<Setting> given;
    if (colon != 0) {
        given.push_back({"rotary", text.substr(0, colon)});
    }
    if (colon != std::string::npos) {
        given.push_back({"rotary_base", text.substr(colon + 1)});
    }
    return given;
}

std::string_view expected_of(const Setting& given) {
    Parameters ignored;
    return find_parameter(given.parameter)->read(ignored, given.value);
}

void require_use(const Options& options) {
    for (const Setting& given : options.parameters) {
        const bool is_of_checkpoint = given.parameter == "num_heads" && options.head;
        if (!is_of_checkpoint) {
            require_use(options, given.parameter);
        }
    }
    if (options.input) {
        require_use(options, "lesson");
    }
    if (options.weights) {
        require_use(options, "weights");
    }
    if (options.focus && !is_given(options, "backward")) {
        require_use(options, "focus");
    }
}

std::string shell_word(std::string_view text) {
    constexpr std::string_view plain = "._-+=:,/%@";
    const auto is_plain = [&](char c) {
        return is_word_character(c) || plain.find(c) != std::string_view::npos;
    };
    if (!text.empty() && std::ranges::all_of(text, is_plain)) {
        return std::string(text);
    }
    std::string word = "'";
    for (const char c : text) {
        word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return word + "'";
}

}  // namespace attn
