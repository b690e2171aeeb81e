#include "option_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <type_traits>

#include "page_export.hpp"
#include "quiz/exercises.hpp"
#include "stages/catalogue.hpp"
#include "tasks.hpp"
#include "tensor/error.hpp"
#include "text/ascii.hpp"
#include "text/printable.hpp"
#include "text/suggest.hpp"
#include "views/document/csv.hpp"
#include "views/document/jupyter.hpp"
#include "views/document/latex.hpp"
#include "views/document/markdown.hpp"
#include "views/heatmap/heatmap_svg.hpp"
#include "views/json/trace_arrays.hpp"
#include "views/json/trace_json.hpp"

namespace attn {

namespace {

[[noreturn]] void refuse(const OptionRow& row, std::string_view expected, const std::string& text,
                         std::string_view hint = "") {
    throw Error(
        fmt::format("--{}: expected {} but received {}.{}", row.name, expected, in_quotes(text), hint));
}

template <typename Whole>
Whole read_whole(const OptionRow& row, const std::string& text, Whole least, Whole most) {
    Whole number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < least || number > most) {
        refuse(row, fmt::format("a whole number from {} to {}", least, most), text);
    }
    return number;
}

// The place of the text among the words the option takes one of.
std::size_t read_choice(const OptionRow& row, const std::string& text) {
    const std::vector<std::string_view> words = choices(row);
    const auto found = std::ranges::find(words, text);
    if (found == words.end()) {
        const auto last = words.end() - 1;
        const std::string hint =
            text.size() > 2 ? did_you_mean(text, words).english() : "";  // two letters are all near
        refuse(row, fmt::format("{} or {}", fmt::join(words.begin(), last, ", "), *last), text, hint);
    }
    return static_cast<std::size_t>(found - words.begin());
}

template <auto member>
void set_text(const OptionRow&, Options& options, const std::string& text) {
    options.*member = text;
}

template <auto member>
void set_flag(const OptionRow&, Options& options, const std::string&) {
    options.*member = true;
}

template <auto member, std::uint64_t least, std::uint64_t most>
void set_whole(const OptionRow& row, Options& options, const std::string& text) {
    options.*member = read_whole<std::uint64_t>(row, text, least, most);
}

// The values in the order of the words.
template <auto member, auto... values>
void set_choice(const OptionRow& row, Options& options, const std::string& text) {
    options.*member = std::array{values...}.at(read_choice(row, text));
}

template <auto member>
void append_text(const OptionRow&, Options& options, const std::string& text) {
    (options.*member).push_back(text);
}

template <auto member>
void append_given(const OptionRow& row, Options& options, const std::string& text) {
    (options.*member).push_back({&row, text});
}

// A help that is asked for goes before whatever else is.
template <Task task>
void show_instead(const OptionRow&, Options& options, const std::string&) {
    options.task = task;
}

void set_rows(const OptionRow& row, Options& options, const std::string& text) {
    options.rows = read_row_window(text);
    if (!options.rows) {
        refuse(row, "a window such as 2:5, :3 or -2:", text);
    }
}

// How many may be left out, and then what stands behind `--quiz` is a stage.
void set_quiz_count(const OptionRow& row, Options& options, const std::string& text) {
    if (find_stage(text) != nullptr || text == "all") {
        add_stage(options, text);
    } else if (!text.empty()) {
        options.quiz_count = read_whole<std::size_t>(row, text, 1, 1000);
    }
}

// How many, or the number of one of the book's.
void set_exercises(const OptionRow& row, Options& options, const std::string& text) {
    const std::vector<std::string_view> of_book = exercise_numbers();
    if (std::ranges::find(of_book, text) != of_book.end()) {
        options.exercise = text;
    } else if (text.find('.') != std::string::npos) {
        refuse(row, fmt::format("a number of tasks, or one of {}", fmt::join(of_book, ", ")), text);
    } else {
        options.quiz_count = read_whole<std::size_t>(row, text, 1, 1000);
    }
}

constexpr OptionRow parameter(std::string_view name, std::string_view value, std::string_view help,
                              std::string_view setting = "") {
    return {.name = name,
            .value = value,
            .help = help,
            .setting = setting,
            .read = append_given<&Options::parameters>,
            .of_stages = true};
}

constexpr OptionRow needing(std::string_view option, OptionRow row) {
    row.needs = {option};
    return row;
}

constexpr OptionRow file_to_write(std::string_view name, std::string_view help, Format write,
                                  Requirement require = nullptr) {
    return {.name = name,
            .value = "FILE|-",
            .help = help,
            .read = append_given<&Options::exports>,
            .write = write,
            .require = require,
            .writes = true};
}

constexpr OptionRow document_to_write(std::string_view name, std::string_view help, Format write,
                                      SheetFormat write_sheet, Requirement require = nullptr) {
    OptionRow row = file_to_write(name, help, write, require);
    row.write_sheet = write_sheet;
    return row;
}

constexpr OptionRow binary_to_write(std::string_view name, std::string_view help, Format write) {
    OptionRow row = file_to_write(name, help, write);
    row.binary = true;
    return row;
}

constexpr OptionRow under(std::string_view heading, OptionRow row) {
    row.heading = heading;
    return row;
}

constexpr OptionRow option_rows[] = {
    {.heading = "What to walk",
     .name = "stage",
     .value = "NAME",
     .help = "A stage, as naming it alone does; may be repeated; all is every stage",
     .read = [](const OptionRow&, Options& options, const std::string& text) { add_stage(options, text); },
     .repeatable = true},
    {.name = "list",
     .help = "The stages in reading order, and what each adds; with a stage, its steps",
     .task = show_stages,
     .files = Files::none},
    {.name = "errata",
     .help = "Where the documents err, and what is right",
     .task = show_errata,
     .files = Files::none},
    {.name = "step",
     .value = "NAME",
     .help = "Only this step; may be repeated",
     .read = append_text<&Options::steps>,
     .repeatable = true},

    {.heading = "Numbers",
     .name = "input",
     .value = "FILE|-",
     .help = "Tokens and embeddings as JSON, or the latter as .npy, .npz or .safetensors",
     .setting = "lesson",
     .read = set_text<&Options::input>,
     .of_stages = true},
    {.name = "focus",
     .value = "TOKEN|INDEX",
     .help = "The query token of row-level steps; default: journey",
     .read = set_text<&Options::focus>,
     .of_stages = true,
     .or_with = "backward"},
    {.name = "weights",
     .value = "FILE|-",
     .help =
         "A state_dict as JSON, .npz or .safetensors instead of seeded weights; or a model's checkpoint, "
         "of which --layer picks one: GPT-2's (c_attn, c_proj), Llama's and others' with its names (q_proj, "
         "k_proj, v_proj, o_proj, each (out, in); with fewer keys than queries, for grouped-query), the "
         "book's (W_query, W_key, W_value, out_proj)",
     .read = set_text<&Options::weights>,
     .of_stages = true,
     .excludes = "seed",
     .because = "--seed draws weights, --weights brings them: give one of the two."},
    {.name = "layer",
     .value = "N",
     .help = "The layer to take from a whole model's checkpoint",
     .read = set_whole<&Options::layer, 0, 1000>,
     .needs = {"weights"}},
    {.name = "head",
     .value = "N",
     .help = "The head to take from that layer, of --heads or each 64 wide",
     .read = set_whole<&Options::head, 0, 1000>,
     .needs = {"weights"}},
    parameter("seed", "N", "Seed of the weights, as torch.manual_seed(N)"),
    parameter("d-out", "N", "Width of queries, keys and values", "d_out"),
    {.name = "heads",
     .value = "N",
     .help = "Number of heads",
     .setting = "num_heads",
     .read = append_given<&Options::parameters>,
     .of_stages = true,
     .or_with = "head"},
    parameter("kv-heads", "N", "Number of heads of keys and values, which groups of --heads share",
              "kv_heads"),
    parameter("rotary", "halves|neighbours|none",
              "Turn queries and keys by their positions, paired so: halves as in Hugging Face's checkpoints"),
    parameter("rotary-base", "X", "Base of the rates at which pairs turn; default: 10000", "rotary_base"),
    parameter("window", "N", "How many tokens each token sees, itself among them; default: 3"),
    parameter("short-length", "N", "Tokens of the shorter sentence in a padded batch; default: 2 fewer",
              "short_length"),
    parameter("batch", "N", "How many copies of the tokens make the batch; default: 2, of --input 1"),
    parameter("context-length", "N", "Size of the mask; default: the number of tokens", "context_length"),
    parameter("qkv-bias", "", "Give the three linear layers a bias", "qkv_bias"),
    parameter("dropout", "P", "Probability of dropping a weight"),
    parameter("dropout-seed", "N", "Seed of the dropout mask", "dropout_seed"),
    parameter("dropout-rng", "mt19937|mkl", "Which generator draws the mask; PyTorch's builds differ",
              "dropout_rng"),
    parameter("backward", "",
              "Also the way back: the loss, and the gradient of every step, as autograd has it"),
    parameter("lr", "X", "How far each step of training goes down the gradient"),
    needing("backward", parameter("loss", "sum|mean|mse",
                                  "What the way back starts from; mse holds the last step against zeros")),
    parameter("tokens", "N,N,…", "Lengths of the sequences whose cost is counted", "sequence_lengths"),
    {.name = "set",
     .value = "CELL=X",
     .help = "Another number in the inputs, weights or a mask, such as inputs[1][0]=0.5; may be repeated",
     .read = append_text<&Options::set>,
     .repeatable = true,
     .walkthrough_only = "changes a walkthrough",
     .or_task = "explain"},
    {.name = "max-input-bytes",
     .value = "N",
     .help = "Read no file larger than this; default: 256 MiB for text, any size for arrays",
     .setting = "max_input_bytes",
     .read = set_whole<&Options::max_input_bytes, 1, 1'000'000'000'000>,
     .needs = {"input", "weights", "diagnose"},
     .because =
         "--max-input-bytes is about what --input, --weights or --diagnose read; add one, or leave it out."},

    {.heading = "What to show",
     .name = "compare",
     .help = "Compare with the printed tables that have these parameters",
     .task = compare,
     .files = Files::json},
    {.name = "code",
     .value = "torch|numpy|cpp",
     .help = "Language of the code lines; default: the document's",
     .read = set_choice<&Options::code, Language::torch, Language::numpy, Language::cpp>},
    {.name = "measure",
     .help = "Also how long attention takes here at these --tokens; about 5 seconds",
     .setting = "sequence_lengths",
     .read = set_flag<&Options::measure>,
     .of_stages = true,
     .walkthrough_only = "goes with a walkthrough"},
    {.name = "quiet", .help = "Tensors only, without the prose", .read = set_flag<&Options::quiet>},
    {.name = "rows",
     .value = "A:B",
     .help = "Only these rows of each tensor, as x[A:B] in Python; exports stay whole",
     .read = set_rows,
     .walkthrough_only = "shows a walkthrough",
     .excludes = "heatmap",
     .because =
         "--rows cuts out of what print() shows, --heatmap shows something else: give one of the two."},
    {.name = "heatmap",
     .help = "Heat maps with the numbers in them in place of what print() shows",
     .read = set_flag<&Options::heatmap>,
     .walkthrough_only = "shows a walkthrough"},
    {.name = "color",
     .value = "auto|always|never",
     .help = "Colours of headings, code and --heatmap; auto: on a terminal that has them",
     .read = set_choice<&Options::colour, WhenToColour::automatically, WhenToColour::always,
                        WhenToColour::never>},
    {.name = "no-pager",
     .help = "No pager ($PAGER, or less) for what is longer than the terminal",
     .read = [](const OptionRow&, Options& options, const std::string&) { options.pager = false; }},
    {.name = "precision",
     .value = "N",
     .help = "Digits after the point, as torch.set_printoptions(precision=N)",
     .read = [](const OptionRow& row, Options& options,
                const std::string& text) { options.style.print.precision = read_whole(row, text, 0, 20); }},
    {.name = "lang",
     .value = "en|zh",
     .help = "English or Chinese, in all that is said; default: that of the locale",
     .read = [](const OptionRow& row, Options& options,
                const std::string& text) { options.style.language = choices(row)[read_choice(row, text)]; }},

    {.heading = "What a number is",
     .name = "explain",
     .value = "CELL",
     .help = "The arithmetic of one cell, such as attn_weights[1][0] or [journey][Your]",
     .task = explain,
     .files = Files::json,
     .read = set_text<&Options::cell>,
     .excludes = "step",
     .because = "--explain: the cell names its step; leave --step out."},
    {.name = "depth",
     .value = "N",
     .help = "With --explain: on through N steps, towards the embeddings; default: 1",
     .read = set_whole<&Options::depth, 1, 1000>,
     .needs = {"explain"}},
    {.name = "diagnose",
     .value = "FILE|-",
     .help = "What a pasted tensor is, or which mistake made it",
     .task = diagnose,
     .files = Files::json,
     .read = set_text<&Options::pasted>},
    {.name = "as",
     .value = "STEP",
     .help = "The step that --diagnose is to take it for",
     .read = set_text<&Options::as>,
     .needs = {"diagnose"}},
    {.name = "search-seeds",
     .help = "Let --diagnose try every seed from 0 to 10000",
     .read = set_flag<&Options::search_seeds>,
     .needs = {"diagnose"}},
    {.name = "quiz",
     .value = "[N]",
     .help = "Ask N questions about the stages, 10 unless given; answers are typed",
     .task = quiz,
     .files = Files::none,
     .read = set_quiz_count},
    {.name = "quiz-seed",
     .value = "N",
     .help = "Which questions --quiz asks, and which tasks --exercises has; default: 123",
     .read = set_whole<&Options::quiz_seed, 0, 4294967295>,
     .needs = {"quiz", "exercises"},
     .because = "--quiz-seed chooses what --quiz asks or --exercises prints; add one, or leave it out."},
    {.name = "exercises",
     .value = "N",
     .help =
         "Print a sheet of N such tasks as Markdown, or as --latex, --ipynb; 3.1 to 3.3: those of the book",
     .task = exercises,
     .files = Files::sheets,
     .read = set_exercises},
    {.name = "key",
     .value = "FILE|-",
     .help = "The sheet of --exercises with its answers",
     .read = append_given<&Options::exports>,
     .writes = true,
     .needs = {"exercises"},
     .excludes = "grade",
     .because =
         "--key writes the key of --exercises, and --grade marks answers by it: give one of the two, with "
         "--exercises."},
    {.name = "grade",
     .value = "FILE|-",
     .help = "Mark answers to --exercises: JSON, by number, {\"1\": \"0.5517\"}, or several such by name",
     .read = set_text<&Options::answers>,
     .needs = {"exercises"}},

    under("Files to write",
          file_to_write("json", "Export the trace for programs; with -, standard output holds nothing else",
                        write_json)),
    binary_to_write("npz", "Export the tensors for NumPy, as <stage>.<step>", write_npz),
    binary_to_write("safetensors", "Export the tensors for PyTorch, as <stage>.<step>", write_safetensors),
    file_to_write("html", "Export one page for a browser, with every number's arithmetic; needs no network",
                  write_html),
    document_to_write("ipynb", "Export a Jupyter notebook, its outputs stored; run again it prints the same",
                      write_ipynb, write_ipynb_sheet, require_python),
    document_to_write("markdown", "Export the walkthrough as Markdown, formulas as LaTeX", write_markdown,
                      write_markdown_sheet),
    document_to_write("latex", "Export the walkthrough as a LaTeX document, tensors as matrices", write_latex,
                      write_latex_sheet),
    file_to_write("csv", "Export the one --step chosen for spreadsheets and data frames", write_csv,
                  require_one_step),
    file_to_write("svg", "Draw the one --step chosen as a picture for slides", write_svg, require_picture),

    {.heading = "The program itself",
     .name = "threads",
     .value = "N",
     .help = "How many threads large tensors may take; default: all there are. Same digits",
     .read = set_whole<&Options::threads, 1, 1024>},
    {.name = "generate",
     .value = "WHAT",
     .help =
         "Completions for a shell (complete-bash, complete-zsh, complete-fish), the manual page (man), or "
         "the options as JSON (options)",
     .task = generate,
     .files = Files::none,
     .read = set_text<&Options::generated>},
    {.name = "version",
     .help = "The version of this program, what built it, and the instruction set it uses",
     .read = show_instead<show_version>},
    {.name = "help",
     .help = "This help; with a stage, what it takes and shows",
     .read = show_instead<show_help>},
};

}  // namespace

std::span<const OptionRow> option_table() {
    return option_rows;
}

std::string_view setting_name(const OptionRow& row) {
    return row.setting.empty() ? row.name : row.setting;
}

const OptionRow* option_for(std::string_view setting) {
    const auto* const found =
        std::ranges::find(option_rows, setting, [](const OptionRow& row) { return setting_name(row); });
    return found == std::end(option_rows) ? nullptr : found;
}

std::string invocation(const OptionRow& row) {
    return fmt::format("--{}{}{}", row.name, row.value.empty() ? "" : " ", row.value);
}

std::string spelled(std::span<const Setting> settings) {
    std::vector<std::string> options;
    for (const auto& [parameter, value] : settings) {
        const OptionRow& row = *option_for(parameter);
        if (!row.value.empty()) {
            options.push_back(fmt::format("--{} {}", row.name, value));
        } else if (value == "true") {
            options.push_back(fmt::format("--{}", row.name));
        }
    }
    return fmt::format("{}", fmt::join(options, " "));
}

std::string given_parameters(const Options& options) {
    std::vector<Setting> settings;
    for (const auto& [option, text] : options.parameters) {
        settings.push_back({setting_name(*option), text});
    }
    return spelled(settings);
}

std::string shell_word(std::string_view text) {
    constexpr std::string_view plain = "._-+=:,/%@";
    const auto is_plain = [&](char c) {
        return is_word_character(c) || plain.find(c) != std::string_view::npos;
    };
    if (!text.empty() && std::ranges::all_of(text, is_plain)) {
        return std::string(text);
    }
    std::string word = "'";
    for (const char c : text) {
        word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return word + "'";
}

std::vector<std::string_view> choices(const OptionRow& row) {
    std::vector<std::string_view> words;
    for (std::string_view rest = row.value; !rest.empty();) {
        words.push_back(rest.substr(0, rest.find('|')));
        rest.remove_prefix(std::min(rest.size(), words.back().size() + 1));
    }
    return words;
}

}  // namespace attn
