#include "commands/words.hpp"

#include <algorithm>

#include "commands/declare.hpp"
#include "files/system.hpp"
#include "make_trace.hpp"
#include "parameters.hpp"
#include "stages/catalogue.hpp"
#include "tensor/error.hpp"
#include "text/ascii.hpp"
#include "text/decimal.hpp"
#include "text/printable.hpp"
#include "text/suggest.hpp"
#include "words/documents.hpp"
#include "words/notions.hpp"

namespace attn {

namespace {

// Returns false if the word does not name a stage.
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

struct Guess {
    std::string_view word;
    std::string_view meaning;
};

constexpr Guess guesses[] = {
    {"000", "attn-walkthrough causal"},
    {"001", "attn-walkthrough causal-batch"},
    {"002", "attn-walkthrough encoder-decoder"},
    {"003", "attn-walkthrough causal-self-attention"},
    {"004", "attn-walkthrough linear"},
    {"answers", "attn-walkthrough exercises causal --key key.md"},
    {"attention", "attn-walkthrough explain attention"},
    {"chapter", "attn-walkthrough 3.5"},
    {"check", "attn-walkthrough diagnose mine.npy"},
    {"checkpoint", "--weights m.safetensors --layer 0 --input hidden.npy"},
    {"chinese", "--lang zh"},
    {"csv", "attn-walkthrough causal masked --out masked.csv"},
    {"diff", "attn-walkthrough compare causal mine.npy"},
    {"dim", "--d-out 4"},
    {"documents", "attn-walkthrough help causal"},
    {"embedding", "--text 'The cat sat on the mat'"},
    {"embeddings", "--input hidden.npy"},
    {"export", "--out causal.json"},
    {"flash", "attn-walkthrough streaming"},
    {"flash-attention", "attn-walkthrough streaming"},
    {"flashattention", "attn-walkthrough streaming"},
    {"format", "--out causal.json"},
    {"formula", "attn-walkthrough explain softmax"},
    {"formulas", "attn-walkthrough causal"},
    {"gpt2", "attn-walkthrough causal --weights gpt2.safetensors --layer 3 --input hidden.npy"},
    {"gqa", "attn-walkthrough grouped-query"},
    {"grad", "--backward"},
    {"gradients", "--backward"},
    {"heatmap", "--heatmap"},
    {"html", "--out causal.html"},
    {"interactive", "--out causal.html"},
    {"json", "--json trace.json"},
    {"latex", "--out causal.tex"},
    {"manual-seed", "--seed 42"},
    {"markdown", "--out causal.md"},
    {"md", "--out causal.md"},
    {"mha", "attn-walkthrough multi-head"},
    {"model", "--weights m.safetensors --layer 0 --input hidden.npy"},
    {"multihead", "attn-walkthrough multi-head"},
    {"n", "--count 3"},
    {"next", "attn-walkthrough causal --step"},
    {"no-code", "--quiet"},
    {"no-color", "--color never"},
    {"no-colour", "--color never"},
    {"no-mask", "attn-walkthrough linear"},
    {"no-notes", "--quiet"},
    {"notebook", "--out causal.ipynb"},
    {"num-heads", "--heads 4"},
    {"only-code", "--code torch"},
    {"pdf", "--out causal.tex"},
    {"png", "attn-walkthrough causal attn_weights_causal --out weights.svg"},
    {"pptx", "--out causal.html"},
    {"rope", "attn-walkthrough rotary"},
    {"self-attention", "attn-walkthrough simplified"},
    {"sentence", "--text 'The cat sat on the mat'"},
    {"seq-len", "--context-length 8"},
    {"short", "--quiet"},
    {"slides", "--out causal.html"},
    {"softmax", "attn-walkthrough explain softmax"},
    {"solution", "attn-walkthrough exercises 3.2 --key key.md"},
    {"solutions", "attn-walkthrough exercises 3.2 --key key.md"},
    {"sqrt", "attn-walkthrough explain scaling"},
    {"stages", "attn-walkthrough list"},
    {"step", "attn-walkthrough causal --step 16"},
    {"step-by-step", "attn-walkthrough causal --step"},
    {"steps", "attn-walkthrough list causal"},
    {"svg", "attn-walkthrough causal attn_weights_causal --out weights.svg"},
    {"token", "--focus journey"},
    {"tutorial", "attn-walkthrough causal --step"},
    {"why", "attn-walkthrough explain 'why mask'"},
    {"words", "--text 'The cat sat on the mat'"},
};

// Returns the right words for a guess; empty for other words.
std::string_view meaning_of(std::string_view word) {
    word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
    const auto* const found = std::ranges::find(guesses, word, &Guess::word);
    return found == std::ranges::end(guesses) ? "" : found->meaning;
}

// True for an argument of several words, such as "The cat sat on the mat".
bool is_sentence(std::string_view word) {
    return word.find(' ') != std::string_view::npos && word.find('[') == std::string_view::npos;
}

}  // namespace

std::vector<std::string> take_stages(Options& options) {
    std::vector<std::string> others = options.words;
    std::erase_if(others, [&](const std::string& word) { return take_stage(options, word); });
    return others;
}

void take_only_stages(Options& options) {
    if (const std::vector<std::string> others = take_stages(options); !others.empty()) {
        std::uint64_t count = 0;
        if (options.command->name == "quiz" && read_whole(others.front(), count)) {
            throw Error("for {0} questions, give --count {0}.", count);
        }
        fail_unknown(others.front());
    }
}

void take_stages_and_steps(Options& options) {
    std::vector<std::string> others = take_stages(options);
    const auto sentence = std::ranges::find_if(others, is_sentence);
    if (sentence != others.end() && !options.text && !options.input && options.command->name == "walk") {
        options.text = *sentence;
        others.erase(sentence);
        take_stage_unless_given(options, "causal");
    }
    std::erase_if(others,
                  [&](const std::string& word) { return word == "figure" && !options.stages.empty(); });
    const auto no_step = std::ranges::find_if(others, [](const std::string& word) {
        return find_command(word) != nullptr || !meaning_of(word).empty();
    });
    if (no_step != others.end()) {
        fail_unknown(*no_step);
    }
    if (!others.empty() && options.stages.empty()) {
        const Stage* const stage = stage_with(others.front(), {});
        if (stage == nullptr) {
            fail_unknown(others.front());
        }
        options.stages.push_back(stage);
    }
    options.steps.insert(options.steps.end(), others.begin(), others.end());
}

std::string take_file(const Options& options, const std::vector<std::string>& words) {
    if (words.empty()) {
        throw Error("{}: name a file, or - for standard input; for example: {}", options.command->name,
                    options.command->examples.front().command);
    }
    if (words.size() > 1) {
        const auto second = std::ranges::find_if(
            words, [](const std::string& word) { return find_command(word) != nullptr; });
        fail_unknown(second == words.end() ? words.front() : *second);
    }
    return words.front();
}

void take_stage_unless_given(Options& options, std::string_view name) {
    if (options.stages.empty()) {
        take_stage(options, name);
    }
}

void fail_unknown(const std::string& word) {
    if (find_command(word) != nullptr) {
        throw Error("{} is a second command; give one at a time.", in_quotes(word));
    }
    if (kind_of(word) == FileKind::file) {
        throw Error("{} is a file; attn-walkthrough diagnose identifies the numbers in it.", in_quotes(word));
    }
    std::vector<std::string_view> names;
    std::ranges::transform(catalogue(), std::back_inserter(names), &Stage::name);
    std::ranges::transform(commands(), std::back_inserter(names), &Command::name);
    std::string lowered = word;
    std::ranges::transform(lowered, lowered.begin(), to_lower);
    throw Error("there is no stage or command {}.{} See attn-walkthrough help and attn-walkthrough list.",
                in_quotes(word), suggestion(lowered, names));
}

Message suggestion(std::string_view word, std::span<const std::string_view> names) {
    if (const std::string_view meaning = meaning_of(word); !meaning.empty()) {
        return Message(" Did you mean {}?", in_quotes(meaning));
    }
    Message nearest = did_you_mean(word, names);
    return nearest.empty() && !word.starts_with('-') && find_notion(word)
               ? Message(" Did you mean {}?", in_quotes("attn-walkthrough explain " + shell_word(word)))
               : nearest;
}

}  // namespace attn
