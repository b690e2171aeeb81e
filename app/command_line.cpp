#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "commands/declare.hpp"
#include "commands/words.hpp"
#include "correction.hpp"
#include "own_words/own_words.hpp"
#include "parameters.hpp"
#include "spelling.hpp"
#include "tensor/error.hpp"
#include "terminal.hpp"
#include "text/ascii.hpp"
#include "text/decimal.hpp"
#include "text/lists.hpp"
#include "text/printable.hpp"
#include "text/split.hpp"
#include "words/first_guesses.hpp"
#include "words/words.hpp"

namespace attn {

namespace {

std::string take_command(std::vector<std::string>& arguments) {
    const auto found = first_command(arguments);
    if (found == arguments.end()) {
        return "";
    }
    const std::string name = *found;
    arguments.erase(found);
    return name;
}

// False for a command without --lang.
bool takes_language(const std::vector<std::string>& arguments) {
    const auto named = first_command(arguments);
    return named == arguments.end() || Declaration(*find_command(*named)).find("--lang") != nullptr;
}

// Throws Error for an option that this command does not have.
[[noreturn]] void fail_unexpected(const Declaration& declared, const std::string& argument, bool has_value) {
    const std::string name(up_to(argument, "="));
    const Command& command = declared.command;
    for (const Command& other : commands()) {
        const Declaration declaration(other);
        if (const OptionRow* const row = declaration.find(name)) {
            const bool is_own_data = row->names == Names::input_file || row->names == Names::words ||
                                     row->names == Names::cell;  // without it, the line says nothing
            throw Error("{}: {} has no such option; {} does.", name, command.name, other.name)
                .correcting(is_own_data ? "" : name, command.name == "help" ? other.name : "");
        }
    }
    std::vector<std::string> names;
    for (const Command& other : commands()) {
        names.emplace_back(other.name);
    }
    for (const OptionRow* option : declared.shown()) {
        names.push_back(option->name);
    }
    constexpr std::size_t least_guess = 6;  // a shorter one, such as --cn, is near to anything
    for (const auto& [guess, meant] : guess_entries("options")) {
        if (!contains(guess, ' ') && declared.find(meant.substr(0, meant.find(' '))) != nullptr &&
            guess.size() >= least_guess) {
            names.push_back(guess);
        }
    }
    const std::vector<std::string_view> near(names.begin(), names.end());
    if (is_guess("told by the inputs", name)) {
        throw Error("there is no option {}: the inputs give this width. Leave it out.", in_quotes(name))
            .correcting(name, "");
    }
    const std::optional<std::string> known = guess_entry("options", name);
    const Message meant = known && known->starts_with("--") && first_guess("hints", name).empty()
                              ? Message(" Did you mean {}?", in_quotes(*known)).correcting(name, *known)
                              : suggestion(name, near);
    std::string right = meant.empty() ? "" : meant.corrections().front().right;
    right = guess_entry("options", right).value_or(right);
    if (const OptionRow* const row = declared.find(right);
        row != nullptr && !row->type.empty() && !has_value) {
        right += " " + sample_value(*row);
    } else if (right.starts_with("--") && row == nullptr && !contains(right, ' ')) {
        right = "";
    }
    throw Error("there is no option {}.{} See attn-walkthrough help {}.", in_quotes(name), meant,
                command.name)
        .correcting(name, right);
}

[[noreturn]] void refuse_without_value(const OptionRow& row, const std::string& argument) {
    throw Error("{}: expected {} but received nothing.", row.name, row.type)
        .correcting(argument, row.name + " " + sample_value(row))
        .correcting(argument, "");
}

// Adds an option to CLI11, which checks its value and stores it. CLI11 2.1.2 would take the next option as a
// value, and would read -1 as a large number and 010 as an octal one.
CLI::Option* declare(CLI::App& app, const OptionRow& row) {
    const std::string names = row.takes_words
                                  ? row.name.empty() ? "words" : "words," + row.name
                                  : (row.short_name.empty() ? "" : row.short_name + ",") + row.name;
    const auto check = [&row](const std::string& text) {
        if (text.starts_with("--") && is_option(text)) {
            refuse_value(row, Message::verbatim(row.type), text);
        }
        return std::string();
    };
    const auto checked = [&](CLI::Option* option) {
        return row.takes_words ? option : option->allow_extra_args(false)->check(check);
    };
    const auto flag = [&row](CLI::Option* option) {
        return option->check([&row](const std::string& text) {
            if (text != "true" && text != "false") {  // CLI11's values for a flag without text
                throw Error("{}: takes no value, but received {}.", row.name, in_quotes(text));
            }
            return std::string();
        });
    };
    return std::visit(
        [&](const auto& target) {
            using Target = std::decay_t<decltype(target)>;
            if constexpr (std::is_same_v<Target, bool*>) {
                return flag(app.add_flag(names, *target));
            } else if constexpr (std::is_same_v<Target, Whole>) {
                const auto in_range = [&row, &target](const std::string& text) {
                    std::uint64_t number = 0;
                    if (!read_whole(text, number) || number < target.least || number > target.most) {
                        refuse_value(row, Message("a whole number from {} to {}", target.least, target.most),
                                     text);
                    }
                    return std::to_string(number);
                };
                return checked(app.add_option_function<std::uint64_t>(names, target.take))
                    ->transform(in_range);
            } else if constexpr (std::is_same_v<Target, Choice>) {
                const auto take = [&row, &target](const std::string& text) {
                    const std::vector<std::string> values = choices(row.type);
                    const auto found = std::ranges::find(values, lowered(text));
                    if (found == values.end()) {
                        refuse_value(row, Message::verbatim(row.type), text);
                    }
                    target.take(std::size_t(found - values.begin()));
                };
                return checked(app.add_option_function<std::string>(names, take));
            } else if constexpr (std::is_same_v<Target, Take>) {
                return row.type.empty() ? flag(app.add_flag_callback(names, [&target] { target(""); }))
                                        : checked(app.add_option_function<std::string>(names, target));
            } else if constexpr (std::is_same_v<Target, TakeAll>) {
                return checked(app.add_option_function<std::vector<std::string>>(names, target));
            } else {
                return checked(app.add_option(names, *target));
            }
        },
        row.target);
}

}  // namespace

// CLI11's options for the rows of a command.
class CommandLine::Parser {
public:
    explicit Parser(const Command& command) : declared(command) {
        app_.set_help_flag();
        app_.allow_extras();
        app_.prefix_command(declared.takes_any_words);
        app_.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
        for (const OptionRow& row : declared.rows) {
            options_.push_back(declare(app_, row));
        }
    }

    // Throws Error if CLI11 refuses the arguments.
    void parse(std::vector<std::string> arguments) {
        refuse_unknown(arguments);
        refuse_unknown_stage(arguments);
        take_without_values(arguments);
        try {
            app_.parse(
                std::vector(arguments.rbegin(), arguments.rend()));  // CLI11 expects the last one first
        } catch (const CLI::ParseError& error) {
            refuse(error, arguments);
        }
        refuse_together();
    }

    // Adds the words that CLI11 does not recognise, such as negative numbers and words after "--", to the
    // others. Throws Error for unknown options.
    void take_remaining() {
        for (const std::string& argument : app_.remaining()) {
            if (!declared.takes_any_words && is_option(argument)) {
                fail_unexpected(declared, argument, true);
            }
            if (declared.takes_any_words || argument != "--") {
                declared.options->words.push_back(argument);
            }
        }
    }

    // Returns the last value of an option, even if the arguments are invalid; nothing if it was not given.
    std::optional<std::string> given(const std::string& name) const {
        const CLI::Option* const option = app_.get_option_no_throw(name);
        return option == nullptr || option->count() == 0 ? std::nullopt
                                                         : std::optional(option->results().back());
    }

    // Returns the names of all options that were given.
    std::vector<std::string> given() const {
        std::vector<std::string> names;
        for_each_option([&](const OptionRow& row, const CLI::Option& option) {
            if (option.count() > 0 && !row.takes_words) {
                names.push_back(row.name);
            }
        });
        return names;
    }

    // Returns the command line as text, without the files that it writes and without --threads, which changes
    // nothing.
    std::string command_again() const {
        std::string text = "attn-walkthrough " + std::string(declared.command.name);
        for_each_option([&](const OptionRow& row, const CLI::Option& option) {
            const std::string name = row.takes_words ? "" : " " + row.name;
            for (const std::string& value : option.results()) {
                const bool is_left_out = row.names == Names::output_file || row.name == "--threads";
                text += is_left_out ? "" : row.type.empty() ? name : name + " " + shell_word(value);
            }
        });
        return text;
    }

    Declaration declared;

private:
    // Takes the options that need no value and have none: `--step` at the end, or before another option.
    // Others have a usual value: `--json` is `--json -`. Refuses `--out=`, for which CLI11 would take the
    // next word, and this file would be overwritten.
    void take_without_values(std::vector<std::string>& arguments) const {
        for (auto argument = arguments.begin(); argument != arguments.end() && *argument != "--";) {
            const std::size_t sign = argument->find('=');
            const OptionRow* const row = declared.find(argument->substr(0, sign));
            if (row != nullptr && !row->type.empty() && sign + 1 == argument->size()) {
                refuse_without_value(*row, *argument);
            }
            const auto next = argument + 1;
            const bool lacks_value =
                row != nullptr && sign == std::string::npos && (next == arguments.end() || is_option(*next));
            if (lacks_value && row->without_value != nullptr) {
                *row->without_value = true;
                argument = arguments.erase(argument);
            } else {
                argument = lacks_value && !row->usual_value.empty()
                               ? arguments.insert(next, row->usual_value) + 1
                               : next;
            }
        }
    }

    void for_each_option(const auto& use) const {
        for (std::size_t i = 0; i < options_.size(); ++i) {
            use(declared.rows[i], *options_[i]);
        }
    }

    // Unknown options come before rules between known ones, and before invalid values.
    void refuse_unknown(const std::vector<std::string>& arguments) const {
        const auto end = std::ranges::find(arguments, "--");
        const auto unknown = std::find_if(arguments.begin(), end, [&](const std::string& argument) {
            return argument.starts_with("--") && is_option(argument) &&
                   declared.find(up_to(argument, "=")) == nullptr;
        });
        const bool asks_for_help = std::any_of(arguments.begin(), end, [](const std::string& argument) {
            return argument == "-h" || argument.starts_with("--help");
        });
        if (unknown != end && !declared.takes_any_words && !asks_for_help) {
            const bool has_value =
                unknown->find('=') != std::string::npos || (unknown + 1 != end && !is_option(unknown[1]));
            fail_unexpected(declared, *unknown, has_value);
        }
    }

    // Among other words, a stage could be taken for one of a question.
    void refuse_unknown_stage(const std::vector<std::string>& arguments) const {
        for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
            const OptionRow* const row = declared.find(up_to(arguments[i], "="));
            const std::size_t sign = arguments[i].find('=');
            const std::string stage = sign != std::string::npos  ? arguments[i].substr(sign + 1)
                                      : i + 1 < arguments.size() ? arguments[i + 1]
                                                                 : "";
            const bool is_given = !stage.empty() && (sign != std::string::npos || !is_option(stage));
            if (row != nullptr && row->takes_words && is_given && !names_stage_or_step(stage)) {
                fail_unknown(stage);
            }
        }
    }

    // Refuses options that need others, or exclude them.
    void refuse_together() const {
        for_each_option([&](const OptionRow& row, const CLI::Option& option) {
            if (option.count() == 0) {
                return;
            }
            for (const std::string& other : row.needs) {
                if (!given(other)) {
                    throw Error("{0} needs {1}; add it, or leave {0} out.", row.name, other)
                        .correcting("", declared.find(other)->type.empty() ? other : "")
                        .correcting(row.name, "");
                }
            }
            for (const std::string& other : row.excludes) {
                if (given(other)) {
                    throw Error("{} and {} exclude each other; give only one of them.", row.name, other)
                        .correcting(other, "");
                }
            }
        });
    }

    // Says in our words what CLI11 refuses.
    [[noreturn]] void refuse(const CLI::ParseError& error, const std::vector<std::string>& arguments) const {
        const std::string& last_argument = arguments.back();
        const OptionRow* const last = declared.find(up_to(last_argument, "="));
        if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr && last != nullptr &&
            !last->type.empty()) {
            refuse_without_value(*last, last_argument);
        }
        refuse_together();
        throw Error(Message::verbatim(printable(error.what())));
    }

    CLI::App app_;
    std::vector<CLI::Option*> options_;  // of declared.rows
};

CommandLine::CommandLine(std::vector<std::string> arguments) {
    const std::string usual = arguments.empty() ? "help" : "walk";
    OwnWords read = in_own_words(arguments);
    without_effect_ = std::move(read.without_effect);
    is_chinese_ = read.is_chinese && takes_language(read.arguments);
    const bool is_reworded = read.arguments != arguments;
    if (is_chinese_) {
        arguments.insert(arguments.begin(), {"--lang", "zh"});
        read.arguments.insert(read.arguments.begin(), {"--lang", "zh"});
    }
    if (is_reworded) {
        names_device_ = std::ranges::any_of(
            arguments, [](const std::string& argument) { return chooses_device(up_to(argument, "=")); });
        arguments = std::move(read.arguments);
        reworded_ = "attn-walkthrough";
        for (const std::string& argument : arguments) {
            reworded_ += " " + shell_word(argument);
        }
    }
    read_ = arguments;
    command_name_ = take_command(arguments);
    arguments_ = std::move(arguments);
    parser_ = std::make_unique<Parser>(*find_command(command_name_.empty() ? usual : command_name_));
}

CommandLine::~CommandLine() = default;

std::string CommandLine::corrected(const Message::Correction& correction) const {
    const std::string line = printable(corrected_line(read_, correction, parser_->declared));
    const bool lacks_language = is_chinese_ && !line.empty() && !contains(line, "--lang");
    return line + (lacks_language ? " --lang zh" : "");
}

std::optional<Error> CommandLine::refusal() {
    try {
        parser_->declared.options->is_rehearsal = true;
        run_command();
    } catch (const Error& error) {
        return error;
    }
    return std::nullopt;
}

std::string CommandLine::language() const {
    const std::string usual = is_chinese_ ? "zh" : std::string(parser_->declared.options->language);
    return parser_->given("--lang").value_or(usual);
}

std::string CommandLine::option_name(std::string_view setting) const {
    return attn::option_name(setting, contains(parser_->declared.options->given, "--text"));
}

ExitCode CommandLine::run() {
    if (!reworded_.empty() && !messages_are_plain()) {
        const std::string command = with_short_words(printable(reworded_));
        const Words words(language(), "program");
        std::string note = words("read_as", command) + "\n";
        for (const std::string& option : without_effect_) {
            note += words("without_effect", printable(option, 40)) + "\n";
        }
        std::fputs((note + (names_device_ ? words("float32") + "\n" : "")).c_str(), stderr);
    }
    return run_command();
}

ExitCode CommandLine::run_command() {
    parser_->parse(arguments_);
    Options& options = *parser_->declared.options;
    const Command& command = parser_->declared.command;
    if (options.version) {
        return run_instead("version", options);
    }
    if (!options.help && !options.all_options) {
        parser_->take_remaining();
        options.command_again = parser_->command_again();
        options.given = parser_->given();
        return parser_->declared.run();
    }
    // Shows help about the named command; without one, about the named stages or the whole program.
    if (command.name != "help" && (!command_name_.empty() || options.all_options)) {
        options.words = {std::string(command.name)};
    }
    return run_instead("help", options);
}

}  // namespace attn
