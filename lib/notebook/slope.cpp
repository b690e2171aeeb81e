// The calls evaluated again in double, cell by cell, from the arithmetic that explains them.
#include "notebook/slope.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "notebook/backward.hpp"
#include "notebook/ops/row.hpp"
#include "notebook/render.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/reduce.hpp"

namespace attn {

namespace {

// The statements that make a loss, in one language, each indented as the body of a function.
std::string body(Var loss, Language language) {
    std::string text;
    for (const Var x : made_of(loss)) {
        if (x.notebook->nodes()[x.id].is_leaf()) {
            continue;
        }
        std::string line = "\n" + statement(*x.notebook, x.id, language);
        for (std::size_t at = 0; at != std::string::npos; at = line.find('\n', at + 1)) {
            line.insert(at + 1, "    ");
        }
        text += line;
    }
    return text;
}

// Its leaves, in double unless they are given.
std::string arguments(Var loss, std::string_view in_double) {
    std::string text;
    for (const Var x : made_of(loss)) {
        const Node& node = x.notebook->nodes()[x.id];
        if (node.is_leaf()) {
            text += fmt::format("{}{}={}{}", text.empty() ? "" : ", ", node.name, node.name, in_double);
        }
    }
    return text;
}

// A leaf whose first number is moved.
struct Move {
    std::size_t leaf;
    double by;
};

// The numbers of a loss and of all it is made of, once for each move.
class InDouble {
public:
    InDouble(Var loss, std::vector<Move> moves) : notebook_(*loss.notebook), moves_(std::move(moves)) {
        for (std::size_t id = 0; id <= loss.id; ++id) {
            const Node& node = notebook_.nodes()[id];
            if (node.requires_grad && !node.is_leaf()) {
                numbers_.emplace(id, computed(node));
            }
        }
    }

    double of(std::size_t id, std::size_t cell, std::size_t move) const {
        const auto found = numbers_.find(id);
        if (found != numbers_.end()) {
            return found->second[cell * moves_.size() + move];
        }
        const auto number = static_cast<double>(notebook_.nodes()[id].value.values()[cell]);
        return cell == 0 && moves_[move].leaf == id ? number + moves_[move].by : number;
    }

private:
    std::vector<double> computed(const Node& node) const {
        const std::vector<const Tensor*> operands = notebook_.operands(node.call);
        std::vector<double> numbers;
        for (std::size_t i = 0; i < node.value.count(); ++i) {
            const Explanation explanation =
                node.call.operation->explain(node.call, operands, node.value, node.value.index(i));
            for (std::size_t move = 0; move < moves_.size(); ++move) {
                std::vector<double> lines;
                const auto value = [&](const Leaf& leaf) {
                    return leaf.from == Leaf::From::cell
                               ? of(node.call.inputs[leaf.of], operands[leaf.of]->offset(leaf.index), move)
                           : leaf.from == Leaf::From::line ? lines[leaf.of]
                                                           : leaf.value;
                };
                for (const Part& part : explanation.parts) {
                    lines.push_back(evaluate(part.arithmetic, value));
                }
                numbers.push_back(evaluate(explanation.arithmetic, value));
            }
        }
        return numbers;
    }

    const Notebook& notebook_;
    std::vector<Move> moves_;
    std::map<std::size_t, std::vector<double>> numbers_;
};

}  // namespace

const Operation loss_function_op{
    .name = "function",
    .evaluate = [](const Call&, Operands, Generator&) { return Tensor(); },
    .torch = "def {name}({arguments}):{body}\n    return {0}",
    .cpp = {},
    .explain = explain_leaf,
    .cost = no_cost,
    .returns = Returns::function,
};

Var loss_function(Var loss) {
    const std::string in_torch = arguments(loss, ".double()");
    const std::string in_numpy = arguments(loss, ".astype(float)");
    const Number taken{0.0, {in_torch, in_numpy, ""}, {}};
    const Number made{0.0, {body(loss, Language::torch), body(loss, Language::numpy), ""}, {}};
    return record(loss_function_op, {loss}, {{"arguments", {taken}}, {"body", {made}}});
}

// Operands: the function, the leaf and its gradient. C++, which computes in float32 here, has what came out.
const Operation slope_agrees_op{
    .name = "slope_agrees",
    .evaluate = [](const Call& call, Operands,
                   Generator&) { return Tensor(Shape{}, {static_cast<float>(call.value("agrees"))}); },
    .torch = {"slope_agrees({0}, \"{1}\", {1}, {2}, ({cell}))",
              "def slope_agrees(loss_of, name, x, grad, cell, h=1e-4):\n"
              "    slope = 0\n"
              "    for by in (h, -h):\n"
              "        moved = x.detach().double().clone()\n"
              "        moved[cell] += by\n"
              "        slope += loss_of(**{name: moved}) / (2 * by)\n"
              "    return (abs(slope - grad[cell]) <= 1e-3 * grad.abs().amax() + 1e-6).float()"},
    .numpy = {"slope_agrees({0}, \"{1}\", {1}, {2}, ({cell}))",
              "def slope_agrees(loss_of, name, x, grad, cell, h=1e-4):\n"
              "    slope = 0\n"
              "    for by in (h, -h):\n"
              "        moved = x.astype(float)\n"
              "        moved[cell] += by\n"
              "        slope += loss_of(**{name: moved}) / (2 * by)\n"
              "    return np.float32(abs(slope - grad[cell]) <= 1e-3 * np.abs(grad).max() + 1e-6)"},
    .cpp = "{data}",
    .explain = explain_leaf,
    .cost = no_cost,
    .sign = Sign::never_negative,
};

std::vector<Var> slopes_agree(Var function, Var loss, const std::vector<Var>& leaves) {
    constexpr double h = 1e-4;
    std::vector<Move> moves;
    for (const Var leaf : leaves) {
        moves.push_back({leaf.id, h});
        moves.push_back({leaf.id, -h});
    }
    const InDouble moved(loss, moves);
    std::vector<Var> agree;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        const double slope = (moved.of(loss.id, 0, 2 * i) - moved.of(loss.id, 0, 2 * i + 1)) / (2.0 * h);
        const Var grad = gradient_of(leaves[i]).value();
        const auto gradient = static_cast<double>(grad.value().values()[0]);
        const auto largest = static_cast<double>(amax(abs(grad.value())).values()[0]);
        const bool agrees = std::abs(slope - gradient) <= 1e-3 * largest + 1e-6;
        agree.push_back(record(slope_agrees_op, {function, leaves[i], grad},
                               {{"cell", std::vector<Number>(leaves[i].value().rank(), literal(0))},
                                {"agrees", {literal(agrees ? 1 : 0)}}}));
    }
    return agree;
}

std::uint64_t cost_of(Var loss) {
    std::uint64_t operations = 0;
    for (std::size_t id = 0; id <= loss.id; ++id) {
        const Node& node = loss.notebook->nodes()[id];
        if (node.requires_grad && !node.is_leaf()) {
            operations +=
                node.call.operation->cost(loss.notebook->operands(node.call), node.value).operations;
        }
    }
    return operations;
}

}  // namespace attn
