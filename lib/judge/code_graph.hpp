// How the tensors of a document's code depend on each other, and what the code says about each of them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dataflow/dataflow.hpp"

namespace attn {

class CodeGraph {
public:
    // A tensor of a module.
    struct Owner {
        const Module* module;
        const std::string* attribute;
    };

    // The dataflow must outlive the graph.
    explicit CodeGraph(const Dataflow& flow);

    const Dataflow& flow() const { return flow_; }
    // The modules that a node belongs to.
    const std::vector<Owner>& owners(std::size_t id) const { return owners_[id]; }
    // The nodes that a node is an operand of.
    const Ids& users(std::size_t id) const { return users_[id]; }
    // For each node, whether it depends on this one.
    std::vector<bool> dependents(std::size_t id) const;
    // True if a node is `on`, or is computed from it.
    bool depends(std::size_t id, std::size_t on) const;
    // The random numbers that a node is; null for other nodes.
    const Drawn* draw_of(std::size_t node) const;
    // True for random numbers from a seed of the documents.
    bool has_seed_of_document(std::size_t node) const;
    // True if the code draws other numbers than masks of dropout.
    bool draws_weights() const;
    // True for random numbers, also if they are scaled or moved: torch.randn(6, 3) * 0.2.
    bool is_drawn(std::size_t id) const;
    // True for masks and other constants, and for tensors made from them alone.
    bool is_harmless(std::size_t id) const { return harmless_[id]; }
    // The step that the name of a node says: "W_query", "queries"; empty if it says none.
    std::string named_step(std::size_t id) const;

private:
    const Dataflow& flow_;
    // Scanning all nodes or modules for each node would take too long in a long document.
    std::vector<std::vector<Owner>> owners_;
    std::vector<Ids> users_;
    std::vector<bool> harmless_;
    std::vector<bool> drawn_;
};

}  // namespace attn
