// CLI11 knows which options there are; every value is read by our own rules, for CLI11 lets -1, 0x10 and nan
// through.
#include "options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <utility>

#include "exports.hpp"
#include "language.hpp"
#include "option_table.hpp"
#include "stages/catalogue.hpp"
#include "tasks.hpp"
#include "tensor/error.hpp"
#include "text/printable.hpp"
#include "text/suggest.hpp"

namespace attn {

namespace {

// As CLI11 takes it; help and version have a letter besides.
std::string spelling(std::string_view name) {
    return fmt::format("{}--{}", name == "help" ? "-h," : name == "version" ? "-V," : "", name);
}

// CLI11 can look an option up by name only where no memory may run out; so each row keeps its own.
struct Declared {
    const OptionRow* row;
    CLI::Option* option;
};

std::vector<Declared> declare(CLI::App& app) {
    std::vector<Declared> all;
    for (const OptionRow& row : option_table()) {
        const std::string name = spelling(row.name);
        all.push_back({&row, row.value.empty() ? app.add_flag(name) : app.add_option(name)});
        if (row.value.starts_with('[')) {  // a value that may be left out
            all.back().option->expected(0, 1);
        }
        if (row.repeatable) {
            all.back().option->take_all()->allow_extra_args(false);
        }
    }
    return all;
}

bool is_given(const std::vector<Declared>& all, std::string_view name) {
    return std::ranges::any_of(
        all, [&](const Declared& one) { return one.row->name == name && one.option->count() > 0; });
}

// CLI11 names what it did not expect in one sentence; the option nearest to it is the more useful half of the
// answer.
[[noreturn]] void fail_unexpected(const std::string& word) {
    std::vector<std::string> names;
    for (const OptionRow& row : option_table()) {
        names.push_back("--" + std::string(row.name));
    }
    const std::string bare = word.substr(0, word.find('='));
    const std::vector<std::string_view> views(names.begin(), names.end());
    throw Error(
        fmt::format("there is no option {}.{} See --help.", in_quotes(bare), did_you_mean(bare, views)));
}

// What CLI11 would read otherwise than it is meant: a switch with a value, an option with an empty one.
void check_spelling(std::string_view argument) {
    const std::size_t sign = argument.find('=');
    if (!argument.starts_with("--") || sign == std::string_view::npos) {
        return;
    }
    const std::string_view name = argument.substr(2, sign - 2);
    for (const OptionRow& row : option_table()) {
        if (row.name == name && row.value.empty()) {
            throw Error(fmt::format("--{}: takes no value.", row.name));
        }
    }
    if (sign + 1 == argument.size()) {  // CLI11 would take the next argument for its value
        throw Error(fmt::format("{}: a value is missing.", printable(argument.substr(0, sign))));
    }
}

void parse(CLI::App& app, const std::vector<Declared>& all, int argc, const char* const* argv) {
    for (int i = 1; i < argc; ++i) {
        check_spelling(argv[i]);
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ArgumentMismatch& error) {
        const std::string_view text = error.what();
        throw Error(fmt::format("{}: a value is missing.", printable(text.substr(0, text.find(':')))));
    } catch (const CLI::ParseError& error) {
        throw Error(printable(error.what()));
    }
    for (const auto& [row, option] : all) {
        if (option->count() > 1 && !row->repeatable) {
            throw Error(fmt::format("--{}: given {} times; once is enough.", row->name, option->count()));
        }
        for (const std::string& value : option->results()) {
            if (value.starts_with("--")) {  // the next option, or a file nobody wants to be called that
                throw Error(fmt::format("--{}: a value is missing before {}.", row->name, in_quotes(value)));
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
    throw Error(fmt::format("--{}: none of the chosen stages uses this option; these do: {}.", option,
                            fmt::join(users, ", ")));
}

// What no option can see for itself.
void check(const Options& options, const std::vector<Declared>& all) {
    for (const auto& [row, option] : all) {
        const bool of_checkpoint = row->name == "heads" && options.head;  // the count is the checkpoint's
        if (option->count() > 0 && row->of_stages && !of_checkpoint && !options.stages.empty()) {
            require_use(options, row->name);
        }
        if (option->count() > 0 && !row->goes_with.empty() && !is_given(all, row->goes_with)) {
            throw Error(fmt::format("--{} goes with --{}; add it, or leave --{} out.", row->name,
                                    row->goes_with, row->name));
        }
    }
    if (options.weights && is_given(all, "seed")) {
        throw Error("--seed draws weights, --weights brings them: give one of the two.");
    }
    if (options.input == "-" && options.weights == "-") {
        throw Error("--input and --weights cannot both come from standard input.");
    }
    if (options.max_input_bytes && !options.input && !options.weights && !options.pasted) {
        throw Error(
            "--max-input-bytes is about what --input, --weights or --diagnose read; add one, or leave it "
            "out.");
    }
    for (const auto& [name, given] :
         {std::pair{"heatmap", options.heatmap}, {"rows", options.rows.has_value()}}) {
        if (given && !options.task_option.empty()) {
            throw Error(fmt::format("--{} shows a walkthrough, which --{} is not; leave one of them out.",
                                    name, options.task_option));
        }
    }
    if (options.heatmap && options.rows) {
        throw Error(
            "--rows cuts out of what print() shows, --heatmap shows something else: give one of the two.");
    }
    if (options.measure && !options.task_option.empty()) {
        throw Error(
            fmt::format("--measure goes with a walkthrough, which --{} is not; leave one of them out.",
                        options.task_option));
    }
    if (options.measure && exports_to_standard_output(options)) {
        throw Error("--measure prints times, and standard output holds the export; give that a file.");
    }
    static constexpr std::array<std::string_view, 4> exporting{"", "compare", "explain", "diagnose"};
    if (!options.exports.empty() && std::ranges::find(exporting, options.task_option) == exporting.end()) {
        throw Error(fmt::format("--{} writes no files: leave --{} out.", options.task_option,
                                options.exports.front().row->name));
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
    const std::vector<Declared> all = declare(app);
    parse(app, all, argc, argv);
    std::vector<std::string> extras = app.remaining();
    std::erase(extras, "--");
    if (!extras.empty()) {
        fail_unexpected(extras.front());
    }

    Options options;
    options.language = language_of_environment();
    for (const std::string& name : positional) {
        add_stage(options, name);
    }
    for (const auto& [row, option] : all) {
        for (const std::string& text : option->results()) {
            row->read(options, text);
        }
    }
    if (options.all_stages) {
        options.stages.assign(catalogue().begin(), catalogue().end());
    }
    if (options.task == nullptr) {
        options.task = argc == 1 ? show_short_help : walkthrough;
    }
    check(options, all);
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
