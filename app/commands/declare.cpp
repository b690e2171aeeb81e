#include "commands/declare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "exports.hpp"
#include "make_trace.hpp"
#include "parameters.hpp"
#include "stages/catalogue.hpp"
#include "tensor/threads.hpp"
#include "text/ascii.hpp"
#include "text/printable.hpp"
#include "text/suggest.hpp"
#include "words/documents.hpp"

namespace attn {

namespace {

[[noreturn]] void refuse_value(std::string_view option, const Message& expected, const std::string& text) {
    throw Error("{}: expected {} but received {}.", option, expected, in_quotes(text));
}

void take_parameter(Options& options, const ParameterOption& row, const std::string& text) {
    const bool is_rotary = row.parameter == "rotary";
    for (const Setting& given :
         is_rotary ? rotary_parameters(text) : std::vector<Setting>{{row.parameter, text}}) {
        if (const std::string_view expected = expected_of(given); !expected.empty()) {
            refuse_value(row.name, Message(std::string(expected).c_str()), given.value);
        }
        options.parameters.push_back(given);
    }
}

// False for a word that names no stage.
bool take_stage(Options& options, std::string_view word) {
    const Stage* const named = find_stage(word);
    const Stage* const stage = named != nullptr ? named : stage_of_section(word);
    if (word == "all") {
        options.all_stages = true;
        options.stages.assign(catalogue().begin(), catalogue().end());
    } else if (stage != nullptr && std::ranges::find(options.stages, stage) == options.stages.end()) {
        options.stages.push_back(stage);
    }
    return word == "all" || stage != nullptr;
}

}  // namespace

void begin_group(Command& command, const std::string& group) {
    command.app->option_defaults()->group(group);
}

CLI::Option* with_type(CLI::Option* option, const std::string& type) {
    const auto check = [option, type](const std::string& text) {
        if (text.starts_with("--")) {
            refuse_value(option->get_name(), Message::verbatim(type), text);
        }
        return std::string();
    };
    return option->type_name(type)->allow_extra_args(false)->check(check, "");
}

CLI::Option* add_switch(Command& command, const std::string& name, bool& variable, const std::string& help) {
    return command.app->add_flag(name, variable, help)->disable_flag_override();
}

std::string checked_whole(const std::string& option, std::uint64_t least, std::uint64_t most,
                          const std::string& text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < least || number > most) {
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

void add_general(Command& command) {
    Options& options = command.options;
    begin_group(command, "General");
    const std::string names = fmt::format("{}", fmt::join(languages(), "|"));
    add_taken(
        command, "--lang", names,
        [&options, names](const std::string& text) {
            options.style.language = languages()[choice("--lang", names, text)];
        },
        "Language of all output; default: the locale's");
    add_choice<WhenToColour>(
        command, "--color", "auto|always|never", options.colour,
        "Colours of headings, code and heat maps; auto: when the terminal supports them");
    begin_group(command, rare);
    add_switch(command, "!--no-pager", options.pager, "Do not page long text with $PAGER or less");
    add_whole(command, "--threads", options.threads, 1, 1024,
              "Threads for large tensors; default: all cores. Results do not change");
}

void add_parameters(Command& command, const std::vector<std::string_view>& shown) {
    for (const ParameterOption& row : parameter_options()) {
        if (row.parameter == "lesson" || row.parameter == "weights" || row.parameter == "focus") {
            continue;  // add_input
        }
        const bool is_shown = std::ranges::find(shown, row.name) != shown.end();
        begin_group(command, is_shown ? "Parameters of stages" : rare);
        const std::string name(row.name);
        const std::string help(row.help);
        const auto take = [&options = command.options, &row](const std::string& text) {
            take_parameter(options, row, text);
        };
        if (row.type.empty()) {
            command.app
                ->add_flag_callback(
                    name, [take] { take("true"); }, help)
                ->disable_flag_override();
        } else {
            add_taken(command, name, std::string(row.type), take, help);
        }
    }
    command.app->get_option("--loss")->needs(command.app->get_option("--backward"));
}

void add_input(Command& command) {
    Options& options = command.options;
    const auto help_of = [](std::string_view parameter) { return std::string(option_for(parameter)->help); };
    constexpr std::uint64_t most = 1000;
    begin_group(command, "Your own numbers");
    add_value(command, "--input", "FILE|-", options.input, help_of("lesson"));
    CLI::Option* const weights =
        add_value(command, "--weights", "FILE|-", options.weights, help_of("weights"))
            ->excludes(command.app->get_option("--seed"));
    begin_group(command, rare);
    add_whole(command, "--layer", options.layer, 0, most, "Layer of a checkpoint that holds a whole model")
        ->needs(weights);
    add_whole(command, "--head", options.head, 0, most, "Head of that layer; 64 wide unless --heads is given")
        ->needs(weights);
    add_value(command, "--focus", "TOKEN|INDEX", options.focus, help_of("focus"));
}

void add_set(Command& command) {
    begin_group(command, "Your own numbers");
    add_value(command, "--set", "CELL=X", command.options.set,
              "Replace a number in the inputs, weights or a mask, such as inputs[1][0]=0.5; repeatable");
}

void add_steps(Command& command) {
    begin_group(command, "Display");
    add_value(command, "--step", "STEP", command.options.steps,
              "Only this step, by its name or its number; repeatable");
}

void add_precision(Command& command) {
    begin_group(command, rare);
    add_whole(command, "--precision", command.options.style.print.precision, 0, 20,
              "Digits after the point, as torch.set_printoptions(precision=N)");
}

void add_json(Command& command, const std::string& help) {
    begin_group(command, "Files to write");
    add_taken(
        command, "--json", "FILE|-",
        [&exports = command.options.exports](const std::string& file) {
            exports.push_back({"--json", file, format_of_suffix(".json")});
        },
        help);
}

void add_out(Command& command, const std::string& help) {
    begin_group(command, "Files to write");
    add_taken<std::vector<std::string>>(
        command, "--out", "FILE",
        [&exports = command.options.exports](const std::vector<std::string>& files) {
            for (const std::string& file : files) {
                exports.push_back(export_to("--out", file));
            }
        },
        help);
}

void add_questions(Command& command) {
    begin_group(command, "Questions");
    constexpr std::uint64_t last_seed = 4294967295;
    add_whole(command, "--count", command.options.count, 1, 1000, "Number of questions; default: 10");
    add_whole(command, "--quiz-seed", command.options.lot, 0, last_seed,
              "Seed that chooses the questions; default: 123");
}

std::vector<std::string> take_stages(Command& command) {
    std::vector<std::string> others = command.given_words;
    std::erase_if(others, [&](const std::string& word) { return take_stage(command.options, word); });
    return others;
}

void refuse_words(const Command& command, const std::vector<std::string>& words) {
    if (!words.empty()) {
        fail_unknown(*command.program, words.front());
    }
}

void take_only_stages(Command& command) {
    refuse_words(command, take_stages(command));
}

std::string take_file(const Command& command, const std::vector<std::string>& words) {
    if (words.empty()) {
        throw Error("{}: name a file, or - for standard input; for example: {}", command.name,
                    command.examples.front().command);
    }
    if (words.size() > 1) {
        fail_unknown(*command.program, words.front());
    }
    return words.front();
}

void take_stage_unless_given(Options& options, std::string_view name) {
    if (options.stages.empty()) {
        take_stage(options, name);
    }
}

void prepare(const Options& options) {
    set_num_threads(options.threads);
    require_use(options);
    require_targets(options);
}

void fail_unknown(Program& program, const std::string& word) {
    if (program.find(word) != nullptr) {
        throw Error("{} is a second command; give one at a time.", in_quotes(word));
    }
    if (const Stage* const stage = stage_with(word, {})) {
        throw Error("{0} is a step of {1}; attn-walkthrough {1} --step {0} shows it.", word, stage->name);
    }
    std::vector<std::string_view> names;
    for (const Stage* stage : catalogue()) {
        names.push_back(stage->name);
    }
    for (const Command* command : program.shown()) {
        names.push_back(command->name);
    }
    throw Error("there is no stage or command {}.{} See attn-walkthrough help and attn-walkthrough list.",
                in_quotes(word), did_you_mean(CLI::detail::to_lower(word), names));
}

}  // namespace attn
