// CLI11 knows which options there are; every value is read by our own rules, for CLI11 lets -1, 0x10 and nan
// through.
#include "options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <deque>

#include "help.hpp"
#include "tensor/error.hpp"
#include "text/printable.hpp"
#include "text/suggest.hpp"
#include "views/errata.hpp"
#include "walkthrough/catalogue.hpp"

namespace attn {

namespace {

// What the command line said, before any of it is checked.
struct Raw {
    std::vector<std::string> positional, stages, steps;
    std::string input, weights, focus, json, precision;
    std::deque<std::string>
        parameter_texts;  // one per row that has an option; a deque, for CLI11 keeps addresses
    std::deque<bool> parameter_switches;
    bool list = false, errata = false, compare = false, quiet = false, help = false, version = false;
};

struct DeclaredParameter {
    const ParameterRow* row;
    CLI::Option* option;
    const std::string* text;  // null: a switch
};

std::vector<std::string_view> stage_names() {
    std::vector<std::string_view> names;
    for (const Stage* stage : catalogue()) {
        names.push_back(stage->name);
    }
    return names;
}

void add_stage(const std::string& name, Options& options) {
    if (name == "all") {
        options.all_stages = true;
        return;
    }
    const Stage* const stage = find_stage(name);
    if (stage == nullptr) {
        const std::vector<std::string_view> names = stage_names();
        throw Error(fmt::format("there is no stage {}.{} The stages are: {}.", in_quotes(name),
                                did_you_mean(name, names), fmt::join(names, ", ")));
    }
    if (std::ranges::find(options.stages, stage) == options.stages.end()) {
        options.stages.push_back(stage);
    }
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

int read_precision(const std::string& text) {
    int precision = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), precision);
    constexpr int most = 20;
    if (error != std::errc() || end != text.data() + text.size() || precision < 0 || precision > most) {
        throw Error(fmt::format("--precision: expected a whole number from 0 to {} but received {}.", most,
                                in_quotes(text)));
    }
    return precision;
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

}  // namespace

Options parse_options(int argc, const char* const* argv) {
    Raw raw;
    CLI::App app;
    app.set_help_flag();
    app.allow_extras();
    app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);  // parse() counts
    app.option_defaults()->disable_flag_override();
    app.add_option("stages", raw.positional)->take_all();
    app.add_option("--stage", raw.stages)->take_all()->allow_extra_args(false);
    app.add_option("--step", raw.steps)->take_all()->allow_extra_args(false);
    app.add_option("--input", raw.input);
    app.add_option("--weights", raw.weights);
    app.add_option("--focus", raw.focus);
    CLI::Option* const json = app.add_option("--json", raw.json);
    app.add_option("--precision", raw.precision);
    app.add_flag("--list", raw.list);
    app.add_flag("--errata", raw.errata);
    app.add_flag("--compare", raw.compare);
    app.add_flag("--quiet", raw.quiet);
    app.add_flag("-h,--help", raw.help);
    app.add_flag("-V,--version", raw.version);
    std::vector<DeclaredParameter> declared;
    for (const ParameterRow& row : parameter_table()) {
        if (row.option.empty()) {
            continue;
        }
        const std::string name = fmt::format("--{}", row.option);
        if (row.value.empty()) {
            declared.push_back({&row, app.add_flag(name, raw.parameter_switches.emplace_back()), nullptr});
        } else {
            std::string& text = raw.parameter_texts.emplace_back();
            declared.push_back({&row, app.add_option(name, text), &text});
        }
    }
    parse(app, argc, argv);
    std::vector<std::string> extras = app.remaining();
    std::erase(extras, "--");
    if (!extras.empty()) {
        fail_unexpected(app, extras.front());
    }

    Options options;
    if (raw.help) {
        options.message = help_text();
        return options;
    }
    if (raw.version) {
        options.message = version_text();
        return options;
    }
    for (const auto* names : {&raw.positional, &raw.stages}) {
        for (const std::string& name : *names) {
            add_stage(name, options);
        }
    }
    if (raw.list) {
        options.message = stage_list();
        return options;
    }
    if (raw.errata) {
        std::vector<Erratum> errata = read_errata(options.language);
        std::erase_if(errata, [&](const Erratum& erratum) {
            const auto concerns = [&](const Stage* stage) { return stage->name == erratum.stage; };
            return !options.stages.empty() && std::ranges::none_of(options.stages, concerns);
        });
        options.message = errata_list(errata);
        return options;
    }
    if (options.all_stages) {
        options.stages.assign(catalogue().begin(), catalogue().end());
    }
    if (options.stages.empty()) {
        if (argc > 1) {
            throw Error("no stage chosen. Name one, such as causal, or see --list.");
        }
        options.message = short_help_text();
        return options;
    }

    options.steps = raw.steps;
    options.compare = raw.compare;
    options.quiet = raw.quiet;
    if (app.count("--input") > 0) {
        require_use(options, "input");
        options.input = raw.input;
    }
    if (app.count("--weights") > 0) {
        require_use(options, "weights");
        options.weights = raw.weights;
    }
    if (app.count("--focus") > 0) {
        require_use(options, "focus");
        options.focus = raw.focus;
    }
    if (options.weights && app.count("--seed") > 0) {
        throw Error("--seed draws weights, --weights brings them: give one of the two.");
    }
    if (options.input == "-" && options.weights == "-") {
        throw Error("--input and --weights cannot both come from standard input.");
    }
    if (json->count() > 0) {
        options.json = raw.json;
    }
    if (app.count("--precision") > 0) {
        options.print.precision = read_precision(raw.precision);
    }
    for (const DeclaredParameter& parameter : declared) {
        if (parameter.option->count() > 0) {
            require_use(options, parameter.row->option);
            options.parameters.push_back(
                {parameter.row, parameter.text == nullptr ? "true" : *parameter.text});
        }
    }
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
