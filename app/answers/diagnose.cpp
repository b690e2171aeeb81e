#include "answers/diagnose.hpp"

#include <algorithm>
#include <memory>

#include "answers/file_use.hpp"
#include "commands/declare.hpp"
#include "commands/words.hpp"
#include "diagnosis/diagnosis_json.hpp"
#include "diagnosis/diagnosis_text.hpp"
#include "diagnosis/right_walks.hpp"
#include "documents/document.hpp"
#include "documents/python_code.hpp"
#include "exports.hpp"
#include "files/source.hpp"
#include "files/system.hpp"
#include "judge/judgement_files.hpp"
#include "judge/judgement_json.hpp"
#include "judge/judgement_text.hpp"
#include "make_trace.hpp"
#include "parameters.hpp"
#include "printed/loader.hpp"
#include "stages/catalogue.hpp"
#include "stages/shipped.hpp"
#include "tensor/error.hpp"
#include "terminal.hpp"
#include "text/lists.hpp"
#include "text/printable.hpp"
#include "text/prose.hpp"
#include "text/split.hpp"
#include "watch/alignment_text.hpp"

namespace attn {

namespace {

struct DiagnoseOptions : NumbersOptions {
    bool all_seeds = false;  // true: many seeds are tried, too
    bool quiet = false;      // true: nothing is printed
};

// True if the stage accepts these weights.
bool takes_weights(const Stage& stage, const DiagnoseOptions& options, const Trace& data) {
    try {
        walk(stage, data.lesson, parameters_of(stage, options), {data.focus, data.weights});
    } catch (const Error&) {
        return false;
    }
    return uses(stage, "weights");
}

// Returns true if a tensor has the name of a gradient: keys.grad or keys_grad.
bool names_gradient(const PrintedText& pasted) {
    return std::ranges::any_of(pasted.tensors,
                               [](const PrintedTensor& tensor) { return tensor.name.ends_with("grad"); });
}

// The stages that the user did not choose.
std::vector<const Stage*> stages_not_chosen(const DiagnoseOptions& options) {
    std::vector<const Stage*> others(catalogue().begin(), catalogue().end());
    std::erase_if(others, [&](const Stage* stage) { return contains(options.stages, stage); });
    return others;
}

// The stages of the documents that compute with the lesson.
std::vector<const Stage*> stages_of_documents() {
    std::vector<const Stage*> found(catalogue().begin(), catalogue().end());
    std::erase_if(found, [](const Stage* stage) {
        return stage->group != StageGroup::documents || !uses(*stage, "lesson");
    });
    return found;
}

Inputs inputs_of(const Trace& data) {
    return {.focus = data.focus, .weights = data.weights, .short_masks = true};
}

// The stages with the parameters of the command line.
std::vector<Candidate> candidates(std::vector<const Stage*> stages, const DiagnoseOptions& options,
                                  const Trace& data, bool with_gradients) {
    const std::vector<std::string_view> given = mapped(options.parameters, &Setting::parameter);
    // Without a stage, the stages that accept the weights are used.
    if (options.stages.empty() && data.weights) {
        std::erase_if(stages, [&](const Stage* stage) { return !takes_weights(*stage, options, data); });
        if (stages.empty()) {
            throw Error("--weights: these weights match no stage; name a stage to see what it needs.");
        }
    }
    std::vector<Candidate> found;
    for (const Stage* stage : stages) {
        Parameters parameters = parameters_of(*stage, options);
        parameters.backward = parameters.backward || (with_gradients && uses(*stage, "backward"));
        found.push_back({stage, parameters, given, contains(options.stages, stage)});
    }
    return found;
}

// Throws Error if no candidate has the step of --as. A run finds this out from the walks that it needs
// anyway.
void require_step(const DiagnoseOptions& options) {
    const Trace data = read_inputs(options);
    Question question{data.lesson, inputs_of(data), {}, options.as};
    question.candidates = candidates(options.stages.empty() ? stages_not_chosen(options) : options.stages,
                                     options, data, is_gradient(options.as));
    Budget budget;
    right_walks(question, budget);
}

// The stages of the documents with the settings of a known lesson.
std::vector<Candidate> candidates_of(const KnownLesson& known) {
    std::vector<Candidate> all;
    for (const Stage* const stage : stages_of_documents()) {
        Candidate one{.stage = stage, .parameters = stage->defaults, .asked_for = false};
        for (const Setting& setting : known.settings) {
            if (uses(*stage, setting.parameter)) {
                find_parameter(setting.parameter)->read(one.parameters, setting.value);
                one.given.push_back(setting.parameter);
            }
        }
        all.push_back(std::move(one));
    }
    return all;
}

bool is_unexplained(const Diagnosis& one) {
    return one.matches.empty() && one.inherits.empty();
}

// Readers sometimes name the wrong stage. Searches the other stages for tensors that the chosen ones do not
// explain. A few digits are no reason to doubt a label that names a step of the chosen stages.
void search_elsewhere(std::vector<Diagnosis>& diagnoses, const PrintedText& pasted, const Question& other) {
    std::vector<PrintedTensor> unexplained;
    for (std::size_t i = 0; i < diagnoses.size(); ++i) {
        if (is_unexplained(diagnoses[i])) {
            unexplained.push_back(pasted.tensors[i]);
        }
    }
    auto found = diagnose(unexplained, other);
    for (auto next = found.begin(); Diagnosis & one : diagnoses) {
        if (!is_unexplained(one)) {
            continue;
        }
        Diagnosis& elsewhere = *next++;
        const bool is_named = one.nearest && one.nearest->is_named;
        if (is_named ? elsewhere.is_decided() : !elsewhere.matches.empty()) {
            one = std::move(elsewhere);
            one.is_elsewhere = true;
        }
    }
}

// The variant of the lesson, as public courses use it, that has some of these numbers.
std::optional<KnownLesson> lesson_of(const PrintedText& pasted, const Inputs& inputs) {
    constexpr std::size_t enough = 64;  // tensors; the search through thousands would take seconds
    std::vector<PrintedTensor> first = pasted.tensors;
    first.resize(std::min(first.size(), enough));
    for (const KnownLesson& known : known_lessons()) {
        const std::vector<Diagnosis> found =
            diagnose(first, {known.lesson, inputs, candidates_of(known), "", false, true});
        if (std::ranges::any_of(found,
                                [](const Diagnosis& one) { return one.is_right() && one.is_decided(); })) {
            return known;
        }
    }
    return std::nullopt;
}

// A file that the user hands in.
struct Handed {
    std::string path;
    Bytes bytes;
    JudgedDocument judged{};
};

// The documents of a folder, by name; of other paths, the path itself.
std::vector<std::string> files_of(const std::string& path) {
    if (kind_of(path) != FileKind::folder) {
        return {path};
    }
    std::vector<std::string> files = files_in(path);
    std::erase_if(files, [](const std::string& file) {
        return !has_suffix(file, {".ipynb", ".md", ".py", ".txt"});
    });
    if (files.empty()) {
        throw Error("{}: there is no notebook, .md, .py or .txt file in this folder.", in_quotes(path));
    }
    return files;
}

// Reads the files. Throws Error if standard input, which nobody named, is empty.
std::vector<Handed> hand_in(const DiagnoseOptions& options, const std::vector<std::string>& files) {
    try {
        return mapped(files, [](const std::string& path) {
            return Handed{path, std::make_shared<const std::string>(read_source(path))};
        });
    } catch (const Error&) {
        if (files.front() == "-" && !contains(options.words, "-")) {
            take_file(options, {});  // says that a file is missing
        }
        throw;
    }
}

// Returns true if the code computes something, and not only shows variables, as `>>> keys` does.
bool computes(const Item& item) {
    return item.kind == Item::Kind::code &&
           std::ranges::any_of(python::parse(item.text).statements, [](const python::Statement& statement) {
               return statement.kind != python::Statement::Kind::expression;
           });
}

// Returns true if the user names no stage, step, parameter or input.
bool is_unrestricted(const DiagnoseOptions& options) {
    return options.stages.empty() && options.as.empty() && options.parameters.empty() && !options.weights &&
           !options.input && !options.text;
}

// Returns true if outputs stand beside the code that computed them.
bool has_code(const Document& document) {
    const bool has_output = contains(document.items, Item::Kind::output, &Item::kind);
    return document.format == Document::Format::notebook ||
           (has_output && std::ranges::any_of(document.items, computes));
}

bool is_one_notebook(const std::vector<Handed>& handed) {
    return handed.size() == 1 && handed[0].judged.document.format == Document::Format::notebook;
}

// Throws Error if no report of this format is written about the files. Nothing has been judged yet.
void require_report(const Export& file, const std::vector<Handed>& handed) {
    if (file.format->suffix == ".ipynb" && !is_one_notebook(handed)) {
        throw Error(
            "{}: expected .html, .md or .csv for a report, or .ipynb for one checked notebook, but received "
            "{}.",
            file.option, in_quotes(file.target));
    }
}

std::string file_about(const Export& file, const std::vector<Handed>& handed,
                       const std::vector<JudgedDocument>& documents, const Words& phrases) {
    const std::string_view suffix = file.format->suffix;
    if (suffix == ".ipynb") {
        return checked_notebook(*handed[0].bytes, documents[0], phrases);
    }
    if (suffix == ".json") {
        return judgements_json(documents, phrases.language());
    }
    return suffix == ".csv"  ? report_csv(documents, phrases)
           : suffix == ".md" ? report_markdown(documents, phrases)
                             : report_html(documents, phrases);
}

void say(const DiagnoseOptions& options, const std::string& text) {
    if (!options.quiet) {
        write_answer(options, text);
    }
}

// Throws Error for --search-seeds, because code names its seeds.
void refuse_search(const DiagnoseOptions& options, const std::string& file) {
    if (options.all_seeds) {
        throw changes_nothing("--search-seeds", in_quotes(file));
    }
}

ExitCode run_judge(const DiagnoseOptions& options, std::vector<Handed> handed) {
    refuse_search(options, handed.front().path);
    for (const Export& one : options.exports) {
        require_report(one, handed);
    }
    const Trace data = read_inputs(options);
    Question question{data.lesson, inputs_of(data), {}, options.as};
    if (!options.stages.empty() || !options.parameters.empty()) {
        question.candidates =
            candidates(options.stages.empty() ? stages_of_documents() : options.stages, options, data, false);
    }
    if (options.is_rehearsal) {
        return ExitCode::agrees;
    }
    const Words phrases(options.language, "diagnosis");
    std::vector<JudgedDocument> documents;
    for (Handed& one : handed) {
        one.judged.judgement = judge(one.judged.document, question);
        documents.push_back(std::move(one.judged));
    }
    write_exports(options, [&](const Export& one, const WriteBytes& write) {
        write(file_about(one, handed, documents, phrases));
    });
    if (!exports_to_standard_output(options)) {
        std::string text;
        for (const JudgedDocument& one : documents) {
            text += documents.size() > 1 ? (text.empty() ? "" : "\n") + printable(one.document.origin) + "\n"
                                         : "";
            text += judgement_text(one, phrases);
        }
        say(options, text);
    }
    const bool agrees =
        std::ranges::all_of(documents, [](const JudgedDocument& one) { return one.judgement.all_right(); });
    return agrees ? ExitCode::agrees : ExitCode::differs;
}

// Answers a recording of the reader's code.
ExitCode diagnose_recording(const DiagnoseOptions& options, const std::string& text,
                            const std::string& origin) {
    for (const Export& one : options.exports) {
        if (one.format->suffix != ".json") {
            const std::string name = one.target.substr(0, one.target.rfind('.'));
            throw Error("{}: the answer to a recording is written as .json, not as {}.", one.option,
                        one.format->suffix)
                .correcting(one.target, name + ".json");
        }
    }
    refuse_other_options(options, in_quotes(origin), {"--out", "--json"});
    const Recording recording = read_recording(text, origin);
    if (options.is_rehearsal) {
        return ExitCode::agrees;
    }
    const std::vector<AlignedLayer> layers = align(recording);
    Words words(options.language, "recording");
    words.add("diagnosis");
    write_exports(options, [&] { return alignment_json(recording, layers, words); });
    if (!exports_to_standard_output(options)) {
        say(options, alignment_text(recording, layers, words));
    }
    return all_right(layers) ? ExitCode::agrees : ExitCode::differs;
}

ExitCode answer(const DiagnoseOptions& options, const PrintedText& pasted, const Question& question,
                const std::vector<Diagnosis>& diagnoses) {
    write_exports(options, [&] { return diagnoses_json(pasted, diagnoses, question, options.language); });
    if (!exports_to_standard_output(options)) {
        Words phrases(options.language, "diagnosis");
        phrases.add("program");
        std::string text = diagnosis_text(pasted, diagnoses, question, phrases, spelled);
        const auto was_searched_for = [](const Diagnosis& one) {
            return is_unexplained(one) && one.not_tried.empty();
        };
        if (std::ranges::any_of(diagnoses, was_searched_for) && !options.all_seeds) {
            text += wrapped(phrases("longer_search", last_searched_seed));
        }
        if (is_unrestricted(options) &&
            !identical(question.lesson.embeddings, built_in_lesson().embeddings)) {
            text += wrapped(phrases("known_lesson", joined(question.lesson.tokens, phrases("comma")),
                                    question.lesson.embeddings.shape()[1]));
        }
        say(options, text);
    }
    return all_right(diagnoses) && !pasted.leaves_out ? ExitCode::agrees : ExitCode::differs;
}

// Answers a file that is only numbers.
ExitCode diagnose_tensors(const DiagnoseOptions& options, const PrintedText& pasted) {
    const Trace data = read_inputs(options);
    // A variable, because gcc 12 destroys temporaries in nested braces twice if a later member throws.
    const Inputs inputs = inputs_of(data);
    const std::vector<const Stage*> others = stages_not_chosen(options);
    const bool with_gradients = names_gradient(pasted);
    Question question{data.lesson, inputs, {}, options.as, options.all_seeds};
    question.candidates =
        candidates(options.stages.empty() ? others : options.stages, options, data, with_gradients);
    if (options.is_rehearsal) {
        return ExitCode::agrees;
    }
    std::vector<Diagnosis> diagnoses = diagnose(pasted.tensors, question);
    if (!options.stages.empty() && options.as.empty() && !data.weights &&
        std::ranges::any_of(diagnoses, is_unexplained)) {
        const std::vector<Candidate> elsewhere = candidates(others, options, data, with_gradients);
        search_elsewhere(diagnoses, pasted, {data.lesson, inputs, elsewhere, "", false, true});
    }
    const bool is_open = is_unrestricted(options) && std::ranges::all_of(diagnoses, is_unexplained);
    if (const std::optional<KnownLesson> known = is_open ? lesson_of(pasted, inputs) : std::nullopt) {
        const Question other{known->lesson, inputs, candidates_of(*known)};
        return answer(options, pasted, other, diagnose(pasted.tensors, other));
    }
    return answer(options, pasted, question, diagnoses);
}

// True for a Python file in which nothing was printed, so that there are no numbers to judge.
bool is_only_code(const Handed& one) {
    const Document& document = one.judged.document;
    const bool has_output = contains(document.items, Item::Kind::output, &Item::kind);
    return one.path.ends_with(".py") && (document.format == Document::Format::plain ||
                                         (document.format == Document::Format::script && !has_output));
}

// Leaves out the code without output beside the documents of a folder. Throws Error for such code that the
// user named, or if there is nothing else.
void leave_out_code(const DiagnoseOptions& options, std::vector<Handed>& handed) {
    const auto is_helper = [&](const Handed& one) {
        return is_only_code(one) && !contains(options.words, one.path);
    };
    if (!std::ranges::all_of(handed, is_helper)) {
        std::erase_if(handed, is_helper);
    }
    if (const auto code = std::ranges::find_if(handed, is_only_code); code != handed.end()) {
        throw Error("{}: this file has code but no output, and code is never run. Hand in what it prints: {}",
                    printable(code->path),
                    "python " + shell_word(code->path) + " | attn-walkthrough diagnose -");
    }
}

// Throws Error for a recording beside other files.
void require_no_recording(const std::vector<Handed>& handed) {
    const auto recording =
        std::ranges::find_if(handed, [](const Handed& one) { return is_recording(*one.bytes); });
    if (recording != handed.end()) {
        throw Error("{}: is a recording; hand in each recording alone.", printable(recording->path))
            .correcting("", "attn-walkthrough diagnose " + shell_word(recording->path));
    }
}

// Returns the file of `mine.py::CausalAttention`, as pytest names a class; other words as they are.
std::string without_class(const std::string& word) {
    const std::string file(up_to(word, "::"));
    return kind_of(file) == FileKind::file ? file : word;
}

// Takes the stages and the step, and returns the files, or "-" for a pipe.
std::vector<std::string> take_files_to_judge(DiagnoseOptions& options) {
    std::vector<std::string> words = mapped(take_stages(options), without_class);
    take_named_step(options, words);
    // A line to type has a terminal, unless a pipe or a file stands behind this one.
    if (words.empty() && !input_is_terminal() && !(options.is_rehearsal && is_character_device("-"))) {
        words.emplace_back("-");
    }
    std::vector<std::string> files;
    for (const std::string& word : words) {
        const std::vector<std::string> more = files_of(word);
        files.insert(files.end(), more.begin(), more.end());
    }
    options.data = files.size() > 1 && std::ranges::all_of(files, is_file_or_pipe)
                       ? files.front()
                       : take_file(options, files.size() > 1 ? words : files);
    return files;
}

ExitCode run_diagnose(DiagnoseOptions& options) {
    const std::vector<std::string> files = take_files_to_judge(options);
    prepare(options, options.data);
    require_weights_of_head(options);
    if (options.is_rehearsal && !options.as.empty()) {
        require_step(options);
    }
    if (!std::ranges::all_of(files, [&](const std::string& file) { return is_read(options, file); })) {
        if (files.front().ends_with(".ipynb")) {
            refuse_search(options, files.front());
        }
        return ExitCode::agrees;
    }
    std::vector<Handed> handed = hand_in(options, files);
    const std::string origin = source_name(files.front());
    if (handed.size() == 1 && is_recording(*handed[0].bytes)) {
        return diagnose_recording(options, *handed[0].bytes, origin);
    }
    require_no_recording(handed);
    const bool needs_document = files.size() > 1 || contains(options.exports, "--out", &Export::option);
    if (needs_document || open_tensor_file(handed[0].bytes, origin) == nullptr) {
        for (Handed& one : handed) {
            one.judged.document = document_of(one.bytes, source_name(one.path));
        }
        leave_out_code(options, handed);
        if (needs_document || has_code(handed[0].judged.document)) {
            return run_judge(options, std::move(handed));
        }
    }
    return diagnose_tensors(options, load_tensors(handed[0].bytes, origin));
}

void declare_diagnose(Declaration& declared, DiagnoseOptions& options) {
    declared.begin_group("Search");
    declared.add({.name = "--as",
                  .names = Names::step,
                  .help = "Step to compare the numbers with",
                  .target = &options.as});
    declared.add(
        {.name = "--search-seeds", .help = "Try every seed from 0 to 10000", .target = &options.all_seeds});
    add_run(declared, options, {"--seed", "--d-out", "--heads", "--dropout", "--qkv-bias", "--backward"});
    add_json(declared, options, "The diagnosis, as JSON");
    add_out(declared, options, "The checked notebook (.ipynb), or a report (.html, .md, .csv)",
            ".ipynb .html .md .csv .json");
    add_general(declared, options);
    declared.add(
        {.name = "--quiet", .help = "Print nothing; the exit code answers", .target = &options.quiet});
}

}  // namespace

ExitCode judge_files(NumbersOptions& options) {
    DiagnoseOptions own{options};
    const ExitCode code = run_diagnose(own);
    options = own;
    return code;
}

Command diagnose_command() {
    return {
        .name = "diagnose",
        .summary = "Judge every output of a notebook or paste: right, or which line is wrong.",
        .words = "[STAGE…] FILE…|-",
        .examples = {{"attn-walkthrough diagnose mine.ipynb", "a notebook: every output, cell by cell"},
                     {"attn-walkthrough diagnose class/ --out report.csv", "all notebooks of a folder"},
                     {"python mine.py | attn-walkthrough diagnose -", "the output of your own program"}},
        .declare = declaring(run_diagnose, declare_diagnose),
    };
}

}  // namespace attn
