// A node of a notebook: a call, its result, and how it is shown.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "notebook/operation.hpp"
#include "tensor/tensor.hpp"

namespace attn {

// The ways in which a node can be shown.
enum class Role {
    inlined,  // written within the expressions that use it
    setup,    // code before the first step
    line,     // a line of code in the next step
    step,     // a line of code and its tensor
};

// The meanings of a tensor's axes, outermost first.
using Axes = std::vector<std::string>;

// The name that a stage gives a node.
struct Name {
    Name(const char* in_code) : text(in_code) {}
    Name(std::string in_code) : text(std::move(in_code)) {}
    Name(std::string in_code, std::string in_formulas, Axes counting = {})
        : text(std::move(in_code)), letter(std::move(in_formulas)), axes(std::move(counting)) {}

    std::string text;  // the name in code
    // The symbol in formulas, whose index follows an underscore; empty: the name.
    std::string letter;
    Axes axes;  // the meanings of the last axes; axes before them are batch and head
};

// One replaced number of a tensor.
struct Replaced {
    std::size_t offset;
    float before;
};

struct Node {
    Call call;
    Tensor value;
    std::string name;  // the node's name in code; empty if it is inlined
    Expr symbol;       // the node's symbol in formulas
    Role role = Role::inlined;
    bool requires_grad = false;
    // The name of autograd's function; empty for a leaf and for a tensor without gradient.
    std::string grad_fn;
    Axes axes;                               // the meanings of the axes; empty for a node without a name
    std::optional<std::size_t> gradient_of;  // this node is the gradient of that node
    std::string_view shows;  // the id of the mistake that this step shows on purpose; empty for other nodes
    std::vector<Replaced> set;  // numbers that were replaced after the node was evaluated

    bool is_leaf() const { return grad_fn.empty(); }
};

// The nodes of a notebook, in the order in which they were recorded. Recording a node does not move earlier
// nodes in memory. A notebook can share the nodes of another notebook, which stay unchanged.
class Nodes {
public:
    using Shared = std::shared_ptr<Node>;

    class Iterator {
    public:
        using value_type = Node;
        using difference_type = std::ptrdiff_t;
        using reference = const Node&;
        using pointer = const Node*;
        using iterator_category = std::forward_iterator_tag;

        Iterator() = default;
        explicit Iterator(std::vector<Shared>::const_iterator at) : at_(at) {}

        const Node& operator*() const { return **at_; }
        const Node* operator->() const { return at_->get(); }
        Iterator& operator++() {
            ++at_;
            return *this;
        }
        Iterator operator++(int) { return Iterator(at_++); }
        bool operator==(const Iterator&) const = default;
        friend std::ptrdiff_t operator-(const Iterator& a, const Iterator& b) { return a.at_ - b.at_; }

    private:
        std::vector<Shared>::const_iterator at_;
    };

    std::size_t size() const { return all_.size(); }
    const Node& operator[](std::size_t id) const { return *all_[id]; }
    Iterator begin() const { return Iterator(all_.begin()); }
    Iterator end() const { return Iterator(all_.end()); }

    const Shared& shared(std::size_t id) const { return all_[id]; }
    // Adds a node and returns its id.
    std::size_t add(Shared node) {
        all_.push_back(std::move(node));
        return all_.size() - 1;
    }
    // Returns a node that may be changed. A node that is shared with another notebook is copied first.
    Node& own(std::size_t id) {
        if (all_[id].use_count() > 1) {
            all_[id] = std::make_shared<Node>(*all_[id]);
        }
        return *all_[id];
    }
    void clear() { all_.clear(); }

private:
    std::vector<Shared> all_;
};

}  // namespace attn
