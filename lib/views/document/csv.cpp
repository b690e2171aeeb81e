#include "views/document/csv.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "tensor/digits.hpp"
#include "tensor/error.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

std::string csv_field(std::string_view text) {
    if (text.find_first_of(",\"") == std::string_view::npos) {
        return std::string(text);
    }
    std::string field = "\"";
    for (const char c : text) {
        field += c == '"' ? "\"\"" : std::string(1, c);
    }
    return field + "\"";
}

}  // namespace

// Spreadsheets treat a cell that begins with such a sign as a formula, some also after blanks or if the sign
// is a full-width one. An apostrophe makes it text.
std::string csv_token(const std::string& token) {
    constexpr std::string_view blanks[] = {" ", "\u00a0", "\u3000"};
    constexpr std::string_view signs[] = {"=", "+", "-", "@", "＝", "＋", "－", "＠"};
    const std::string shown = printable(token);
    std::string_view rest = shown;
    const auto begins = [&](std::string_view sign) { return rest.starts_with(sign); };
    for (auto blank = std::begin(blanks); blank != std::end(blanks);) {
        blank = std::ranges::find_if(blanks, begins);
        rest.remove_prefix(blank == std::end(blanks) ? 0 : blank->size());
    }
    return csv_field(std::ranges::any_of(signs, begins) ? "'" + shown : shown);
}

void write_csv(const WriteBytes& write, const Trace& trace, const Style&) {
    const StageTrace& stage = trace.stages.front();
    const Node& step = stage.node(stage.shown.front());
    const Tensor& x = step.value;
    const std::size_t columns = x.rank() == 0 ? 1 : x.size(-1);
    const std::size_t heads = x.rank() == 0 ? 0 : x.rank() - 1;  // axes that label the rows
    std::vector<std::string> fields;
    const auto end_line = [&] {
        write(fmt::format("{}\n", fmt::join(fields, ",")));
        fields.clear();
    };
    const auto add_place = [&](std::size_t axis, std::size_t i) {  // the token; without tokens, the index
        const std::string* const label = stage.notebook.label(step.axes[axis], i);
        fields.push_back(label != nullptr ? csv_token(*label) : std::to_string(i));
    };
    for (std::size_t axis = 0; axis < heads; ++axis) {
        fields.push_back(csv_field(step.axes[axis]));
    }
    if (x.rank() == 0) {
        fields.push_back(step.name);
    }
    for (std::size_t j = 0; x.rank() > 0 && j < columns; ++j) {
        add_place(heads, j);
    }
    end_line();
    for (std::size_t at = 0; at < x.count(); at += columns) {
        const Index index = x.index(at);
        for (std::size_t axis = 0; axis < heads; ++axis) {
            add_place(axis, index[axis]);
        }
        for (const float value : x.values().subspan(at, columns)) {
            fields.push_back(std::isnan(value)      ? "nan"  // without the sign, as PyTorch prints it
                             : std::isfinite(value) ? shortest_digits(value)
                                                    : fmt::format("{}", value));
        }
        end_line();
    }
}

namespace {

// Returns the option, or the words, that would choose one matrix of this trace: `step` masked. Empty if steps
// were chosen already, for two stages, and if no step is a matrix.
std::string one_step(const Trace& trace) {
    const StageTrace& stage = trace.stages.front();
    if (trace.stages.size() == 2 || stage.shown.size() != stage.steps.size()) {
        return "";
    }
    const auto last = std::ranges::find_if(stage.steps.rbegin(), stage.steps.rend(),
                                           [&](std::size_t id) { return stage.node(id).value.rank() == 2; });
    return trace.stages.size() > 2      ? "causal `step` masked"
           : last == stage.steps.rend() ? ""
                                        : "`step` " + stage.node(*last).name;
}

}  // namespace

void require_one_step(const Trace& trace) {
    if (trace.stages.size() != 1 || trace.stages.front().shown.size() != 1) {
        throw Error("a .csv or .svg shows one step of one stage: choose it with `step` NAME.")
            .correcting("", one_step(trace));
    }
}

}  // namespace attn
