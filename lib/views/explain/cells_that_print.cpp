#include "views/explain/cells_that_print.hpp"

#include <fmt/format.h>

#include "text/decimal.hpp"
#include "views/explain/arithmetic_text.hpp"

namespace attn {

bool is_number(std::string_view text) {
    double number = 0.0;
    return !text.empty() && read_double(text, number) == text.size();
}

std::vector<std::string> cells_that_print(const Trace& trace, const std::string& digits) {
    double exact = 0.0;
    read_double(digits, exact);
    const std::size_t point = digits.find('.');
    const auto prints_so = [&](double value) {
        return point == std::string::npos
                   ? value == exact
                   : fmt::format("{:.{}f}", value, digits.size() - point - 1) == digits;
    };
    std::vector<std::string> cells;
    for (const StageTrace& stage : trace.stages) {
        for (const std::size_t step : stage.steps) {
            const Node& node = stage.node(step);
            const std::span<const float> numbers = node.value.values();
            for (std::size_t at = 0; at < numbers.size(); ++at) {
                if (prints_so(static_cast<double>(numbers[at]))) {
                    cells.push_back(fmt::format("attn-walkthrough explain {} '{}'", stage.stage->name,
                                                cell_name(node, node.value.index(at))));
                }
            }
        }
    }
    return cells;
}

}  // namespace attn
