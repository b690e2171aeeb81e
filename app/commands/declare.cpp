#include "commands/declare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "exports.hpp"
#include "language.hpp"
#include "parameters.hpp"
#include "stages/catalogue.hpp"
#include "tensor/error.hpp"
#include "tensor/threads.hpp"
#include "text/ascii.hpp"
#include "text/printable.hpp"
#include "text/suggest.hpp"
#include "words/documents.hpp"

namespace attn {

namespace {

[[noreturn]] void refuse_value(const std::string& option, const Message& expected, const std::string& text,
                               const Message& hint = {}) {
    throw Error("{}: expected {} but received {}.{}", option, expected, in_quotes(text), hint);
}

// CLI11 2.1.2 takes the next option for a missing value, -1 for a large number and 010 for octal: validators
// see the text before it is converted.
std::string check_is_no_option(const std::string& option, const std::string& text) {
    if (text.starts_with("--")) {
        throw Error("{}: a value is missing before {}.", option, in_quotes(text));
    }
    return "";
}

std::uint64_t whole(const std::string& option, const std::string& text, std::uint64_t least,
                    std::uint64_t most) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < least || number > most) {
        refuse_value(option, Message("a whole number from {} to {}", least, most), text);
    }
    return number;
}

std::vector<std::string> alternatives(const std::string& type) {
    return CLI::detail::split(type, '|');
}

std::size_t choice(const std::string& option, const std::string& type, const std::string& text) {
    const std::vector<std::string> words = alternatives(type);
    const auto found = std::ranges::find(words, text);
    if (found == words.end()) {
        const std::vector<std::string_view> views(words.begin(), words.end());
        const Message hint =
            text.size() > 2 ? did_you_mean(text, views) : Message();  // two letters are all near
        const std::string first = fmt::format("{}", fmt::join(words.begin(), words.end() - 1, ", "));
        refuse_value(option, Message("{} or {}", first, words.back()), text, hint);
    }
    return static_cast<std::size_t>(found - words.begin());
}

void take_parameter(Options& options, const ParameterOption& row, const std::string& text) {
    const bool is_rotary = row.parameter == "rotary";
    for (const Given& given :
         is_rotary ? rotary_parameters(text) : std::vector<Given>{{std::string(row.parameter), text}}) {
        if (const std::string_view expected = expected_of(given); !expected.empty()) {
            refuse_value(std::string(row.name), Message(std::string(expected).c_str()), given.text);
        }
        options.parameters.push_back(given);
    }
}

const Stage* stage_called(const std::string& word) {
    const Stage* const stage = find_stage(word);
    return stage != nullptr ? stage : stage_of_section(word);
}

// False for a word that names no stage.
bool take_stage(Options& options, const std::string& word) {
    const Stage* const stage = stage_called(word);
    if (word == "all") {
        options.all_stages = true;
        options.stages.assign(catalogue().begin(), catalogue().end());
    } else if (stage != nullptr && std::ranges::find(options.stages, stage) == options.stages.end()) {
        options.stages.push_back(stage);
    }
    return word == "all" || stage != nullptr;
}

std::string lower(std::string word) {
    std::ranges::transform(word, word.begin(),
                           [](char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; });
    return word;
}

}  // namespace

CLI::Option* add_text(Command& command, const std::string& name, const std::string& type,
                      const std::function<void(const std::string&)>& take, std::string_view help) {
    return command.app->add_option_function<std::string>(name, take, std::string(help))
        ->type_name(type)
        ->check([name](const std::string& text) { return check_is_no_option(name, text); }, "");
}

CLI::Option* add_texts(Command& command, const std::string& name, const std::string& type,
                       const std::function<void(const std::string&)>& take, std::string_view help) {
    const auto take_each = [take](const std::vector<std::string>& texts) {
        std::ranges::for_each(texts, take);
    };
    return command.app->add_option_function<std::vector<std::string>>(name, take_each, std::string(help))
        ->type_name(type)
        ->allow_extra_args(false)
        ->check([name](const std::string& text) { return check_is_no_option(name, text); }, "");
}

CLI::Option* add_switch(Command& command, const std::string& name, const std::function<void()>& take,
                        std::string_view help) {
    return command.app->add_flag_callback(name, take, std::string(help))->disable_flag_override();
}

CLI::Option* add_whole(Command& command, const std::string& name, std::uint64_t least, std::uint64_t most,
                       const std::function<void(std::uint64_t)>& take, std::string_view help) {
    return add_text(
        command, name, "N", [=](const std::string& text) { take(whole(name, text, least, most)); }, help);
}

CLI::Option* add_choice(Command& command, const std::string& name, const std::string& type,
                        const std::function<void(std::size_t)>& take, std::string_view help) {
    return add_text(
        command, name, type, [=](const std::string& text) { take(choice(name, type, text)); }, help);
}

void add_general(Command& command) {
    Options& options = command.options;
    command.app->option_defaults()->group("Everywhere");
    add_choice(
        command, "--lang", fmt::format("{}", fmt::join(languages(), "|")),
        [&](std::size_t place) { options.style.language = languages()[place]; },
        "Language of everything the program says; default: that of the locale");
    add_choice(
        command, "--color", "auto|always|never",
        [&](std::size_t place) { options.colour = static_cast<WhenToColour>(place); },
        "Colours of headings, code and heat maps; auto: on a terminal that has them");
    command.app->option_defaults()->group(rare);
    add_switch(
        command, "--no-pager", [&] { options.pager = false; },
        "No pager ($PAGER, or less) for text longer than the terminal");
    add_whole(
        command, "--threads", 1, 1024, [&](std::uint64_t count) { options.threads = count; },
        "Threads that large tensors may use; default: all. The digits stay the same");
}

void add_parameters(Command& command, const std::vector<std::string_view>& shown) {
    Options& options = command.options;
    CLI::Option* loss = nullptr;
    CLI::Option* backward = nullptr;
    for (const ParameterOption& row : parameter_options()) {
        if (row.parameter == "lesson" || row.parameter == "weights" || row.parameter == "focus") {
            continue;  // add_input
        }
        const bool is_shown = std::ranges::find(shown, row.name) != shown.end();
        command.app->option_defaults()->group(is_shown ? "Parameters of stages" : rare);
        const std::string name(row.name);
        CLI::Option* const option =
            row.type.empty()
                ? add_switch(
                      command, name, [&options, &row] { take_parameter(options, row, "true"); }, row.help)
                : add_text(
                      command, name, std::string(row.type),
                      [&options, &row](const std::string& text) { take_parameter(options, row, text); },
                      row.help);
        loss = row.name == "--loss" ? option : loss;
        backward = row.name == "--backward" ? option : backward;
    }
    loss->needs(backward);
}

void add_input(Command& command) {
    Options& options = command.options;
    const auto help_of = [](std::string_view parameter) { return option_for(parameter)->help; };
    command.app->option_defaults()->group("Your own numbers");
    add_text(
        command, "--input", "FILE|-", [&](const std::string& file) { options.input = file; },
        help_of("lesson"));
    CLI::Option* const weights = add_text(
        command, "--weights", "FILE|-", [&](const std::string& file) { options.weights = file; },
        help_of("weights"));
    if (CLI::Option* const seed = command.app->get_option_no_throw("--seed")) {
        weights->excludes(seed);
    }
    command.app->option_defaults()->group(rare);
    constexpr std::uint64_t most = 1000;
    add_whole(
        command, "--layer", 0, most, [&](std::uint64_t layer) { options.layer = layer; },
        "The layer to take from a whole model's checkpoint")
        ->needs(weights);
    add_whole(
        command, "--head", 0, most, [&](std::uint64_t head) { options.head = head; },
        "The head to take from that layer, of --heads or each 64 wide")
        ->needs(weights);
    add_text(
        command, "--focus", "TOKEN|INDEX", [&](const std::string& text) { options.focus = text; },
        help_of("focus"));
}

void add_set(Command& command) {
    Options& options = command.options;
    command.app->option_defaults()->group("Your own numbers");
    add_texts(
        command, "--set", "CELL=X", [&](const std::string& text) { options.set.push_back(text); },
        "Replace a number in the inputs, weights or a mask, such as inputs[1][0]=0.5; repeatable");
}

void add_steps(Command& command) {
    Options& options = command.options;
    command.app->option_defaults()->group("What to show");
    add_texts(
        command, "--step", "STEP", [&](const std::string& text) { options.steps.push_back(text); },
        "Only this step, by its name or its number; repeatable");
}

void add_stage_option(Command& command) {
    command.app->option_defaults()->group(rare);
    add_texts(
        command, "--stage", "STAGE", [&](const std::string& text) { command.given_words.push_back(text); },
        "A stage, as its name alone; repeatable; all is every stage");
}

void add_precision(Command& command) {
    Options& options = command.options;
    command.app->option_defaults()->group(rare);
    constexpr std::uint64_t most = 20;
    add_whole(
        command, "--precision", 0, most,
        [&](std::uint64_t digits) { options.style.print.precision = static_cast<int>(digits); },
        "Digits after the point, as torch.set_printoptions(precision=N)");
}

void add_json(Command& command, std::string_view help) {
    Options& options = command.options;
    command.app->option_defaults()->group("Files to write");
    add_text(
        command, "--json", "FILE|-",
        [&](const std::string& file) {
            options.exports.push_back({"--json", file, format_of_suffix(".json")});
        },
        help);
}

void add_out(Command& command, std::string_view help) {
    Options& options = command.options;
    command.app->option_defaults()->group("Files to write");
    add_texts(
        command, "--out", "FILE",
        [&](const std::string& file) { options.exports.push_back(export_to(file)); }, help);
}

void add_questions(Command& command) {
    Options& options = command.options;
    command.app->option_defaults()->group("Questions");
    constexpr std::uint64_t most = 1000;
    constexpr std::uint64_t last_seed = 4294967295;
    add_whole(
        command, "--count", 1, most, [&](std::uint64_t count) { options.count = count; },
        "How many questions; default: 10");
    add_whole(
        command, "--quiz-seed", 0, last_seed, [&](std::uint64_t seed) { options.lot = seed; },
        "Which questions; default: 123");
}

std::vector<std::string> take_stages(Command& command) {
    std::vector<std::string> others;
    for (const std::string& word : command.given_words) {
        if (!take_stage(command.options, word)) {
            others.push_back(word);
        }
    }
    return others;
}

void take_only_stages(const Program& program, Command& command) {
    const std::vector<std::string> others = take_stages(command);
    if (!others.empty()) {
        fail_unknown(program, others.front());
    }
}

void take_stage_unless_given(Options& options, std::string_view name) {
    if (options.stages.empty()) {
        take_stage(options, std::string(name));
    }
}

void prepare(Command& command) {
    set_num_threads(command.options.threads);
    require_use(command.options);
    require_targets(command.options);
}

void fail_unknown(const Program& program, const std::string& word) {
    if (program.find(word) != nullptr) {
        throw Error("{} is a second command; give one at a time.", in_quotes(word));
    }
    std::vector<std::string_view> names;
    for (const Stage* stage : catalogue()) {
        names.push_back(stage->name);
    }
    for (const std::unique_ptr<Command>& command : program.commands()) {
        if (!command->is_hidden) {
            names.push_back(command->name);
        }
    }
    const Message nearest = did_you_mean(lower(word), names);
    throw Error("there is no stage or command {}.{} See attn-walkthrough list.", in_quotes(word), nearest);
}

}  // namespace attn
