#include "judge/code_graph.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "judge/code_names.hpp"
#include "stages/weight_names.hpp"
#include "text/lists.hpp"

namespace attn {

namespace {

// True for one number, and for square matrices of 0, 1 and infinity that are the same above or below the
// diagonal.
bool is_number_or_mask(const Tensor& x) {
    if (x.count() == 1 || x.rank() != 2 || x.size(0) != x.size(1)) {
        return x.count() == 1;
    }
    std::array<std::set<float>, 2> sides;  // the numbers below and above the diagonal
    for (std::size_t i = 0; i < x.count(); ++i) {
        const float one = x.values()[i];
        if (one != 0.0F && one != 1.0F && !std::isinf(one)) {
            return false;
        }
        if (i / x.size(1) != i % x.size(1)) {
            sides.at(i / x.size(1) < i % x.size(1) ? 1 : 0).insert(one);
        }
    }
    return sides[0].size() == 1 && sides[1].size() == 1 && sides[0] != sides[1];
}

}  // namespace

CodeGraph::CodeGraph(const Dataflow& flow)
    : flow_(flow), owners_(flow.nodes.size()), users_(flow.nodes.size()) {
    for (const Module& module : flow_.modules) {
        for (const auto& [attribute, node] : module.tensors) {
            owners_[node].push_back({&module, &attribute});
        }
    }
    for (std::size_t id = 0; id < flow_.nodes.size(); ++id) {
        const Computed& node = flow_.nodes[id];
        for (const std::size_t operand : node.operands) {
            users_[operand].push_back(id);
        }
        drawn_.push_back(is_draw(node.operation) ||
                         (!multiplies(node.operation) && !node.operands.empty() &&
                          std::ranges::all_of(node.operands, [&](std::size_t operand) {
                              return drawn_[operand] || flow_.nodes[operand].value.count() == 1;
                          })));
        harmless_.push_back(
            is_constant(node.operation) || node.operation == "dropout-mask" ||
            (node.operands.empty()
                 ? !is_draw(node.operation) && is_number_or_mask(node.value)
                 : std::ranges::all_of(node.operands, [this](std::size_t of) { return harmless_[of]; })));
    }
}

std::vector<bool> CodeGraph::dependents(std::size_t id) const {
    std::vector<bool> depends(flow_.nodes.size());
    depends[id] = true;
    for (Ids open{id}; !open.empty();) {
        const std::size_t next = open.back();
        open.pop_back();
        for (const std::size_t user : users_[next]) {
            if (!depends[user]) {
                depends[user] = true;
                open.push_back(user);
            }
        }
    }
    return depends;
}

bool CodeGraph::depends(std::size_t id, std::size_t on) const {
    return on <= id && dependents(on)[id];
}

const Drawn* CodeGraph::draw_of(std::size_t node) const {
    const auto found = std::ranges::find(flow_.draws, node, &Drawn::node);
    return found == flow_.draws.end() ? nullptr : &*found;
}

bool CodeGraph::has_seed_of_document(std::size_t node) const {
    const Drawn* const draw = draw_of(node);
    return draw != nullptr && (draw->seed == 123 || draw->seed == 789);
}

bool CodeGraph::draws_weights() const {
    return std::ranges::any_of(flow_.draws, [this](const Drawn& draw) {
        return flow_.nodes[draw.node].operation != "dropout-mask";
    });
}

bool CodeGraph::is_drawn(std::size_t id) const {
    return drawn_[id];
}

std::string CodeGraph::named_step(std::size_t id) const {
    const Computed& node = flow_.nodes[id];
    std::string name = node.name;
    for (const Owner& owner : owners_[id]) {
        name = !owner.module->name.empty() && *owner.attribute == "weight" ? owner.module->name : name;
        const bool is_bias = owner.attribute->ends_with(".bias");
        name = !is_bias && !usual_weight_name(*owner.attribute).empty() ? *owner.attribute : name;
    }
    const bool is_weight = is_draw(node.operation);
    const bool is_projection = node.operation == "matmul" || node.operation == "linear";
    if (const std::size_t digits = name.find_last_not_of("0123456789");  // query_2
        is_projection && digits != std::string::npos && digits + 1 < name.size() && name[digits] == '_') {
        name.erase(digits);
    }
    const std::string_view weight = usual_weight_name(name);
    return std::string(is_weight                               ? weight
                       : is_projection && !contains(name, 'W') ? projected_by(weight)
                                                               : "");
}

}  // namespace attn
