#include "judge/code_reading.hpp"

#include <algorithm>
#include <string>

#include "judge/code_names.hpp"
#include "judge/node_signs.hpp"
#include "stages/weight_names.hpp"

namespace attn {

CodeReading::CodeReading(const Document& document, const Question& question)
    : document(document),
      question(question),
      followed(follow_outputs(document, question.lesson.embeddings)),
      flow(followed.flow),
      nodes(flow.nodes),
      graph(flow),
      pattern(graph),
      lessons(graph, question) {
    find_relevant();
}

void CodeReading::find_relevant() {
    is_relevant.clear();
    for (std::size_t id = 0; id < nodes.size(); ++id) {
        is_relevant.push_back(pattern.belongs(id));
    }
    for (const Chapter& chapter : lessons.chapters()) {
        for (std::size_t id = 0; id < nodes.size(); ++id) {
            is_relevant[id] =
                is_relevant[id] || is_node_of(*this, chapter, id) || lessons.is_stated(nodes[id]);
        }
    }
    for (const Computed& node : nodes) {
        const auto is_printed = [this](std::size_t operand) { return bool(is_from_printed[operand]); };
        is_from_printed.push_back(node.operation == "printed" ||
                                  (std::ranges::any_of(node.operands, is_printed) &&
                                   std::ranges::all_of(node.operands, [&](std::size_t operand) {
                                       return is_printed(operand) || graph.is_harmless(operand);
                                   })));
    }
    const auto mark_weight = [&](const std::string& name, std::size_t node) {
        if (!usual_weight_name(name).empty()) {
            is_relevant[node] = true;
        }
    };
    for (const Module& module : flow.modules) {
        for (const auto& [name, node] : module.tensors) {
            mark_weight(name, node);
        }
    }
    for (std::size_t id = 0; id < nodes.size(); ++id) {
        const Computed& node = nodes[id];
        if ((is_draw(node.operation) || node.operation == "printed") && node.value.rank() <= 2) {
            mark_weight(node.name, id);
        }
        const bool is_product = multiplies(node.operation);
        const bool is_mixed =
            std::ranges::any_of(node.operands, [&](std::size_t operand) { return is_relevant[operand]; });
        if (is_mixed && is_product) {
            for (const std::size_t operand : node.operands) {  // weights that the lesson is multiplied with
                is_relevant[operand] = is_relevant[operand] || is_draw(nodes[operand].operation);
            }
        }
        is_relevant[id] =
            is_relevant[id] || (is_mixed && std::ranges::all_of(node.operands, [&](std::size_t operand) {
                                    return is_relevant[operand] || graph.is_harmless(operand) || is_product;
                                }));
    }
}

}  // namespace attn
