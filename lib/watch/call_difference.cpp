#include "watch/call_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <span>

#include "notebook/ops.hpp"
#include "notebook/render.hpp"
#include "watch/recorded_ops.hpp"

namespace attn {

namespace {

// The call of the stage that should stand in the place of a departing one.
struct Counterpart {
    OptionalIndex call{};
    OptionalIndex other_side{};  // the operand of a product that differs
    bool is_exchanged = false;   // a product has its operands in the other order
};

bool is_moved(const Notebook& nb, std::size_t id) {
    const Operation* const by = nb.nodes()[id].call.operation;
    return by != nullptr && kind_of(by->name) == "layout";
}

Counterpart counterpart_of(const RecordedCall& call, const std::vector<std::size_t>& operands,
                           const LayerWalks& walks) {
    const Notebook& nb = walks.traces[0].notebook;
    const std::string_view kind = call.kind;
    const auto uses_any = [&](std::size_t id, bool of_kind) {
        const Node& node = nb.nodes()[id];
        return (!of_kind || kind_of(node.call.operation->name) == kind) &&
               std::ranges::any_of(node.call.inputs, [&](std::size_t input) {
                   return std::ranges::any_of(operands, [&](std::size_t operand) {
                       return operand == input ||
                              identical(nb.nodes()[operand].value, nb.nodes()[input].value);
                   });
               });
    };
    std::set<std::size_t> own;
    for (const WalkedTensor& walked : walks.tensors) {
        if (walked.node < walks.first_detour) {
            own.insert(walked.node);
        }
    }
    const auto first = [&](const auto& test) -> OptionalIndex {
        const auto found = std::ranges::find_if(own, test);
        return found == own.end() ? std::nullopt : std::optional(*found);
    };
    Counterpart found;
    OptionalIndex& stage_call = found.call;
    for (std::size_t id = 0; id < walks.first_detour && !stage_call; ++id) {
        const Operation* const by = nb.nodes()[id].call.operation;
        const std::string_view name_of_op = by == nullptr ? "" : by->name;
        const bool makes_mask = kind == "triangle" && name_of_op == "triu";
        const bool hides = kind == "masked_fill" && name_of_op == kind;
        stage_call = makes_mask || hides ? std::optional(id) : std::nullopt;
    }
    if (!stage_call && kind == "softmax") {
        stage_call = walks.softmax;
    }
    const auto unmoved = [&](std::size_t id) {  // the queries, say, of which a tensor has the heads
        while (is_moved(nb, id)) {
            id = nb.nodes()[id].call.inputs[0];
        }
        return id;
    };
    const OptionalIndex scaled = [&]() -> OptionalIndex {
        const std::vector<std::size_t>& inputs = nb.nodes()[walks.softmax].call.inputs;
        const Operation* const by = inputs.empty() ? nullptr : nb.nodes()[inputs[0]].call.operation;
        return by != nullptr && kind_of(by->name) == "scale" ? std::optional(inputs[0]) : std::nullopt;
    }();
    if (kind == "matmul" && operands.size() == 2) {
        const auto ordered = [](const Tensor& x) {
            std::vector<float> values(x.values().begin(), x.values().end());
            std::ranges::sort(values);
            return values;
        };
        for (const std::size_t id : own) {
            const Call& product = nb.nodes()[id].call;
            if (kind_of(product.operation->name) != "matmul" || product.inputs.size() != 2) {
                continue;
            }
            if (operands[0] != operands[1] && unmoved(operands[0]) == unmoved(product.inputs[1]) &&
                unmoved(operands[1]) == unmoved(product.inputs[0])) {
                stage_call = id;
                found.is_exchanged = true;
                break;
            }
            if (std::ranges::any_of(operands, [&](std::size_t operand) { return operand >= id; })) {
                continue;
            }
            for (const std::size_t side : {0U, 1U}) {
                const auto same = [&](std::size_t s) {
                    return ordered(nb.nodes()[operands[s]].value) ==
                           ordered(nb.nodes()[product.inputs[s]].value);
                };
                if (!found.other_side && same(1 - side) && !same(side)) {
                    stage_call = id;
                    found.other_side = side;
                }
            }
        }
    }
    stage_call = stage_call ? stage_call : first([&](std::size_t id) { return uses_any(id, true); });
    const OptionalIndex next = first([&](std::size_t id) { return uses_any(id, false); });
    const bool leads_to_scores = scaled && !operands.empty() && std::ranges::max(operands) < *scaled;
    stage_call = stage_call ? stage_call : kind == "scale" && leads_to_scores ? scaled : next;
    return found;
}

// Says what is in the departing call, and what in its counterpart.
void say_difference(CallDifference& difference, const RecordedCall& call, std::size_t rank,
                    const std::vector<std::size_t>& operands, const LayerWalks& walks,
                    const Counterpart& found) {
    const Notebook& nb = walks.traces[0].notebook;
    const std::string_view kind = call.kind;
    const auto name = [&](std::size_t node) {
        return node < walks.first_detour ? expression(nb, node, Language::torch) : "";
    };
    const Call& right = nb.nodes()[*found.call].call;
    const auto is_result_of_softmax = [&](std::size_t id) {
        return nb.nodes()[id].call.operation == &softmax_op;
    };
    const double dim = call.number("dim", call.number("", -1.0));
    const double factor = call.number("", call.number("other", 0.0));  // 0 if it is a tensor
    if (kind == "softmax") {
        const auto before = [&](std::size_t id) { return nb.nodes()[id].call.inputs; };
        const double axes = static_cast<double>(rank);
        if (dim != -1.0 && dim != axes - 1) {
            difference.yours = fmt::format("dim={}", dim);
            difference.right = "dim=-1";
            difference.keyword = "dim";
        } else if (!operands.empty() && !before(right.inputs[0]).empty() &&
                   operands[0] == before(right.inputs[0])[0]) {
            const std::string whole = expression(nb, right.inputs[0], Language::torch);
            const std::string part = expression(nb, operands[0], Language::torch);
            difference.right = whole.starts_with(part) ? whole.substr(part.size() + 1) : whole;
        }
    } else if (kind == "triangle") {
        difference.yours =
            fmt::format("{}(diagonal={})", call.op, call.number("diagonal", call.number("", 0.0)));
        difference.right = "triu(diagonal=1)";
        difference.keyword = "diagonal";
    } else if (call.number("beta", 1.0) == 0.0) {  // of baddbmm: nothing is added
        difference.yours = "beta=0";
        difference.right = "beta=1";
        difference.keyword = "beta";
    } else if (factor != 0.0 && kind == "scale" && kind_of(right.operation->name) == "scale") {
        const bool divides = call.op.find("div") != std::string::npos;
        const std::span<const float> before = nb.nodes()[right.inputs[0]].value.values();
        const std::span<const float> after = nb.nodes()[*found.call].value.values();
        const double by = static_cast<double>(after[0]) / static_cast<double>(before[0]);
        if (std::abs(by * (divides ? factor : 1.0 / factor) - 1.0) < 1e-3) {
            difference = {};  // the right factor, in the wrong place
            return;
        }
        difference.yours = fmt::format("{} {:.6g}", divides ? "/" : "*", factor);
        const std::string whole = expression(nb, *found.call, Language::torch);
        const std::string part = name(right.inputs[0]);
        difference.right =
            whole.starts_with(part) && part.size() < whole.size() ? whole.substr(part.size() + 1) : whole;
    } else if (kind == "masked_fill" && right.operation->name == "masked_fill" &&
               std::ranges::any_of(operands, is_result_of_softmax)) {
        difference.yours = "attn_weights";
        difference.right = name(right.inputs[0]);
    } else if (kind == "masked_fill" && right.operation->name == "masked_fill" && !call.arguments.empty() &&
               call.arguments.back().second > -1e4) {
        difference.yours = fmt::format("{:.6g}", call.arguments.back().second);
        difference.right = "-torch.inf";
    } else if (found.is_exchanged) {
        const std::size_t second = right.inputs[1];
        const std::string keys = name(is_moved(nb, second) ? nb.nodes()[second].call.inputs[0] : second);
        difference.right = fmt::format("{} @ {}", name(right.inputs[0]), name(second));
        const std::string turned = name(second).starts_with(keys) ? name(second).substr(keys.size()) : "";
        difference.yours = fmt::format("{} @ {}{}", keys, name(right.inputs[0]), turned);
    } else if (kind == "matmul" && operands.size() == 2 && found.other_side) {
        difference.yours = name(operands[*found.other_side]);
        difference.right = name(right.inputs[*found.other_side]);
    }
}

}  // namespace

CallDifference difference_of(const RecordedCall& call, std::size_t rank,
                             const std::vector<std::size_t>& operands, const LayerWalks& walks) {
    CallDifference difference;
    if (const double p = call.number("dropout_p", 0.0); call.is_eval && p > 0.0) {
        difference.yours = fmt::format("dropout_p={:.6g}", p);
        difference.right = "dropout_p=0.0";
        difference.keyword = "dropout_p";
        return difference;
    }
    if (is_sdpa(call)) {
        if (const double scale = call.number("scale", 0.0); scale != 0.0) {
            difference.yours = fmt::format("scale={:.6g}", scale);
            difference.right = "scale=None";
            difference.keyword = "scale";
        }
        return difference;
    }
    const Notebook& nb = walks.traces[0].notebook;
    const Counterpart found = counterpart_of(call, operands, walks);
    if (!found.call) {
        return difference;
    }
    std::size_t line = *found.call;  // the line of code that contains the call
    for (std::size_t id = line; nb.nodes()[line].name.empty() && ++id < walks.first_detour;) {
        if (std::ranges::find(nb.nodes()[id].call.inputs, line) != nb.nodes()[id].call.inputs.end()) {
            line = id;
        }
    }
    difference.right_line = nb.nodes()[line].name.empty() ? "" : statement(nb, line, Language::torch);
    difference.right_step = line == *found.call ? nb.nodes()[line].name : "";
    say_difference(difference, call, rank, operands, walks, found);
    if (difference.right.size() > 60 || difference.yours.size() > 60 ||
        difference.yours == difference.right) {
        difference.yours = difference.right = "";
    }
    if (difference.right_line.size() > 160) {
        difference.right_line = "";
    }
    return difference;
}

}  // namespace attn
