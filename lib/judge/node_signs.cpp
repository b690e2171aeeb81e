#include "judge/node_signs.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "judge/code_names.hpp"
#include "judge/number_patterns.hpp"
#include "stages/weight_names.hpp"
#include "tensor/reduce.hpp"

namespace attn {

const Computed& tested_by(const CodeReading& code, std::size_t id) {
    const auto is_test = [](std::string_view name) {
        return is_move(name) || name == "abs" || name == "max" || flow::role_of(name) == flow::Role::test;
    };
    while (is_test(code[id].operation) && !code[id].operands.empty()) {
        id = code[id].operands[0];
    }
    return code[id];
}

std::size_t normalised_axis(const CodeReading& code, std::size_t id) {
    const Tensor& x = code[id].value;
    const bool is_stack = code[id].operation == "stack" && !code[id].operands.empty();
    const std::size_t of = is_stack ? code[id].operands[0] : id;  // a row
    const bool is_normalised = code.is_relevant[id] &&
                               (normalises(code, of) || code[of].operation == "softmax") && x.rank() > 1 &&
                               !all_ones(sum(x, -1, false));
    for (std::size_t axis = 2; is_normalised && axis <= std::min<std::size_t>(x.rank(), 3); ++axis) {
        const int at = -static_cast<int>(axis);
        if (x.size(at) > 1 && x.size(-1) == x.size(-2) && all_ones(sum(x, at, false))) {
            return axis;
        }
    }
    return 0;
}

std::string_view mistake_of_mask(const CodeReading& code, std::size_t id) {
    const Tensor& x = code[id].value;
    if (!code.is_relevant[id] || x.rank() < 2 || x.size(-1) != x.size(-2)) {
        return "";
    }
    std::array<std::size_t, 3> hidden{};  // earlier tokens, the token itself, later tokens
    std::array<std::size_t, 3> seen{};
    for (std::size_t i = 0; i < x.count(); ++i) {
        const std::size_t column = i % x.size(-1);
        const std::size_t row = i / x.size(-1) % x.size(-1);
        (x.values()[i] < -1e30F ? hidden : seen).at(column < row ? 0 : column == row ? 1 : 2) += 1;
    }
    return hidden[0] + hidden[1] == 0 && hidden[2] > 0 && seen[2] > 0    ? "mask-shows-later-tokens"
           : x.size(-1) > 2 && hidden[0] > 0 && seen[0] + hidden[2] == 0 ? "mask-flipped"
                                                                         : "";
}

bool joins_one_head(const CodeReading& code, std::size_t id) {
    std::size_t joined = id;
    while (is_move(code[joined].operation) && code[joined].operands.size() == 1) {
        joined = code[joined].operands[0];
    }
    const Ids& heads = code[joined].operands;
    const auto is_first = [&](std::size_t head) {
        return head == heads[0] || identical(code[head].value, code[heads[0]].value);
    };
    return code.is_relevant[id] && is_move(code[joined].operation) && heads.size() > 1 &&
           code[id].value.rank() > 0 && code[heads[0]].value.rank() > 1 &&
           code[id].value.size(-1) > code[heads[0]].value.size(-1) && std::ranges::all_of(heads, is_first) &&
           is_attention(code, heads[0]);
}

bool is_attention(const CodeReading& code, std::size_t id) {
    const auto are_weights = [&](std::size_t operand) {
        const Tensor& x = code[operand].value;
        return x.rank() > 1 && code.is_relevant[operand] && all_ones(sum(x, -1, false));
    };
    return multiplies(code[id].operation) && std::ranges::any_of(code[id].operands, are_weights);
}

bool has_own_order(const CodeReading& code, std::size_t id) {
    const auto is_own = [&](std::size_t node) {
        return code.graph.draw_of(node) != nullptr && !code.graph.has_seed_of_document(node);
    };
    return is_own(id) || std::ranges::any_of(code[id].operands, [&](std::size_t operand) {
               const std::string_view step = projected_by(code.graph.named_step(operand));
               return is_own(operand) && !step.empty() && step == code.graph.named_step(id);
           });
}

bool tries_factors(const CodeReading& code, std::size_t id) {
    const Computed& node = code[id];
    const std::size_t scores = code.pattern.part(id).product;
    return node.line.find("temp") != std::string::npos ||
           (scores != 0 && !runs_again(code, node) &&
            std::ranges::any_of(code.nodes, [&](const Computed& other) {
                return &other != &node && other.operation == node.operation &&
                       other.place.cell == node.place.cell && other.place.line == node.place.line &&
                       code.graph.depends(static_cast<std::size_t>(&other - code.nodes.data()), scores);
            }));
}

bool is_scaled_wrongly(const CodeReading& code, std::size_t id) {
    return !code.pattern.mistake(id).empty() && !tries_factors(code, id);
}

bool meets_projections(const CodeReading& code, std::size_t id) {
    const std::vector<bool> depends = code.graph.dependents(id);
    const auto is_projection = [&](std::size_t operand) {
        return !depends[operand] && !code[operand].operands.empty() && multiplies(code[operand].operation);
    };
    return std::ranges::any_of(code.nodes, [&](const Computed& node) {
        return multiplies(node.operation) && std::ranges::any_of(node.operands, is_projection) &&
               std::ranges::any_of(node.operands, [&](std::size_t operand) { return depends[operand]; });
    });
}

bool runs_again(const CodeReading& code, const Computed& node) {
    return code.followed.options.again &&
           code.document.items[code.followed.options.again->item].place.cell == node.place.cell;
}

bool is_scaled_again(const CodeReading& code, std::size_t id) {
    return runs_again(code, code[id]) && code.pattern.is_scaled_otherwise(id);
}

bool is_used_as_unchanged(const CodeReading& code, std::size_t id) {
    const auto uses = [&](const Computed& node, std::size_t operand) {
        return std::ranges::find(node.operands, operand) != node.operands.end();
    };
    return code[id].operation == "changed" && std::ranges::any_of(code.nodes, [&](const Computed& one) {
               return uses(one, id) && std::ranges::any_of(code.nodes, [&](const Computed& other) {
                          return uses(other, code[id].operands[0]) && other.operation == one.operation &&
                                 identical(other.value, one.value);
                      });
           });
}

bool normalises(const CodeReading& code, std::size_t id) {
    const Computed& node = code[id];
    const Computed* const by = node.operands.size() > 1 ? &code[node.operands[1]] : nullptr;
    return node.operation == "div" && by != nullptr && by->operation == "sum" &&
           by->operands[0] == node.operands[0];
}

bool lacks_keepdim(const CodeReading& code, std::size_t id) {
    const Tensor& x = code[id].value;
    if (!code.is_relevant[id] || !normalises(code, id) || x.rank() < 2 || x.size(-1) != x.size(-2)) {
        return false;
    }
    const Tensor& sums = code[code[id].operands[1]].value;
    return sums.rank() + 1 == x.rank() && identical(sums, sum(code[code[id].operands[0]].value, -1, false)) &&
           !all_ones(sum(x, -1, false));
}

std::set<std::size_t> repeated_draws(const CodeReading& code) {
    std::map<std::pair<std::uint64_t, std::size_t>, std::vector<std::size_t>>
        by_seed;  // and what came before
    std::set<std::size_t> repeated;
    for (const Drawn& draw : code.flow.draws) {
        const std::string role = code.graph.named_step(draw.node);
        if (!draw.seed || !code.is_relevant[draw.node] || !is_draw(code[draw.node].operation) ||
            !role.starts_with("W_")) {
            continue;
        }
        std::vector<std::size_t>& first = by_seed[{*draw.seed, draw.earlier}];  // one of each role
        const auto is_other = [&](std::size_t other) { return code.graph.named_step(other) != role; };
        if (std::ranges::any_of(first, [&](std::size_t other) {
                return is_other(other) && identical(code[other].value, code[draw.node].value);
            })) {
            repeated.insert(draw.node);
        } else if (std::ranges::all_of(first, is_other)) {
            first.push_back(draw.node);
        }
    }
    return repeated;
}

bool overwrites(const CodeReading& code, std::size_t id) {
    const Computed& node = code[id];
    const bool grows = std::ranges::any_of(code.nodes, [&](const Computed& later) {
        return later.name == node.name && std::ranges::find(later.operands, id) != later.operands.end();
    });
    return !node.name.empty() && !grows && std::ranges::any_of(code.nodes, [&](const Computed& other) {
        return is_constant(other.operation) && other.operation != "number" && other.name == node.name &&
               other.value.shape() == node.value.shape();
    });
}

namespace {

// The scores of weights, before they were scaled or masked.
std::size_t unmasked_scores(const CodeReading& code, std::size_t node) {
    while (!multiplies(code[node].operation) && !code[node].operands.empty() &&
           (is_plain(code[node].operation) || is_move(code[node].operation) ||
            code[node].operation == "masked_fill" || code[node].operation == "changed")) {
        node = code[node].operands[0];
    }
    return node;
}

}  // namespace

std::optional<std::size_t> mask_left_out(const CodeReading& code, std::size_t id) {
    if (code[id].operation != "softmax" || !code.is_relevant[id]) {
        return std::nullopt;
    }
    const std::size_t scores = unmasked_scores(code, code[id].operands[0]);
    for (std::size_t masked = scores; masked < id && multiplies(code[scores].operation); ++masked) {
        if (code[masked].operation == "masked_fill" && unmasked_scores(code, masked) == scores &&
            !code.graph.depends(id, masked)) {
            return masked;
        }
    }
    return std::nullopt;
}

std::optional<std::size_t> forgotten_mask(const CodeReading& code, std::size_t id) {
    const std::optional<std::size_t> masked = mask_left_out(code, id);
    const bool is_used =
        masked && std::ranges::any_of(code.nodes, [&](const Computed& later) {
            return (later.operation == "softmax" || later.operation == "exp") &&
                   code.graph.depends(static_cast<std::size_t>(&later - code.nodes.data()), *masked);
        });
    return is_used ? std::nullopt : masked;
}

const Overwritten* overwritten_in(const CodeReading& code, std::size_t id) {
    const Computed& node = code[id];
    const auto found = std::ranges::find_if(code.flow.overwritten, [&](const Overwritten& use) {
        return node.operation == "overwritten" && use.place.cell == node.place.cell &&
               use.place.line == node.place.line;
    });
    return found == code.flow.overwritten.end() ? nullptr : &*found;
}

const GlobalUse* global_in(const CodeReading& code, std::size_t id) {
    const Computed& node = code[id];
    const auto found = std::ranges::find_if(code.flow.globals, [&](const GlobalUse& use) {
        return use.place.cell == node.place.cell && use.place.line == node.place.line &&
               code.graph.depends(id, use.node);
    });
    return found == code.flow.globals.end() ? nullptr : &*found;
}

bool has_draws_of_document(const CodeReading& code, std::size_t id) {
    return code.lessons.chapters().front().is_documents &&
           std::ranges::any_of(code.flow.draws, [&](const Drawn& draw) {
               return code.graph.has_seed_of_document(draw.node) && code.graph.depends(id, draw.node);
           });
}

bool is_node_of(const CodeReading& code, const Chapter& chapter, std::size_t id) {
    const Computed& node = code[id];
    return chapter.node && (chapter.node == id || (node.operands.empty() && !is_draw(node.operation) &&
                                                   identical(code[*chapter.node].value, node.value)));
}

bool is_altered_lesson(const CodeReading& code, std::size_t id) {
    return std::ranges::any_of(code.lessons.chapters(), [&](const Chapter& chapter) {
        return chapter.is_altered && is_node_of(code, chapter, id);
    });
}

}  // namespace attn
