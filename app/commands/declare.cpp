#include "commands/declare.hpp"

#include <algorithm>
#include <deque>

#include "commands/words.hpp"
#include "correction.hpp"
#include "exports.hpp"
#include "parameters.hpp"
#include "tensor/error.hpp"
#include "terminal.hpp"
#include "text/ascii.hpp"
#include "text/lists.hpp"
#include "text/printable.hpp"
#include "text/split.hpp"
#include "words/words.hpp"

namespace attn {

namespace {

bool is_choice_character(char c) {
    return is_lower(c) || is_digit(c);
}

OptionRow row_of(const ParameterOption& option) {
    return {.name = std::string(option.name),
            .names = option.names,
            .type = std::string(option.type()),
            .help = std::string(option.help),
            .target = {}};
}

void take_parameter(RunOptions& options, const ParameterOption& row, const std::string& typed) {
    const std::string text = contains(choices(row.type()), lowered(typed)) ? lowered(typed) : typed;
    for (const Setting& given : settings_of(row, text)) {
        Parameters ignored;
        const std::string expected(find_parameter(given.parameter)->read(ignored, given.value));
        if (!expected.empty()) {
            if (given.parameter != "num_heads") {  // every stage takes the number that a checkpoint has
                RunOptions asked = options;        // a stage that does not use the option is told first
                asked.parameters = {given};
                take_stages(asked);
                require_use(asked);
            }
            refuse_value(row_of(row), Message(expected.c_str()), given.value);
        }
        options.parameters.push_back(given);
    }
}

}  // namespace

Declaration::Declaration(const Command& declared) : command(declared) {
    command.declare(*this);
}

void Declaration::begin(std::shared_ptr<Options> values, std::function<ExitCode()> run_it) {
    options = std::move(values);
    run = std::move(run_it);
    options->command = &command;
    add({.name = "--help", .short_name = "-h", .target = &options->help});
    add({.name = "--help-all", .target = &options->all_options});
    add({.name = "--version", .short_name = "-V", .target = &options->version});
    if (!command.words.empty()) {
        begin_group(rare);
        add({.name = command.takes_stages ? "--stage" : "",
             .names = Names::stage,
             .help = "Stage to run; all runs every stage; repeatable; --stage can be left out",
             .target = &options->words,
             .takes_words = true});
    }
}

void Declaration::add(OptionRow row) {
    row.group = group_;
    row.type = row.type.empty() ? usual_type(row.names) : row.type;
    rows.push_back(std::move(row));
}

std::vector<const OptionRow*> Declaration::shown() const {
    std::vector<const OptionRow*> shown;
    for (const OptionRow& row : rows) {
        if (!row.group.empty() && !row.name.empty()) {
            shown.push_back(&row);
        }
    }
    return shown;
}

const OptionRow* Declaration::find(std::string_view name) const {
    const auto found = std::ranges::find_if(rows, [&](const OptionRow& row) {
        return !name.empty() && (name == row.name || name == row.short_name);
    });
    return found == rows.end() ? nullptr : &*found;
}

void refuse_value(const OptionRow& row, const Message& expected, const std::string& text) {
    throw Error("{}: expected {} but received {}.", row.name, expected, in_quotes(text))
        .correcting(row.name, row.name + " " + sample_value(row))
        .correcting(row.name, "");
}

const OptionRow* find_option(std::string_view name) {
    static const std::deque<Declaration> declared(commands().begin(), commands().end());
    for (const Declaration& one : declared) {
        if (const OptionRow* const row = one.find(name)) {
            return row;
        }
    }
    return nullptr;
}

std::vector<std::string> choices(std::string_view type) {
    const std::vector<std::string_view> parts = split(type, "|");
    std::vector<std::string> words(parts.begin(), parts.end());
    std::erase_if(words, [](const std::string& word) {
        return word.empty() || !std::ranges::all_of(word, is_choice_character);
    });
    return words;
}

ExitCode run_instead(std::string_view name, const Options& options) {
    const Declaration other(*find_command(name));
    *other.options = options;
    return other.run();
}

void add_general(Declaration& declared, Options& options) {
    declared.begin_group("General");
    declared.add({.name = "--lang",
                  .type = joined(languages(), "|"),
                  .help = "Language of all output; default: the locale's",
                  .target = Choice{[&options](std::size_t at) { options.language = languages()[at]; }}});
    declared.add({.name = "--color",
                  .type = "auto|always|never",
                  .help = "Colours of headings, code and heat maps; auto: when the terminal supports them",
                  .target = choice<WhenToColour>(options.colour)});
    declared.begin_group(rare);
    declared.add({.name = "--width",
                  .names = Names::number,
                  .help = "Columns of text; default: those of the terminal, or 80",
                  .target = Whole{least_columns, 1000, choose_columns}});
    declared.add({.name = "--no-pager",
                  .help = "Do not page long text with $PAGER or less",
                  .target = &options.no_pager});
    declared.add({.name = "--threads",
                  .names = Names::number,
                  .help = "Threads for large tensors; default: all cores. Results do not change",
                  .target = whole(options.threads, 1, 1024)});
}

void add_run(Declaration& declared, RunOptions& options, const std::vector<std::string_view>& shown) {
    for (const ParameterOption& row : parameter_options()) {
        if (row.is_input()) {
            continue;  // added below
        }
        const bool is_shown = contains(shown, row.name);
        declared.begin_group(is_shown ? "Parameters of stages" : rare);
        const auto take = [&options, &row](const std::string& text) {
            take_parameter(options, row, row.is_switch() ? "true" : text);
        };
        OptionRow option = row_of(row);
        option.target = take;
        if (row.name == "--loss") {
            option.needs = {"--backward"};
        }
        declared.add(std::move(option));
    }
    constexpr std::uint64_t most = 1000;
    const auto add = [&declared](std::string_view name, std::optional<std::string>* target,
                                 std::vector<std::string> excludes = {}) {
        OptionRow row = row_of(*find_in(parameter_options(), name, &ParameterOption::name));
        row.target = target;
        row.excludes = std::move(excludes);
        declared.add(std::move(row));
    };
    declared.begin_group("Your own numbers");
    add("--input", &options.input);
    add("--text", &options.text, {"--input"});
    add("--weights", &options.weights, {"--seed"});
    declared.begin_group(rare);
    declared.add({.name = "--layer",
                  .names = Names::number,
                  .help = "Layer to take from the checkpoint of a whole model",
                  .target = whole(options.layer, 0, most),
                  .needs = {"--weights"}});
    declared.add({.name = "--head",
                  .names = Names::number,
                  .help = "Head, counted from 0: the one to show, or in causal the one to take from a layer",
                  .target = whole(options.head, 0, most)});
    add("--focus", &options.focus);
}

void add_set(Declaration& declared, StepOptions& options) {
    declared.begin_group("Your own numbers");
    declared.add({.name = "--set",
                  .names = Names::cell,
                  .help = "Replace a number, inputs[1][0]=0.5, or a tensor, mask=mask.npy; repeatable",
                  .target = &options.set});
}

void add_steps(Declaration& declared, std::vector<std::string>& steps) {
    declared.begin_group("Display");
    declared.add({.name = "--step",
                  .short_name = "--steps",
                  .names = Names::step,
                  .help = "Only this step: name, number or 5-8; repeatable",
                  .target = &steps});
}

void add_precision(Declaration& declared, PrintOptions& print) {
    declared.begin_group(rare);
    declared.add({.name = "--precision",
                  .names = Names::number,
                  .help = "Digits after the point, as torch.set_printoptions(precision=N)",
                  .target = whole(print.precision, 0, 20)});
}

void add_json(Declaration& declared, RunOptions& options, const std::string& help) {
    const auto take = [&options](const std::string& file) {
        if (file.find_first_of("./\\-") == std::string::npos) {
            const std::string right = names_stage_or_step(file)
                                          ? "attn-walkthrough causal " + shell_word(file) + " --json -"
                                          : "attn-walkthrough causal --json " + shell_word(file + ".json");
            throw Error(
                "--json: expected a file name with a suffix, such as {}.json, or - but received "
                "{}. Did you mean {}?",
                printable(file, 40), in_quotes(file), in_quotes(right))
                .correcting(file, right);
        }
        options.exports.push_back(format_of_suffix(file) != nullptr
                                      ? export_to("--json", file, ".json")
                                      : Export{"--json", file, format_of_suffix(".json")});
    };
    declared.begin_group("Files to write");
    declared.add({.name = "--json",
                  .names = Names::output_file,
                  .type = "FILE|-",
                  .help = help,
                  .target = take,
                  .usual_value = "-"});
}

void add_out(Declaration& declared, RunOptions& options, const std::string& help, std::string_view suffixes) {
    const auto take = [&options, suffixes](const std::vector<std::string>& files) {
        for (const std::string& file : files) {
            options.exports.push_back(export_to("--out", file, suffixes));
        }
    };
    declared.begin_group("Files to write");
    declared.add(
        {.name = "--out", .short_name = "-o", .names = Names::output_file, .help = help, .target = take});
}

void add_questions(Declaration& declared, QuestionOptions& options) {
    constexpr std::uint64_t last_seed = 4294967295;
    declared.begin_group("Questions");
    declared.add({.name = "--count",
                  .short_name = "-n",
                  .names = Names::number,
                  .help = "Number of questions; default: 10",
                  .target = whole(options.count, 1, 1000)});
    declared.add({.name = "--quiz-seed",
                  .names = Names::number,
                  .help = "Seed that chooses the questions; default: 123",
                  .target = whole(options.quiz_seed, 0, last_seed)});
}

}  // namespace attn
