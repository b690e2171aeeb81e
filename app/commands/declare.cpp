#include "commands/declare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "exports.hpp"
#include "language.hpp"
#include "parameters.hpp"
#include "tensor/error.hpp"
#include "text/ascii.hpp"
#include "text/decimal.hpp"
#include "text/printable.hpp"
#include "words/words.hpp"

namespace attn {

namespace {

bool is_choice_character(char c) {
    return is_lower(c) || is_digit(c);
}

[[noreturn]] void refuse_value(std::string_view option, const Message& expected, const std::string& text) {
    throw Error("{}: expected {} but received {}.", option, expected, in_quotes(text));
}

void take_parameter(Options& options, const ParameterOption& row, const std::string& text) {
    for (const Setting& given : settings_of(row, text)) {
        Parameters ignored;
        const std::string expected(find_parameter(given.parameter)->read(ignored, given.value));
        if (!expected.empty()) {
            refuse_value(row.name, Message(expected.c_str()), given.value);
        }
        options.parameters.push_back(given);
    }
}

}  // namespace

Declaration::Declaration(const Command& declared) : command(declared) {
    options.command = &command;
    options.style.language = language_of_environment();
    app.set_help_flag();
    app.allow_extras();
    app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    begin_group(app, "");
    app.add_flag("-h,--help", options.help);
    app.add_flag("--help-all", options.all_options);
    app.add_flag("-V,--version", options.version);
    if (!command.words.empty()) {
        const bool takes_stages = command.words.find("STAGE") != std::string_view::npos;
        begin_group(app, rare);
        app.add_option(takes_stages ? "words,--stage" : "words", options.words,
                       "Stage to run; all runs every stage; repeatable; --stage can be left out")
            ->type_name("STAGE");
    }
    if (command.declare != nullptr) {
        command.declare(app, options);
    }
}

std::vector<const CLI::Option*> Declaration::shown() const {
    return app.get_options([](const CLI::Option* option) {
        return !option->get_group().empty() && !option->get_lnames().empty();
    });
}

std::string type_of(const CLI::Option& option) {
    return option.get_expected_max() == 0 ? "" : option.get_type_name();
}

std::vector<std::string> choices(std::string_view type) {
    std::vector<std::string> words = CLI::detail::split(std::string(type), '|');
    std::erase_if(words, [](const std::string& word) {
        return word.empty() || !std::ranges::all_of(word, is_choice_character);
    });
    return words;
}

void begin_group(CLI::App& app, const std::string& group) {
    app.option_defaults()->group(group);
}

CLI::Option* typed(CLI::Option* option, const std::string& type) {
    const auto check = [option, type](const std::string& text) {
        if (text.starts_with("--")) {
            refuse_value(option->get_name(), Message::verbatim(type), text);
        }
        return std::string();
    };
    return option->type_name(type)->allow_extra_args(false)->check(check, "");
}

CLI::Option* add_taken(CLI::App& app, const std::string& name, const std::string& type,
                       const std::function<void(const std::string&)>& take, const std::string& help) {
    return typed(app.add_option_function(name, take, help), type);
}

std::string checked_whole(const std::string& option, std::uint64_t least, std::uint64_t most,
                          const std::string& text) {
    std::uint64_t number = 0;
    if (!read_whole(text, number) || number < least || number > most) {
        refuse_value(option, Message("a whole number from {} to {}", least, most), text);
    }
    return std::to_string(number);
}

std::size_t choice(const std::string& option, const std::string& type, const std::string& text) {
    const std::vector<std::string> words = CLI::detail::split(type, '|');
    const auto found = std::ranges::find(words, text);
    if (found == words.end()) {
        refuse_value(option, Message::verbatim(type), text);
    }
    return static_cast<std::size_t>(found - words.begin());
}

void add_general(CLI::App& app, Options& options) {
    begin_group(app, "General");
    const std::string names = fmt::format("{}", fmt::join(languages(), "|"));
    add_taken(
        app, "--lang", names,
        [&options, names](const std::string& text) {
            options.style.language = languages()[choice("--lang", names, text)];
        },
        "Language of all output; default: the locale's");
    add_choice<WhenToColour>(
        app, "--color", "auto|always|never", options.colour,
        "Colours of headings, code and heat maps; auto: when the terminal supports them");
    begin_group(app, rare);
    app.add_flag("!--no-pager", options.pager, "Do not page long text with $PAGER or less");
    add_whole(app, "--threads", options.threads, 1, 1024,
              "Threads for large tensors; default: all cores. Results do not change");
}

void add_parameters(CLI::App& app, Options& options, const std::vector<std::string_view>& shown) {
    for (const ParameterOption& row : parameter_options()) {
        if (row.is_input) {
            continue;  // add_input() adds these
        }
        const std::string name(row.name);
        const std::string help(row.help);
        const auto take = [&options, &row](const std::string& text) { take_parameter(options, row, text); };
        begin_group(app, std::ranges::find(shown, row.name) == shown.end() ? rare : "Parameters of stages");
        if (row.type.empty()) {
            app.add_flag_callback(
                name, [take] { take("true"); }, help);
        } else {
            add_taken(app, name, std::string(row.type), take, help);
        }
    }
    app.get_option("--loss")->needs(app.get_option("--backward"));
}

void add_input(CLI::App& app, Options& options) {
    const auto help_of = [](std::string_view parameter) { return std::string(option_for(parameter)->help); };
    constexpr std::uint64_t most = 1000;
    begin_group(app, "Your own numbers");
    add_value(app, "--input", "FILE|-", options.input, help_of("lesson"));
    CLI::Option* const weights = add_value(app, "--weights", "FILE|-", options.weights, help_of("weights"))
                                     ->excludes(app.get_option("--seed"));
    begin_group(app, rare);
    add_whole(app, "--layer", options.layer, 0, most, "Layer to take from the checkpoint of a whole model")
        ->needs(weights);
    add_whole(app, "--head", options.head, 0, most,
              "Head to take from the layer, counted from 0; give --heads, too, if heads are not 64 wide")
        ->needs(weights);
    add_value(app, "--focus", "TOKEN|INDEX", options.focus, help_of("focus"));
}

void add_set(CLI::App& app, Options& options) {
    begin_group(app, "Your own numbers");
    add_value(app, "--set", "CELL=X", options.set,
              "Replace a number in the inputs, weights or a mask: inputs[1][0]=0.5; repeatable");
}

void add_steps(CLI::App& app, Options& options) {
    begin_group(app, "Display");
    add_value(app, "--step", "STEP", options.steps,
              "Show only this step, by its name or its number; repeatable");
}

void add_precision(CLI::App& app, Options& options) {
    begin_group(app, rare);
    add_whole(app, "--precision", options.style.print.precision, 0, 20,
              "Digits after the point, as torch.set_printoptions(precision=N)");
}

void add_json(CLI::App& app, Options& options, const std::string& help) {
    begin_group(app, "Files to write");
    add_taken(
        app, "--json", "FILE|-",
        [&options](const std::string& file) {
            options.exports.push_back({"--json", file, format_of_suffix(".json")});
        },
        help);
}

void add_out(CLI::App& app, Options& options, const std::string& help) {
    begin_group(app, "Files to write");
    typed(app.add_option_function<std::vector<std::string>>(
              "-o,--out",
              [&options](const std::vector<std::string>& files) {
                  for (const std::string& file : files) {
                      options.exports.push_back(export_to("--out", file));
                  }
              },
              help),
          "FILE");
}

void add_questions(CLI::App& app, Options& options) {
    begin_group(app, "Questions");
    constexpr std::uint64_t last_seed = 4294967295;
    add_whole(app, "--count", options.count, 1, 1000, "Number of questions; default: 10");
    add_whole(app, "--quiz-seed", options.quiz_seed, 0, last_seed,
              "Seed that chooses the questions; default: 123");
}

}  // namespace attn
