#include "mistakes/general_edits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "mistakes/bits.hpp"
#include "mistakes/changed_lines.hpp"
#include "mistakes/patterns.hpp"
#include "notebook/ops.hpp"

namespace attn {

using namespace patterns;

namespace {

// Returns the name with its numbers replaced by #. The heads of a stage have names that differ in these.
std::string family(std::string_view name) {
    std::string text;
    for (const char c : name) {
        const bool is_digit = c >= '0' && c <= '9';
        if (!is_digit || !text.ends_with('#')) {
            text += is_digit ? '#' : c;
        }
    }
    return text;
}

// Returns the call as code, with families instead of names. The same line of all heads has the same text, and
// a mistake in this line changes all heads.
std::string text_of(const Notebook& notebook, const Call& call) {
    std::string text(call.operation->name);
    for (const std::size_t input : call.inputs) {
        const Node& operand = notebook.nodes()[input];
        text += '(' + (operand.name.empty() ? text_of(notebook, operand.call) : family(operand.name)) + ')';
    }
    return text;
}

// Returns the last tensor of a family that has the shape of `x`, preferably that of the same head.
MaybeVar counterpart(Var x, const std::string& wanted) {
    const auto number_in = [](std::string_view name) {
        const std::size_t first = std::min(name.find_first_of("0123456789"), name.size());
        return name.substr(first, name.find_first_not_of("0123456789", first) - first);
    };
    const Nodes& nodes = x.notebook->nodes();
    MaybeVar found;
    for (std::size_t id = nodes.size(); id-- > 0;) {
        const Node& node = nodes[id];
        if (!node.name.empty() && family(node.name) == wanted && node.value.shape() == x.value().shape()) {
            const Var other{x.notebook, id};
            if (number_in(node.name) == number_in(name_of(original(x)))) {
                return other;
            }
            found = found ? found : other;
        }
    }
    return found;
}

bool is_tensor(const Node& node) {
    return node.call.operation->is_tensor();
}

bool is_square(const Tensor& x) {
    return x.rank() > 1 && x.size(-1) == x.size(-2);
}

// Operations that the stages do not have.
const Operation flip_op{
    .name = "flip",
    .evaluate =
        [](const Arguments& x) {
            Tensor y = x[0];
            const auto [outer, length, inner] =
                y.shape().around(y.shape().axis(static_cast<int>(x.call.integer("dim"))));
            for (std::size_t cell = 0; cell < y.count(); ++cell) {
                const std::size_t at = cell / inner % length;
                y.values()[cell] = x[0].values()[cell + (length - 1 - at) * inner - at * inner];
            }
            return y;
        },
    .torch = "{0}.flip({dim})",
};

// Functions that may be applied to the result of a call, or to its operand.
constexpr Function further[] = {
    relu,
    [](Var x) { return x * x; },
    exp,
    abs,
    [](Var x) { return -x; },
    [](Var x) { return x * literal(2); },
    [](Var x) { return x / literal(2); },
    [](Var x) { return softmax(x, -1); },
    [](Var x) {
        return flip_op({x}, {{"dim", -1}});
    },
};

// Adds the nearest tensors with names that a call is computed from.
void add_named_operands(const At& c, std::vector<Var>& named) {
    for (const Var operand : c.operands()) {
        if (name_of(operand).empty()) {
            add_named_operands(call_of(operand), named);
        } else if (call_of(operand).call.operation->is_tensor()) {
            named.push_back(operand);
        }
    }
}

std::vector<Var> named_operands(const At& c) {
    std::vector<Var> named;
    add_named_operands(c, named);
    return named;
}

// Computes a line again with one of its operands replaced.
Var computed_from(Var line, Var operand, Var by) {
    const At c = call_of(line);
    std::vector<Var> operands = c.operands();
    for (Var& x : operands) {
        x = x.id == operand.id ? by : name_of(x).empty() ? computed_from(x, operand, by) : x;
    }
    return c.call.inputs.empty() ? line : c.again(operands);
}

// Repeats a call, but a loop over rows as a product, whose result code can use.
Var computed(const At& c) {
    return c.is(row_dots) || c.is(weighted_rows) ? matmul(c.operand(0), c.operand(1))
           : c.is(pair_dots)                     ? matmul(c.operand(0), transpose(c.operand(1)))
                                                 : c.again();
}

class Edits {
public:
    explicit Edits(const Notebook& right) : right_(right) {
        find_twins();
        for (std::size_t id = 0; id < nodes().size(); ++id) {
            const Node& node = nodes()[id];
            if (node.call.operation == &rand_op || node.call.operation == &linear_op) {
                draws_.push_back(id);
            }
            const bool is_first = sites_.insert(text_of(right, node.call)).second;
            if (is_first && is_tensor(node) && !node.call.inputs.empty() &&
                node.call.operation != &alias_op && !node.call.operation->is_parameter()) {
                edit(id);
            }
        }
        draw_otherwise();
        const double bits = bits_for(static_cast<double>(all_.size()));
        for (WalkEdit& one : all_) {
            one.bits += bits;
        }
    }

    std::vector<WalkEdit> take() { return std::move(all_); }

private:
    const Nodes& nodes() const { return right_.nodes(); }

    void edit(std::size_t id) {
        const Call& call = nodes()[id].call;
        for (std::size_t i = 0; i < call.inputs.size(); ++i) {
            if (is_tensor(nodes()[call.inputs[i]])) {
                replace_operand(id, i);
                leave_out(id, i);
            }
        }
        exchange_operands(id);
        for (const Attribute& attribute : call.attributes) {
            if (attribute.values.size() == 1) {
                change(id, attribute.name, attribute.values[0].value());
            }
        }
        change_operation(id);
        add_operation(id);
    }

    // Two steps with equal numbers, such as the weights normalised by sums and by softmax. A reader may
    // compute later steps from the first one.
    struct Twins {
        std::size_t first;
        std::size_t second;
        std::vector<bool> makes_first;  // for each node: true if only the first step is computed from it
    };

    void find_twins() {
        for (std::size_t second = 0; second < nodes().size(); ++second) {
            for (std::size_t first = 0; first < second; ++first) {
                const Tensor& x = nodes()[first].value;
                const Tensor& y = nodes()[second].value;
                const bool are_steps =
                    nodes()[first].role == Role::step && nodes()[second].role == Role::step;
                if (!are_steps || x.rank() == 0 || x.shape() != y.shape() || nodes()[first].name.empty() ||
                    !std::ranges::equal(x.values(), y.values(),
                                        [](float a, float b) { return std::abs(a - b) < 1e-6F; })) {
                    continue;
                }
                std::vector<bool> makes_first = origins_of(right_, first);
                const std::vector<bool> makes_second = origins_of(right_, second);
                for (std::size_t id = 0; id < makes_first.size(); ++id) {
                    makes_first[id] = makes_first[id] && !makes_second[id];
                }
                twins_.push_back({first, second, std::move(makes_first)});
            }
        }
    }

    Site site_of(std::size_t id) const {
        const Call& call = nodes()[id].call;
        return [operation = call.operation, text = text_of(right_, call)](const At& c) {
            return c.is(*operation) && text_of(c.notebook, c.call) == text;
        };
    }

    void add_edit(std::string_view mistake, std::size_t id, const Edit& edit) {
        const Mistake* const kind = find_mistake(mistake);
        all_.push_back({edit, {}, kind, kind->bits, id});
    }

    void add(std::string_view mistake, std::size_t id, const Verb& verb) {
        const Site site = site_of(id);
        add_edit(mistake, id, at(site, verb));
        for (const Twins& twins : twins_) {
            if (twins.makes_first[id]) {
                add_edit(
                    mistake, id,
                    at([=, second = site_of(twins.second), name = nodes()[twins.first].name](const At& c) {
                        return site.holds(c) ? verb(c) : second.holds(c) ? named(c.notebook, name) : none;
                    }));
            }
        }
    }

    // Draws one of the layers of each head in a different way, or other numbers before it.
    void draw_otherwise() {
        const std::size_t period = draws_.size() % 3 == 0 ? 3 : draws_.size();
        for (std::size_t layer = 0; layer < period && !draws_.empty(); ++layer) {
            const Node& drawn = nodes()[draws_[layer]];
            auto is_drawn = [operation = drawn.call.operation, period, layer,
                             count = std::size_t{0}](const At& c) mutable {
                return c.is(*operation) && count++ % period == layer;
            };
            const auto with = [&](std::string_view mistake, const Verb& verb) {
                add_edit(mistake, draws_[0], at([is_drawn, verb](const At& c) mutable -> MaybeVar {
                             return is_drawn(c) ? verb(c) : none;
                         }));
            };
            for (const std::size_t numbers : {drawn.value.size(-1), drawn.value.count()}) {
                with("drawn-before", [numbers](const At& c) {
                    rand(c.operand(), {literal(numbers)});
                    return c.again();
                });
            }
            if (drawn.call.operation == &linear_op && drawn.call.integer("bias") == 0) {
                add_edit("other-number", draws_[0], with_bias(is_drawn));
            }
            if (drawn.call.operation != &rand_op || drawn.value.rank() != 2) {
                continue;
            }
            with("randn-instead-of-rand", drawn_by_randn);
            with("rand-transposed", drawn_transposed);
            with("other-initialisation", drawn_around_zero);
            with("other-initialisation", filled_with_ones);
        }
    }

    // Draws layers with a bias, and adds it where their weights are used.
    template <typename Test>
    static Edit with_bias(Test is_drawn) {
        return at([is_drawn = std::move(is_drawn),
                   layers = std::vector<std::size_t>()](const At& c) mutable -> MaybeVar {
            if (is_drawn(c)) {
                const Var layer = c.with("bias", truth(true));
                layers.push_back(layer.id);
                return layer;
            }
            if (!c.is(matmul_op) || !c.maker(1).is(transpose_op) || !c.maker(1).origin().is(weight_op)) {
                return none;
            }
            const Var layer = c.maker(1).origin().operand();
            return std::ranges::find(layers, layer.id) != layers.end() ? MaybeVar(c.again() + bias(layer))
                                                                       : none;
        });
    }

    void replace_operand(std::size_t id, std::size_t position) {
        const auto with = [&](Var (*turn)(Var), const std::string& wanted) {
            add("other-operand", id, [=](const At& c) {
                std::vector<Var> operands = c.operands();
                const MaybeVar other =
                    turn != nullptr ? turn(operands[position]) : counterpart(operands[position], wanted);
                operands[position] = other.value_or(operands[position]);
                return other ? c.again(operands) : none;
            });
        };
        const Tensor& right = nodes()[nodes()[id].call.inputs[position]].value;
        std::vector<const Tensor*> tried{&right};
        for (std::size_t other = 0; other < id; ++other) {
            const Node& node = nodes()[other];
            const auto is_known = [&](const Tensor* known) { return identical(*known, node.value); };
            if (!node.name.empty() && is_tensor(node) && node.value.shape() == right.shape() &&
                std::ranges::none_of(tried, is_known)) {
                tried.push_back(&node.value);
                with(nullptr, family(node.name));
            }
        }
        if (is_square(right)) {
            with(matrix_transpose, "");
        }
    }

    void leave_out(std::size_t id, std::size_t position) {
        const Tensor& left = nodes()[nodes()[id].call.inputs[position]].value;
        if (left.shape() == nodes()[id].value.shape() && !identical(left, nodes()[id].value)) {
            add("call-left-out", id, [position](const At& c) { return c.operand(position); });
        }
    }

    void exchange_operands(std::size_t id) {
        const std::vector<std::size_t>& inputs = nodes()[id].call.inputs;
        if (inputs.size() == 2 && inputs[0] != inputs[1] && is_tensor(nodes()[inputs[0]]) &&
            is_tensor(nodes()[inputs[1]]) &&
            nodes()[inputs[0]].value.shape() == nodes()[inputs[1]].value.shape()) {
            add("other-operand", id, [](const At& c) { return c.again({c.operand(1), c.operand(0)}); });
        }
    }

    void change(std::size_t id, std::string_view name, double right) {
        std::vector<Number> others;
        const Node& node = nodes()[id];
        const auto rank = static_cast<int>(nodes()[node.call.inputs[0]].value.rank());
        if (name == "dim") {
            for (int dim = 0; dim < rank; ++dim) {
                if (dim != static_cast<int>(right) && dim != static_cast<int>(right) + rank) {
                    others.push_back(literal(dim));
                }
            }
        } else if (name == "diagonal") {
            for (const int away : {-1, 1, -2, 2}) {
                others.push_back(literal(static_cast<int>(right) + away));
            }
        } else if (name == "p") {
            for (const double p : {0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9}) {
                others.push_back(literal(p));
            }
        } else if (name == "value") {
            others = node.call.operation == &masked_fill_op ? fills() : factors(right);
        }
        std::erase_if(others, [right](const Number& other) { return other.value() == right; });
        for (const Number& other : others) {
            add("other-number", id, [name, other](const At& c) { return c.with(name, other); });
        }
    }

    static std::vector<Number> fills() {
        const double infinity = std::numeric_limits<double>::infinity();
        return {literal(0), literal(1), literal(-1), literal(-1e9), written(infinity, "torch.inf")};
    }

    // Numbers that could be written instead of a factor: the sizes of the walk's tensors, their roots, and a
    // few others.
    std::vector<Number> factors(double right) const {
        std::vector<Number> all{literal(2), literal(0.5), literal(10), literal(0.1), literal(right * right)};
        std::set<std::size_t> sizes;
        for (const Node& node : nodes()) {
            for (const std::size_t size : node.value.shape()) {
                sizes.insert(size);
            }
        }
        for (const std::size_t size : sizes) {
            all.push_back(literal(size));
            all.push_back(float_root(literal(size)));
            all.push_back(literal(size * size));
            all.push_back(literal(1.0 / static_cast<double>(size)));
        }
        return all;
    }

    void change_operation(std::size_t id) {
        const Call& call = nodes()[id].call;
        const auto with = [&](Var (*other)(const At& c)) { add("other-operation", id, other); };
        const std::string_view name = call.operation->name;
        if (call.operation == &tril_op || call.operation == &triu_op) {
            with([](const At& c) { return c.is(tril_op) ? triu(c.operand(), 0) : tril(c.operand()); });
            with([](const At& c) {
                return c.is(tril_op) ? triu(c.operand(), 1) : tril(c.operand(), literal(-1));
            });
            if (call.operation == &triu_op) {
                with([](const At& c) { return tril(c.operand(), c.call.number("diagonal")); });
            }
            if (!call.has("diagonal")) {
                with([](const At& c) { return tril(c.operand(), literal(-1)); });
                with([](const At& c) { return tril(c.operand(), literal(1)); });
            }
        } else if (call.inputs.size() == 2 && (name == "add" || name == "sub" || name == "mul" ||
                                               name == "div" || call.operation == &matmul_op)) {
            with([](const At& c) { return c.operand(0) + c.operand(1); });
            with([](const At& c) { return c.operand(0) - c.operand(1); });
            with([](const At& c) { return c.operand(0) * c.operand(1); });
            with([](const At& c) { return c.operand(0) / c.operand(1); });
        } else if (call.operation == &div_scalar_op) {
            with([](const At& c) { return c.operand() * c.call.number("value"); });
        } else if (name == "mul") {
            with([](const At& c) { return c.operand() / c.call.number("value"); });
        } else if (name == "sum") {
            with([](const At& c) {
                return c.call.has("dim") ? amax(c.operand(), -1, c.call.has("keepdim")) : amax(c.operand());
            });
            with([](const At& c) {
                const Var total = c.again();
                return total / literal(c.operand().value().count() / total.value().count());
            });
            with([](const At& c) { return sqrt(c.again(c.operand() * c.operand())); });
        } else if (call.operation == &softmax_op) {
            for (const Function function : further) {
                add("other-operation", id, [function](const At& c) { return function(c.operand()); });
                add("other-operation", id,
                    [function](const At& c) { return c.again(function(c.operand())); });
            }
        }
        if (call.operation == &matmul_op) {
            with([](const At& c) { return c.again() / literal(c.operand().value().size(-1)); });
        }
        if (call.operation == &dropout_op && nodes()[id].value.rank() == 2) {  // Dropout1d
            with([](const At& c) {
                const Number rows = literal(c.operand().value().size(0));
                return c.operand() *
                       dropout(c.maker(2).again(), ones(c.notebook, {rows, literal(1)}), c.call.number("p"));
            });
        }
        repeat_line(id);
    }

    // Applies a line to its own result, such as the output projection.
    void repeat_line(std::size_t id) {
        const std::vector<Var> operands = named_operands(call_of({&right_, id}));
        const auto same = std::ranges::find_if(
            operands, [&](Var operand) { return operand.value().shape() == nodes()[id].value.shape(); });
        if (!nodes()[id].name.empty() && same != operands.end()) {
            add("other-operation", id, [place = same - operands.begin()](const At& c) {
                const Var operand = named_operands(c)[static_cast<std::size_t>(place)];
                const Var result = c.again();
                return computed_from(result, operand, result);
            });
        }
    }

    // Applies a further operation to the result of a call that computes numbers.
    void add_operation(std::size_t id) {
        const Node& node = nodes()[id];
        const Operation& operation = *node.call.operation;
        const bool computes = &operation == &row_dots || &operation == &pair_dots ||
                              &operation == &matmul_op || &operation == &weighted_rows ||
                              operation.name == "softmax" || operation.name == "div" ||
                              operation.name == "mul" || operation.name == "sum";
        const std::size_t rank = node.value.rank();
        if (!computes || rank == 0) {
            return;
        }
        const auto with = [&](Function function) {
            add("other-operation", id, [function](const At& c) { return function(computed(c)); });
        };
        std::ranges::for_each(further, with);
        if (rank > 1) {
            with([](Var x) { return flip_op({x}, {{"dim", -2}}); });
        }
        if (is_square(node.value)) {
            with(tril);
        }
    }

    Notebook right_;
    std::vector<std::size_t> draws_;
    std::vector<Twins> twins_;
    std::set<std::string> sites_;
    std::vector<WalkEdit> all_;
};

}  // namespace

std::vector<WalkEdit> general_edits(const Notebook& right) {
    return Edits(right).take();
}

}  // namespace attn
