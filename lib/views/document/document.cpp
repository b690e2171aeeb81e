#include "views/document/document.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "notebook/ops/layout.hpp"
#include "notebook/render.hpp"
#include "stages/catalogue.hpp"
#include "tensor/digits.hpp"
#include "tensor/layout.hpp"
#include "text/ascii.hpp"
#include "text/lists.hpp"
#include "text/numbered.hpp"
#include "text/printable.hpp"
#include "text/split.hpp"
#include "words/documents.hpp"
#include "words/errata.hpp"

namespace attn {

namespace {

bool has_part(const Expr& formula, const Expr& part) {
    return formula == part ||
           std::ranges::any_of(formula.parts, [&](const Expr& inner) { return has_part(inner, part); });
}

// Adds the letters of numbers in a formula, with what stands for them in the code: d_k = keys.shape[-1].
void add_numbers(const Expr& formula, std::vector<std::string>& letters) {
    const auto& spelling = formula.leaf.spelling;
    if (formula.op == Operator::leaf && formula.leaf.from == Leaf::From::number && spelling != nullptr &&
        !spelling->formula.is_empty()) {
        const std::string symbol = formula_text(spelling->formula);
        const std::string& name = formula.leaf.text();
        const std::string begin = symbol + "\u00a0=\u00a0";
        const auto begins_so = [&](const std::string& text) { return text.starts_with(begin); };
        if (symbol != name && std::ranges::none_of(letters, begins_so)) {
            letters.push_back(begin + name);  // of the first head, if each has its own width
        }
    }
    for (const Expr& part : formula.parts) {
        add_numbers(part, letters);
    }
}

// The next stage in reading order; null after the last one of a group.
const Stage* stage_after(const Stage& stage) {
    const auto stages = catalogue();
    const auto next = std::ranges::find(stages, &stage) + 1;
    return next == stages.end() || (*next)->group != stage.group ? nullptr : *next;
}

// True for a row of a tensor that is written out, such as `[0.43, 0.15, 0.89],` or `0.43F, 0.15F, 0.89F,`.
bool has_only_numbers(std::string_view line) {
    const std::size_t first = line.find_first_not_of(" [");
    return first != std::string_view::npos && (is_digit(line[first]) || line[first] == '-');
}

// Returns a row of numbers, if it is long only its first numbers and how many follow.
std::string shortened_row(std::string_view row, const Words& phrases) {
    constexpr std::size_t most_columns = 200;
    const std::size_t comma = row.substr(0, most_columns).rfind(", ");
    if (row.size() <= most_columns || comma == std::string_view::npos) {
        return std::string(row);
    }
    const std::string_view rest = row.substr(comma + 2);
    std::size_t numbers = 1;
    for (std::size_t at = rest.find(", "); at != std::string_view::npos; at = rest.find(", ", at + 1)) {
        ++numbers;
    }
    return fmt::format(
        "{}, … {}", row.substr(0, comma),
        numbers == 1 ? phrases("columns_left_out_1", numbers) : phrases("columns_left_out", numbers));
}

}  // namespace

std::vector<std::string> session_setup(const StageTrace& trace, const PrintOptions& options) {
    std::vector<std::string> lines = setup_lines(trace);
    if (trace.language == Language::cpp) {
        lines.emplace(lines.begin(), "#include <iostream>");
        std::sort(lines.begin(), std::ranges::find_if(lines, [](const std::string& line) {
                      return !line.starts_with("#include");
                  }));
        return lines;
    }
    if (trace.language == Language::numpy) {
        // Makes NumPy print arrays as PyTorch does, so all stages look alike.
        lines.emplace_back("import torch");
    }
    std::vector<std::string> settings;
    if (options.precision != PrintOptions{}.precision) {
        settings.push_back(fmt::format("precision={}", options.precision));
    }
    if (!options.sci_mode) {
        settings.emplace_back("sci_mode=False");
    }
    if (!settings.empty()) {
        lines.push_back(fmt::format("torch.set_printoptions({})", fmt::join(settings, ", ")));
    }
    return lines;
}

std::string token_list(const StageTrace& trace, const Words& phrases) {
    constexpr std::size_t most_tokens = 32;
    const std::vector<std::string> tokens = trace.notebook.labels("token");
    std::string text;
    for (std::size_t i = 0; i < std::min(tokens.size(), most_tokens); ++i) {
        text += fmt::format("{}{} {}", i == 0 ? "" : ", ", i, printable(tokens[i]));
    }
    if (tokens.size() > most_tokens) {
        text += fmt::format(" … {}", phrases("more_rows", tokens.size() - most_tokens));
    }
    return text.empty() ? "" : phrases("rows", text);
}

std::vector<std::string> closing_of(const StageTrace& trace, const Narration& words, const Words& phrases) {
    const std::string input = words.input({trace});
    if (input.empty()) {
        return {};
    }
    std::vector<std::string> lines{phrases("went_in", input), phrases("came_out", words.output({trace}))};
    if (const Stage* const next = stage_after(*trace.stage)) {
        const Narration other(words.language(), next->name);
        lines.push_back(phrases("next_stage", next->name, other.adds()));
    }
    return lines;
}

std::optional<ModuleCode> module_of(const StageTrace& trace, const PrintOptions& options) {
    std::string source = module_code(trace.stage->name);
    if (source.empty() || trace.language != Language::torch || trace.own_weights ||
        trace.notebook.has_set_numbers() || trace.shown.size() != trace.steps.size()) {
        return std::nullopt;
    }
    const std::string name = source.substr(6, source.find('(') - 6);  // after "class "
    const Parameters& p = trace.parameters;
    std::string made = fmt::format("module = {}(d_in={}, d_out={}, context_length={}, dropout={}", name,
                                   trace.node(*trace.find("batch")).value.size(-1), p.d_out, p.context_length,
                                   shortest_digits(p.dropout));
    made += uses(*trace.stage, "num_heads") ? fmt::format(", num_heads={}", p.num_heads) : "";
    made += p.qkv_bias ? ", qkv_bias=True)" : ")";
    std::vector<std::string> statements{source, fmt::format("generator = torch.manual_seed({})", p.seed),
                                        made};
    if (p.dropout > 0) {
        statements.push_back(fmt::format("generator = torch.manual_seed({})", p.dropout_seed));
    }
    statements.emplace_back("print(module(batch).detach())");
    return ModuleCode{statements, tensor_text(trace.node(*trace.find("context_vec")).value, {}, options)};
}

std::string letters_of(const StageTrace& trace, std::span<const std::size_t> steps) {
    const auto formulas = mapped(steps, [&](std::size_t id) { return equation_of(trace.notebook, id); });
    const Nodes& nodes = trace.notebook.nodes();
    std::set<std::size_t> used;
    for (std::size_t id = 0; id < nodes.size(); ++id) {
        const auto uses_it = [&](const Expr& formula) { return has_part(formula, nodes[id].symbol); };
        if (std::ranges::any_of(formulas, uses_it)) {
            used.insert(nodes[id].gradient_of.value_or(id));
        }
    }
    std::erase_if(used, [&](std::size_t id) {
        return nodes[id].name.empty() || formula_text(nodes[id].symbol) == nodes[id].name;
    });
    std::map<std::string, int> alike;  // by the name without its number
    for (const std::size_t id : used) {
        ++alike[without_number(nodes[id].name)];
    }
    std::vector<std::string> letters;
    for (const std::size_t id : used) {
        std::string symbol = formula_text(nodes[id].symbol);
        std::string name = nodes[id].name;
        if (alike.at(without_number(name)) > 2) {
            for (std::string* text : {&symbol, &name}) {
                *text = without_number(*text);
                std::ranges::replace(*text, '#', 'i');
            }
        }
        std::string text = fmt::format("{}\u00a0=\u00a0{}", symbol, name);
        if (!contains(letters, text)) {
            letters.push_back(std::move(text));
        }
    }
    for (const Expr& formula : formulas) {
        add_numbers(formula, letters);
    }
    return joined(letters);
}

std::string letters_line(const StageTrace& trace, const Words& phrases) {
    const std::string letters = letters_of(trace, trace.shown);
    return letters.empty() ? "" : phrases("letters", letters);
}

std::string place_of(const StageTrace& trace, std::size_t step) {
    return fmt::format("{}/{} · {}", trace.place(step), trace.steps.size(), trace.node(step).name);
}

Exchange printing(const StageTrace& trace, std::size_t id, const PrintOptions& options,
                  const std::optional<RowWindow>& window, const std::vector<std::size_t>& index) {
    const Node& step = trace.node(id);
    const std::size_t rank = step.value.rank();
    const bool is_torch = trace.language == Language::torch;
    const bool is_cpp = trace.language == Language::cpp;
    std::string code =
        is_torch && step.gradient_of ? trace.node(*step.gradient_of).name + ".grad" : step.name;
    if (trace.language == Language::numpy) {  // a single number is not an array
        code = fmt::format("torch.{}(np.float32({}))", rank == 0 ? "tensor" : "from_numpy", code);
    }
    Tensor value = step.value;
    Suffix suffix{step.grad_fn, step.requires_grad, step.call.operation->is_parameter()};
    if (!index.empty()) {
        code += fmt::format("[{}]", fmt::join(index, ", "));
        value = select(value, index);
        suffix = {step.requires_grad ? "SelectBackward0" : ""};  // neither a leaf nor a parameter
    } else if (window && rank > 0) {
        code = is_cpp ? cpp_slice(code, *window, rank) : python_slice(code, *window, rank);
        value = rows_in(*window, value);
        suffix = {step.requires_grad ? slice_grad_fn : ""};
    }
    if (is_cpp) {
        const bool usual = options.precision == PrintOptions{}.precision;
        code = fmt::format("std::cout << tensor_text({}{}) << '\\n';", code,
                           usual ? "" : fmt::format(", {{}}, {{{}}}", options.precision));
    } else {
        code = fmt::format("print({})", code);
    }
    return {code, tensor_text(value, is_torch ? suffix : Suffix{}, options)};
}

std::vector<std::size_t> head_index(const StageTrace& trace, std::size_t id,
                                    std::optional<std::size_t> head) {
    const Node& step = trace.node(id);
    std::vector<std::size_t> index;
    const auto has_heads = [&](std::size_t any) { return trace.node(any).value.rank() == 4; };
    if (std::ranges::any_of(trace.steps, has_heads)) {
        for (std::size_t axis = 0; axis + 2 < step.value.rank(); ++axis) {
            const std::size_t size = step.value.shape()[axis];
            if (step.axes[axis] != "batch" && step.axes[axis] != "head") {
                break;
            }
            index.push_back(step.axes[axis] == "head" ? head.value_or(0) * size / trace.parameters.num_heads
                                                      : 0);
        }
    }
    return index;
}

FormulaWord formula_words(const Words& phrases) {
    return [&](std::string_view english) {
        const std::string* const found = phrases.find(fmt::format("formula {}", english));
        return found == nullptr ? std::string(english) : *found;
    };
}

PrintOptions without_exponents(const StageTrace& trace, const PrintOptions& options) {
    constexpr float least = 0.1F;  // with four decimals, most numbers up to this one keep some digits
    constexpr float most = 1e9F;
    bool has_exponents = false;
    for (const std::size_t id : trace.shown) {
        const Tensor& value = trace.node(id).value;
        float largest = 0;
        for (const float x : value.values()) {
            largest = std::isfinite(x) ? std::max(largest, std::abs(x)) : largest;
        }
        if (number_writer(value, options)(largest).find('e') != std::string::npos) {
            has_exponents = true;
            if (largest < least || largest > most) {
                return options;
            }
        }
    }
    PrintOptions changed = options;
    changed.sci_mode = !(has_exponents && trace.language == Language::torch);
    return changed;
}

std::string excerpt(std::string_view statement, const Words& phrases) {
    constexpr std::size_t most_lines = 24;
    constexpr std::size_t first_lines = 4;
    constexpr std::size_t last_lines = 3;
    std::vector<std::string> lines;
    for (const std::string_view line : split_lines(statement)) {
        lines.push_back(has_only_numbers(line) ? shortened_row(line, phrases) : std::string(line));
    }
    if (lines.size() > most_lines) {
        const std::size_t cut = lines.size() - first_lines - last_lines;
        lines.erase(lines.begin() + first_lines, lines.end() - last_lines);
        const std::string left_out = fmt::format("     … {}", phrases("more_lines", cut));
        lines.insert(lines.begin() + first_lines, left_out);
    }
    return joined(lines, "\n");
}

std::string excerpts(const std::vector<std::string>& statements, const Words& phrases) {
    return joined(mapped(statements, [&](const std::string& one) { return excerpt(one, phrases); }), "\n");
}

}  // namespace attn
