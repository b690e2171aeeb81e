// The complexity stage is compared with the operations and bytes of the causal stage's calls, and with tiles
// counted one by one.
#include <doctest/doctest.h>

#include <cmath>
#include <iterator>
#include <set>
#include <string_view>

#include "walked.hpp"

using namespace attn;

namespace {

struct Cost {
    std::size_t operations = 0;
    std::size_t bytes = 0;
};

// Counts two operations per term of a product, five per number of softmax, one per number elsewhere. A
// transposed view costs nothing.
Cost cost_of_call(const Call& call, Operands operands, const Tensor& result) {
    const std::string_view name = call.operation->name;
    if (name == "transpose") {
        return {};
    }
    Cost cost{result.count(), result.count() * sizeof(float)};
    for (const Tensor* const operand : operands) {
        cost.bytes += operand->count() * sizeof(float);
    }
    cost.operations *= name == "matmul" ? 2 * operands[0]->size(-1) : name == "softmax" ? 5 : 1;
    return cost;
}

StageTrace walk_complexity(std::size_t n, std::size_t d) {
    Parameters parameters = find_stage("complexity")->defaults;
    parameters.d_out = d;
    parameters.sequence_lengths = {n, n + 1};
    return walk(*find_stage("complexity"), journey(), parameters);
}

// Counts the calls from queries, keys and values to the context vectors.
Cost cost_of_attention(const StageTrace& trace) {
    const std::set<std::string_view> made_before{"queries", "keys", "values", "mask"};
    std::set<std::size_t> used{trace.find("context_vec").value()};
    Cost total;
    while (!used.empty()) {
        const Node& node = trace.node(*used.rbegin());  // operands come before the calls that use them
        used.erase(std::prev(used.end()));
        if (!made_before.contains(node.name)) {
            const Cost cost = cost_of_call(node.call, trace.notebook.operands(node.call), node.value);
            total.operations += cost.operations;
            total.bytes += cost.bytes;
            used.insert(node.call.inputs.begin(), node.call.inputs.end());
        }
    }
    return total;
}

// Returns a number of the first sequence length, in the stage's units.
double first_of(const StageTrace& trace, std::string_view step, std::size_t way) {
    return static_cast<double>(step_value(trace, step).at({0, way}));
}

constexpr double million = 1e6;
constexpr double mebi = 1048576;

}  // namespace

TEST_CASE("the materialised way costs what the calls of the causal stage cost together") {
    for (const std::size_t n : {1U, 2U, 3U, 6U}) {
        for (const std::size_t d : {1U, 2U, 7U, 64U}) {
            Lesson lesson = journey();
            lesson.tokens.resize(n);
            lesson.embeddings = Tensor({n, 3});
            Parameters parameters = causal_defaults();
            parameters.d_out = d;
            const Cost cost = cost_of_attention(walk_causal(lesson, parameters));
            const StageTrace counted = walk_complexity(n, d);
            CHECK(std::lround(first_of(counted, "operations", 0) * million) ==
                  static_cast<long>(cost.operations));
            CHECK(std::lround(first_of(counted, "bytes_moved", 0) * mebi) == static_cast<long>(cost.bytes));
        }
    }
}

TEST_CASE("the streaming way moves what its tiles move, one by one") {
    for (const std::size_t n : {1U, 64U, 65U, 640U}) {
        constexpr std::size_t tile = 64;
        constexpr std::size_t d = 8;
        std::size_t numbers = 0;
        for (std::size_t query = 0; query < n; query += tile) {
            numbers += 2 * tile * d;  // queries in, results out
            for (std::size_t key = 0; key <= query; key += tile) {
                numbers += 2 * tile * d;
            }
        }
        const StageTrace counted = walk_complexity(n, d);
        CHECK(std::lround(first_of(counted, "bytes_moved", 1) * mebi) == static_cast<long>(4 * numbers));
    }
    // When sequences are long, streaming takes half of the products.
    CHECK(first_of(walk_complexity(100000, 4096), "operations_per_n2d", 1) ==
          doctest::Approx(2).epsilon(0.02));
}
