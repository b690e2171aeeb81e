// CLI11 knows which options there are; every value is read by our own rules, for CLI11 lets -1, 0x10 and nan
// through.
#include "options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "language.hpp"
#include "option_table.hpp"
#include "tasks.hpp"
#include "tensor/error.hpp"
#include "text/printable.hpp"
#include "text/suggest.hpp"
#include "walkthrough/catalogue.hpp"

namespace attn {

namespace {

// As CLI11 takes it; help and version have a letter besides.
std::string spelling(std::string_view name) {
    return fmt::format("{}--{}", name == "help" ? "-h," : name == "version" ? "-V," : "", name);
}

// CLI11 names what it did not expect in one sentence; the option nearest to it is the more useful half of the
// answer.
[[noreturn]] void fail_unexpected(const CLI::App& app, const std::string& word) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
        if (option->nonpositional()) {
            names.push_back("--" + option->get_lnames().at(0));
        }
    }
    const std::string bare = word.substr(0, word.find('='));
    const std::vector<std::string_view> views(names.begin(), names.end());
    throw Error(
        fmt::format("there is no option {}.{} See --help.", in_quotes(bare), did_you_mean(bare, views)));
}

void parse(CLI::App& app, int argc, const char* const* argv) {
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        const CLI::Option* const option =
            app.get_option_no_throw(std::string(argument.substr(0, argument.find('='))));
        if (argument.find('=') != std::string_view::npos && option != nullptr &&
            option->get_items_expected_max() == 0) {
            throw Error(fmt::format("{}: takes no value.", option->get_name()));
        }
        if (argument.starts_with("--") &&
            argument.ends_with('=')) {  // CLI11 would take the next argument for its value
            throw Error(
                fmt::format("{}: a value is missing.", printable(argument.substr(0, argument.size() - 1))));
        }
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ArgumentMismatch& error) {
        const std::string_view text = error.what();
        throw Error(fmt::format("{}: a value is missing.", printable(text.substr(0, text.find(':')))));
    } catch (const CLI::ParseError& error) {
        throw Error(printable(error.what()));
    }
    for (const CLI::Option* option : app.get_options()) {
        const bool repeatable = option->get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
        if (option->count() > 1 && !repeatable) {
            throw Error(
                fmt::format("{}: given {} times; once is enough.", option->get_name(), option->count()));
        }
        for (const std::string& value : option->results()) {
            if (value.starts_with("--") &&
                option->nonpositional()) {  // the next option, or a file nobody wants to be called that
                throw Error(
                    fmt::format("{}: a value is missing before {}.", option->get_name(), in_quotes(value)));
            }
        }
    }
}

// An option that none of the chosen stages looks at is a misunderstanding, not a wish.
void require_use(const Options& options, std::string_view option) {
    const auto uses_it = [&](const Stage* stage) { return uses(*stage, option); };
    if (std::ranges::any_of(options.stages, uses_it)) {
        return;
    }
    std::vector<std::string_view> users;
    for (const Stage* stage : catalogue()) {
        if (uses_it(stage)) {
            users.push_back(stage->name);
        }
    }
    throw Error(users.empty() ? fmt::format("--{}: no stage uses this option.", option)
                              : fmt::format("--{}: none of the chosen stages uses this option; these do: {}.",
                                            option, fmt::join(users, ", ")));
}

// What no option can see for itself.
void check(const Options& options, const CLI::App& app) {
    for (const OptionRow& row : option_table()) {
        if (row.of_stages && app.count("--" + std::string(row.name)) > 0 && !options.stages.empty()) {
            require_use(options, row.name);
        }
    }
    for (const OptionRow& row : option_table()) {
        const std::string other = "--" + std::string(row.goes_with);
        if (!row.goes_with.empty() && app.count("--" + std::string(row.name)) > 0 && app.count(other) == 0) {
            throw Error(
                fmt::format("--{} goes with {}; add it, or leave --{} out.", row.name, other, row.name));
        }
    }
    if (options.weights && app.count("--seed") > 0) {
        throw Error("--seed draws weights, --weights brings them: give one of the two.");
    }
    if (options.input == "-" && options.weights == "-") {
        throw Error("--input and --weights cannot both come from standard input.");
    }
    if (options.heatmap && !options.task_option.empty()) {
        throw Error(fmt::format("--heatmap shows a walkthrough, which --{} is not; leave one of them out.",
                                options.task_option));
    }
    if (std::ranges::count(options.exports, "-", &Export::target) > 1) {
        throw Error("only one export can go to standard output; give the others a file.");
    }
}

}  // namespace

Options parse_options(int argc, const char* const* argv) {
    CLI::App app;
    app.set_help_flag();
    app.allow_extras();
    app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);  // parse() counts
    app.option_defaults()->disable_flag_override();
    std::vector<std::string> positional;
    app.add_option("stages", positional)->take_all();
    for (const OptionRow& row : option_table()) {
        const std::string name = spelling(row.name);
        CLI::Option* const option = row.value.empty() ? app.add_flag(name) : app.add_option(name);
        if (row.repeatable) {
            option->take_all()->allow_extra_args(false);
        }
    }
    parse(app, argc, argv);
    std::vector<std::string> extras = app.remaining();
    std::erase(extras, "--");
    if (!extras.empty()) {
        fail_unexpected(app, extras.front());
    }

    Options options;
    options.language = language_of_environment();
    for (const std::string& name : positional) {
        add_stage(options, name);
    }
    for (const OptionRow& row : option_table()) {
        for (const std::string& text : app.get_option("--" + std::string(row.name))->results()) {
            row.read(options, text);
        }
    }
    if (options.all_stages) {
        options.stages.assign(catalogue().begin(), catalogue().end());
    }
    if (options.task == nullptr) {
        options.task = argc == 1 ? show_short_help : walkthrough;
    }
    check(options, app);
    return options;
}

Parameters parameters_of(const Stage& stage, const Options& options) {
    Parameters parameters = stage.defaults;
    for (const auto& [row, text] : options.parameters) {
        Parameters ignored;
        const std::string_view expected = row->read(uses(stage, row->option) ? parameters : ignored, text);
        if (!expected.empty()) {
            throw Error(
                fmt::format("--{}: expected {} but received {}.", row->option, expected, in_quotes(text)));
        }
    }
    return parameters;
}

}  // namespace attn
