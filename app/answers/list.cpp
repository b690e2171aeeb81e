// Lists stages, steps, documents, mistakes, and the tensors of a file.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>

#include "answers/help.hpp"
#include "commands/declare.hpp"
#include "commands/words.hpp"
#include "exports.hpp"
#include "files/source.hpp"
#include "files/system.hpp"
#include "files/tensor_file.hpp"
#include "mistakes/mistakes.hpp"
#include "notebook/replay.hpp"
#include "stages/catalogue.hpp"
#include "stages/shipped.hpp"
#include "stages/trace.hpp"
#include "terminal.hpp"
#include "text/ascii.hpp"
#include "text/lists.hpp"
#include "text/printable.hpp"
#include "text/prose.hpp"
#include "text/split.hpp"
#include "words/documents.hpp"
#include "words/narration.hpp"
#include "words/notions.hpp"

namespace attn {

std::string list_of_stages(std::string_view language, std::string_view document) {
    static constexpr std::string_view headings[] = {"stages documents", "stages views", "stages onward"};
    const Words phrases(language, "program");
    std::string text;
    std::optional<StageGroup> group;
    for (const Stage* stage : catalogue()) {
        const Narration words(language, stage->name);
        if (!contains(words.follows(), document)) {
            continue;
        }
        if (group != stage->group) {
            group = stage->group;
            text += fmt::format("{}{}\n", text.empty() ? "" : "\n", phrases(headings[std::size_t(*group)]));
        }
        const auto column = [&](std::string_view name, const std::string& what) {
            return hanging(fmt::format("{:<22} ", name), what, text_columns());
        };
        const std::string book = book_place(stage->name, phrases);
        text += column(stage->name, words.title()) + (book.empty() ? "" : column("", book)) +
                (document.empty() ? "" : column("", phrases("follows", words.follows()))) +
                column("", phrases("adds", words.adds()));
    }
    return text;
}

namespace {

bool contains_all(const std::string& text, const std::vector<std::string_view>& words) {
    return std::ranges::all_of(words, [&](std::string_view one) { return contains(text, one); });
}

// Lists the steps whose name or title contains all words, or with `in_notes` their notes, too.
std::string steps_about(const std::vector<std::string_view>& words_sought, bool in_notes,
                        std::string_view language) {
    const Lesson lesson = built_in_lesson();
    std::string text;
    for (const Stage* stage : catalogue()) {
        const StageTrace trace = walk(*stage, lesson, stage->defaults);
        const Narration words(language, stage->name);
        for (const std::size_t id : trace.steps) {
            const std::string& name = trace.node(id).name;
            const std::string title = words.title({trace, id});
            const std::string note = in_notes ? words.note({trace, id}) : "";
            if (contains_all(lowered(name + " " + title + " " + note), words_sought)) {
                text += hanging(fmt::format("{:<36} ", fmt::format("{} {}", stage->name, name)), title,
                                text_columns());
            }
        }
    }
    return text;
}

// Lists the steps about a word or several; if no name or title has them, those whose notes have them.
std::string steps_about(const std::string& phrase, std::string_view language) {
    const std::string text = lowered(phrase);
    const std::vector<std::string_view> words = split(text, " ");
    std::string found = steps_about(words, false, language);
    found = found.empty() ? steps_about(words, true, language) : found;
    const std::optional<Notion> notion = found.empty() ? find_notion(phrase) : std::nullopt;
    return notion ? steps_about({notion->key}, true, language) : found;
}

// Lists the tensors of a file: name, shape and type; empty for a file without tensors.
std::string tensors_of(const std::string& path) {
    const auto file = open_tensor_file(std::make_shared<const std::string>(read_source(path)), path);
    std::string text;
    if (file != nullptr) {
        for (const TensorEntry& entry : file->entries()) {
            text += fmt::format("{}  {}  {}\n", printable(entry.name, 200), entry.shape_text(),
                                printable(entry.type, 20));
        }
    }
    return text;
}

// Lists the mistakes that diagnose knows, the likeliest first: of all stages, or those that change a stage,
// each with the first step that it changes.
std::string known_mistakes(const Stage* stage, std::string_view language) {
    const Words words(language, "diagnosis");
    const auto entry = [&](std::string_view id, const std::string& step) {
        return hanging(fmt::format("{:<36} ", id), words.at(id) + (step.empty() ? "" : " (" + step + ")"),
                       text_columns());
    };
    std::string text;
    if (stage == nullptr) {
        for (const Mistake& mistake : mistakes()) {
            text += entry(mistake.id, "");
        }
        return text;
    }
    const StageTrace trace = walk(*stage, built_in_lesson(), stage->defaults);
    Replay replay(trace.notebook, trace.steps);
    std::string_view listed;
    for (const WalkEdit& edit : known_edits(stage->defaults)) {
        if (edit.mistake->id == listed || !edit.calls || !replay.make({edit.calls})) {
            continue;
        }
        const auto changed =
            std::ranges::find_if(trace.steps, [&](std::size_t id) { return replay.changed(id) != nullptr; });
        if (changed != trace.steps.end()) {
            listed = edit.mistake->id;
            text += entry(listed, trace.node(*changed).name);
        }
    }
    return text;
}

ExitCode run_list(Options& options) {
    const std::string_view language = options.language;
    std::string text;
    std::vector<std::string> others = take_stages(options);
    if (std::erase(others, "mistakes") > 0) {
        options.stages.resize(std::max<std::size_t>(options.stages.size(), 1));  // null: of all stages
        for (const Stage* const stage : options.stages) {
            text += (text.empty() ? "" : "\n") + (stage == nullptr ? "" : stage_heading(*stage, language)) +
                    known_mistakes(stage, language);
        }
        options.stages.clear();
    }
    for (const std::string& word : others) {
        const std::vector<std::string> known = documents();
        const bool is_document = contains(known, word);
        const std::string found =
            word == "documents" ? document_entries(known, Words(language, "program"), text_columns())
            : kind_of(word) == FileKind::file ? tensors_of(word)
            : is_document
                ? document_entries(std::span(&word, 1), Words(language, "program"), text_columns()) +
                      list_of_stages(language, word)
                : steps_about(word, language);
        if (found.empty()) {
            if (kind_of(word) == FileKind::folder || format_of_suffix(word) != nullptr) {
                read_source(word);  // says that this is a folder, or missing
            }
            fail_unknown(word);
        }
        text += (text.empty() ? "" : "\n") + found;
    }
    for (const Stage* stage : options.stages) {
        text += (text.empty() ? "" : "\n") + stage_heading(*stage, options.language) +
                step_entries(*stage, options.language);
    }
    if (text.empty()) {
        text = list_of_stages(language) + "\n" + paragraph(Words(language, "program")("list_more"));
    }
    show(options, text);
    return ExitCode::agrees;
}

}  // namespace

Command list_command() {
    return {
        .name = "list",
        .summary = "List the stages in reading order, or the steps of a stage.",
        .words = "[STAGE|DOCUMENT|WORD|FILE…]",
        .examples = {{"attn-walkthrough list causal", "the steps of one stage"},
                     {"attn-walkthrough list mistakes causal", "mistakes that change this stage"},
                     {"attn-walkthrough list dropout", "all steps with this word in their name or title"}},
        .declare = declaring(run_list, add_general),
    };
}

}  // namespace attn
