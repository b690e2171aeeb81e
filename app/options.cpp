// CLI11 takes the command line apart. It reads no value, for it lets -1, 0x10 and nan through, and judges no
// options together, for its sentences name no way out: what goes with what are columns of the table.
#include "options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <span>
#include <utility>

#include "exports.hpp"
#include "language.hpp"
#include "option_table.hpp"
#include "stages/catalogue.hpp"
#include "tasks.hpp"
#include "tensor/error.hpp"
#include "text/ascii.hpp"
#include "text/printable.hpp"
#include "text/suggest.hpp"
#include "views/json/trace_json.hpp"

namespace attn {

namespace {

// As CLI11 takes it; version has a letter besides.
std::string spelling(std::string_view name) {
    return fmt::format("{}--{}", name == "version" ? "-V," : "", name);
}

// CLI11 can look an option up by name only where no memory may run out; so each row keeps its own.
struct Declared {
    const OptionRow* row;
    CLI::Option* option;
};

// Whether a word of the command line is an option: `--seed`, or `--seed=123`.
bool is_option(std::string_view word, std::string_view name) {
    const std::string_view bare = word.substr(0, word.find('='));
    return bare.starts_with("--") && bare.substr(2) == name;
}

// Those that the command line may give: to declare all of them takes CLI11 as long as a walkthrough.
std::vector<Declared> declare(CLI::App& app, std::span<const char* const> words) {
    std::vector<Declared> all;
    for (const OptionRow& row : option_table()) {
        const std::string name = spelling(row.name);
        const bool has_letter = !name.starts_with("--");
        const auto names_it = [&](std::string_view word) { return is_option(word, row.name); };
        if (!has_letter && std::ranges::none_of(words, names_it)) {
            continue;
        }
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

// CLI11 names what it did not expect in one sentence; the option nearest to it is the more useful half of the
// answer.
[[noreturn]] void fail_unexpected(const std::string& word) {
    std::vector<std::string> names;
    for (const OptionRow& row : option_table()) {
        names.push_back("--" + std::string(row.name));
    }
    const std::string bare = word.substr(0, word.find('='));
    const std::vector<std::string_view> views(names.begin(), names.end());
    throw Error(fmt::format("there is no option {}.{} See --help.", in_quotes(bare),
                            did_you_mean(bare, views).english()));
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
    std::vector<std::string> extras = app.remaining();
    std::erase(extras, "--");
    if (!extras.empty()) {
        fail_unexpected(extras.front());
    }
}

// The stages, and the options but for those that say where something is written.
std::string given_again(const std::vector<std::string>& stages, const std::vector<Declared>& all) {
    std::string text;
    const auto add = [&](const std::string& word) { text += (text.empty() ? "" : " ") + word; };
    std::ranges::for_each(stages, [&](const std::string& stage) { add(shell_word(stage)); });
    for (const auto& [row, option] : all) {
        const bool is_switch = row->value.empty();
        for (const std::string& value : option->results()) {
            if (!row->writes) {
                add("--" + std::string(row->name) + (is_switch ? "" : " " + shell_word(value)));
            }
        }
    }
    return text;
}

// CLI11's own count by name looks it up in a function that is noexcept and allocates.
bool is_given(const std::vector<Declared>& all, std::string_view name) {
    return std::ranges::any_of(
        all, [&](const Declared& one) { return one.row->name == name && one.option->count() > 0; });
}

// A run does one thing.
void choose_task(Options& options, const OptionRow& row) {
    if (options.asks != nullptr) {
        throw Error(fmt::format("--{} and --{} ask for different things: give one of the two.",
                                options.asks->name, row.name));
    }
    options.task = row.task;
    options.asks = &row;
}

// An option that none of the chosen stages looks at is a misunderstanding, not a wish.
void require_use(const Options& options, const OptionRow& row) {
    const auto uses_it = [&](const Stage* stage) { return uses(*stage, setting_name(row)); };
    if (options.stages.empty() || std::ranges::any_of(options.stages, uses_it)) {
        return;
    }
    std::vector<std::string_view> users;
    for (const Stage* stage : catalogue()) {
        if (uses_it(stage)) {
            users.push_back(stage->name);
        }
    }
    std::string why;
    for (const Stage* stage : options.stages) {
        if (setting_name(row) == "backward") {
            why += fmt::format(" {}: {}.", stage->name, stage->no_way_back);
        }
    }
    throw Error(fmt::format("--{}: none of the chosen stages uses this option; these do: {}.{}", row.name,
                            fmt::join(users, ", "), why));
}

class Rules {
public:
    Rules(const Options& options, const std::vector<Declared>& all) : options_(options), all_(all) {}

    void check() const {
        std::vector<const OptionRow*> from_standard_input;
        for (const auto& [row, option] : all_) {
            if (option->count() > 0) {
                check(*row);
                if (row->value.starts_with("FILE") && !row->writes && option->results()[0] == "-") {
                    from_standard_input.push_back(row);
                }
            }
        }
        if (from_standard_input.size() > 1) {
            throw Error(fmt::format("--{} and --{} cannot both come from standard input.",
                                    from_standard_input[0]->name, from_standard_input[1]->name));
        }
        if (std::ranges::count(options_.exports, "-", &Given::text) > 1) {
            throw Error("only one export can go to standard output; give the others a file.");
        }
    }

private:
    void check(const OptionRow& row) const {
        if (row.of_stages && !is_given(row.or_with)) {
            require_use(options_, row);
        }
        const auto needed = [&](std::string_view name) { return !name.empty(); };
        if (std::ranges::any_of(row.needs, needed) &&
            std::ranges::none_of(row.needs, [&](std::string_view name) { return is_given(name); })) {
            throw Error(row.because.empty()
                            ? fmt::format("--{0} goes with --{1}; add it, or leave --{0} out.", row.name,
                                          row.needs.front())
                            : std::string(row.because));
        }
        if (is_given(row.excludes)) {
            throw Error(std::string(row.because));
        }
        if (options_.asks == nullptr) {
            return;
        }
        const OptionRow& asks = *options_.asks;
        if (row.writes && asks.files == Files::none) {
            throw Error(fmt::format("--{} writes no files: leave --{} out.", asks.name, row.name));
        }
        if (row.write != nullptr && row.write_sheet == nullptr && asks.files == Files::sheets) {
            throw Error(fmt::format("--{} writes sheets to read: leave --{} out.", asks.name, row.name));
        }
        const bool exports_walkthrough = row.write != nullptr && row.write != write_json;
        const std::string_view does =
            exports_walkthrough && asks.files == Files::json ? "exports a walkthrough" : row.walkthrough_only;
        if (!does.empty() && row.or_task != asks.name) {
            throw Error(
                fmt::format("--{} {}, which --{} is not; leave one of them out.", row.name, does, asks.name));
        }
    }

    bool is_given(std::string_view name) const { return attn::is_given(all_, name); }

    const Options& options_;
    const std::vector<Declared>& all_;
};

}  // namespace

Options parse_options(int argc, const char* const* argv) {
    CLI::App app;
    app.set_help_flag();
    app.allow_extras();
    app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);  // parse() counts
    app.option_defaults()->disable_flag_override();
    std::vector<std::string> positional;
    app.add_option("stages", positional)->take_all();
    const CLI::Option* const first_screen = app.add_flag("-h");
    const std::vector<Declared> all = declare(app, std::span(argv, static_cast<std::size_t>(argc)));
    parse(app, all, argc, argv);

    Options options;
    options.task = argc == 1 ? show_short_help : walkthrough;
    const bool asks_for_help = !positional.empty() && positional.front() == "help";  // as git and apt have it
    for (const std::string& name : std::span(positional).subspan(asks_for_help ? 1 : 0)) {
        add_stage(options, name);
    }
    for (const auto& [row, option] : all) {
        if (row->task != nullptr && option->count() > 0) {
            choose_task(options, *row);
        }
        for (const std::string& text : option->results()) {
            if (row->read != nullptr) {
                row->read(*row, options, text);
            }
        }
    }
    if (asks_for_help || first_screen->count() > 0) {
        options.task = asks_for_help || !options.stages.empty() ? show_help : show_short_help;
    }
    options.given = given_again(positional, all);
    if (!is_given(all, "lang")) {
        options.style.language = language_of_environment();
    }
    if (options.all_stages) {
        options.stages.assign(catalogue().begin(), catalogue().end());
    }
    Rules(options, all).check();
    return options;
}

void add_stage(Options& options, const std::string& name) {
    if (name == "all") {
        options.all_stages = true;
        return;
    }
    const Stage* const stage = find_stage(name);
    if (stage == nullptr) {
        std::vector<std::string_view> names;
        for (const Stage* one : catalogue()) {
            names.push_back(one->name);
        }
        std::string lower = name;
        std::ranges::transform(lower, lower.begin(), [](char c) { return is_upper(c) ? c - 'A' + 'a' : c; });
        throw Error(fmt::format("there is no stage {}.{} The stages are: {}.", in_quotes(name),
                                did_you_mean(lower, names).english(), fmt::join(names, ", ")));
    }
    if (std::ranges::find(options.stages, stage) == options.stages.end()) {
        options.stages.push_back(stage);
    }
}

Parameters parameters_of(const Stage& stage, const Options& options) {
    Parameters parameters = stage.defaults;
    for (const auto& [option, text] : options.parameters) {
        const std::string_view name = setting_name(*option);
        Parameters ignored;
        const std::string_view expected =
            find_parameter(name)->read(uses(stage, name) ? parameters : ignored, text);
        if (!expected.empty()) {
            throw Error(
                fmt::format("--{}: expected {} but received {}.", option->name, expected, in_quotes(text)));
        }
    }
    return parameters;
}

}  // namespace attn
