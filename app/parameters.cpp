#include "parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "stages/catalogue.hpp"
#include "tensor/error.hpp"
#include "text/ascii.hpp"
#include "text/lists.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

constexpr ParameterOption option_rows[] = {
    {"--input", "lesson", Names::input_file,
     "Tokens and embeddings as JSON, or embeddings as .npy, .npz or .safetensors"},
    {"--text", "lesson", Names::words, "Your own sentence; each word gets a row of torch.nn.Embedding"},
    {"--weights", "weights", Names::input_file,
     "Your weights: a state_dict as JSON, .npz or .safetensors, or a checkpoint of GPT-2, Llama or the book"},
    {"--seed", "seed", Names::number, "Seed of the weights, as torch.manual_seed(N)"},
    {"--d-out", "d_out", Names::number, "Width of queries, keys and values"},
    {"--heads", "num_heads", Names::number, "Number of heads"},
    {"--qkv-bias", "qkv_bias", Names::nothing, "Give the three linear layers a bias"},
    {"--dropout", "dropout", Names::nothing, "Probability of dropping a weight", "P"},
    {"--dropout-seed", "dropout_seed", Names::number, "Seed of the dropout mask"},
    {"--dropout-rng", "dropout_rng", Names::nothing,
     "Generator of the dropout mask; PyTorch builds for Intel use mkl, others mt19937", "mt19937|mkl"},
    {"--focus", "focus", Names::token, "Token whose query is followed step by step; default: journey"},
    {"--backward", "backward", Names::nothing,
     "Also run the backward pass: the loss, and the gradient of every step"},
    {"--loss", "loss", Names::nothing, "Loss of the backward pass; mse uses a target of zeros",
     "sum|mean|mse"},
    {"--batch", "batch", Names::number,
     "Batch size: the number of copies of the tokens; default: 2 (1 with --input)"},
    {"--context-length", "context_length", Names::number, "Size of the mask; default: the number of tokens"},
    {"--kv-heads", "kv_heads", Names::number,
     "Number of key and value heads, shared by groups of query heads; default: 2, or 1 for an odd number of "
     "heads"},
    {"--rotary", "rotary", Names::nothing,
     "Rotate queries and keys by position: halves (as in Hugging Face's models), neighbours or none; base "
     "10000",
     "KIND[:BASE]", "rotary_base"},
    {"--window", "window", Names::number, "Window size, including the token itself; default: 3"},
    {"--short-length", "short_length", Names::number,
     "Tokens of the shorter sentence in a padded batch; default: 2 fewer than in the longer one"},
    {"--tokens", "sequence_lengths", Names::nothing, "Sequence lengths to compare", "N,N,…"},
    {"--lr", "lr", Names::nothing, "Learning rate", "X"},
};

void require_use(const RunOptions& options, std::string_view parameter) {
    const auto uses_it = [&](const Stage* stage) { return uses(*stage, parameter); };
    if (std::ranges::any_of(options.stages, uses_it)) {
        return;
    }
    const Stage& asked = *options.stages.front();
    if (const std::string_view second = option_for(parameter)->second_parameter;
        !second.empty() && uses(asked, second)) {
        throw Error("--rotary: {} shows both kinds of rotation, so give only the base, such as :500.",
                    asked.name);
    }
    std::vector<const Stage*> others(catalogue().begin(), catalogue().end());
    std::erase_if(others, std::not_fn(uses_it));
    const std::string name = option_name(parameter, options.text.has_value());
    Error error("{}: {} does not use it.{} These stages do: {}.", name, asked.name,
                parameter == "backward" && !asked.why_no_gradients.empty()
                    ? Message(" The reason: {}.", Message(std::string(asked.why_no_gradients).c_str()))
                    : Message(),
                joined(mapped(others, &Stage::name)));
    for (const Stage* const other : others) {
        error = std::move(error).correcting(asked.name, other->name);
    }
    throw std::move(error).correcting(name, "");
}

}  // namespace

std::span<const ParameterOption> parameter_options() {
    return option_rows;
}

const ParameterOption* option_for(std::string_view parameter) {
    const auto* const found = std::ranges::find_if(option_rows, [&](const ParameterOption& row) {
        return row.parameter == parameter || row.second_parameter == parameter;
    });
    return found == std::end(option_rows) ? nullptr : found;
}

std::string option_name(std::string_view parameter, bool has_text) {
    const ParameterOption* const option = option_for(parameter);
    return has_text && parameter == "lesson" ? "--text"
           : option != nullptr               ? std::string(option->name)
                                             : "--" + std::string(parameter);
}

bool uses_option(const Stage& stage, const ParameterOption& option) {
    return uses(stage, option.parameter) || uses(stage, option.second_parameter);
}

std::string spelled(std::span<const Setting> settings) {
    std::string text;
    for (const auto& [parameter, value] : settings) {
        const ParameterOption& row = *option_for(parameter);
        const std::string name = fmt::format("{}{}", text.empty() ? "" : " ", row.name);
        if (row.is_switch()) {
            text += value == "true" ? name : "";
        } else if (parameter == row.second_parameter) {  // `halves:500`, or `:500` without a kind
            text += fmt::format("{}:{}", !contains(text, row.name) ? name + " " : "", value);
        } else {
            text += name + " " + value;
        }
    }
    return text;
}

bool is_given(const RunOptions& options, std::string_view parameter) {
    return contains(options.parameters, parameter, &Setting::parameter);
}

Parameters parameters_of(const Stage& stage, const RunOptions& options) {
    Parameters parameters = stage.defaults;
    for (const auto& [parameter, text] : options.parameters) {
        if (uses(stage, parameter)) {
            find_parameter(parameter)->read(parameters, text);
        }
    }
    if (stage.head_layout == HeadLayout::split && !is_given(options, "d_out") &&
        parameters.d_out % parameters.num_heads != 0) {
        parameters.d_out = (parameters.d_out / parameters.num_heads + 1) * parameters.num_heads;
    }
    return parameters;
}

std::vector<Setting> settings_of(const ParameterOption& option, const std::string& text) {
    const std::size_t colon = !option.second_parameter.empty() ? text.find(':') : std::string::npos;
    std::vector<Setting> settings;
    if (colon != 0) {
        settings.push_back({option.parameter, text.substr(0, colon)});
    }
    if (colon != std::string::npos) {
        settings.push_back({option.second_parameter, text.substr(colon + 1)});
    }
    return settings;
}

void require_use(const RunOptions& options) {
    if (options.stages.empty()) {
        return;
    }
    for (const Setting& given : options.parameters) {
        const bool is_of_checkpoint = given.parameter == "num_heads" && options.head;
        if (!is_of_checkpoint) {
            require_use(options, given.parameter);
        }
    }
    for (const auto& [is_asked, name] :
         {std::pair{options.input.has_value() || options.text.has_value(), "lesson"},
          {options.weights.has_value(), "weights"},
          {options.focus && !is_given(options, "backward"), "focus"}}) {
        if (is_asked) {
            require_use(options, name);
        }
    }
}

Error changes_nothing(std::string_view option, const std::string& subject) {
    return Error("{}: changes nothing about {}; leave it out.", option, subject).correcting(option, "");
}

void refuse_exports(const RunOptions& options, const std::string& subject) {
    if (!options.exports.empty()) {
        throw changes_nothing(options.exports.front().option, subject);
    }
}

void refuse_other_options(const Options& options, const std::string& subject,
                          std::initializer_list<std::string_view> used) {
    constexpr std::string_view general[] = {"--lang",    "--color",     "--width", "--no-pager",
                                            "--threads", "--precision", "--quiet"};
    for (const std::string& name : options.given) {
        if (!contains(used, name) && !contains(general, name)) {
            throw changes_nothing(name, subject);
        }
    }
}

std::string shell_word(std::string_view text) {
    constexpr std::string_view plain = "._-+=:,/%@";
    const auto is_plain = [&](char c) { return is_word_character(c) || contains(plain, c); };
    if (!text.empty() && std::ranges::all_of(text, is_plain)) {
        return std::string(text);
    }
    // Bash and zsh read escapes in $'…'; a control character must not reach the terminal.
    const bool is_inert = printable(text) == text;
    std::string word = is_inert ? "'" : "$'";
    for (const char c : text) {
        const bool is_special = c == '\'' || (!is_inert && c == '\\');
        word += !is_special ? std::string(1, c) : is_inert ? "'\\''" : std::string{'\\', c};
    }
    return (is_inert ? word : printable(word)) + "'";
}

std::vector<std::string> words_of_shell(std::string_view line) {
    std::vector<std::string> words;
    bool is_quoted = false;
    bool is_within = false;  // a word has begun
    for (std::size_t i = 0; i < line.size(); ++i) {
        const bool is_special = !is_quoted && is_one_of(line[i], " ;>|$");
        if (is_special && line[i] != ' ') {
            break;
        }
        if (!is_special && !is_within) {
            words.emplace_back();
        }
        is_within = !is_special;
        if (line[i] == '\'') {
            is_quoted = !is_quoted;
        } else if (is_within) {
            i += line[i] == '\\' && !is_quoted && i + 1 < line.size() ? 1 : 0;
            words.back() += line[i];
        }
    }
    return words;
}

}  // namespace attn
