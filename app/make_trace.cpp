#include "make_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "files/source.hpp"
#include "files/system.hpp"
#include "parameters.hpp"
#include "set_numbers.hpp"
#include "spelling.hpp"
#include "stages/catalogue.hpp"
#include "stages/focus.hpp"
#include "stages/lesson_reader.hpp"
#include "stages/shipped.hpp"
#include "tensor/error.hpp"
#include "text/decimal.hpp"
#include "text/lists.hpp"
#include "text/printable.hpp"
#include "text/suggest.hpp"
#include "weights/weights.hpp"

namespace attn {

namespace {

// Calls find_focus(). The errors name --focus, and suggest the nearest token for an unknown one.
std::size_t focus_of(const Lesson& lesson, const std::string& wanted) {
    try {
        return find_focus(lesson, wanted);
    } catch (const Error& error) {
        const std::vector<std::string_view> tokens(lesson.tokens.begin(), lesson.tokens.end());
        const bool repeated = contains(tokens, wanted);
        throw Error("--focus: {}{}", error.message(), repeated ? Message() : did_you_mean(wanted, tokens));
    }
}

// Reads a range of steps, 5-8, 5..8 or 5:8. Returns 1 and 0 for other words.
std::pair<std::uint64_t, std::uint64_t> step_range(std::string_view word) {
    const std::size_t mark = word.find_first_of("-.:");
    const std::size_t rest = word.find_first_not_of("-.:", mark);
    std::uint64_t first = 1;
    std::uint64_t last = 0;
    const bool is_range = mark != std::string_view::npos && rest != std::string_view::npos &&
                          read_whole(word.substr(0, mark), first) && read_whole(word.substr(rest), last);
    return is_range ? std::pair(first, last) : std::pair(std::uint64_t{1}, std::uint64_t{0});
}

// Returns the name that a word means: the same name, also in another spelling or as a plural, or the usual
// one for a word such as W_q. A stage can have usual names of its own. Returns an empty text if there is
// none.
std::string step_called(const std::string& word, std::span<const std::string_view> names,
                        std::string_view stage) {
    if (contains(names, word)) {
        return word;
    }
    const std::string plain = plain_spelling(word);
    const std::string in_stage = plain_spelling(first_guess("steps of " + std::string(stage), word));
    const std::string beside_stage =
        stage.empty() ? "" : plain_spelling(first_guess("steps beside a stage", word));
    for (const std::string& meant :
         {plain, in_stage, beside_stage, plain_spelling(first_guess("steps", word)),
          plain.ends_with('s') && plain.size() > 3 ? plain.substr(0, plain.size() - 1) : plain}) {
        const auto found =
            std::ranges::find_if(names, [&](std::string_view name) { return plain_spelling(name) == meant; });
        if (found != names.end()) {
            return std::string(*found);
        }
    }
    return "";
}

std::vector<std::string_view> step_names(const StageTrace& stage) {
    return mapped(stage.steps, [&](std::size_t id) { return std::string_view(stage.node(id).name); });
}

// Shows only the given steps of each stage, by name or by number (the 16 of `causal 16/20`). Each must exist
// in some stage.
void select_steps(const std::vector<std::string>& wanted, Trace& trace) {
    std::vector<std::string> words;  // `--step 1,3` names two
    for (const std::string& word : wanted) {
        for (std::size_t from = 0; from <= word.size();) {
            const std::size_t end = std::min(word.find(',', from), word.size());
            words.push_back(word.substr(from, end - from));
            from = end + 1;
        }
    }
    std::vector<std::string> chosen;
    for (const std::string& word : words) {
        const auto [first, last] = step_range(word);
        const std::size_t before = chosen.size();
        std::vector<std::string_view> names;
        for (const StageTrace& stage : trace.stages) {
            std::ranges::copy(step_names(stage), std::back_inserter(names));
        }
        const std::string called =
            step_called(word, names, trace.stages.size() == 1 ? trace.stages.front().stage->name : "");
        for (const StageTrace& stage : trace.stages) {
            for (std::size_t i = 0; i < stage.steps.size(); ++i) {
                const std::string& name = stage.node(stage.steps[i]).name;
                const bool is_end =
                    (word == "first" && i == 0) || (word == "last" && i + 1 == stage.steps.size());
                if (name == called || is_end || word == std::to_string(i + 1) ||
                    (first <= i + 1 && i < last)) {
                    chosen.push_back(name);
                }
            }
        }
        if (chosen.size() == before) {
            std::ranges::transform(catalogue(), std::back_inserter(names), &Stage::name);
            std::ranges::transform(parameter_options(), std::back_inserter(names), &ParameterOption::name);
            const std::string_view stage = trace.stages.front().stage->name;
            const Message meant = did_you_mean(word, names);
            throw Error("the chosen stages have no step {}.{} attn-walkthrough list {} names their steps.",
                        in_quotes(word), meant, stage)
                .correcting(word, meant.empty() ? "attn-walkthrough list " + std::string(stage)
                                                : meant.corrections().front().right);
        }
    }
    for (StageTrace& stage : trace.stages) {
        stage.show_only(chosen);
    }
    std::erase_if(trace.stages, [](const StageTrace& stage) { return stage.shown.empty(); });
}

// Throws Error if the command line contradicts the widths and heads of the weights.
void require_agreement(const RunOptions& options, const StageTrace& trace) {
    Parameters asked = trace.parameters;
    for (const auto& [parameter, text] : options.parameters) {
        const ParameterRow& row = *find_parameter(parameter);
        row.read(asked, text);
        if (uses(*trace.stage, row.name) && row.json(asked) != row.json(trace.parameters)) {
            const ParameterOption& option = *option_for(parameter);
            throw Error("{} contradicts the weights, which need {} = {}.",
                        option.is_switch() ? std::string(option.name)
                                           : std::string(option.name) + " " + printable(text),
                        row.name, row.json(trace.parameters));
        }
    }
}

// With a reader's tokens, the batch has one sequence unless --batch is given.
Parameters parameters_to_walk(const Stage& stage, const RunOptions& options) {
    Parameters parameters = parameters_of(stage, options);
    if ((options.input || options.text) && uses(stage, "lesson") && !is_given(options, "batch")) {
        parameters.batch = 1;
    }
    return parameters;
}

// The walk of a stage in which names are looked up. Names do not depend on widths, and a walk with two
// features for each head takes a tenth of the time. Each is made once, because a command line may have
// hundreds of words.
const StageTrace& walk_of_names(const Stage& stage) {
    static std::map<const Stage*, StageTrace> walks;
    const auto found = walks.find(&stage);
    if (found != walks.end()) {
        return found->second;
    }
    Parameters narrow = stage.defaults;
    narrow.d_out = std::min(narrow.d_out, 2 * narrow.num_heads);
    const Inputs inputs{.short_masks = true};
    return walks.emplace(&stage, walk(stage, built_in_lesson(), narrow, inputs)).first->second;
}

// Throws Error before walks of several stages that together would need more memory than a program should
// take; walk() refuses a single one.
void require_memory(const RunOptions& options, std::size_t tokens) {
    constexpr double per_pair = 48.0;  // bytes for each pair of tokens in a stage, on average of all
    const double needed =
        per_pair * double(tokens) * double(tokens) * static_cast<double>(options.stages.size());
    if (options.stages.size() > 1 && needed > most_memory) {
        throw Error(
            "`lesson`: {} tokens need about {} GB of memory in {} stages; the limit is 2 GB. Name fewer "
            "stages.",
            tokens, fmt::format("{:.1f}", needed / 1e9), options.stages.size());
    }
}

}  // namespace

bool is_read(const Options& options, const std::string& file) {
    constexpr std::uint64_t most = 1U << 14U;  // bytes
    return !options.is_rehearsal || (kind_of(file) == FileKind::file && file_size(file) <= most);
}

void require_weights_of_head(const RunOptions& options) {
    if (options.head && !options.weights) {
        throw Error("{0} needs {1}; add it, or leave {0} out.", "--head", "--weights")
            .correcting("--head", "");
    }
}

Trace read_inputs(const RunOptions& options) {
    const auto is_left_out = [&](const std::optional<std::string>& file) {
        return file && !is_read(options, *file);
    };
    const bool is_piped = options.text && (options.text == "-" || kind_of(*options.text) == FileKind::device);
    if (options.is_rehearsal && (is_left_out(options.input) || is_left_out(options.weights) || is_piped)) {
        RunOptions built_in = options;
        built_in.input = built_in.text = built_in.weights = built_in.focus = std::nullopt;
        built_in.head = std::nullopt;
        return read_inputs(built_in);
    }
    // The sentence, or a file with it.
    const auto sentence = [](const std::string& text) {
        return text == "-" || is_file_or_pipe(text) ? read_source(text) : text;
    };
    Trace trace{options.text    ? lesson_of_words(sentence(*options.text))
                : options.input ? load_lesson(*options.input)
                                : built_in_lesson(),
                {}};
    require_weights_of_head(options);
    if (options.weights) {
        Parameters asked;
        for (const auto& [parameter, text] : options.parameters) {
            find_parameter(parameter)->read(asked, text);
        }
        trace.weights =
            load_weights(*options.weights,
                         {options.layer, options.head,
                          is_given(options, "num_heads") ? std::optional(asked.num_heads) : std::nullopt});
    }
    if (options.focus) {
        trace.focus = focus_of(trace.lesson, *options.focus);
    }
    return trace;
}

const Stage* stage_with(const std::string& name, const RunOptions& options) {
    const Lesson lesson = built_in_lesson();
    std::vector<const Stage*> stages = options.stages;
    if (stages.empty()) {
        stages = {find_stage("causal")};
        stages.insert(stages.end(), catalogue().begin(), catalogue().end());
    }
    const auto found = std::ranges::find_if(stages, [&](const Stage* stage) {
        try {
            if (!options.parameters.empty()) {
                return walk(*stage, lesson, parameters_of(*stage, options)).find(name).has_value();
            }
        } catch (const Error&) {  // the command says later what is refused
        }
        return walk_of_names(*stage).find(name).has_value();
    });
    return found == stages.end() ? nullptr : *found;
}

const Stage* stage_with_step(const std::string& word) {
    const Stage* const stage = stage_with(word, {});
    const std::string name = stage == nullptr ? usual_step(word) : "";
    return name.empty() ? stage : stage_with(name, {});
}

std::string usual_step(const std::string& word, std::span<const Stage* const> stages) {
    if (stages.size() == 1) {
        const std::string name =
            step_called(word, step_names(walk_of_names(*stages.front())), stages.front()->name);
        return name.empty() ? usual_step(word) : name;
    }
    for (const Stage* const stage : catalogue()) {
        if (std::string name = step_called(word, step_names(walk_of_names(*stage)), ""); !name.empty()) {
            return name;
        }
    }
    return "";
}

std::vector<std::string_view> names_of_steps(std::span<const Stage* const> stages) {
    std::vector<std::string_view> names;
    for (const Stage* const stage : stages) {
        std::ranges::copy(step_names(walk_of_names(*stage)), std::back_inserter(names));
    }
    return names;
}

std::vector<std::string_view> stages_with(const std::string& name) {
    std::vector<std::string_view> names;
    for (const Stage* stage : catalogue()) {
        if (walk_of_names(*stage).find(name)) {
            names.push_back(stage->name);
        }
    }
    return names;
}

Trace make_trace(const RunOptions& options, const std::vector<std::string>& steps,
                 const std::vector<std::string>& set) {
    Trace trace = read_inputs(options);
    require_memory(options, trace.lesson.tokens.size());
    const auto numbers = std::make_shared<SetNumbers>(set);
    if (!set.empty()) {
        trace.setter = [numbers](Var named) { numbers->set(named); };
    }
    for (const Stage* stage : options.stages) {
        const Inputs inputs{trace.focus, uses(*stage, "weights") ? trace.weights : nullptr, nullptr,
                            trace.setter};
        try {
            trace.stages.push_back(walk(*stage, trace.lesson, parameters_to_walk(*stage, options), inputs));
            require_agreement(options, trace.stages.back());
        } catch (const Error& error) {
            if (options.stages.size() > 1) {
                throw Error("{}: {}", stage->name, error.message());
            }
            throw;
        }
    }
    numbers->require_all_used(trace.stages);
    if (!steps.empty()) {
        select_steps(steps, trace);
    }
    return trace;
}

}  // namespace attn
