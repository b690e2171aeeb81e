// Explains a cell, a printed number, a step or a notion. Questions are reduced to one of these.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <sstream>

#include "answers/compare_stages.hpp"
#include "answers/exercise_words.hpp"
#include "commands/walk.hpp"
#include "commands/words.hpp"
#include "exports.hpp"
#include "files/json_value.hpp"
#include "files/source.hpp"
#include "files/system.hpp"
#include "make_trace.hpp"
#include "notebook/expression.hpp"
#include "notebook/render.hpp"
#include "parameters.hpp"
#include "printed/decode.hpp"
#include "printed/typed_number.hpp"
#include "spelling.hpp"
#include "stages/catalogue.hpp"
#include "stages/shipped.hpp"
#include "stages/trace.hpp"
#include "tensor/error.hpp"
#include "terminal.hpp"
#include "text/ascii.hpp"
#include "text/decimal.hpp"
#include "text/lists.hpp"
#include "text/printable.hpp"
#include "text/replace.hpp"
#include "text/split.hpp"
#include "text/suggest.hpp"
#include "views/document/document.hpp"
#include "views/explain/cell_address.hpp"
#include "views/explain/explanation.hpp"
#include "words/documents.hpp"
#include "words/notions.hpp"

namespace attn {

namespace {

struct ExplainOptions : StepOptions {
    std::size_t depth = 1;  // how many steps back an explanation goes
};

// Shows the chosen steps, or this row of them, as walk does.
ExitCode walk_through(const ExplainOptions& options, std::optional<std::uint64_t> row = std::nullopt) {
    WalkOptions walked{options};
    if (row) {
        walked.rows = std::to_string(*row);
    }
    return run_walk(walked);
}

// Returns the words that do not name a stage: a cell, a printed number, or a step and its indices.
std::string cell_word(ExplainOptions& options) {
    const std::vector<std::string> words = take_stages(options);
    std::string cell = words.front();
    for (auto word = words.begin() + 1; word != words.end(); ++word) {
        if (word->find('[') != std::string::npos) {
            fail_unknown(words.front());
        }
        cell += "[" + *word + "]";
    }
    return cell;
}

// Returns W_grad for W.grad.
std::string step_address(std::string cell) {
    const std::size_t dot = std::min(cell.find(".grad"), cell.find('['));
    if (dot < cell.size() && cell[dot] == '.') {
        cell[dot] = '_';
    }
    return cell;
}

// --depth is for cells.
void refuse_depth(const ExplainOptions& options, const std::string& word) {
    if (contains(options.given, "--depth")) {
        throw changes_nothing("--depth", in_quotes(word));
    }
}

// Returns the phrase about cells with this number. Tensors print four decimals, unless --precision is given,
// so 0.55 is the rounded number of a cell that prints as 0.5517.
std::string_view phrase_about_cells(const ExplainOptions& options, const std::string& number) {
    const std::size_t end = std::min(number.find_first_of("eE"), number.size());
    const std::size_t point = std::min(number.find('.'), end);
    return point == end && end == number.size()                      ? "cells_that_equal"
           : end - point == 1 + std::size_t(options.print.precision) ? "cells_that_print"
                                                                     : "cells_that_round";
}

// Names the cells that print as this number, round to it, or are equal to it.
ExitCode explain_number(ExplainOptions& options, const std::string& number) {
    refuse_depth(options, number);
    take_stage_unless_given(options, "all");
    prepare(options);
    const auto cells = cells_that_print(make_trace(options, options.steps, options.set), number);
    if (cells.empty()) {
        throw Error("explain: these stages print no cell as {}; give the digits as they are printed.",
                    in_quotes(number));
    }
    const Words phrases(options.language, "program");
    const std::size_t shown = std::min<std::size_t>(cells.size(), 20);
    std::string text = phrases(phrase_about_cells(options, number), number) + "\n";
    for (const auto& [stage, cell] : std::span(cells).first(shown)) {
        text += fmt::format("  attn-walkthrough explain {} '{}'\n", stage, cell);
    }
    if (cells.size() > shown) {
        text += "  " + phrases("more_cells", cells.size() - shown) + "\n";
    }
    const auto as_json = [&] {
        Json found = Json::array();
        for (const auto& [stage, cell] : cells) {
            found.push_back({{"stage", stage}, {"cell", cell}});
        }
        return explanation_json({{"number", number}, {"cells", std::move(found)}});
    };
    write_or_show(options, as_json, text);
    return ExitCode::agrees;
}

// True for a number with at least three decimals, as tensors are printed.
bool is_printed(const std::string& word) {
    return is_number(word) && word.size() - std::min(word.find('.'), word.size()) > 3;
}

// True for a name of a notion, and not for a sentence that contains one.
bool is_notion_name(const std::string& question) {
    return std::ranges::any_of(notion_names(), [&](const auto& names) { return contains(names, question); });
}

// Returns the words that name no stage.
std::vector<std::string> words_beside_stages(ExplainOptions options) {
    return take_stages(options);
}

// Returns the step that a letter of formulas means in a stage: attn_weights for A. Returns an empty text for
// other words.
std::string step_of_letter(const Stage& stage, std::string letter) {
    replace_all(letter, "'", "\u2032");  // S' for S′
    const StageTrace trace = walk(stage, built_in_lesson(), stage.defaults);
    const auto found = std::ranges::find_if(
        trace.steps, [&](std::size_t id) { return formula_text(trace.node(id).symbol) == letter; });
    return found == trace.steps.end() ? "" : trace.node(*found).name;
}

// Returns the step that a word names, by its name or its letter, in the only stage or in causal; or else by
// its name in any stage.
std::string step_in_question(const std::string& word, const ExplainOptions& options) {
    const Stage& stage = options.stages.size() == 1 ? *options.stages.front() : *find_stage("causal");
    RunOptions only = options;
    only.stages = {&stage};
    const bool is_step = stage_with(word, only) != nullptr;
    std::string step = is_step ? "" : step_of_letter(stage, word);
    return is_step || (step.empty() && stage_with(word, options) != nullptr) ? word : step;
}

// True if these words name a cell, a step or a number, and do not ask a question such as "why divide by
// sqrt(d_k)".
bool names_cell(const ExplainOptions& options, const std::vector<std::string>& words) {
    if (words.empty()) {
        return false;
    }
    const auto is_whole = [](const std::string& word) {
        std::uint64_t whole = 0;
        return read_whole(word, whole);
    };
    // Four and more words are a sentence, if they are not a step and its indices.
    const bool is_sentence = words.size() > 3 && !std::all_of(words.begin() + 1, words.end(), is_whole);
    const auto is_of_cell = [&](const std::string& word) {
        return contains(word, '[') || (is_sentence ? is_printed(word) : is_number(word));
    };
    const std::size_t notions = find_notions(joined(words, " ")).size();
    // In `why seed 789` and `nan in softmax`, the number belongs to the question; `keys 1 0` is a cell.
    const bool is_about_notion = notions > 0 && words.size() > 1 && !is_gradient(words.front()) &&
                                 step_in_question(words.front(), options).empty() &&
                                 plain_spelling(words.front()) != "step";
    if (is_about_notion) {
        return std::ranges::any_of(
            words, [](const std::string& word) { return contains(word, '[') || is_printed(word); });
    }
    return std::ranges::any_of(words, is_of_cell) || (notions < 2 && is_gradient(words.front())) ||
           (notions == 0 && words.size() == 1 && !step_in_question(words.front(), options).empty());
}

// Throws Error for a question without a known notion, which names those that exist.
[[noreturn]] void fail_unknown_notion(const std::string& question) {
    const std::vector<std::vector<std::string>> names = notion_names();
    std::vector<std::string_view> all;
    std::vector<std::string_view> usual;
    for (const std::vector<std::string>& of_one : names) {
        all.insert(all.end(), of_one.begin(), of_one.end());
        usual.push_back(of_one.front());
    }
    const Message meant = did_you_mean(question, all);
    throw Error(
        "explain: there is no entry for {}.{} Name a cell, such as 'keys[1][0]', a number, such "
        "as 0.5517, or one of these: {}.",
        in_quotes(question), meant, joined(usual))
        .correcting("", "attn-walkthrough explain " +
                            (meant.empty() ? "attention" : shell_word(meant.corrections().front().right)));
}

// Says which sizes of PyTorch's message "shapes cannot be multiplied (6x3 and 2x3)" differ, and which matrix
// to transpose. Returns an empty text for other questions.
std::string sizes_that_differ(const std::string& question, const Words& texts) {
    const std::size_t open = question.rfind('(');
    std::istringstream sizes(open == std::string::npos ? "" : question.substr(open + 1));
    std::size_t a = 0, b = 0, c = 0, d = 0;
    char by = 0;
    std::string between;
    if (!(sizes >> a >> by >> b >> between >> c >> by >> d) || b == c) {
        return "";
    }
    const auto shape = [](std::size_t rows, std::size_t columns) {
        return fmt::format("({}×{})", rows, columns);
    };
    return texts("shape/differ", b, c) + " " +
           (b == d   ? texts("shape/right", shape(a, b), shape(d, c), shape(a, c))
            : a == c ? texts("shape/left", shape(b, a), shape(c, d), shape(b, d))
                     : texts("shape/neither"));
}

// The sentences about a notion, and the formula of the step that shows it.
struct NotionPart {
    std::string title, text, formula, letters;
};

NotionPart notion_part(ExplainOptions options, const std::string& question, const Notion& notion) {
    options.stages = {find_stage(notion.stage)};
    options.steps = {notion.step};
    const Trace trace = make_trace(options, options.steps, options.set);
    const Style style{options.language, options.print};
    const StageTrace& stage = trace.stages.front();
    const Words texts(style.language, "notions");
    const Words phrases(style.language, "program");
    const std::string sizes = notion.key == "shape" ? sizes_that_differ(question, texts) : "";
    return {texts.at(notion.key + "/title"),
            texts.at(notion.key + "/text") + (sizes.empty() ? "" : "\n" + sizes),
            formula_text(equation_of(stage.notebook, stage.shown.front()), formula_words(phrases)),
            letters_line(stage, phrases)};
}

ExitCode explain_notions(const ExplainOptions& options, const std::string& question,
                         const std::vector<Notion>& notions) {
    refuse_other_options(options, in_quotes(question), {"--json"});  // the stage's own numbers are shown
    const Words phrases(options.language, "program");
    std::string text;
    Json parts = Json::array();
    for (const Notion& notion : notions) {
        const NotionPart part = notion_part(options, question, notion);
        text += (text.empty() ? "" : "\n") + part.title + "\n";
        for (const std::string_view line : split_lines(part.text)) {
            text += paragraph(std::string(line));
        }
        text += part.formula.empty() ? "" : "\n" + part.formula + "\n" + paragraph(part.letters);
        text += "\n" + paragraph(phrases("notion_step", fmt::format("attn-walkthrough {} --step {}",
                                                                    notion.stage, notion.step)));
        parts.push_back({{"notion", notion.key},
                         {"title", part.title},
                         {"text", part.text},
                         {"formula", part.formula},
                         {"letters", part.letters},
                         {"stage", notion.stage},
                         {"step", notion.step}});
    }
    write_or_show(
        options,
        [&] {
            return explanation_json({{"question", question}, {"notions", parts}});
        },
        text);
    return ExitCode::agrees;
}

// True for the name of a step with several numbers, without indices.
bool is_whole_step(const StageTrace& stage, const std::string& cell) {
    const std::optional<std::size_t> id = stage.find(cell);
    return id && stage.node(*id).value.rank() > 0;
}

// Returns the row that `keys[2]` means, an address with one index too few; nothing for other addresses.
std::optional<std::uint64_t> row_in(const StageTrace& stage, const std::string& cell) {
    const std::string name = name_in(cell);
    const std::optional<std::size_t> id = stage.find(name);
    std::uint64_t row = 0;
    const bool is_row = id && stage.node(*id).value.rank() == 2 && cell.size() > name.size() + 2 &&
                        cell.ends_with(']') &&
                        read_whole(cell.substr(name.size() + 1, cell.size() - name.size() - 2), row) &&
                        row < stage.node(*id).value.shape()[0];
    return is_row ? std::optional(row) : std::nullopt;
}

// Shows the step, or one of its rows, and the command that explains one of its numbers.
ExitCode explain_step(ExplainOptions& options, const StageTrace& stage, const std::string& name,
                      std::optional<std::uint64_t> row) {
    std::string first = name;
    for (std::size_t axis = 0; axis < stage.node(*stage.find(name)).value.rank(); ++axis) {
        first += axis == 0 && row ? fmt::format("[{}]", *row) : "[0]";
    }
    options.words.clear();
    options.steps = {name};
    const ExitCode code = walk_through(options, row);
    if (!exports_to_standard_output(options)) {
        write_answer(options, "\n" + paragraph(Words(options.language, "program")("explain_cell",
                                                                                  stage.stage->name, first)));
    }
    return code;
}

// Takes the stages that a question is about. Returns false if it names none.
bool take_stages_in(ExplainOptions& options, const std::string& question) {
    std::vector<std::string> stages;
    std::istringstream words(question);
    for (std::string word; words >> word;) {
        word.erase(word.find_last_not_of("?,.!") + 1);
        // "all" means the stages in `explain all stages`, and not in "why is row 0 all zeros".
        const bool means_all = word == "all" && (question == word || contains(question, "stages"));
        if (means_all || stage_called(word) != nullptr) {
            stages.push_back(word);
        }
    }
    if (stages.empty()) {
        return false;
    }
    options.words = std::move(stages);
    take_stages(options);
    options.words.clear();
    return true;
}

// Reads `step 16`, and `16` beside a stage, as a step of the stage. Returns true for a step.
bool take_step_number(ExplainOptions& options) {
    ExplainOptions copy = options;
    const std::vector<std::string> others = take_stages(copy);
    std::uint64_t step = 0;
    const bool is_announced = others.size() == 2 && plain_spelling(others[0]) == "step";
    const bool is_beside = others.size() == 1 && copy.stages.size() == 1;
    if ((is_announced || is_beside) && read_whole(others.back(), step)) {
        options.steps = {others.back()};
        options.stages = std::move(copy.stages);
        options.words.clear();
        take_stage_unless_given(options, "causal");
        return true;
    }
    return false;
}

// Drops the words around a number: `is 0.5517 computed`. Throws Error if one is nearly the name of a stage.
void keep_number(ExplainOptions& options) {
    const std::vector<std::string> others = words_beside_stages(options);
    const auto number = std::ranges::find_if(others, is_number);
    const bool has_step = !others.empty() && stage_with(others.front(), options) != nullptr;
    if (others.size() > 1 && number != others.end() && (!has_step || is_printed(*number))) {
        if (has_step) {  // `explain causal keys 0.5517` asks about the cells of this step
            options.steps = {others.front()};
        }
        const std::vector<std::string_view> stages = mapped(catalogue(), &Stage::name);
        const auto is_misspelt_stage = [&](const std::string& word) {
            return !has_step && !did_you_mean(lowered(word), stages).empty();
        };
        if (const auto word = std::ranges::find_if(others, is_misspelt_stage); word != others.end()) {
            fail_unknown(*word);
        }
        std::erase_if(options.words,
                      [&](const std::string& word) { return word != *number && contains(others, word); });
    }
}

// Splits a question at its blanks, but not within the brackets of a cell: `keys[1, 0]` is one word.
std::vector<std::string> question_words(const std::string& question) {
    constexpr std::string_view blanks = " \t\r\n";
    std::vector<std::string> words;
    std::size_t end = 0;
    for (std::size_t begin = 0; (begin = question.find_first_not_of(blanks, end)) != std::string::npos;) {
        end = question.find_first_of(blanks, begin);
        for (std::size_t open = begin; (open = question.find('[', open)) < end;) {
            const std::size_t close = question.find(']', open);
            if (close == std::string::npos) {
                break;
            }
            end = close > end ? question.find_first_of(blanks, close) : end;
            open = close;
        }
        words.push_back(question.substr(begin, end - begin));
    }
    return words;
}

// Returns a word with the signs of programs: 0.5517 for `0,5517` and `≈0.5517?`, -0.4016 with any minus sign,
// and keys[1][0] with any brackets. Returns other words as they are.
std::string as_programs_write(const std::string& word) {
    const bool is_part = std::ranges::count(word, '(') != std::ranges::count(word, ')');  // of (1, 2)
    if (contains(word, '[') || is_number(word) || is_part) {
        return word;
    }
    const std::size_t comma = word.find(',');
    const bool is_pair = comma != std::string::npos && word.size() - comma < 3;  // `1,0` can be two indices
    std::string number = is_pair ? "" : plain_number(word);
    std::string ascii = with_ascii_signs(word);
    return is_number(number) ? number : is_number(ascii) || contains(ascii, '[') ? ascii : word;
}

// Replaces a file, or - for standard input, by its last line, which says what the error is. Splits a question
// into words, a long one only at its beginning. Returns false if the file is not read.
bool read_question(ExplainOptions& options) {
    constexpr std::size_t longest = 1000;  // nobody asks more, and notions are sought everywhere in it
    if (options.words.size() == 1 &&
        (options.words[0] == "-" ||
         (contains(options.words[0], '.') && kind_of(options.words[0]) == FileKind::file))) {
        if (!is_read(options, options.words[0])) {
            return false;
        }
        const std::string text = read_source(options.words[0]);
        if (options.words[0] != "-" && text.starts_with('{')) {  // a notebook, a recording or a trace
            fail_unknown(options.words[0]);
        }
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) {
            options.words[0] = line.find_first_not_of(" \t\r") == std::string::npos ? options.words[0] : line;
        }
    }
    options.words = question_words(joined(options.words, " ").substr(0, longest));
    for (std::string& word : options.words) {  // +.5517 is printed as 0.5517
        word.erase(0, word.starts_with('+') && is_number(word.substr(1)) ? 1 : 0);
        word.insert(0, word.starts_with('.') && is_number(word) ? "0" : "");
        word = as_programs_write(word);
    }
    return true;
}

// Explains the notions of a question, or else describes the stages in it.
ExitCode explain_question(ExplainOptions& options, const std::string& question) {
    const std::vector<std::string> others = words_beside_stages(options);
    // `explain causal keys` asks about keys; in a sentence, `multi head` may be no stage.
    const bool is_whole = others.size() > 3 || is_notion_name(question);
    std::vector<Notion> notions = find_notions(is_whole ? question : joined(others, " "));
    notions = notions.empty() ? find_notions(question) : notions;
    if (!notions.empty()) {
        return explain_notions(options, question, notions);
    }
    if (!take_stages_in(options, question)) {
        fail_unknown_notion(question);
    }
    return !options.exports.empty()     ? walk_through(options)
           : options.stages.size() == 2 ? compare_two_stages(options, options.set)
                                        : run_instead("help", options);
}

// True if a step of a stage has as many axes as the address has indices, or the address has none.
bool has_axes(const Stage& stage, const std::string& cell) {
    const StageTrace trace = walk(stage, built_in_lesson(), stage.defaults);
    const std::optional<std::size_t> id = trace.find(name_in(cell));
    return id && (!contains(cell, '[') || count_indices(cell) == trace.node(*id).value.rank());
}

// Returns the address of a cell with the stage's name of its step: queries[1][0] for Q[1][0]. Without a
// stage, a name or letter of causal comes before the same name in a different stage, if its axes fit the
// indices.
std::string usual_cell(ExplainOptions& options, const std::string& word) {
    const std::string cell = step_address(word);
    const std::string name = name_in(cell);
    const auto with_name = [&](const std::string& step) {
        return step.empty() ? cell : step + cell.substr(name.size());
    };
    const Stage* const named = stage_with(name, options);
    if (options.stages.size() > 1 || is_gradient(cell)) {
        if (named == nullptr && is_gradient(cell)) {
            turn_on_backward(options);
        }
        return cell;
    }
    const Stage* const stage = options.stages.empty() ? find_stage("causal") : options.stages.front();
    if (named == stage || (named != nullptr && has_axes(*named, cell))) {
        return cell;
    }
    std::string step = step_of_letter(*stage, name);
    step = step.empty() ? usual_step(name, options.stages) : step;
    const bool fits = !step.empty() && has_axes(*stage, with_name(step));
    return named == nullptr || fits ? with_name(step) : cell;
}

ExitCode explain_cell(ExplainOptions& options, const std::string& word) {
    const std::string cell = usual_cell(options, word);
    if (options.stages.empty()) {
        const Stage* const stage = stage_with(name_in(cell), options);
        take_stage_unless_given(options, stage == nullptr ? "causal" : stage->name);
    }
    if (options.stages.size() > 1) {
        throw Error("explain: a cell belongs to one stage; name only one.");
    }
    prepare(options);
    const Trace trace = make_trace(options, options.steps, options.set);
    const StageTrace& stage = trace.stages.front();
    const std::optional<std::uint64_t> row = row_in(stage, cell);
    if ((row && options.exports.empty()) || is_whole_step(stage, cell)) {
        refuse_depth(options, cell);
        return explain_step(options, stage, name_in(cell), row);
    }
    const auto [node, index] = find_cell(stage, cell);
    const Style style{options.language, options.print};
    const Explanations cells = explain(stage, node, index, options.depth, style);
    write_or_show(
        options, [&] { return explanation_json(stage, cells); }, explanation_text(stage, cells, style));
    return ExitCode::agrees;
}

// Throws Error for a question about an exercise. The section with the same number is about something else.
void refuse_exercise(const std::string& question) {
    const std::optional<ExerciseName> named = find_exercise(question);
    if (!named) {
        return;
    }
    if (stage_of_exercise(named->number).empty()) {
        throw Error("explain: there is no exercise {} here; the exercises of the chapter are {}.",
                    named->number, joined(exercise_numbers()))
            .correcting("", "attn-walkthrough exercises 3.1");
    }
    const std::string command = "attn-walkthrough exercises " + named->number;
    throw Error("explain: {} prints exercise {}.", command, named->number).correcting("", command);
}

ExitCode run_explain(ExplainOptions& options) {
    if (!read_question(options)) {
        return ExitCode::agrees;
    }
    if (options.words.empty()) {
        fail_unknown_notion("");
    }
    const std::string question = joined(options.words, " ");
    refuse_exercise(question);
    // `explain context vector` is about this notion, not about a cell of the step context.
    if (is_notion_name(question) || !names_cell(options, words_beside_stages(options))) {
        return explain_question(options, question);
    }
    if (take_step_number(options)) {
        return walk_through(options);
    }
    keep_number(options);
    const std::string word = cell_word(options);
    return is_number(word) ? explain_number(options, word) : explain_cell(options, word);
}

void declare_explain(Declaration& declared, ExplainOptions& options) {
    declared.begin_group("Display");
    declared.add({.name = "--depth",
                  .names = Names::number,
                  .help = "Also explain the operands, up to N steps back",
                  .target = whole(options.depth, 1, 1000)});
    add_run(declared, options, {"--seed", "--d-out", "--heads", "--dropout", "--qkv-bias"});
    add_set(declared, options);
    add_json(declared, options, "The explanation, as JSON");
    add_general(declared, options);
    add_precision(declared, options.print);
}

}  // namespace

Command explain_command() {
    return {
        .name = "explain",
        .summary = "Explain one number: how it is computed; or a notion, such as softmax.",
        .words = "[STAGE] CELL|NUMBER|NOTION|-",
        .examples = {{"attn-walkthrough explain causal 'keys[1][0]'", "a cell, by step, row and column"},
                     {"attn-walkthrough explain mask", "a notion: a sentence, its formula and its step"},
                     {"attn-walkthrough explain 0.5517", "all cells that print as this number"}},
        .declare = declaring(run_explain, declare_explain),
    };
}

}  // namespace attn
