#include "commands/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "commands/declare.hpp"
#include "exports.hpp"
#include "files/source.hpp"
#include "files/system.hpp"
#include "make_trace.hpp"
#include "parameters.hpp"
#include "spelling.hpp"
#include "stages/catalogue.hpp"
#include "tensor/error.hpp"
#include "text/ascii.hpp"
#include "text/lists.hpp"
#include "text/numbered.hpp"
#include "text/printable.hpp"
#include "text/split.hpp"
#include "text/suggest.hpp"
#include "words/documents.hpp"
#include "words/narration.hpp"
#include "words/notions.hpp"
#include "words/words.hpp"

namespace attn {

namespace {

// A number of the book, as in `fig.3.20`, `§3.5` or `listing 3.3`; empty for other words.
struct BookNumber {
    BookPart part = BookPart::section;
    std::string_view number;
};

// The words and signs before the numbers of each part.
std::optional<BookPart> part_before(std::string_view word) {
    constexpr std::string_view sections[] = {"", "section", "sec", "sec.", "chapter", "ch", "ch.", "§", "第"};
    constexpr std::string_view figures[] = {"figure", "fig", "fig.", "图"};
    constexpr std::string_view listings[] = {"listing", "listings", "代码清单", "清单"};
    const std::string plain = plain_spelling(word);
    const auto is_one_of_these = [&](std::span<const std::string_view> known) {
        return contains(known, plain);
    };
    return is_one_of_these(sections)   ? std::optional(BookPart::section)
           : is_one_of_these(figures)  ? std::optional(BookPart::figure)
           : is_one_of_these(listings) ? std::optional(BookPart::listing)
                                       : std::nullopt;
}

BookNumber book_number(std::string_view word) {
    constexpr std::string_view digits = "0123456789";
    constexpr std::string_view after[] = {"", ".", "节", "章"};
    const std::size_t first = std::min(word.find_first_of(digits), word.size());
    const std::string_view number = word.substr(first, word.find_last_of(digits) + 1 - first);
    const std::optional<BookPart> part = part_before(word.substr(0, first));
    const bool is_number = contains(number, '.') &&
                           number.find_first_not_of("0123456789.") == std::string_view::npos &&
                           contains(after, plain_spelling(word.substr(first + number.size())));
    return is_number && part ? BookNumber{*part, number} : BookNumber{};
}

// True if one of two words has only signs, such as - for standard input.
bool has_sign(const std::vector<std::string>& words, std::size_t first) {
    return plain_spelling(words[first]).empty() || plain_spelling(words[first + 1]).empty();
}

// Joins two words that name a stage together: `figure 3.20`, `sliding window`.
void join_names_of_stages(std::vector<std::string>& words) {
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        const std::string both = words[i] + " " + words[i + 1];
        const bool is_numbered = find_stage(words[i]) == nullptr && !book_number(both).number.empty();
        if (!has_sign(words, i) && (is_numbered || stage_called(both) != nullptr)) {
            words[i] = both;
            words.erase(words.begin() + std::ptrdiff_t(i) + 1);
        }
    }
}

// Takes the stages that follow a document, such as 002. Returns false if the word names no document.
bool take_document(Options& options, std::string_view word) {
    const std::vector<std::string> known = documents();
    if (!contains(known, word)) {
        return false;
    }
    for (const Stage* const stage : catalogue()) {
        if (Narration("en", stage->name).follows().find(word) != std::string::npos) {
            options.stages.push_back(stage);
        }
    }
    return true;
}

// Takes the stages that a word names: `causal`, `causal,linear` or `all`. Returns false if it does not.
bool take_stage(Options& options, std::string_view word) {
    if (!names_stage(word)) {
        return false;
    }
    for (const std::string_view one : split(word, ",")) {
        const Stage* const stage = stage_called(one);
        if (one == "all") {
            options.all_stages = true;
            options.stages.assign(catalogue().begin(), catalogue().end());
        } else if (!contains(options.stages, stage)) {
            options.stages.push_back(stage);
        }
    }
    return true;
}

// Returns the right words for a guess; empty for other words.
std::string meaning_of(std::string_view word) {
    const std::string step = is_option(word) ? first_guess("steps", word) : "";
    for (const std::string& known : {std::string(word), "--" + step}) {  // --wq means W_query
        if (std::string hint = first_guess("hints", known); !hint.empty()) {
            return hint;
        }
    }
    const std::string meant = is_option(word) ? "" : first_guess("commands", word);
    return meant.empty() ? "" : "attn-walkthrough " + meant;
}

// Reads `step 16`, `step16` and `第16步` as 16.
void drop_announcements(std::vector<std::string>& words) {
    std::erase_if(words, [&](const std::string& word) {
        const std::string plain = plain_spelling(word);
        return words.size() > 1 && (plain == "step" || plain == "steps");
    });
    for (std::string& word : words) {
        const std::size_t first = word.find_first_of("0123456789");
        if (first != std::string::npos &&
            (plain_spelling(word.substr(0, first)) == "step" || word.ends_with("步"))) {
            word = std::string(number_in(word));
        }
    }
}

// Joins two words that name a step together: `attention scores`.
void join_names_of_steps(const Options& options, std::vector<std::string>& words) {
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        std::string step = usual_step(words[i] + " " + words[i + 1], options.stages);
        if (!has_sign(words, i) && !step.empty()) {
            words[i] = std::move(step);
            words.erase(words.begin() + std::ptrdiff_t(i) + 1);
        }
    }
}

// True for an argument of several words, such as "The cat sat on the mat", and not "figure 4.1", or the words
// of a command in quotes: "linear --d-out 4".
bool is_sentence(std::string_view word) {
    const std::string_view first = up_to(word, " ");
    return contains(word, ' ') && !contains(word, '[') && !contains(word, " --") &&
           book_number(word).number.empty() && find_stage(first) == nullptr && find_command(first) == nullptr;
}

// Returns the step of a gradient: keys for keys_grad; other words as they are.
std::string without_gradient(const std::string& word) {
    return word.ends_with("_grad") ? word.substr(0, word.size() - 5) : word;
}

}  // namespace

const Stage* stage_called(std::string_view word) {
    if (const Stage* const named = find_stage(word)) {
        return named;
    }
    const auto alike = std::ranges::find_if(
        catalogue(), [&](const Stage* stage) { return plain_spelling(stage->name) == plain_spelling(word); });
    if (alike != catalogue().end()) {
        return *alike;
    }
    const Stage* const guessed = find_stage(first_guess("stages", word));
    const BookNumber numbered = book_number(word);
    return guessed != nullptr ? guessed : stage_of(numbered.part, numbered.number);
}

bool is_gradient(std::string_view cell) {
    static const Words steps("en", "gradients");
    const std::string name(up_to(cell, "["));
    return name.ends_with("_grad") || name.ends_with(".grad") || steps.find(name + "/title") != nullptr;
}

void turn_on_backward(RunOptions& options) {
    const bool can =
        std::ranges::all_of(options.stages, [](const Stage* stage) { return uses(*stage, "backward"); });
    if (can && !is_given(options, "backward")) {
        options.parameters.push_back({"backward", "true"});
    }
}

std::vector<std::string> take_stages(Options& options) {
    std::vector<std::string> others = options.words;
    join_names_of_stages(others);
    std::erase_if(others, [&](const std::string& word) { return take_stage(options, word); });
    return others;
}

bool take_stages_and_steps(RunOptions& options, std::vector<std::string>& steps) {
    std::vector<std::string> others = take_stages(options);
    std::erase_if(others, [&](const std::string& word) { return take_document(options, word); });
    join_names_of_steps(options, others);
    const auto sentence = std::ranges::find_if(others, is_sentence);
    if (sentence != others.end() && !options.text && !options.input && options.command->name == "walk") {
        options.text = *sentence;
        options.given.emplace_back("--text");
        others.erase(sentence);
        take_stage_unless_given(options, "causal");
    }
    drop_announcements(others);
    const auto no_step = std::ranges::find_if(others, [&](const std::string& word) {
        const bool is_step = options.stages.size() == 1 && !usual_step(word, options.stages).empty();
        return find_command(word) != nullptr || format_of_suffix(word) != nullptr ||
               (!is_step && !meaning_of(word).empty());
    });
    if (no_step != others.end()) {
        fail_unknown(*no_step);
    }
    const auto gradient = std::ranges::find_if(others, is_gradient);
    const bool is_stage_guessed = !others.empty() && options.stages.empty();
    if (is_stage_guessed) {
        const std::string& first = others.front();
        const Stage* stage = first == "loss" ? find_stage("causal") : stage_with(first, options);
        stage = stage == nullptr ? stage_with_step(without_gradient(first)) : stage;
        if (stage == nullptr) {
            fail_unknown(first);
        }
        options.stages.push_back(stage);
    }
    if (gradient != others.end() && options.command->name == "walk") {
        turn_on_backward(options);
    }
    steps.insert(steps.end(), others.begin(), others.end());
    return is_stage_guessed;
}

std::string take_file(const Options& options, const std::vector<std::string>& words) {
    if (words.empty()) {
        const std::string_view example = options.command->examples.front().command;
        throw Error("{}: name a file, or - for standard input; for example: {}", options.command->name,
                    example)
            .correcting("", example);
    }
    if (words.size() > 1) {
        const auto second = first_command(words);
        if (second != words.end()) {
            fail_unknown(*second);
        }
        const auto missing = std::ranges::find_if(
            words, [](const std::string& word) { return word != "-" && kind_of(word) == FileKind::none; });
        if (missing == words.end() && std::ranges::count(words, "-") > 1) {
            throw Error("standard input can be read only once; give - once.");
        }
        if (missing != words.end() && missing->find_first_of("./") != std::string::npos) {
            read_source(*missing);  // says that this file is missing
        }
        fail_unknown(missing == words.end() ? words.front() : *missing, options.stages);
    }
    return words.front();
}

void take_named_step(NumbersOptions& options, std::vector<std::string>& words) {
    const auto is_step = [&](const std::string& word) {
        const bool is_guess = options.stages.empty() && !first_guess("steps", word).empty();
        return !is_guess && stage_with(without_gradient(word), options) != nullptr;
    };
    const auto step = std::ranges::find_if(words, [&](const std::string& word) {
        return word != "-" && kind_of(word) == FileKind::none && !contains(word, '.') && is_step(word);
    });
    if (step != words.end() && words.size() > 1 && options.as.empty()) {
        options.as = *step;
        words.erase(step);
        if (is_gradient(options.as)) {
            turn_on_backward(options);
        }
    }
    // A guess such as "weights" or "softmax" fits several steps of a stage: the numbers tell which.
    const auto guess = std::ranges::find_if(words, [](const std::string& word) {
        return kind_of(word) == FileKind::none && !contains(word, '.') &&
               (!first_guess("steps", word).empty() || find_notion(word));
    });
    if (guess != words.end() && words.size() > 1 &&
        (options.stages.empty() || options.command->name == "compare")) {
        if (options.as.empty() && !options.stages.empty()) {
            options.as = first_guess("steps of " + std::string(options.stages.front()->name), *guess);
        }
        words.erase(guess);
    }
    if (!options.as.empty() && stage_with(options.as, {}) == nullptr && !usual_step(options.as).empty()) {
        options.as = usual_step(options.as);
    }
}

bool names_stage(std::string_view word) {
    return !word.empty() && std::ranges::all_of(split(word, ","), [](std::string_view one) {
        return one == "all" || stage_called(one) != nullptr;
    });
}

bool names_stage_or_step(const std::string& word) {
    return names_stage(word) || stage_with_step(word) != nullptr;
}

void take_stage_unless_given(Options& options, std::string_view name) {
    if (options.stages.empty()) {
        take_stage(options, name);
    }
}

void fail_unknown(const std::string& word, std::span<const Stage* const> stages) {
    if (find_command(word) != nullptr) {
        throw Error("{} is a second command; give one at a time.", in_quotes(word)).correcting(word, "");
    }
    if (is_file_or_pipe(word)) {
        throw Error("{} is a file; attn-walkthrough diagnose identifies the numbers in it.", in_quotes(word))
            .correcting(word, "attn-walkthrough diagnose " + shell_word(word));
    }
    if (format_of_suffix(word) != nullptr) {
        throw Error("{}: there is no such file; to write it, use --out.", printable(word, 80))
            .correcting(word, "--out " + shell_word(word));
    }
    if (const std::string_view number = book_number(word).number; !number.empty()) {
        throw Error(
            "{} is not shown: the stages follow chapter 3. attn-walkthrough list names its "
            "sections and figures.",
            in_quotes(word))
            .correcting("", "attn-walkthrough list");
    }
    std::vector<std::string_view> names = names_of_steps(stages);
    std::ranges::transform(catalogue(), std::back_inserter(names), &Stage::name);
    std::ranges::transform(commands(), std::back_inserter(names), &Command::name);
    const Message meant = suggestion(lowered(word), names);
    throw Error("there is no stage or command {}.{} See attn-walkthrough help and attn-walkthrough list.",
                in_quotes(word), meant)
        .correcting(word, meant.empty() ? "attn-walkthrough list" : meant.corrections().front().right);
}

Message suggestion(std::string_view word, std::span<const std::string_view> names) {
    if (const std::string meaning = meaning_of(word); !meaning.empty()) {
        return Message(" Did you mean {}?", fmt::format("\"{}\"", meaning)).correcting(word, meaning);
    }
    Message nearest = did_you_mean(word, names);
    if (!nearest.empty() || word.starts_with('-') || contains(word, '[') || !find_notion(word)) {
        return nearest;
    }
    const std::string line = "attn-walkthrough explain " + shell_word(word);
    return Message(" Did you mean {}?", in_quotes(line)).correcting(word, line);
}

}  // namespace attn
