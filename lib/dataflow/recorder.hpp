// Records the tensors that a document's code computes as nodes, each with the statement that runs, and counts
// all work. Every limit against code that would take too long or too much memory is counted here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "dataflow/arguments.hpp"
#include "dataflow/dataflow.hpp"
#include "tensor/error.hpp"

namespace attn::flow {

constexpr std::size_t most_work = 4'000'000;    // numbers computed and statements run
constexpr std::size_t most_nodes = 15'000;      // followed one by one
constexpr std::size_t most_kept = 50'000'000;   // numbers of nodes: 200 MB, and two dataflows exist at a time
constexpr std::size_t most_depth = 40;          // of calls within each other
constexpr std::size_t most_visits = 1'000'000;  // of attributes: a module may contain another in many ways

class Recorder {
public:
    Recorder(const Document& document, const DataflowOptions& options)
        : document(document), options(options) {}

    // ---- limits -----------------------------------------------------------------------------------------

    // Returns true if there is work left after this.
    bool spend(std::size_t work);
    // Returns true if a tensor with so many numbers can be kept. Drawn tensors and copies are little work.
    bool has_memory(std::size_t numbers) const { return numbers <= most_kept - kept_; }
    // Returns true if the work allows `times` copies of a value. Lists double quickly.
    bool affords(const Value& value, std::size_t times = 1);
    Value affordable(Value value) { return affords(value) ? std::move(value) : Value{}; }
    // Calls a function whose usual work does not count. The work beyond it does, as of endless recursion.
    template <typename Run>
    auto uncounted(const Run& run) {
        constexpr std::size_t usual = 100'000;
        const std::size_t work = work_;
        auto result = run();
        work_ = std::max(work, work_ - std::min(work_, usual));
        return result;
    }
    // Returns true if one more attribute may be visited.
    bool visit() { return ++visits_ < most_visits; }

    // ---- places -----------------------------------------------------------------------------------------

    Place place_at(std::size_t line) const { return document.items[item].place_of(line); }
    // The place of the statement that runs.
    Place place() const { return statement == nullptr ? Place{} : place_at(statement->line); }
    // Its first line.
    std::string line() const;

    // ---- nodes ------------------------------------------------------------------------------------------

    static Value tensor(std::size_t node);
    const Computed& node_of(const Value& tensor) const { return flow.nodes[tensor.tensor->node]; }
    const Tensor& tensor_of(const Value& tensor) const { return node_of(tensor).value; }
    // The value of a tensor of one number, or of a number; empty if it is unknown.
    std::optional<double> number_of(const Value& value) const;
    Value shape_of(const Value& tensor) const;
    Given given(Arguments arguments) const;

    // Records a result. Equal calls with equal results are one node.
    std::size_t record(std::string operation, Ids operands, Tensor value, bool is_known = true);
    // Records what `compute` returns from these operands. An unknown value if it returns nothing or throws
    // Error.
    template <typename Compute>
    Value computed(std::string operation, const std::vector<Value>& operands, const Compute& compute) {
        try {
            const TensorLimit limit(most_work);
            std::optional<Tensor> result;
            if (spend(0)) {
                result = compute();
            }
            if (!result || !spend(result->count() + 1) || !has_memory(result->count())) {
                return {};
            }
            return tensor(record(std::move(operation), origins_of(operands), std::move(*result)));
        } catch (const Error&) {
            return {};
        }
    }
    static Ids origins_of(const std::vector<Value>& values);
    // Gives a tensor the node of another value, or makes it unknown if the other has none.
    void replace(const Value& target, const Value& by);
    // Makes a tensor unknown whose new value is not followed.
    void forget(const Value& value) { replace(value, {}); }
    // Gives a node the name of the first variable. The same product for a second variable is a new node.
    void name_node(const Value& value, const std::string& name);
    // A tensor in a type with fewer digits: the same numbers, but only up to the rounding of this type.
    Value rounded(std::size_t node, const std::string& type);

    const Document& document;
    const DataflowOptions& options;
    Dataflow flow{};
    std::size_t item = 0;  // the item of the statement
    const python::Statement* statement = nullptr;
    std::size_t depth = 0;   // of calls
    bool is_certain = true;  // until something runs that is not followed and may change any value

private:
    // A value that does not fit into memory is unknown, without numbers.
    std::size_t append(Computed node);

    std::multimap<std::tuple<std::string, Ids, std::uint64_t>, std::size_t> known_{};
    std::size_t work_ = 0;
    std::size_t kept_ = 0;  // numbers of all nodes
    std::size_t visits_ = 0;
};

// Each of the tensors in a long line or expression keeps its source, so it is cut.
std::string shortened(std::string_view source);

}  // namespace attn::flow
