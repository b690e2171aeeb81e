#include "views/document/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

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

namespace {

std::string csv_number(float value) {
    return std::isfinite(value) ? shortest_digits(value) : fmt::format("{}", value);
}

class CsvTable {
public:
    CsvTable(const Notebook& notebook, const Node& step) : notebook_(notebook), step_(step) {}

    void write(const WriteBytes& write) const {
        const Tensor& x = step_.value;
        const std::size_t columns = x.rank() == 0 ? 1 : x.size(-1);
        const std::size_t heads = x.rank() == 0 ? 0 : x.rank() - 1;  // axes that label the rows
        std::string line;
        for (std::size_t axis = 0; axis < heads; ++axis) {
            line += csv_field(step_.axes[axis]) + ",";
        }
        for (std::size_t j = 0; j < columns; ++j) {
            line += (j == 0 ? "" : ",") + (x.rank() == 0 ? step_.name : place(heads, j));
        }
        write(line + "\n");
        for (std::size_t at = 0; at < x.count(); at += columns) {
            const Index index = x.index(at);
            line.clear();
            for (std::size_t axis = 0; axis < heads; ++axis) {
                line += place(axis, index[axis]) + ",";
            }
            for (std::size_t j = 0; j < columns; ++j) {
                line += (j == 0 ? "" : ",") + csv_number(x.values()[at + j]);
            }
            write(line + "\n");
        }
    }

private:
    // Returns the token at a position; without tokens, its index.
    std::string place(std::size_t axis, std::size_t i) const {
        const std::string* const label = notebook_.label(step_.axes[axis], i);
        return label != nullptr ? csv_token(*label) : std::to_string(i);
    }

    const Notebook& notebook_;
    const Node& step_;
};

}  // namespace

void write_csv(const WriteBytes& write, const Trace& trace, const Style&) {
    const StageTrace& stage = trace.stages.front();
    CsvTable(stage.notebook, stage.node(stage.shown.front())).write(write);
}

void require_one_step(const Trace& trace) {
    if (trace.stages.size() != 1 || trace.stages.front().shown.size() != 1) {
        throw Error(Message("a .csv holds one step of one stage: choose it with `step` NAME.")
                        .correcting("", one_step(trace)));
    }
}

}  // namespace attn
