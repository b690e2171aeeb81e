// 1. Follows the code (dataflow.hpp), and pairs each printed tensor with the expression that shows it.
// 2. Walks stages with the lessons, seeds, sizes and weights of the code. A tensor that equals a step is
// right.
// 3. Asks diagnosis.hpp for a mistake in other results of attention. Plain sums and the like are by-products.
// 4. Marks the tensors that depend on a mistake.
#include "judge/judge.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "diagnosis/bits.hpp"
#include "diagnosis/labels.hpp"
#include "files/tensor_file.hpp"
#include "judge/code_names.hpp"
#include "judge/printed_outputs.hpp"
#include "stages/catalogue.hpp"
#include "stages/shipped.hpp"
#include "tensor/digits.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"
#include "tensor/reduce.hpp"
#include "tensor/strided.hpp"

namespace attn {

namespace {

using Ids = std::vector<std::size_t>;

constexpr int most_decimals = 8;  // of numbers whose printed digits count
constexpr std::size_t most_chapters = 8;

bool is_close(double x, double y, double slack) {
    return x == y || (std::isnan(x) && std::isnan(y)) ||
           (std::isfinite(y) && std::abs(x - y) <= 2e-6 + 1e-5 * std::abs(y) + slack);
}

bool is_close(std::span<const float> a, std::span<const float> b, double slack) {
    return std::ranges::equal(a, b, [slack](float x, float y) {
        return is_close(static_cast<double>(x), static_cast<double>(y), slack);
    });
}

// The lesson of a document, its walks, and the node of the embeddings.
struct Chapter {
    Lesson lesson;
    std::optional<std::size_t> node{};
    bool is_altered = false;  // the node is the documents' inputs with some numbers changed
    bool is_documents = false;
    std::vector<StageTrace> walks{};
    std::vector<WeightSource> weights{};  // of each walk; null if they are drawn from its seed
};

struct Found {
    const StageTrace* walk;
    std::size_t step;
    std::string piece{};
};

struct Status {
    OutputVerdict verdict = OutputVerdict::unknown;
    std::vector<Found> found{};
    std::optional<std::size_t> culprit{};  // the node that departs first
    bool is_swapped = false;               // right numbers under the name of another step
    std::optional<std::size_t> beside{};   // of right numbers: a node that departs before them
};

class Judge {
public:
    Judge(const Document& document, const Question& question) : document_(document), question_(question) {}

    Judgement run() {
        for (const Item& item : document_.items) {
            code_.push_back(item.kind == Item::Kind::code ? python::parse(item.text) : python::Code());
        }
        read_outputs();
        follow_code();
        join_shown();
        find_outdated();
        drop_other_numbers();
        find_chapters();
        ask_numbers();
        find_mistaken_masks();
        for (std::size_t i = 0; i < result_.outputs.size(); ++i) {
            judge(i);
        }
        recognise_stage();
        state_settings();
        return std::move(result_);
    }

private:
    // ---- outputs ----------------------------------------------------------------------------------------

    void read_outputs() {
        for (std::size_t i = 0; i < document_.items.size(); ++i) {
            const Item& item = document_.items[i];
            for (PrintedTensor& tensor : item.kind != Item::Kind::output ? std::vector<PrintedTensor>()
                                         : !item.saved.empty()
                                             ? saved_numbers(item)
                                             : tensors_of_output(item.text, document_.origin)) {
                Judged output{.printed = std::move(tensor), .item = i};
                output.place = item.saved.empty() ? item.place_of(output.printed.line) : item.place;
                output.label = output.printed.name;
                result_.outputs.push_back(std::move(output));
            }
        }
    }

    static std::vector<PrintedTensor> saved_numbers(const Item& item) {
        std::vector<PrintedTensor> tensors = item.saved;
        std::erase_if(tensors, [](const PrintedTensor& tensor) { return tensor.numbers.empty(); });
        return tensors;
    }

    // The item of the code above an output.
    std::size_t code_of(std::size_t item) const {
        while (item > 0 && document_.items[item].kind != Item::Kind::code) {
            --item;
        }
        return item;
    }

    static bool is_name(std::string_view source) {
        return std::ranges::all_of(source, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
    }

    // Leaves out numbers of Python that the code does not compute.
    void drop_other_numbers() {
        std::vector<Judged> outputs;
        for (std::size_t i = 0; i < result_.outputs.size(); ++i) {
            const PrintedTensor& printed = result_.outputs[i].printed;
            const bool is_bare =
                printed.shown.rank() == 0 && printed.place.empty() && printed.numbers.size() == 1;
            const auto node = node_of(i);
            const double number = printed.numbers[0].value;
            const bool is_telling =
                node && (!flow_.nodes[*node].operands.empty() ||
                         (number != std::trunc(number) && !is_name(flow_.shown[*shown_of_[i]].source)));
            if (!is_bare || (is_telling && agrees(printed, *node))) {
                outputs.push_back(std::move(result_.outputs[i]));
            }
        }
        result_.outputs = std::move(outputs);
        pair();
    }

    // ---- pairing ----------------------------------------------------------------------------------------

    bool agrees(const PrintedTensor& printed, std::size_t node) const {
        return is_printed(printed, flow_.nodes[node].value, flow_.nodes[node].slack);
    }

    static bool is_printed(const PrintedTensor& printed, const Tensor& value, double slack) {
        const Pattern pattern(printed, slack);
        const std::optional<Piece> piece =
            pattern.fits(value.shape()) ? pattern.find_in(value) : std::nullopt;
        return piece && (piece->kind == PieceKind::whole || piece->kind == PieceKind::flattened) &&
               !piece->exchanged;
    }

    bool fits(const PrintedTensor& printed, std::size_t node) const {
        return printed.fits(flow_.nodes[node].value.shape());
    }

    // How well an expression suits an output; negative if it cannot be it.
    double suits(const PrintedTensor& printed, const Shown& shown) const {
        return !shown.node || flow_.nodes[*shown.node].operation == "printed" ? 0.5
               : !flow_.nodes[*shown.node].is_known ? (fits(printed, *shown.node) ? 1.0 : -1.0)
               : agrees(printed, *shown.node)
                   ? 2.0 + std::min(1.0, 0.01 * static_cast<double>(printed.numbers.size()))
               : fits(printed, *shown.node) && printed.shown.rank() > 0 ? 0.5
                                                                        : -1.0;
    }

    // Numbers that are shown one by one, from flow_.shown[first] on, and printed as a tensor of this shape.
    struct Joined {
        std::size_t first;
        Shape shape;
    };

    // Pairs the outputs of each cell with what its code shows, in order. Returns the sum of how well they
    // suit.
    double pair() {
        shown_of_.assign(result_.outputs.size(), std::nullopt);
        double total = 0.0;
        std::map<std::size_t, std::pair<Ids, Ids>> cells;  // code item → outputs, shown
        for (std::size_t i = 0; i < result_.outputs.size(); ++i) {
            cells[code_of(result_.outputs[i].item)].first.push_back(i);
        }
        for (std::size_t i = 0; i < flow_.shown.size(); ++i) {
            cells[flow_.shown[i].item].second.push_back(i);
        }
        for (const auto& [item, cell] : cells) {
            total += align(cell.first, cell.second);
        }
        return total;
    }

    // A row of numbers that the code shows one by one, as print(*row) does, is their stack.
    void join_shown() {
        constexpr std::size_t most = 1'000'000;  // comparisons
        std::size_t tried = 0;
        for (std::size_t i = 0; i < result_.outputs.size(); ++i) {
            const PrintedTensor& printed = result_.outputs[i].printed;
            const std::size_t count = printed.numbers.size();
            if (shown_of_[i] || count < 2 || printed.summarised()) {
                continue;
            }
            const auto is_shown = [&](std::size_t first) {
                for (std::size_t k = 0; k < count; ++k) {
                    const Shown& one = flow_.shown[first + k];
                    PrintedTensor number = printed;
                    number.shown = Shape{};
                    number.numbers = {printed.numbers[k]};
                    if (one.item != code_of(result_.outputs[i].item) || !one.node ||
                        !flow_.nodes[*one.node].is_known || !agrees(number, *one.node)) {
                        return false;
                    }
                }
                return true;
            };
            for (std::size_t first = 0; first + count <= flow_.shown.size() && ++tried < most; ++first) {
                if (flow_.shown[first].item == code_of(result_.outputs[i].item) && is_shown(first)) {
                    joined_.push_back({first, printed.shown});
                    break;
                }
            }
        }
        std::ranges::sort(joined_, std::greater<>(), &Joined::first);
        joined_.erase(std::unique(joined_.begin(), joined_.end(),
                                  [](const Joined& later, const Joined& one) {
                                      return one.first + one.shape.count() > later.first;
                                  }),
                      joined_.end());
        shown_count_ = flow_.shown.size();
        join(flow_);
        pair();
    }

    // Replaces what is shown one by one by its stack.
    void join(Dataflow& flow) const {
        for (const auto& [first, shape] : joined_) {
            const auto begin = flow.shown.begin() + static_cast<std::ptrdiff_t>(first);
            const auto end = begin + static_cast<std::ptrdiff_t>(shape.count());
            Computed stack{.operation = "stack", .value = Tensor(shape), .place = begin->place};
            for (auto one = begin; one != end; ++one) {
                const Computed& number = flow.nodes[*one->node];
                stack.value.values()[stack.operands.size()] = number.value.values()[0];
                stack.operands.push_back(*one->node);
                stack.slack = std::max(stack.slack, number.slack);
                stack.line = number.line;
            }
            begin->node = flow.nodes.size();
            begin->is_number = false;
            flow.nodes.push_back(std::move(stack));
            flow.shown.erase(begin + 1, end);
        }
    }

    double align(const Ids& outputs, const Ids& shown) {
        const std::size_t n = outputs.size();
        const std::size_t m = shown.size();
        if (n * m > 1'000'000 || n == 0 || m == 0) {
            return 0.0;
        }
        // Comparing all pairs of many outputs would take too long.
        const std::size_t reach = n * m > 40'000 ? 100 : std::max(n, m);
        std::vector<std::vector<double>> best(n + 1, std::vector<double>(m + 1, 0.0));
        std::vector<std::vector<double>> gain(n, std::vector<double>(m, -1.0));
        for (std::size_t i = n; i-- > 0;) {
            for (std::size_t j = m; j-- > 0;) {
                if (i <= j + reach && j <= i + reach) {
                    gain[i][j] = suits(result_.outputs[outputs[i]].printed, flow_.shown[shown[j]]);
                }
                best[i][j] = std::max({best[i + 1][j], best[i][j + 1],
                                       gain[i][j] > 0.0 ? best[i + 1][j + 1] + gain[i][j] : 0.0});
            }
        }
        for (std::size_t i = 0, j = 0; i < n && j < m;) {
            if (gain[i][j] > 0.0 && best[i][j] == best[i + 1][j + 1] + gain[i][j]) {
                shown_of_[outputs[i++]] = shown[j++];
            } else {
                (best[i][j] == best[i][j + 1] ? j : i) += 1;
            }
        }
        return best[0][0];
    }

    // ---- the code ---------------------------------------------------------------------------------------

    // Follows the code with these options, and once more with the numbers that only the outputs state. Keeps
    // the result if it suits the outputs better.
    void try_options(DataflowOptions options) {
        Dataflow before = std::move(flow_);
        std::vector<std::optional<std::size_t>> shown_before = std::move(shown_of_);
        options.printed.clear();
        options.drawn.clear();
        flow_ = follow(document_, code_, options);
        pair();
        adopt_printed(options);
        if (!options.printed.empty()) {
            flow_ = follow(document_, code_, options);
        }
        if (const double suits = pair(); suits > suits_) {
            suits_ = suits;
            chosen_ = std::move(options);
        } else {
            flow_ = std::move(before);
            shown_of_ = std::move(shown_before);
        }
    }

    void adopt_printed(DataflowOptions& options) const {
        for (std::size_t i = 0; i < result_.outputs.size(); ++i) {
            const PrintedTensor& printed = result_.outputs[i].printed;
            const Shown* const shown = shown_of_[i] ? &flow_.shown[*shown_of_[i]] : nullptr;
            const bool is_open = shown != nullptr && (!shown->node || !flow_.nodes[*shown->node].is_known);
            if (!is_open || printed.summarised()) {
                continue;
            }
            std::vector<float> values;
            int decimals = most_decimals;
            for (const PrintedNumber& number : printed.numbers) {
                values.push_back(static_cast<float>(number.value));
                const bool is_fixed =
                    number.notation == PrintedNumber::Notation::fixed && number.decimals > 0;
                decimals = is_fixed ? std::min<int>(decimals, number.decimals) : decimals;
            }
            const PrintedValue value{Tensor(printed.shown, std::move(values)),
                                     0.5 * std::pow(10.0, -decimals)};
            options.printed[*shown_of_[i]] = value;
            for (std::size_t k = 0; shown->node && k < flow_.draws.size(); ++k) {
                if (flow_.draws[k].node == *shown->node) {
                    options.drawn[k] = value;
                }
            }
        }
    }

    // Follows the code in different orders, with both dropout masks and with earlier runs of a cell. Keeps
    // what gives the outputs.
    void follow_code() {
        try_options({});
        const bool has_counts = std::ranges::any_of(
            document_.items, [](const Item& item) { return item.place.execution_count.has_value(); });
        for (const DropoutRng rng : {DropoutRng::mt19937, DropoutRng::mkl}) {
            for (const bool in_document_order : {false, true}) {
                const bool is_other = in_document_order ? has_counts : rng == DropoutRng::mkl;
                const bool is_possible = is_other && (rng == DropoutRng::mt19937 || has_dropout());
                if (is_possible && !all_agree()) {
                    try_options({.in_document_order = in_document_order, .rng = rng});
                }
            }
        }
        find_earlier_run();
    }

    // Marks the nodes that are computed from a cell that ran again later.
    void find_outdated() {
        outdated_.assign(flow_.nodes.size(), std::nullopt);
        for (std::size_t id = 0; id < flow_.nodes.size(); ++id) {
            const std::size_t count = flow_.nodes[id].place.execution_count.value_or(0);
            for (const std::size_t operand : flow_.nodes[id].operands) {
                const bool is_later = flow_.nodes[operand].place.execution_count.value_or(0) > count;
                outdated_[id] = outdated_[id]           ? outdated_[id]
                                : outdated_[operand]    ? outdated_[operand]
                                : is_later && count > 0 ? std::optional(operand)
                                                        : std::nullopt;
            }
        }
    }

    // Execution counts without a cell are runs whose outputs were replaced. Tries whether a cell that draws
    // numbers had run before.
    void find_earlier_run() {
        std::map<std::size_t, std::size_t> items;  // count → item
        for (std::size_t i = 0; i < document_.items.size(); ++i) {
            const Place& place = document_.items[i].place;
            if (document_.items[i].kind == Item::Kind::code && place.execution_count) {
                items[*place.execution_count] = i;
            }
        }
        constexpr std::size_t most = 24;  // attempts
        Ids missing;                      // the first counts without a cell
        for (std::size_t count = 1; !items.empty() && count < items.rbegin()->first && missing.size() < most;
             ++count) {
            if (!items.contains(count)) {
                missing.push_back(count);
            }
        }
        if (all_agree()) {
            return;
        }
        std::size_t tried = 0;
        auto open = cells_with_numbers();
        // A cell that ran after one below it, which stands to reason to have run in its place before, comes
        // first.
        std::vector<std::pair<std::size_t, std::size_t>> attempts(items.begin(), items.end());
        std::size_t last = 0;        // the lowest item that ran so far
        std::set<std::size_t> late;  // items that ran after one below them
        for (const auto& [count, item] : items) {
            if (item < last) {
                late.insert(item);
            }
            last = std::max(last, item);
        }
        std::ranges::stable_sort(attempts, {}, [&](const auto& one) { return !late.contains(one.second); });
        for (const auto& attempt : attempts) {
            const std::size_t count = attempt.first;
            const std::size_t item = attempt.second;
            const bool adds = changes_earlier(code_[item].statements);
            Ids counts;
            if (adds || open.contains(document_.items[item].place.cell)) {
                std::ranges::copy_if(missing, std::back_inserter(counts),
                                     [count](std::size_t earlier) { return earlier < count; });
            }
            if (adds) {
                counts.push_back(count);
            }
            for (const std::size_t earlier : counts) {
                DataflowOptions options = chosen_;
                options.in_document_order = options.in_document_order && earlier == count;
                options.again = EarlierRun{item, earlier};
                try_options(options);
                if (++tried == most || all_agree()) {
                    return;
                }
                open = cells_with_numbers();
            }
        }
    }

    // The cells that draw numbers, or state them.
    std::set<std::optional<std::size_t>> cells_with_numbers() const {
        std::set<std::optional<std::size_t>> cells;
        for (const Drawn& draw : flow_.draws) {
            cells.insert(flow_.nodes[draw.node].place.cell);
        }
        for (const Computed& node : flow_.nodes) {
            if (node.operands.empty() && node.value.rank() == 2) {
                cells.insert(node.place.cell);
            }
        }
        return cells;
    }

    // True if a statement adds to a variable of another cell, as `context += …`.
    static bool changes_earlier(const std::vector<python::Statement>& statements) {
        return std::ranges::any_of(statements, [](const python::Statement& statement) {
            return statement.kind == python::Statement::Kind::augmented ||
                   (statement.kind == python::Statement::Kind::for_ && changes_earlier(statement.body));
        });
    }

    bool has_dropout() const {
        return std::ranges::any_of(flow_.nodes,
                                   [](const Computed& node) { return node.operation == "dropout"; });
    }

    bool all_agree() const {
        for (std::size_t i = 0; i < result_.outputs.size(); ++i) {
            const auto node = node_of(i);
            if ((node && flow_.nodes[*node].operation == "printed") ||
                (node && flow_.nodes[*node].is_known && !agrees(result_.outputs[i].printed, *node))) {
                return false;
            }
        }
        return true;
    }

    std::optional<std::size_t> node_of(std::size_t output) const {
        return shown_of_[output] ? flow_.shown[*shown_of_[output]].node : std::nullopt;
    }

    // ---- indexes ----------------------------------------------------------------------------------------

    // A tensor of a module.
    struct Owner {
        const Module* module;
        const std::string* attribute;
    };

    // Scanning all nodes or modules for each node would take too long in a long document.
    void index_nodes() {
        owners_.assign(flow_.nodes.size(), {});
        users_.assign(flow_.nodes.size(), {});
        for (const Module& module : flow_.modules) {
            for (const auto& [attribute, node] : module.tensors) {
                owners_[node].push_back({&module, &attribute});
            }
        }
        for (std::size_t id = 0; id < flow_.nodes.size(); ++id) {
            for (const std::size_t operand : flow_.nodes[id].operands) {
                users_[operand].push_back(id);
            }
        }
    }

    // ---- lessons and walks ------------------------------------------------------------------------------

    void find_chapters() {
        index_nodes();
        const Lesson built_in = built_in_lesson();
        std::vector<bool> is_product(flow_.nodes.size());  // computed with products
        for (std::size_t id = 0; id < flow_.nodes.size() && chapters_.size() < most_chapters; ++id) {
            const Computed& node = flow_.nodes[id];
            is_product[id] =
                multiplies(node.operation) || node.operation == "softmax" ||
                std::ranges::any_of(node.operands, [&](std::size_t operand) { return is_product[operand]; });
            const bool is_literal =
                is_literal_node(node) ||
                (node.operation == "stack" && std::ranges::all_of(node.operands, [this](std::size_t operand) {
                     return is_literal_node(flow_.nodes[operand]);
                 }));
            if (!node.is_known || is_product[id] || node.value.count() <= 3) {
                continue;
            }
            if (node.value.rank() == 3 && !is_constant(node.operation) && is_attended(id)) {
                add_batch(id);
            }
            const bool is_drawn = is_draw(node.operation) || node.operation == "embedding";
            const bool is_part = !node.operands.empty() && !is_harmless(id);
            if (node.value.rank() != 2 || node.value.shape()[0] < 2 || chapter_of(node.value) ||
                (!is_literal && !((is_drawn || is_part) && is_attended(id)))) {
                continue;
            }
            const bool is_same_shape = node.value.shape() == built_in.embeddings.shape();
            std::size_t equal = 0;
            for (std::size_t i = 0; is_same_shape && i < node.value.count(); ++i) {
                equal += node.value.values()[i] == built_in.embeddings.values()[i] ? 1 : 0;
            }
            if (is_same_shape && 4 * equal >= 3 * node.value.count() &&
                (is_literal || equal == node.value.count())) {
                chapters_.push_back({built_in, id, equal < node.value.count(), true});
            } else if (is_part || is_lesson(id)) {
                chapters_.push_back({own_lesson(node.value), id});
            }
        }
        if (chapters_.empty()) {
            chapters_.push_back({question_.lesson, std::nullopt, false, true});
        }
        for (Chapter& chapter : chapters_) {
            walk_chapter(chapter);
        }
        status_.resize(flow_.nodes.size());
        is_judged_.resize(flow_.nodes.size());
        find_relevant();
    }

    // The chapter with these embeddings.
    std::optional<std::size_t> chapter_of(const Tensor& embeddings) const {
        const auto found = std::ranges::find_if(
            chapters_, [&](const Chapter& one) { return identical(one.lesson.embeddings, embeddings); });
        return found == chapters_.end() ? std::nullopt
                                        : std::optional(static_cast<std::size_t>(found - chapters_.begin()));
    }

    // Adds a chapter for each sequence of a batch.
    void add_batch(std::size_t id) {
        const Tensor& batch = flow_.nodes[id].value;
        Ids sequences;
        for (std::size_t i = 0; i < batch.shape()[0] && chapters_.size() < most_chapters; ++i) {
            const Tensor sequence = select(batch, {i});
            const bool is_documents = identical(sequence, built_in_lesson().embeddings);
            if (!chapter_of(sequence)) {
                chapters_.push_back(
                    {is_documents ? built_in_lesson() : own_lesson(sequence), id, false, is_documents});
            }
            sequences.push_back(*chapter_of(sequence));
        }
        // Copies of one sequence are what the stages with a batch have.
        const auto copies = static_cast<std::size_t>(std::ranges::count(sequences, sequences[0]));
        if (sequences.size() == batch.shape()[0] && (copies == 1 || copies < sequences.size())) {
            batches_.push_back(std::move(sequences));
        }
    }

    static bool is_literal_node(const Computed& node) {
        return node.operands.empty() && !is_draw(node.operation) && !is_constant(node.operation);
    }

    static Lesson own_lesson(const Tensor& embeddings) {
        Lesson lesson{.tokens = {}, .embeddings = embeddings, .is_own = true};
        for (std::size_t i = 0; i < embeddings.shape()[0]; ++i) {
            lesson.tokens.push_back("token" + std::to_string(i + 1));
        }
        return lesson;
    }

    // For each node, whether it depends on this one.
    std::vector<bool> dependents(std::size_t id) const {
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

    // True if softmax is applied to products of this matrix with itself, perhaps after projections.
    bool is_attended(std::size_t id) const {
        const std::vector<bool> depends = dependents(id);
        const auto is_product = [&](const Computed& node) {
            return (node.operation == "matmul" || node.operation == "mm" || node.operation == "bmm" ||
                    node.operation == "einsum" || node.operation == "scaled_dot_product_attention") &&
                   node.operands.size() > 1 && depends[node.operands[0]] && depends[node.operands[1]];
        };
        std::vector<bool> is_score(flow_.nodes.size());  // a product, or computed from one
        for (std::size_t n = id; n < is_score.size(); ++n) {
            if (!depends[n]) {
                continue;
            }
            const Computed& node = flow_.nodes[n];
            is_score[n] = is_product(node) || std::ranges::any_of(node.operands, [&](std::size_t operand) {
                              return is_score[operand];
                          });
            if (is_score[n] && (node.operation == "softmax" || node.operation == "exp" ||
                                node.operation.starts_with("scaled_dot"))) {
                return true;
            }
        }
        return false;
    }

    // True if a matrix is used as the inputs of attention: multiplied with its own transpose or with drawn
    // weights, or passed to a module.
    bool is_lesson(std::size_t id) const {
        std::set<std::size_t> forms{id};  // the matrix, also transposed, selected, …
        for (Ids open{id}; !open.empty();) {
            const std::size_t next = open.back();
            open.pop_back();
            for (const std::size_t user : users_[next]) {
                if (is_move(flow_.nodes[user].operation) && forms.insert(user).second) {
                    open.push_back(user);
                }
            }
        }
        const auto is_weight = [&](std::size_t node) {
            return forms.contains(node) || is_drawn(node) || flow_.nodes[node].operation == "printed";
        };
        return flow_.nodes[id].value.shape()[0] > 1 && std::ranges::any_of(forms, [&](std::size_t form) {
                   return std::ranges::any_of(users_[form], [&](std::size_t user) {
                       const Computed& node = flow_.nodes[user];
                       return multiplies(node.operation) && node.operands.size() > 1 &&
                              node.operands[0] == form && is_weight(node.operands[1]);
                   });
               });
    }

    // The parameters that the code states for a stage, once for each seed that weights are drawn from.
    std::vector<Parameters> stated_parameters(const Stage& stage, std::size_t d_in) const {
        std::vector<Parameters> all;
        std::size_t batch = stage.defaults.batch;
        double dropout = 0.0;
        std::set<std::uint64_t> dropout_seeds;
        for (const Module& module : flow_.modules) {
            for (const std::size_t input : module.inputs) {
                batch = flow_.nodes[input].value.rank() == 3 ? flow_.nodes[input].value.shape()[0] : batch;
            }
            dropout = module.type == "Dropout" && module.numbers.contains("p")
                          ? std::max(dropout, module.numbers.at("p"))
                          : dropout;
        }
        for (const Drawn& draw : flow_.draws) {
            const bool is_mask = flow_.nodes[draw.node].operation == "dropout-mask";
            constexpr std::size_t most = 3;  // seeds of dropout
            if (is_mask && draw.seed && draw.earlier == 0 && dropout_seeds.size() < most) {
                dropout_seeds.insert(*draw.seed);
            }
        }
        for (const Drawn& draw : flow_.draws) {
            const Computed& node = flow_.nodes[draw.node];
            if (!draw.seed || draw.earlier != 0 || node.value.rank() != 2 || node.operation == "Embedding" ||
                !is_draw(node.operation)) {
                continue;
            }
            const bool is_layer = node.operation == "Linear";
            const std::size_t d_out = node.value.shape()[is_layer ? 0 : 1];
            if (node.value.shape()[is_layer ? 1 : 0] != d_in) {
                continue;
            }
            Parameters parameters = stage.defaults;
            parameters.seed = *draw.seed;
            parameters.d_out = d_out;
            parameters.batch = uses(stage, "batch") ? batch : parameters.batch;
            parameters.dropout_seed =
                dropout_seeds.empty() ? parameters.dropout_seed : *dropout_seeds.begin();
            if (dropout > 0.0 && stage.defaults.dropout > 0.0) {
                parameters.dropout = dropout;
            }
            for (const Owner& owner : owners_[draw.node]) {
                if (!owner.module->numbers.empty()) {
                    apply(*owner.module, stage, parameters);
                    for (const std::size_t heads : possible_heads(*owner.module, parameters.d_out)) {
                        all.push_back(parameters);
                        all.back().num_heads = heads;
                    }
                }
            }
            std::vector<std::size_t> widths{d_out};
            if (constexpr std::size_t fused = 3; d_out % fused == 0) {
                widths.push_back(d_out / fused);  // one layer may have the queries, keys and values
            }
            for (const std::size_t width : widths) {
                parameters.d_out = width;
                all.push_back(parameters);
                for (const std::size_t heads : shown_heads(width)) {
                    if (uses(stage, "num_heads")) {
                        all.push_back(parameters);
                        all.back().num_heads = heads;
                    }
                }
            }
        }
        for (std::size_t i = 0, count = all.size(); i < count; ++i) {
            if (all[i].dropout == 0.0 || !uses(stage, "dropout")) {
                continue;
            }
            for (const std::uint64_t other : dropout_seeds) {
                all.push_back(all[i]);
                all.back().dropout_seed = other;
            }
            all.push_back(all[i]);  // eval() switches it off
            all.back().dropout = 0.0;
        }
        return all;
    }

    // The heads that rows of this width are split into by view, as (…, d_out) to (…, heads, head_dim).
    std::set<std::size_t> shown_heads(std::size_t d_out) const {
        const auto [known, is_new] = shown_heads_.try_emplace(d_out);
        std::set<std::size_t>& heads = known->second;
        if (!is_new) {
            return heads;
        }
        for (const Computed& node : flow_.nodes) {
            const Shape& to = node.value.shape();
            const std::size_t rank = to.rank();
            if ((node.operation == "view" || node.operation == "reshape") && rank > 2 && to[rank - 2] > 1 &&
                to[rank - 2] * to[rank - 1] == d_out) {
                heads.insert(to[rank - 2]);
            }
        }
        return heads;
    }

    // Numbers of a module that may be its heads, because no argument is called num_heads.
    static std::set<std::size_t> possible_heads(const Module& module, std::size_t d_out) {
        std::set<std::size_t> heads;
        for (const auto& [name, node] : module.tensors) {  // "heads.2.W_query.weight"
            const std::size_t digit = name.find_first_of("123456789");
            if (digit != std::string::npos && digit > 0 && name[digit - 1] == '.' &&
                name.substr(digit + 1, 1) == ".") {
                heads.insert(static_cast<std::size_t>(name[digit] - '0') + 1);
            }
        }
        if (!heads.empty()) {
            return {*heads.rbegin()};
        }
        for (const auto& [name, number] : module.numbers) {
            if (name == "num_heads" || name == "n_heads") {
                return {};
            }
            const auto one = static_cast<std::size_t>(std::max(number, 0.0));
            if (name.find('.') == std::string::npos && one > 1 && one <= d_out && d_out % one == 0) {
                heads.insert(one);
            }
        }
        return heads;
    }

    static void apply(const Module& module, const Stage& stage, Parameters& parameters) {
        const auto number = [&](std::string_view name) -> std::optional<double> {
            const auto found = module.numbers.find(std::string(name));
            return found == module.numbers.end() ? std::nullopt : std::optional(found->second);
        };
        const auto heads = number("num_heads") ? number("num_heads") : number("n_heads");
        if (heads && uses(stage, "num_heads")) {
            parameters.num_heads = static_cast<std::size_t>(*heads);
        }
        if (const auto bias = number("qkv_bias") ? number("qkv_bias") : number("bias");
            bias && uses(stage, "qkv_bias")) {
            parameters.qkv_bias = *bias != 0.0;
        }
        if (const auto dropout = number("dropout");
            dropout && stage.defaults.dropout == 0.0 && uses(stage, "dropout")) {
            parameters.dropout = *dropout;
        }
        if (const auto length = number("context_length"); length && uses(stage, "context_length")) {
            parameters.context_length = static_cast<std::size_t>(*length);
        }
    }

    void walk_chapter(Chapter& chapter) {
        const auto add = [&](const Stage& stage, const Parameters& parameters, const WeightSource& weights) {
            try {
                StageTrace walked = walk(stage, chapter.lesson, parameters,
                                         {question_.inputs.focus, weights, nullptr, nullptr, true});
                chapter.walks.push_back(std::move(walked));
                chapter.weights.push_back(weights);
            } catch (const Error&) {
                return;  // a stage that these settings do not fit
            }
        };
        for (const Stage* const stage : catalogue()) {
            if (stage->group != StageGroup::documents || !uses(*stage, "lesson")) {
                continue;
            }
            std::vector<Parameters> all =
                uses(*stage, "seed") ? stated_parameters(*stage, chapter.lesson.embeddings.shape()[1])
                                     : std::vector<Parameters>{stage->defaults};
            if (flow_.draws.empty()) {
                all = {stage->defaults};
            }
            std::set<std::string> seen;
            for (const Parameters& parameters : all) {
                std::string key;
                for (const ParameterRow& row : parameter_table()) {
                    key += uses(*stage, row.name) ? row.json(parameters) + " " : "";
                }
                if (seen.insert(key).second) {
                    add(*stage, parameters, nullptr);
                }
            }
            for (const TensorMap& weights : own_weights(chapter.is_documents)) {
                const auto file = std::make_shared<const TensorFile>("", weights);
                Parameters parameters = stage->defaults;
                parameters.batch = uses(*stage, "batch") ? 2 : parameters.batch;
                std::vector<std::optional<std::size_t>> heads{std::nullopt};
                if (const auto query = weights.find("W_query.weight");
                    query != weights.end() && uses(*stage, "num_heads")) {
                    const std::set<std::size_t> shown = shown_heads(query->second.shape()[0]);
                    heads.insert(heads.end(), shown.begin(), shown.end());
                }
                for (const std::optional<std::size_t> h : heads) {
                    if (uses(*stage, "weights")) {
                        add(*stage, parameters,
                            [file, h](const Stage&) { return StateDict{.file = file, .num_heads = h}; });
                    }
                }
            }
        }
    }

    // True for random numbers, also if they are scaled or moved: torch.randn(6, 3) * 0.2.
    bool is_drawn(std::size_t id) const {
        const Computed& node = flow_.nodes[id];
        const auto is_number = [&](std::size_t operand) { return flow_.nodes[operand].value.count() == 1; };
        return is_draw(node.operation) || (!multiplies(node.operation) && !node.operands.empty() &&
                                           std::ranges::all_of(node.operands, [&](std::size_t operand) {
                                               return is_drawn(operand) || is_number(operand);
                                           }));
    }

    // The weights whose names say nothing, by their use: the queries are multiplied with the keys, and a
    // result of that with the values.
    std::map<std::string, std::size_t> weights_by_use() const {
        std::map<std::size_t, std::size_t> projected;  // node → its weight
        std::map<std::string, std::size_t> found;
        std::set<std::size_t> taken;
        for (std::size_t id = 0; id < flow_.nodes.size() && found.size() < 3; ++id) {
            const Computed& node = flow_.nodes[id];
            const auto weight_of = [&](std::size_t i) -> std::optional<std::size_t> {
                const auto one =
                    i < node.operands.size() ? projected.find(node.operands[i]) : projected.end();
                return one == projected.end() ? std::nullopt : std::optional(one->second);
            };
            if (is_move(node.operation) && weight_of(0)) {
                projected[id] = *weight_of(0);
            }
            if (!multiplies(node.operation) || node.operands.size() < 2) {
                continue;
            }
            const std::size_t weight = node.operands[1];
            const auto left = weight_of(0);
            const auto right = weight_of(1);
            const bool is_unnamed = std::ranges::none_of(
                owners_[weight], [](const Owner& one) { return !weight_role(*one.attribute).empty(); });
            if (is_drawn(weight) && is_unnamed && weight_role(flow_.nodes[weight].name).empty()) {
                projected[id] = weight;
            } else if (left && right && *left != *right && found.empty()) {
                found = {{"W_query", *left}, {"W_key", *right}};
                taken = {*left, *right};
            } else if (right && !left && found.size() == 2 && !taken.contains(*right)) {
                found["W_value"] = *right;
            }
        }
        return found;
    }

    // The weights of modules, and of variables called W_query and the like, under the usual names.
    // On the documents' inputs, weights from one of their seeds are compared with theirs.
    std::vector<TensorMap> own_weights(bool is_documents) {
        auto& known = own_weights_[is_documents];
        if (!known) {
            known.emplace();
            std::vector<std::map<std::string, std::size_t>> groups;
            for (const Module& module : flow_.modules) {
                groups.push_back(module.tensors);
            }
            std::map<std::string, std::size_t> free;
            for (std::size_t id = 0; id < flow_.nodes.size(); ++id) {
                const Computed& node = flow_.nodes[id];
                if (owners_[id].empty() && (is_drawn(id) || node.operation == "printed")) {
                    free[node.name] = id;
                }
            }
            groups.push_back(std::move(free));
            groups.emplace_back();
            for (const Module& module : flow_.modules) {  // layers that are variables of their own
                for (const auto& [attribute, node] : module.tensors) {
                    if (module.type == "Linear" && !weight_role(module.name).empty()) {
                        groups.back()[module.name + "." + attribute] = node;
                    }
                }
            }
            groups.push_back(weights_by_use());
            for (const auto& group : groups) {
                TensorMap weights;
                bool is_usual = true;
                for (const auto& [name, node] : group) {
                    const std::string role = weight_role(name);
                    const bool is_bias = name.ends_with(".bias");
                    const std::string of = is_bias ? weight_role(name.substr(0, name.size() - 5)) : role;
                    if (of.empty() || !flow_.nodes[node].is_known ||
                        flow_.nodes[node].value.rank() != (is_bias ? 1U : 2U)) {
                        continue;
                    }
                    const std::size_t dot = name.ends_with(".weight") || is_bias
                                                ? name.rfind('.', name.rfind('.') - 1)
                                                : name.rfind('.');
                    const std::string prefix =
                        name.starts_with("heads.") && dot != std::string::npos ? name.substr(0, dot + 1) : "";
                    weights[prefix + of +
                            (is_bias                     ? ".bias"
                             : name.ends_with(".weight") ? ".weight"
                                                         : "")] = flow_.nodes[node].value;
                    is_usual = is_usual && flow_.nodes[node].operation != untransposed &&
                               !(is_documents && has_seed_of_document(node));
                }
                if (weights.size() >= 3 && is_usual) {
                    TensorMap layers;  // as the weights of nn.Linear
                    for (const auto& [name, weight] : weights) {
                        if (!name.ends_with(".weight") && !name.ends_with(".bias") && weight.rank() == 2) {
                            layers[name + ".weight"] = transpose(weight, 0, 1);
                        }
                    }
                    known->push_back(std::move(weights));
                    if (layers.size() >= 3) {
                        known->push_back(std::move(layers));
                    }
                }
            }
        }
        return *known;
    }

    const Drawn* draw_of(std::size_t node) const {
        const auto found = std::ranges::find(flow_.draws, node, &Drawn::node);
        return found == flow_.draws.end() ? nullptr : &*found;
    }

    // True if the same seed is set directly before two layers of queries, keys and values.
    bool sets_seed_often() const {
        std::set<std::pair<std::uint64_t, std::string>> seen;
        std::set<std::pair<std::uint64_t, std::optional<std::size_t>>> seeds;  // with the cell
        for (const Drawn& draw : flow_.draws) {
            const std::string named = named_step(draw.node);
            const bool is_first =
                draw.seed && draw.earlier == 0 && !named.empty() && seen.emplace(*draw.seed, named).second;
            if (is_first && !seeds.emplace(*draw.seed, flow_.nodes[draw.node].place.cell).second) {
                return true;
            }
        }
        return false;
    }

    bool has_seed_of_document(std::size_t node) const {
        const Drawn* const draw = draw_of(node);
        return draw != nullptr && (draw->seed == 123 || draw->seed == 789);
    }

    // ---- what belongs to the chapter --------------------------------------------------------------------

    // Marks the nodes that depend on a lesson or on weights of attention.
    void find_relevant() {
        is_relevant_.assign(flow_.nodes.size(), false);
        for (const Chapter& chapter : chapters_) {
            for (std::size_t id = 0; id < flow_.nodes.size(); ++id) {
                is_relevant_[id] = is_relevant_[id] || is_node_of(chapter, id);
            }
        }
        const auto mark_weight = [&](const std::string& name, std::size_t node) {
            const bool is_bias = name.ends_with(".bias");
            if (!weight_role(is_bias ? name.substr(0, name.size() - 5) : name).empty()) {
                is_relevant_[node] = true;
            }
        };
        for (const Module& module : flow_.modules) {
            for (const auto& [name, node] : module.tensors) {
                mark_weight(name, node);
            }
        }
        for (const Computed& node : flow_.nodes) {  // printed scores
            if (node.operation != "softmax" || node.operands.empty()) {
                continue;
            }
            std::size_t id = node.operands[0];
            while (is_plain(flow_.nodes[id].operation) && !flow_.nodes[id].operands.empty()) {
                id = flow_.nodes[id].operands[0];
            }
            const Tensor& x = flow_.nodes[id].value;
            is_relevant_[id] = is_relevant_[id] || (flow_.nodes[id].operation == "printed" && x.rank() > 1 &&
                                                    x.size(-1) == x.size(-2));
        }
        for (std::size_t id = 0; id < flow_.nodes.size(); ++id) {
            const Computed& node = flow_.nodes[id];
            if ((is_draw(node.operation) || node.operation == "printed") && node.value.rank() <= 2) {
                mark_weight(node.name, id);
            }
            const bool is_product = multiplies(node.operation);
            const bool is_mixed = std::ranges::any_of(
                node.operands, [&](std::size_t operand) { return is_relevant_[operand]; });
            if (is_mixed && is_product) {
                for (const std::size_t operand :
                     node.operands) {  // weights that the lesson is multiplied with
                    is_relevant_[operand] = is_relevant_[operand] || is_draw(flow_.nodes[operand].operation);
                }
            }
            is_relevant_[id] =
                is_relevant_[id] || (is_mixed && std::ranges::all_of(node.operands, [&](std::size_t operand) {
                                         return is_relevant_[operand] || is_harmless(operand) || is_product;
                                     }));
        }
    }

    // True for masks and other constants, and for tensors made from them alone.
    bool is_harmless(std::size_t id) const {
        const Computed& node = flow_.nodes[id];
        return is_constant(node.operation) || node.operation == "dropout-mask" ||
               (node.operands.empty() && node.value.count() == 1 && !is_draw(node.operation)) ||
               (!node.operands.empty() && std::ranges::all_of(node.operands, [this](std::size_t operand) {
                   return is_harmless(operand);
               }));
    }

    // ---- steps ------------------------------------------------------------------------------------------

    // Finds a node among the steps of the walks: the whole step, or the part at the first indices.
    std::vector<Found> find_steps(std::size_t id) const {
        const Computed& node = flow_.nodes[id];
        std::vector<Found> found;
        if (!node.is_known || node.value.count() == 0) {
            return found;
        }
        for (const Chapter& chapter : chapters_) {
            for (const StageTrace& walk : chapter.walks) {
                for (const std::size_t step : walk.steps) {
                    const Node& right = walk.node(step);
                    const float first = node.value.values()[0];  // 0 and 1 alone tell nothing
                    const bool is_any = node.value.count() == 1 && (first == 0.0F || first == 1.0F) &&
                                        right.call.operation->name != node.operation;
                    if (!right.shows.empty() || is_any) {
                        continue;
                    }
                    if (const auto piece = piece_of(right.value, node)) {
                        found.push_back({&walk, step, *piece});
                    }
                }
            }
        }
        for (const Ids& batch : batches_) {
            add_steps_of_batch(node, batch, found);
        }
        // Drawn weights and whole steps first, and of equal steps that of the same name or operation.
        std::ranges::stable_sort(found, {}, [&node](const Found& one) {
            const Node& step = one.walk->node(one.step);
            return std::tuple(one.walk->own_weights, !one.piece.empty(), step.name != node.name,
                              step.call.operation->name != node.operation);
        });
        return found;
    }

    // Finds x[0], x[1], … as the same step of walks with different sequences.
    void add_steps_of_batch(const Computed& x, const Ids& batch, std::vector<Found>& found) const {
        if (x.value.rank() < 2 || x.value.shape()[0] != batch.size()) {
            return;
        }
        std::vector<Computed> parts;
        for (std::size_t i = 0; i < batch.size(); ++i) {
            parts.push_back({x.operation, {}, select(x.value, {i}), true, x.slack});
        }
        const std::vector<StageTrace>& walks = chapters_[batch[0]].walks;
        for (std::size_t w = 0; w < walks.size(); ++w) {
            for (const std::size_t step : walks[w].steps) {
                bool is_same = true;
                for (std::size_t i = 0; i < batch.size() && is_same; ++i) {
                    const std::vector<StageTrace>& of = chapters_[batch[i]].walks;
                    is_same = w < of.size() && of[w].stage == walks[w].stage &&
                              step < of[w].notebook.nodes().size() &&
                              piece_of(of[w].node(step).value, parts[i]).has_value();
                }
                if (is_same) {
                    found.push_back({&walks[w], step, ""});
                }
            }
        }
    }

    static std::optional<std::string> piece_of(const Tensor& step, const Computed& node) {
        const Shape& whole = step.shape();
        const Shape& part = node.value.shape();
        const std::size_t more = whole.rank() - std::min(part.rank(), whole.rank());
        const bool is_telling = std::ranges::any_of(
            node.value.values(), [](float x) { return x != 0.0F && std::abs(x - 1.0F) > 1e-4F; });
        if (part.rank() > whole.rank() || (more > 0 && (node.value.count() < 2 || !is_telling))) {
            return std::nullopt;
        }
        for (std::size_t axis = 0; axis < part.rank(); ++axis) {
            if (part[axis] != whole[axis + more]) {
                return is_telling && more == 0 ? block_of(step, node) : std::nullopt;
            }
        }
        const std::size_t size = node.value.count();
        for (std::size_t at = 0; at * size < step.count(); ++at) {
            if (is_close(node.value.values(), step.values().subspan(at * size, size), node.slack)) {
                std::string index;
                std::size_t rest = at;
                for (std::size_t axis = more; axis-- > 0; rest /= whole[axis]) {
                    index = std::to_string(rest % whole[axis]) + (index.empty() ? "" : ", ") + index;
                }
                return index.empty() ? "" : "[" + index + "]";
            }
        }
        return std::nullopt;
    }

    // A part such as [2:4, :3], as a cache of keys computes it for some tokens.
    static std::optional<std::string> block_of(const Tensor& step, const Computed& node) {
        constexpr std::size_t most = 4096;  // numbers of a step: each may be where the block begins
        const Shape& whole = step.shape();
        const Shape& part = node.value.shape();
        const Strides strides = strides_of(whole);
        const std::size_t rank = part.rank();
        std::vector<std::size_t> starts(rank);  // how many there are along each axis
        std::size_t count = 1;
        for (std::size_t axis = 0; axis < rank; ++axis) {
            starts[axis] = whole[axis] + 1 - std::min(part[axis], whole[axis] + 1);
            count *= starts[axis];
        }
        if (step.count() > most || node.value.count() < 2) {
            return std::nullopt;
        }
        std::vector<std::size_t> at(rank);
        const auto offset_of = [&](std::size_t index, const auto& sizes) {
            std::size_t offset = 0;
            for (std::size_t axis = rank; axis-- > 0; index /= sizes[axis]) {
                at[axis] = index % sizes[axis];
                offset += at[axis] * strides.at(axis);
            }
            return offset;
        };
        for (std::size_t start = 0; start < count; ++start) {
            const std::size_t from = offset_of(start, starts);
            const std::vector<std::size_t> begin = at;
            const auto is_same = [&](std::size_t i) {
                return is_close(static_cast<double>(node.value.values()[i]),
                                static_cast<double>(step.values()[from + offset_of(i, part)]), node.slack);
            };
            std::size_t same = 0;
            while (same < node.value.count() && is_same(same)) {
                ++same;
            }
            if (same < node.value.count()) {
                continue;
            }
            std::string index;
            for (std::size_t axis = rank; axis-- > 0;) {
                const bool is_whole = part[axis] == whole[axis];
                if (is_whole && index.empty()) {
                    continue;
                }
                const std::string range =
                    is_whole ? ":"
                             : std::to_string(begin[axis]) + ":" + std::to_string(begin[axis] + part[axis]);
                index = range + (index.empty() ? "" : ", ") + index;
            }
            return "[" + index + "]";
        }
        return std::nullopt;
    }

    // ---- verdicts ---------------------------------------------------------------------------------------

    const Status& status(std::size_t id) {
        if (!is_judged_[id]) {
            is_judged_[id] = true;
            status_[id] = decide(id);
        }
        return status_[id];
    }

    // True for the embeddings of a chapter, also of a cell that ran twice.
    bool is_node_of(const Chapter& chapter, std::size_t id) const {
        const Computed& node = flow_.nodes[id];
        return chapter.node &&
               (chapter.node == id || (node.operands.empty() && !is_draw(node.operation) &&
                                       identical(flow_.nodes[*chapter.node].value, node.value)));
    }

    bool is_altered_lesson(std::size_t id) const {
        return std::ranges::any_of(
            chapters_, [&](const Chapter& chapter) { return chapter.is_altered && is_node_of(chapter, id); });
    }

    static bool all_ones(const Tensor& x) {
        return std::ranges::all_of(x.values(), [](float one) { return std::abs(one - 1.0F) < 1e-4F; });
    }

    // True for masks.
    static bool is_binary(const Tensor& x) {
        return std::ranges::all_of(x.values(),
                                   [](float one) { return one == 0.0F || one == 1.0F || std::isinf(one); });
    }

    // True for square masks that show each token some tokens around it: not those of the chapter.
    static bool is_window(const Tensor& x) {
        const std::size_t n = x.rank() < 2 || x.size(-1) != x.size(-2) ? 0 : x.size(-1);
        const auto changes = [&](std::size_t row) {
            std::size_t count = 0;
            for (std::size_t i = row * n + 1; i < (row + 1) * n; ++i) {
                count += x.values()[i] != x.values()[i - 1] ? 1 : 0;
            }
            return count;
        };
        bool is_banded = n > 3;
        bool has_middle = false;
        for (std::size_t row = 0; is_banded && row < n; ++row) {
            is_banded = changes(row) <= 2 &&
                        (row == 0 || x.values()[row * n + row] == x.values()[(row - 1) * n + row - 1]);
            has_middle = has_middle || changes(row) == 2;
        }
        return is_banded && has_middle;
    }

    // True for sums that are 1 and differences that are 0, as right numbers have, and for tests of them.
    bool is_usual_sum(std::size_t id) const {
        const auto is_test = [](std::string_view name) {
            return is_move(name) || name == "abs" || name == "max" || name == "compare";
        };
        while (is_test(flow_.nodes[id].operation) && !flow_.nodes[id].operands.empty()) {
            id = flow_.nodes[id].operands[0];
        }
        const Computed& node = flow_.nodes[id];
        return (node.operation == "sum" && all_ones(node.value)) ||
               std::ranges::all_of(node.value.values(), [](float one) { return std::abs(one) < 2e-6F; });
    }

    // True if view puts the heads before the tokens: (b, n, d) to (b, heads, n, d / heads).
    bool splits_without_transpose(std::size_t id) {
        const Computed& node = flow_.nodes[id];
        if (!is_relevant_[id] || (node.operation != "view" && node.operation != "reshape") ||
            node.operands.empty()) {
            return false;
        }
        const Shape& from = flow_.nodes[node.operands[0]].value.shape();
        const Shape& to = node.value.shape();
        const std::size_t tokens = from.rank() > 1 ? from.rank() - 2 : 0;
        return from.rank() > 1 && to.rank() == from.rank() + 1 && to[tokens] != from[tokens] &&
               to[tokens + 1] == from[tokens] && !status(node.operands[0]).found.empty();
    }

    // The axis, counted from the end, over which scores are normalised instead of the last: 2 for the columns
    // of (…, n, n), 3 for the heads; otherwise 0.
    std::size_t normalised_axis(std::size_t id) const {
        const Tensor& x = flow_.nodes[id].value;
        const bool is_normalised = is_relevant_[id] &&
                                   (normalises(id) || flow_.nodes[id].operation == "softmax") &&
                                   x.rank() > 1 && !all_ones(sum(x, -1, false));
        for (std::size_t axis = 2; is_normalised && axis <= std::min<std::size_t>(x.rank(), 3); ++axis) {
            const int at = -static_cast<int>(axis);
            if (x.size(at) > 1 && x.size(-1) == x.size(-2) && all_ones(sum(x, at, false))) {
                return axis;
            }
        }
        return 0;
    }

    // True for dropout of scores instead of weights.
    bool drops_scores(std::size_t id) {
        const Computed& node = flow_.nodes[id];
        return node.operation == "dropout" &&
               std::ranges::any_of(status(node.operands[0]).found, [](const Found& one) {
                   return one.walk->node(one.step).name.starts_with("attn_scores");
               });
    }

    // True for right weights, dropped by a mask that no document has.
    bool is_dropped_by_own_seed(std::size_t id) {
        const Computed& node = flow_.nodes[id];
        return node.operation == "dropout" && is_right(status(node.operands[0]).verdict) &&
               draw_of(node.operands[1]) != nullptr && draw_of(node.operands[1])->seed &&
               !(chapters_.front().is_documents && has_seed_of_document(node.operands[1]));
    }

    // True for masked scores (…, n, n) that hide some later tokens, but not all of them, and no earlier ones.
    bool shows_later_tokens(std::size_t id) const {
        const Tensor& x = flow_.nodes[id].value;
        if (!is_relevant_[id] || x.rank() < 2 || x.size(-1) != x.size(-2)) {
            return false;
        }
        const std::size_t n = x.size(-1);
        bool hides = false;
        bool shows = false;
        for (std::size_t i = 0; i < x.count(); ++i) {
            const bool is_later = i % n > i / n % n;
            const bool is_hidden = x.values()[i] == -HUGE_VALF;
            if (is_hidden && !is_later) {
                return false;
            }
            hides = hides || is_hidden;
            shows = shows || (is_later && !is_hidden);
        }
        return hides && shows;
    }

    // True for masked scores (…, n, n) that hide all earlier tokens and no later ones.
    bool hides_earlier_tokens(std::size_t id) const {
        const Tensor& x = flow_.nodes[id].value;
        if (!is_relevant_[id] || x.rank() < 2 || x.size(-1) != x.size(-2) || x.size(-1) < 3) {
            return false;
        }
        const std::size_t n = x.size(-1);
        for (std::size_t i = 0; i < x.count(); ++i) {
            const bool is_hidden = x.values()[i] < -1e30F;
            if (i % n != i / n % n && is_hidden != (i % n < i / n % n)) {
                return false;
            }
        }
        return true;
    }

    // True if view joins the heads without a transpose: (b, heads, n, d) to (b, n, heads · d).
    bool merges_without_transpose(std::size_t id) {
        const Computed& node = flow_.nodes[id];
        if (!is_relevant_[id] || (node.operation != "view" && node.operation != "reshape") ||
            node.operands.empty() || flow_.nodes[node.operands[0]].value.rank() < 3) {
            return false;
        }
        const Shape& from = flow_.nodes[node.operands[0]].value.shape();
        const Shape& to = node.value.shape();
        const std::size_t heads = from.rank() - 3;
        return to.rank() + 1 == from.rank() && from[heads] > 1 && from[heads] != from[heads + 1] &&
               to[heads] == from[heads + 1] && to[heads + 1] == from[heads] * from[heads + 2] &&
               !status(node.operands[0]).found.empty();
    }

    // The step that the name of a node says: "W_query", "queries"; empty if it says none.
    std::string named_step(std::size_t id) const {
        const Computed& node = flow_.nodes[id];
        std::string name = node.name;
        for (const Owner& owner : owners_[id]) {
            name = !owner.module->name.empty() && *owner.attribute == "weight" ? owner.module->name : name;
            name = !weight_role(*owner.attribute).empty() ? *owner.attribute : name;
        }
        const bool is_weight = is_draw(node.operation);
        const std::string role = weight_role(name);
        const bool is_projection = node.operation == "matmul" || node.operation == "linear";
        const auto step = projections().find(role);
        return is_weight ? role
               : is_projection && step != projections().end() && name.find('W') == std::string::npos
                   ? step->second
                   : "";
    }

    // A seed of the reader's own has no usual order of layers. True for such layers, and for projections by
    // the layer that their name says.
    bool has_own_order(std::size_t id) const {
        const auto is_own = [this](std::size_t node) {
            return draw_of(node) != nullptr && !has_seed_of_document(node);
        };
        return is_own(id) || std::ranges::any_of(flow_.nodes[id].operands, [&](std::size_t operand) {
                   const auto step = projections().find(named_step(operand));
                   return is_own(operand) && step != projections().end() && step->second == named_step(id);
               });
    }

    static const std::map<std::string, std::string, std::less<>>& projections() {
        static const std::map<std::string, std::string, std::less<>> all{
            {"W_query", "queries"}, {"W_key", "keys"}, {"W_value", "values"}};
        return all;
    }

    Status decide(std::size_t id) {
        const Computed& node = flow_.nodes[id];
        std::vector<Found> found =
            is_relevant_[id] || is_harmless(id) ? find_steps(id) : std::vector<Found>();
        if (is_altered_lesson(id)) {
            return {OutputVerdict::mistake, {}, id};
        }
        if (draw_of(id) != nullptr && draw_of(id)->is_again && has_seed_of_document(id)) {
            const std::size_t first = std::ranges::find(flow_.draws, true, &Drawn::is_again)->node;
            return {first == id ? OutputVerdict::mistake : OutputVerdict::follows, {}, first};
        }
        if (node.operation == untransposed || splits_without_transpose(id) || merges_without_transpose(id) ||
            normalised_axis(id) == 3 || drops_scores(id) || is_used_as_unchanged(id) ||
            (is_relevant_[id] && (overwritten_in(id) != nullptr || flow_.dropped_in_eval.contains(id)))) {
            return {OutputVerdict::mistake, {}, id};
        }
        std::optional<std::size_t> culprit;
        bool is_swapped = false;
        for (const std::size_t operand : node.operands) {
            const Status& of = status(operand);
            culprit = culprit ? culprit : of.culprit;
            is_swapped = is_swapped || of.is_swapped;
        }
        const std::string named = named_step(id);
        if (!found.empty()) {
            const bool names_other = !named.empty() && std::ranges::none_of(found, [&](const Found& one) {
                return one.walk->node(one.step).name.starts_with(named);
            });
            const bool is_of_layer = std::ranges::any_of(found, [&](const Found& one) {
                const std::string& name = one.walk->node(one.step).name;
                return name.starts_with("W_") || name.starts_with("queries") || name.starts_with("keys") ||
                       name.starts_with("values");
            });
            if (names_other && is_of_layer && (culprit || !has_own_order(id))) {
                return {culprit ? OutputVerdict::follows : OutputVerdict::mistake,
                        {},
                        culprit.value_or(id),
                        true};
            }
            const auto has_name = [&](const Found& one) {
                return !named.empty() && one.walk->node(one.step).name.starts_with(named);
            };
            std::stable_partition(found.begin(), found.end(), has_name);
            const bool is_telling =
                !culprit ||
                (!is_binary(node.value) && !copies_operand(id, found, *culprit) &&
                 flow_.nodes[*culprit].operation != "changed" && overwritten_in(*culprit) == nullptr);
            if (is_telling && !(is_swapped && names_other)) {
                const OutputVerdict verdict = right_or_settings(found);
                return {.verdict = verdict, .found = std::move(found), .beside = culprit};
            }
        }
        if (!is_relevant_[id]) {
            const bool is_mask =
                is_harmless(id) && node.operation != "number" && !is_window(node.value) &&
                (is_binary(node.value) || node.operation == "dropout" ||
                 (node.operation == "sum" && is_binary(flow_.nodes[node.operands.at(0)].value)));
            return {is_mask || (node.operation == "number" && node.name.empty()) ? OutputVerdict::by_product
                                                                                 : OutputVerdict::unknown};
        }
        if (culprit) {
            return {OutputVerdict::follows, {}, culprit};
        }
        // A mistake may take two calls, such as a mask between two softmaxes. Later calls only follow.
        const auto is_consistent = [this](std::size_t operand) {
            return status(operand).verdict == OutputVerdict::consistent;
        };
        const auto call_of = [this](std::size_t operand) {  // scaling and the like do not count
            while ((is_plain(flow_.nodes[operand].operation) || is_move(flow_.nodes[operand].operation)) &&
                   !flow_.nodes[operand].operands.empty()) {
                operand = flow_.nodes[operand].operands[0];
            }
            return operand;
        };
        if (std::ranges::any_of(node.operands, [&](std::size_t operand) {
                return is_consistent(operand) &&
                       std::ranges::any_of(flow_.nodes[call_of(operand)].operands, is_consistent);
            })) {
            return {OutputVerdict::consistent};
        }
        if (node.operands.empty() && has_seed_of_document(id) && chapters_.front().is_documents) {
            const Diagnosis& answer = ask(id);
            if (answer.is_decided() && !answer.matches.front().mistakes.empty()) {
                return {OutputVerdict::mistake, {}, id};
            }
        }
        const bool follows_code = std::ranges::any_of(node.operands, is_consistent);
        if (follows_code && (is_plain(node.operation) || is_move(node.operation))) {
            return {OutputVerdict::consistent};
        }
        if (node.operands.empty()) {
            return {is_draw(node.operation)       ? OutputVerdict::settings
                    : node.operation == "printed" ? OutputVerdict::unknown  // nothing to compare it with
                                                  : OutputVerdict::right};
        }
        if (node.operation == "cat" && node.operands.size() > 1) {
            const Diagnosis& answer = ask(id);
            if (answer.is_decided() && !answer.is_right()) {
                return {OutputVerdict::mistake, {}, id};
            }
        }
        if (is_move(node.operation)) {
            Status moved = status(node.operands[0]);
            moved.verdict =
                moved.verdict == OutputVerdict::unknown ? OutputVerdict::by_product : moved.verdict;
            return moved;
        }
        if (is_plain(node.operation) && !overwrites(id)) {
            const bool is_wrong =
                (masks_weights(id) && mistake_of(ask(id)).starts_with("mask-")) ||
                (normalises(id) &&
                 (mistake_of(ask(id)) == "keepdim-missing" || mistake_of(ask(id)).starts_with("mask") ||
                  mistake_of(ask(id)).starts_with("scaled") || mistake_of(ask(id)).starts_with("softmax-")));
            return is_wrong || is_scaled_by_width(id) ? Status{OutputVerdict::mistake, {}, id}
                                                      : Status{OutputVerdict::by_product};
        }
        if (reassigned_operand(id)) {
            return {OutputVerdict::mistake, {}, id};
        }
        if (is_dropped_by_own_seed(id) ||
            (multiplies(node.operation) && node.operands.size() == 2 &&
             is_dropped_by_own_seed(node.operands[0]) && is_right(status(node.operands[1]).verdict))) {
            return {OutputVerdict::settings};
        }
        if (node.value.count() == 1 && is_entry(node)) {
            return {OutputVerdict::by_product};
        }
        const Diagnosis& answer = ask(id);
        const bool are_right = std::ranges::all_of(node.operands, [this](std::size_t operand) {
            return is_harmless(operand) || is_right(status(operand).verdict);
        });
        const bool is_hidden = mistake_of(answer) == "finite-mask-leak" &&  // softmax makes it 0
                               std::ranges::min(node.value.values()) < -1e6F;
        if (is_hidden || (answer.is_decided() && is_about_draws(answer.matches.front()) &&
                          (are_right || !has_draws_of_document(id)))) {
            return {OutputVerdict::settings};  // the reader's own inputs, or weights drawn in another way
        }
        if (answer.is_decided() && !answer.matches.front().mistakes.empty()) {
            const bool is_about_scale =
                mistake_of(answer) == "no-scaling" || mistake_of(answer).starts_with("scaled-by-");
            return is_about_scale && tries_factors(id) ? Status{OutputVerdict::consistent}
                                                       : Status{OutputVerdict::mistake, {}, id};
        }
        if (const auto operand = answer.is_decided() ? std::nullopt : operand_of_notebook(id)) {
            return {OutputVerdict::mistake, {}, operand};
        }
        if (!answer.is_decided() &&
            (global_in(id) != nullptr || normalised_axis(id) != 0 || shows_later_tokens(id) ||
             hides_earlier_tokens(id) || is_scaled_otherwise(id))) {
            return {OutputVerdict::mistake, {}, id};
        }
        return {answer.is_decided() && !follows_code ? OutputVerdict::settings : OutputVerdict::consistent};
    }

    // The right scores, not yet scaled, that a node scales, masks or normalises.
    std::optional<std::size_t> unscaled_scores(std::size_t id) {
        const std::size_t count = flow_.nodes[id].value.count();
        std::optional<std::size_t> found;
        for (std::size_t scores = id; true; scores = flow_.nodes[scores].operands[0]) {
            found = usual_factors(scores).empty() ? found : std::optional(scores);
            const Computed& one = flow_.nodes[scores];
            if (one.operands.empty() || one.value.count() != count ||
                !(is_plain(one.operation) || is_move(one.operation) || one.operation == "masked_fill" ||
                  one.operation == "masked_fill_" || one.operation == "nan_to_num" ||
                  (scores == id && one.operation == "softmax"))) {
                return found;
            }
        }
    }

    // The number that right scores are multiplied with, if it is neither 1 nor 1/√d_k. A line that tries
    // several numbers, or names a temperature, does so on purpose.
    std::optional<double> unusual_factor(std::size_t id, std::size_t scaled) {
        const std::optional<std::size_t> scores = unscaled_scores(id);
        if (!scores || tries_factors(id)) {
            return std::nullopt;
        }
        const std::set<double> usual = usual_factors(*scores);
        const std::optional<double> factor =
            common_factor(flow_.nodes[scaled].value.values(), flow_.nodes[*scores].value.values());
        const auto is_close_to = [&](double other) { return std::abs(*factor / other - 1.0) < 0.01; };
        return factor && !is_close_to(1.0) && std::ranges::none_of(usual, is_close_to) ? factor
                                                                                       : std::nullopt;
    }

    bool tries_factors(std::size_t id) {
        const Computed& node = flow_.nodes[id];
        const std::optional<std::size_t> scores = unscaled_scores(id);
        return node.line.find("temp") != std::string::npos ||
               (scores && std::ranges::any_of(flow_.nodes, [&](const Computed& other) {
                    return &other != &node && other.operation == node.operation &&
                           other.place.cell == node.place.cell && other.place.line == node.place.line &&
                           depends(static_cast<std::size_t>(&other - flow_.nodes.data()), *scores);
                }));
    }

    bool is_scaled_otherwise(std::size_t id) {
        const Computed& node = flow_.nodes[id];
        return node.operation == "softmax" && unusual_factor(id, node.operands[0]).has_value();
    }

    // True for right scores that are divided by √d_in, which is not √d_k.
    bool is_scaled_by_width(std::size_t id) {
        const Computed& node = flow_.nodes[id];
        if (node.operation != "div" && node.operation != "mul") {
            return false;
        }
        const std::optional<double> factor = unusual_factor(id, id);
        return factor && std::ranges::any_of(chapters_, [&](const Chapter& chapter) {
                   const auto width = static_cast<double>(chapter.lesson.embeddings.shape()[1]);
                   return std::abs(*factor * std::sqrt(width) - 1.0) < 1e-3;
               });
    }

    // 1/√d_k of the stages whose unscaled scores these are.
    std::set<double> usual_factors(std::size_t id) {
        std::set<double> factors;
        for (const Found& one : status(id).found) {
            const Stage& stage = *one.walk->stage;
            const Parameters& p = one.walk->parameters;
            if (uses(stage, "d_out") && one.walk->node(one.step).name.starts_with("attn_scores")) {
                const std::size_t heads = uses(stage, "num_heads") ? p.num_heads : 1;
                factors.insert(1.0 / std::sqrt(static_cast<double>(p.d_out / heads)));
            }
        }
        return factors;
    }

    // y / x, if it is the same for all numbers that are neither masked nor small.
    static std::optional<double> common_factor(std::span<const float> y, std::span<const float> x) {
        std::optional<double> factor;
        for (std::size_t i = 0; i < y.size(); ++i) {
            if (std::abs(x[i]) < 1e-2F || !(std::abs(y[i]) < 1e6F) || y[i] == 0.0F) {
                continue;
            }
            const double here = static_cast<double>(y[i]) / static_cast<double>(x[i]);
            if (factor && std::abs(here / *factor - 1.0) > 1e-3) {
                return std::nullopt;
            }
            factor = factor.value_or(here);
        }
        return factor && *factor > 0.0 ? factor : std::nullopt;
    }

    // True for one number of a step, such as one score.
    bool is_entry(const Computed& one) const {
        return std::ranges::any_of(chapters_, [&](const Chapter& chapter) {
            return std::ranges::any_of(chapter.walks, [&](const StageTrace& walk) {
                return std::ranges::any_of(walk.steps, [&](std::size_t step) {
                    return std::ranges::any_of(walk.node(step).value.values(), [&](float x) {
                        return is_close(std::span(&x, 1), one.value.values(), one.slack);
                    });
                });
            });
        });
    }

    // True if a part of a result equals a part of an operand: row 0 of causal attention is row 0 of the
    // values, also if the weights are wrong. So is a part of heads that were joined in a wrong way.
    bool copies_operand(std::size_t id, const std::vector<Found>& found, std::size_t culprit) {
        std::size_t result = id;
        while (is_move(flow_.nodes[result].operation) && !flow_.nodes[result].operands.empty()) {
            if (result == culprit && flow_.nodes[result].operands.size() > 1) {
                return true;
            }
            result = flow_.nodes[result].operands[0];
        }
        const auto is_of_operand = [&](const Found& one) {
            return std::ranges::any_of(flow_.nodes[result].operands, [&](std::size_t operand) {
                return std::ranges::any_of(status(operand).found, [&](const Found& other) {
                    return one.walk->node(one.step).name == other.walk->node(other.step).name;
                });
            });
        };
        return result != id && std::ranges::any_of(found, is_of_operand);
    }

    // Returns the variable in this line that a loop overwrote, or null.
    const Overwritten* overwritten_in(std::size_t id) const {
        const Computed& node = flow_.nodes[id];
        const auto found = std::ranges::find_if(flow_.overwritten, [&](const Overwritten& use) {
            return node.operation == "overwritten" && use.place.cell == node.place.cell &&
                   use.place.line == node.place.line;
        });
        return found == flow_.overwritten.end() ? nullptr : &*found;
    }

    // True for a tensor that was changed in place under a second name, if the same operation is applied to
    // both: its author takes them for two tensors.
    bool is_used_as_unchanged(std::size_t id) const {
        const auto uses = [&](const Computed& node, std::size_t operand) {
            return std::ranges::find(node.operands, operand) != node.operands.end();
        };
        return flow_.nodes[id].operation == "changed" &&
               std::ranges::any_of(flow_.nodes, [&](const Computed& one) {
                   return uses(one, id) && std::ranges::any_of(flow_.nodes, [&](const Computed& other) {
                              return uses(other, flow_.nodes[id].operands[0]) &&
                                     other.operation == one.operation && identical(other.value, one.value);
                          });
               });
    }

    // An operand of one run beside operands of another, because its variable was assigned twice; and the
    // tensor of the other run that the variable had.
    struct Reassigned {
        std::size_t used;
        std::size_t other;
    };
    bool share_a_run(std::size_t a, std::size_t b) {
        return std::ranges::any_of(status(a).found, [&](const Found& one) {
            return std::ranges::any_of(status(b).found,
                                       [&](const Found& other) { return one.walk == other.walk; });
        });
    }

    // An operand that a method computes from a variable of the notebook, beside operands of another run.
    std::optional<std::size_t> operand_of_notebook(std::size_t id) {
        const Ids operands = flow_.nodes[id].operands;
        for (const std::size_t used : operands) {
            if (global_in(used) != nullptr && std::ranges::none_of(operands, [&](std::size_t other) {
                    return other != used && share_a_run(used, other);
                })) {
                return used;
            }
        }
        return std::nullopt;
    }

    std::optional<Reassigned> reassigned_operand(std::size_t id) {
        const Ids operands = flow_.nodes[id].operands;
        for (const std::size_t used : operands) {
            for (const std::size_t beside : operands) {
                if (status(used).found.empty() || status(beside).found.empty() || share_a_run(used, beside)) {
                    continue;
                }
                for (std::size_t other = 0; other < id; ++other) {
                    const Computed& node = flow_.nodes[other];
                    if (other != used && !node.name.empty() && node.name == flow_.nodes[used].name &&
                        node.value.shape() == flow_.nodes[used].value.shape() &&
                        node.place.cell != flow_.nodes[used].place.cell && share_a_run(other, beside)) {
                        return Reassigned{used, other};
                    }
                }
            }
        }
        return std::nullopt;
    }

    // The first mistake of a convincing answer; empty if there is none.
    static std::string_view mistake_of(const Diagnosis& answer) {
        return answer.is_decided() && !answer.is_right() ? answer.matches.front().mistakes.front() : "";
    }

    // True if numbers are divided by their sums.
    bool normalises(std::size_t id) const {
        const Computed& node = flow_.nodes[id];
        const Computed* const by = node.operands.size() > 1 ? &flow_.nodes[node.operands[1]] : nullptr;
        return node.operation == "div" && by != nullptr && by->operation == "sum" &&
               by->operands[0] == node.operands[0];
    }

    // True if right weights are multiplied with a mask of zeros and ones.
    bool masks_weights(std::size_t id) {
        const Computed& node = flow_.nodes[id];
        const auto is_mask = [this](std::size_t operand) {
            const Tensor& x = flow_.nodes[operand].value;
            return is_harmless(operand) && x.rank() > 1 && x.shape()[x.rank() - 1] == x.shape()[x.rank() - 2];
        };
        const auto are_weights = [this](std::size_t operand) {
            return std::ranges::any_of(status(operand).found, [](const Found& one) {
                return one.walk->node(one.step).name.starts_with("attn_weights");
            });
        };
        return node.operation.starts_with("mul") && std::ranges::any_of(node.operands, is_mask) &&
               std::ranges::any_of(node.operands, are_weights);
    }

    static bool is_about_draws(const Match& match) {
        static const std::set<std::string_view> about{"rand-instead-of-linear", "linear-instead-of-rand",
                                                      "randn-instead-of-rand",  "rand-transposed",
                                                      "other-initialisation",   "inputs-reordered"};
        return !match.mistakes.empty() && about.contains(match.mistakes.front());
    }

    bool has_draws_of_document(std::size_t id) const {
        return chapters_.front().is_documents && std::ranges::any_of(flow_.draws, [&](const Drawn& draw) {
                   return has_seed_of_document(draw.node) && depends(id, draw.node);
               });
    }

    // Returns the variable of the notebook that a method uses as an operand of this node, or null.
    const GlobalUse* global_in(std::size_t id) const {
        const Computed& node = flow_.nodes[id];
        const auto found = std::ranges::find_if(flow_.globals, [&](const GlobalUse& use) {
            return use.place.cell == node.place.cell && use.place.line == node.place.line &&
                   depends(id, use.node);
        });
        return found == flow_.globals.end() ? nullptr : &*found;
    }

    // The first execution count that no cell has.
    std::size_t missing_count() const {
        std::size_t count = 1;
        while (std::ranges::any_of(document_.items,
                                   [&](const Item& item) { return item.place.execution_count == count; })) {
            ++count;
        }
        return count;
    }

    // Adds the circumstances of a departure: a method that uses a variable of the notebook, and operands from
    // cells that stand further down and ran before.
    void add_circumstances(Judged& output, std::size_t culprit) {
        if (const auto operand = reassigned_operand(culprit)) {
            const Computed& used = flow_.nodes[operand->used];
            output.circumstances.push_back(
                {"assigned_twice", used.name, flow_.nodes[operand->other].place, used.place});
        }
        if (const Overwritten* const use = overwritten_in(culprit)) {
            output.circumstances.push_back({"overwritten_by_loop", use->name, use->assigned, use->loop});
        }
        if (draw_of(culprit) != nullptr && draw_of(culprit)->is_again) {
            Place earlier = flow_.nodes[culprit].place;
            earlier.execution_count = chosen_.again ? chosen_.again->count : missing_count();
            output.circumstances.push_back({"ran_twice", flow_.nodes[culprit].name, earlier, {}});
        }
        if (chosen_.again && mistake_of(output.diagnosis) == "added-up-twice") {
            output.circumstances.push_back({"added_again", flow_.nodes[culprit].name, output.place, {}});
        }
        if (const GlobalUse* const use = global_in(culprit)) {
            output.circumstances.push_back({"uses_global", use->name, use->place, use->assigned});
        }
        const std::vector<Match>& matches = output.diagnosis.matches;
        const bool is_about_seed = !matches.empty() && !matches.front().mistakes.empty() &&
                                   (matches.front().mistakes.front() == "seed-not-set-again" ||
                                    matches.front().mistakes.front() == "drawn-before" ||
                                    matches.front().mistakes.front() == "dropout-not-reseeded");
        const auto late = std::ranges::find_if(flow_.draws, [&](const Drawn& draw) {
            return draw.earlier > 0 && !draw.is_again && draw.seeded && depends(culprit, draw.node);
        });
        if (is_about_seed && late != flow_.draws.end()) {
            const Computed& drawn = flow_.nodes[late->node];
            output.circumstances.push_back({"drawn_later",
                                            drawn.name.empty() ? named_step(late->node) : drawn.name,
                                            drawn.place, *late->seeded});
        }
        for (const std::size_t operand : flow_.nodes[culprit].operands) {
            const Computed& of = flow_.nodes[operand];
            if (!of.name.empty() && of.place.cell && output.place.cell &&
                *of.place.cell > *output.place.cell) {
                output.circumstances.push_back({"ran_before", of.name, flow_.nodes[culprit].place, of.place});
            }
        }
    }

    // True for a variable that begins with zeros, unless it is a running sum that is added to later.
    bool overwrites(std::size_t id) const {
        const Computed& node = flow_.nodes[id];
        const bool grows = std::ranges::any_of(flow_.nodes, [&](const Computed& later) {
            return later.name == node.name && std::ranges::find(later.operands, id) != later.operands.end();
        });
        return !node.name.empty() && !grows && std::ranges::any_of(flow_.nodes, [&](const Computed& other) {
            return is_constant(other.operation) && other.operation != "number" && other.name == node.name &&
                   other.value.shape() == node.value.shape();
        });
    }

    static bool is_of_document(const StageTrace& walk) {
        const Parameters& p = walk.parameters;
        const Parameters& defaults = walk.stage->defaults;
        return !walk.own_lesson && !walk.own_weights && p.num_heads == defaults.num_heads &&
               p.d_out == defaults.d_out && p.qkv_bias == defaults.qkv_bias &&
               (p.seed == 123 || p.seed == 789 || !uses(*walk.stage, "seed"));
    }

    static OutputVerdict right_or_settings(const std::vector<Found>& found) {
        return std::ranges::any_of(found, [](const Found& one) { return is_of_document(*one.walk); })
                   ? OutputVerdict::right
                   : OutputVerdict::settings;
    }

    // ---- mistakes ---------------------------------------------------------------------------------------

    // Walks with the same weights, which are null if they are drawn from seeds.
    struct Candidates {
        WeightSource weights;
        std::vector<Candidate> all;
    };

    // The walks in which the operands of a node are right, else all that draw their weights.
    std::vector<Candidates> candidates(std::optional<std::size_t> id, const Chapter& chapter) {
        std::vector<Candidates> all(1);
        std::set<const StageTrace*> near;
        std::set<std::size_t> seen;
        const std::function<void(std::size_t)> collect = [&](std::size_t node) {
            if (!seen.insert(node).second) {
                return;
            }
            for (const Found& found : status(node).found) {
                if (found.walk->node(found.step).value.count() > 2) {
                    near.insert(found.walk);
                }
            }
            for (const std::size_t operand : flow_.nodes[node].operands) {
                collect(operand);
            }
        };
        for (const std::size_t operand : id ? flow_.nodes[*id].operands : Ids()) {
            collect(operand);
        }
        static const std::vector<std::string_view> given{"seed",  "d_out",   "num_heads",     "qkv_bias",
                                                         "batch", "dropout", "context_length"};
        for (std::size_t i = 0; i < chapter.walks.size(); ++i) {
            const StageTrace& walk = chapter.walks[i];
            if (near.empty() ? walk.own_weights : !near.contains(&walk)) {
                continue;
            }
            if (walk.own_weights) {
                all.push_back({chapter.weights[i], {}});
            }
            std::vector<Candidate>& of = walk.own_weights ? all.back().all : all.front().all;
            of.push_back({walk.stage, walk.parameters, given, false});
        }
        return all;
    }

    // Each question is a search of its own, so only the first ones are asked: a loop may depart thousands of
    // times.
    const Diagnosis& ask(std::size_t id) {
        constexpr std::size_t most_asked = 24;
        constexpr std::size_t most_searches = 64;
        static const Diagnosis nothing;
        const auto known = answers_.find(id);
        return known != answers_.end() ? known->second
               : answers_.size() == most_asked || searches_ > most_searches
                   ? nothing
                   : answers_[id] = diagnose_in_chapters({printed_as(id)}, id).at(0);
    }

    // A node as a pasted tensor.
    PrintedTensor printed_as(std::size_t id) const {
        const Computed& node = flow_.nodes[id];
        PrintedTensor printed;
        printed.name = named_step(id).empty() ? "" : named_step(id);
        printed.shown = node.value.shape();
        constexpr std::uint8_t decimals = 5;
        for (const float x : node.value.values()) {
            printed.numbers.push_back({.value = static_cast<double>(x),
                                       .decimals = decimals,
                                       .notation = std::isfinite(x) ? PrintedNumber::Notation::fixed
                                                                    : PrintedNumber::Notation::word});
        }
        return printed;
    }

    std::vector<Diagnosis> diagnose_in_chapters(const std::vector<PrintedTensor>& printed,
                                                std::optional<std::size_t> id) {
        std::vector<Diagnosis> best(printed.size());
        for (const Chapter& chapter : chapters_) {
            for (const Candidates& of : candidates(id, chapter)) {
                keep_better(best, printed, chapter, of);
                searches_ += id && !of.all.empty() ? 1 : 0;
            }
        }
        return best;
    }

    void keep_better(std::vector<Diagnosis>& best, const std::vector<PrintedTensor>& printed,
                     const Chapter& chapter, const Candidates& of) const {
        if (of.all.empty()) {
            return;
        }
        try {
            Inputs inputs = question_.inputs;
            inputs.weights = of.weights ? of.weights : inputs.weights;
            Question question{chapter.lesson, inputs, of.all, question_.as, false, true};
            std::vector<Diagnosis> found = diagnose(printed, question);
            for (std::size_t i = 0; i < printed.size(); ++i) {
                const bool is_better =
                    best[i].matches.empty() || (!found[i].matches.empty() &&
                                                found[i].matches.front().bits > best[i].matches.front().bits);
                if (is_better) {
                    best[i] = std::move(found[i]);
                }
            }
        } catch (const Error&) {
            return;  // weights that do not fit these stages
        }
    }

    // ---- outputs again ----------------------------------------------------------------------------------

    // True if the code says what an output is, and gives its numbers.
    bool is_followed(std::size_t i) const {
        const std::optional<std::size_t> node = node_of(i);
        return node && flow_.nodes[*node].is_known && agrees(result_.outputs[i].printed, *node);
    }

    // Diagnoses the outputs that the code does not explain, in few groups, because each group is a search of
    // its own.
    void ask_numbers() {
        Ids open;
        for (std::size_t i = 0; i < result_.outputs.size(); ++i) {
            const std::optional<std::size_t> node = node_of(i);
            if (!is_followed(i) && (!node || is_relevant_[*node])) {
                open.push_back(i);
            }
        }
        constexpr std::size_t groups = 8;
        const std::size_t size = (open.size() + groups - 1) / groups;
        for (std::size_t from = 0; from < open.size(); from += size) {
            std::vector<PrintedTensor> group;
            for (std::size_t k = from; k < std::min(from + size, open.size()); ++k) {
                group.push_back(result_.outputs[open[k]].printed);
            }
            std::vector<Diagnosis> found = diagnose_in_chapters(group, std::nullopt);
            for (std::size_t k = 0; k < found.size(); ++k) {
                if (!found[k].is_decided()) {
                    found[k] = Diagnosis();
                }
                result_.outputs[open[from + k]].diagnosis = std::move(found[k]);
            }
        }
    }

    // Finds the departures that are about a mask: the mask departs first, where it is shown.
    void find_mistaken_masks() {
        for (std::size_t i = 0; i < result_.outputs.size(); ++i) {
            const std::optional<std::size_t> culprit =
                is_followed(i) ? status(*node_of(i)).culprit : std::nullopt;
            if (!culprit || std::ranges::find(mistaken_masks_, *culprit) != mistaken_masks_.end()) {
                continue;
            }
            const Diagnosis of = ask_culprit(*culprit);
            if (!of.matches.empty() && !of.matches.front().mistakes.empty() &&
                of.matches.front().mistakes.front().starts_with("mask-")) {
                mistaken_masks_.push_back(*culprit);
            }
        }
    }

    void judge(std::size_t i) {
        Judged& output = result_.outputs[i];
        const std::optional<std::size_t> node = node_of(i);
        if (shown_of_[i]) {
            output.label = flow_.shown[*shown_of_[i]].source;
        }
        if (!is_followed(i)) {
            const bool is_known = node && flow_.nodes[*node].is_known;
            judge_by_numbers(output, is_known ? node : std::nullopt,
                             node.has_value() && !is_relevant_[*node]);
            return;
        }
        const Status& found = status(*node);
        output.verdict = found.verdict;
        output.line = flow_.nodes[*node].line;
        output.line_place = flow_.nodes[*node].place;
        std::optional<std::size_t> culprit = found.culprit;
        const bool is_joined = found.beside && is_moved_from(*node, *found.beside);
        if (is_joined && is_affected(i, *found.beside) == true) {
            culprit = found.beside;
        }
        const bool is_changed = culprit && flow_.nodes[*culprit].operation == "changed";
        if (culprit && *culprit != *node &&
            (is_changed || !copies_operand(*node, find_steps(*node), *culprit)) &&
            ((!is_changed && is_usual_sum(*node)) || is_affected(i, *culprit) == false)) {
            output.verdict = OutputVerdict::by_product;
            return;
        }
        for (const std::size_t departed : mistaken_masks_) {
            const bool is_its_mask = !culprit && is_harmless(*node) && found.found.empty() &&
                                     !is_constant(flow_.nodes[*node].operation) && depends(departed, *node);
            culprit = is_its_mask ? std::optional(departed) : culprit;
        }
        if (culprit) {
            blame(i, *culprit);
            return;
        }
        for (const Found& one : found.found) {
            output.diagnosis.matches.push_back(match_of(one, output.printed));
        }
    }

    // True if a node is a part of an earlier one, perhaps in another shape.
    bool is_moved_from(std::size_t id, std::size_t earlier) const {
        while (id != earlier && is_move(flow_.nodes[id].operation) && !flow_.nodes[id].operands.empty()) {
            id = flow_.nodes[id].operands[0];
        }
        return id == earlier;
    }

    // True if an output would have other numbers if an earlier node had the right ones; empty if unknown.
    std::optional<bool> is_affected(std::size_t i, std::size_t departed) {
        const auto [known, is_new] = mended_.try_emplace(departed);
        if (is_new) {
            if (const std::optional<Tensor> right = right_value(departed)) {
                DataflowOptions options = chosen_;
                options.replaced = std::pair(departed, *right);
                known->second = follow(document_, code_, options);
                if (known->second.shown.size() == shown_count_) {
                    join(known->second);
                }
            }
        }
        const std::vector<Shown>& shown = known->second.shown;
        if (shown.size() != flow_.shown.size() || !shown[*shown_of_[i]].node) {
            return std::nullopt;
        }
        const Computed& own = flow_.nodes[*node_of(i)];
        const Tensor& mended = known->second.nodes[*shown[*shown_of_[i]].node].value;
        return mended.shape() != own.value.shape() ||
               !is_close(own.value.values(), mended.values(), own.slack);
    }

    // The step that a node should be, according to its mistake.
    std::optional<Tensor> right_value(std::size_t departed) {
        if (flow_.nodes[departed].operation == "changed") {  // the tensor before it was changed
            const Computed& change = flow_.nodes[flow_.nodes[departed].operands[0]];
            return change.operands.empty() ? std::nullopt
                                           : std::optional(flow_.nodes[change.operands[0]].value);
        }
        for (const Chapter& chapter : chapters_) {
            if (is_node_of(chapter, departed) && chapter.is_altered) {
                return chapter.lesson.embeddings;
            }
        }
        if (const std::optional<Tensor> moved = moved_rightly(departed)) {
            return moved;
        }
        if (global_in(departed) != nullptr) {
            return std::nullopt;
        }
        const Diagnosis answer = ask_culprit(departed);
        if (mistake_of(answer).empty() || !answer.matches.front().piece.index.empty() ||
            mistake_of(answer).starts_with("dropout")) {  // dropout belongs to a different step
            return std::nullopt;
        }
        const Match& match = answer.matches.front();
        for (const Chapter& chapter : chapters_) {
            for (const StageTrace& walk : chapter.walks) {
                const std::optional<std::size_t> step = walk.find(match.step);
                if (walk.stage == match.stage && walk.parameters.seed == match.parameters.seed && step &&
                    walk.node(*step).value.shape() == flow_.nodes[departed].value.shape()) {
                    return walk.node(*step).value;
                }
            }
        }
        return std::nullopt;
    }

    // The step that has the same numbers as a node in another order.
    std::optional<Tensor> moved_rightly(std::size_t id) {
        const auto sorted = [](const Tensor& x) {
            std::vector<float> values(x.values().begin(), x.values().end());
            std::ranges::sort(values);
            return values;
        };
        const Computed& node = flow_.nodes[id];
        const std::vector<float> own = sorted(node.value);
        for (const Found& found : node.operands.empty() || !is_move(node.operation)
                                      ? std::vector<Found>()
                                      : status(node.operands[0]).found) {
            for (const std::size_t step : found.walk->steps) {
                const Tensor& right = found.walk->node(step).value;
                if (right.count() == own.size() && is_close(sorted(right), own, node.slack)) {
                    return right;
                }
            }
        }
        return std::nullopt;
    }

    bool depends(std::size_t id, std::size_t on) const { return on <= id && dependents(on)[id]; }

    static Match match_of(const Found& found, const PrintedTensor& printed) {
        const StageTrace& walk = *found.walk;
        Match match{.stage = walk.stage, .parameters = walk.parameters, .step = walk.node(found.step).name};
        match.place = walk.place(found.step);
        match.piece.index = found.piece;
        match.piece.kind = found.piece.empty() ? PieceKind::whole : PieceKind::entry;
        match.bits = std::max(surprise(printed), convincing);
        return match;
    }

    // An output that departs, or that follows from one that does.
    void blame(std::size_t i, std::size_t culprit) {
        Judged& output = result_.outputs[i];
        const auto [first, is_first] = departed_.emplace(culprit, i);
        output.verdict = is_first ? OutputVerdict::mistake : OutputVerdict::follows;
        output.because = is_first ? std::nullopt : std::optional(first->second);
        output.line = flow_.nodes[culprit].line;
        output.line_place = flow_.nodes[culprit].place;
        output.diagnosis = ask_culprit(culprit);
        if (!output.diagnosis.matches.empty()) {
            output.right_line = output.diagnosis.matches.front().instead_of;
        }
        if (is_first) {
            add_circumstances(output, culprit);
        }
    }

    // A mistake that no walk has.
    Diagnosis named(std::size_t culprit, std::string_view mistake, const std::string& right) const {
        const Stage* const linear = find_stage("linear");
        Match match{.stage = linear, .parameters = linear->defaults, .step = named_step(culprit)};
        match.mistakes = {mistake};
        match.bits = 100.0;
        match.line = flow_.nodes[culprit].line;
        match.instead_of = right;
        Diagnosis answer;
        answer.matches.push_back(std::move(match));
        return answer;
    }

    Diagnosis ask_culprit(std::size_t culprit) {
        const auto named = [&](std::string_view mistake, const std::string& right) {
            return this->named(culprit, mistake, right);
        };
        if (is_altered_lesson(culprit)) {
            return named("other-input", right_number(culprit));
        }
        if (flow_.nodes[culprit].operation == untransposed) {
            return named("weights-not-transposed", "");
        }
        if (overwritten_in(culprit) != nullptr) {
            return named("loop-variable", "");
        }
        if (flow_.dropped_in_eval.contains(culprit)) {
            return named("dropout-in-eval", "");
        }
        if (flow_.nodes[culprit].operation == "changed") {
            std::string line = flow_.nodes[culprit].line;
            const std::size_t in_place = line.find("_(");
            return named("changed-in-place", in_place == std::string::npos ? "" : line.erase(in_place, 1));
        }
        if (draw_of(culprit) != nullptr && draw_of(culprit)->is_again) {
            return named("seed-not-set-again", "");
        }
        if (global_in(culprit) != nullptr) {
            const Diagnosis& answer = ask(culprit);
            return answer.is_decided() && !answer.is_right() ? answer : named("notebook-variable", "");
        }
        if (reassigned_operand(culprit)) {
            const Diagnosis& answer = ask(culprit);
            const bool is_named = answer.is_decided() && !answer.is_right();
            return is_named ? answer : named("reassigned", "");
        }
        if (splits_without_transpose(culprit)) {
            return named("heads-view-without-transpose", "");
        }
        if (drops_scores(culprit)) {
            return named("dropout-before-softmax", "");
        }
        const std::size_t axis = normalised_axis(culprit);
        if (axis == 3) {
            return named("softmax-over-heads", "");
        }
        if (merges_without_transpose(culprit)) {
            return named("heads-merged-without-transpose", "");
        }
        Diagnosis answer = ask(culprit);
        if (!answer.is_decided() && (axis != 0 || shows_later_tokens(culprit))) {
            return named(axis != 0 ? "softmax-wrong-axis" : "mask-shows-later-tokens", "");
        }
        if (!answer.is_decided() && hides_earlier_tokens(culprit)) {
            return named("mask-flipped", "");
        }
        if (is_scaled_by_width(culprit)) {
            return named("scaled-by-d-in", "");
        }
        if (!answer.is_decided() && is_scaled_otherwise(culprit)) {
            return named("scaled-by-other-number", "");
        }
        const bool is_swapped = status(culprit).is_swapped;
        if (is_swapped && !is_draw(flow_.nodes[culprit].operation)) {
            return named("same-projection", with_other_weights(culprit));
        }
        if (is_swapped || answer.matches.empty() ||
            answer.matches.front().mistakes.empty()) {  // numbers of another layer
            return named(sets_seed_often() ? "seed-set-before-each-layer" : "draw-order", "");
        }
        return answer;
    }

    // The first number of an altered lesson that differs from the documents', as code.
    std::string right_number(std::size_t id) const {
        const Tensor& own = flow_.nodes[id].value;
        const Tensor right = built_in_lesson().embeddings;
        const auto at = static_cast<std::size_t>(std::ranges::mismatch(own.values(), right.values()).in1 -
                                                 own.values().begin());
        const std::size_t width = own.shape()[1];
        return "inputs[" + std::to_string(at / width) + "][" + std::to_string(at % width) +
               "] = " + shortest_digits(right.values()[at]);
    }

    // The line of a projection with the weights that the name of its result says.
    std::string with_other_weights(std::size_t id) const {
        const Computed& node = flow_.nodes[id];
        std::string line = node.line;
        for (const std::size_t used : node.operands) {
            const auto wanted = std::ranges::find_if(flow_.nodes, [&](const Computed& other) {
                return is_draw(other.operation) && !other.name.empty() &&
                       weight_role(other.name) == weight_role(node.name);
            });
            const std::size_t at = line.find(flow_.nodes[used].name);
            if (wanted != flow_.nodes.end() && is_draw(flow_.nodes[used].operation) &&
                !flow_.nodes[used].name.empty() && at != std::string::npos) {
                return line.replace(at, flow_.nodes[used].name.size(), wanted->name);
            }
        }
        return "";
    }

    // An output whose expression is not followed, or whose numbers are not those of its code.
    void judge_by_numbers(Judged& output, std::optional<std::size_t> node, bool is_foreign) {
        if (is_foreign) {
            return;
        }
        const Diagnosis& found = output.diagnosis;
        constexpr double enough = 20.0;
        if (!found.is_decided() || (!found.is_right() && found.matches.front().bits < enough)) {
            output.diagnosis.matches.clear();
            if (node && outdated_[*node]) {
                blame_order(output, *node);
                return;
            }
            const auto older = std::ranges::find_if(
                older_, [&](std::size_t other) { return node && depends(*node, *node_of(other)); });
            if (older != older_.end()) {
                output.verdict = OutputVerdict::follows;
                output.because = *older;
                output.diagnosis = result_.outputs[*older].diagnosis;
                output.line = flow_.nodes[*node].line;
                output.line_place = flow_.nodes[*node].place;
            } else if (node) {
                output.circumstances.push_back({"differs_from_code", output.label, flow_.nodes[*node].place});
            }
            return;
        }
        output.verdict = found.is_right() ? OutputVerdict::right : OutputVerdict::mistake;
        if (!found.is_right()) {
            output.line = found.matches.front().line;
            output.right_line = found.matches.front().instead_of;
            output.line_place = output.place;
            output.is_line_of_code = false;
            const auto same = std::ranges::find_if(result_.outputs, [&](const Judged& other) {
                return &other != &output && other.verdict == OutputVerdict::mistake &&
                       other.diagnosis.matches.front().mistakes == found.matches.front().mistakes;
            });
            if (same != result_.outputs.end()) {
                output.verdict = OutputVerdict::follows;
                output.because = static_cast<std::size_t>(same - result_.outputs.begin());
            }
            if (node && right_verdict(status(*node).verdict)) {
                output.circumstances.push_back({"older_than_code", output.label, flow_.nodes[*node].place});
                older_.push_back(static_cast<std::size_t>(&output - result_.outputs.data()));
            }
        }
    }

    // An output with other numbers than its code gives, because a cell that it uses ran again later.
    void blame_order(Judged& output, std::size_t node) {
        const auto index = static_cast<std::size_t>(&output - result_.outputs.data());
        output.verdict = first_old_ ? OutputVerdict::follows : OutputVerdict::mistake;
        output.because = first_old_;
        output.line = flow_.nodes[node].line;
        output.line_place = flow_.nodes[node].place;
        output.diagnosis = named(node, "older-than-its-code", "");
        if (!first_old_) {
            first_old_ = index;
            const Computed& later = flow_.nodes[*outdated_[node]];
            output.circumstances.push_back({"ran_afterwards", later.name, later.place, {}});
        }
    }

    static bool right_verdict(OutputVerdict verdict) {
        return verdict == OutputVerdict::right || verdict == OutputVerdict::settings;
    }

    // ---- whole stages -----------------------------------------------------------------------------------

    // A document that shows all steps of a stage in their order, such as one that this program wrote, is
    // right, also where the stage demonstrates a mistake.
    void recognise_stage() {
        constexpr std::size_t most_outputs = 512;  // of a stage; a longer document would only take time
        constexpr std::size_t most_numbers = 1000;
        const Lesson lesson = chapters_.front().lesson;
        if (result_.all_right() || result_.outputs.size() > most_outputs ||
            lesson.embeddings.count() > most_numbers) {
            return;
        }
        for (const Stage* const stage : catalogue()) {
            std::vector<Parameters> all{stage->defaults};
            if (uses(*stage, "seed") && uses(*stage, "lesson")) {
                std::ranges::copy(stated_parameters(*stage, lesson.embeddings.shape()[1]),
                                  std::back_inserter(all));
            }
            constexpr std::size_t most = 4;  // variants of a stage
            all.resize(std::min(all.size(), most));
            for (const Parameters& parameters : all) {
                try {
                    const StageTrace walked = walk(*stage, lesson, parameters, question_.inputs);
                    if (walked.steps.size() > result_.outputs.size()) {
                        break;
                    }
                    if (take_steps_of(walked)) {
                        return;
                    }
                } catch (const Error&) {
                    continue;  // settings or a lesson that do not fit the stage
                }
            }
        }
    }

    // Judges the outputs as the steps of a stage if they are its steps, and all others are right or not shown
    // by code, as drawings are not.
    bool take_steps_of(const StageTrace& walked) {
        std::vector<std::optional<std::size_t>> step_of(result_.outputs.size());
        auto next = walked.steps.begin();
        for (std::size_t i = 0; i < step_of.size(); ++i) {
            const Judged& output = result_.outputs[i];
            if (next != walked.steps.end() && is_printed(output.printed, walked.node(*next).value, 0.0)) {
                step_of[i] = *next++;
            } else if (next != walked.steps.begin() &&
                       is_printed(output.printed, walked.node(*std::prev(next)).value, 0.0)) {
                step_of[i] = *std::prev(next);  // once more, by a module
            } else if (shown_of_[i] && !is_right(output.verdict)) {
                return false;
            }
        }
        if (next != walked.steps.end()) {
            return false;
        }
        std::vector<Judged> outputs;
        for (std::size_t i = 0; i < step_of.size(); ++i) {
            Judged output = std::move(result_.outputs[i]);
            if (step_of[i]) {
                const Match match = match_of({&walked, *step_of[i]}, output.printed);
                output = {.printed = std::move(output.printed),
                          .place = output.place,
                          .item = output.item,
                          .label = std::move(output.label),
                          .verdict = right_or_settings({{&walked, *step_of[i]}})};
                output.diagnosis.matches.push_back(match);
            }
            if (step_of[i] || shown_of_[i]) {
                outputs.push_back(std::move(output));
            }
        }
        result_.outputs = std::move(outputs);
        return true;
    }

    // ---- settings ---------------------------------------------------------------------------------------

    void state_settings() {
        std::set<std::pair<std::uint64_t, std::string>> seeds;
        for (const Drawn& draw : flow_.draws) {
            if (draw.seed && draw.seeded && is_relevant_[draw.node] && seeds.emplace(*draw.seed, "").second) {
                result_.stated.push_back({"seed", {std::to_string(*draw.seed)}, *draw.seeded});
            }
        }
        for (const Chapter& chapter : chapters_) {
            if (chapter.node && flow_.nodes[*chapter.node].value.rank() == 2 &&
                (flow_.nodes[*chapter.node].operands.empty() || &chapter == &chapters_.front())) {
                const Shape& shape = chapter.lesson.embeddings.shape();
                result_.stated.push_back({"tokens",
                                          {std::to_string(shape[0]), std::to_string(shape[1])},
                                          flow_.nodes[*chapter.node].place});
            }
        }
        std::set<double> heads;
        for (const Module& module : flow_.modules) {
            const auto found = module.numbers.find("num_heads");
            if (found != module.numbers.end() && heads.insert(found->second).second) {
                result_.stated.push_back(
                    {"heads", {std::to_string(static_cast<std::size_t>(found->second))}, module.place});
            }
        }
    }

    const Document& document_;
    const Question& question_;
    std::vector<python::Code> code_;
    Judgement result_;
    Dataflow flow_;
    std::vector<std::optional<std::size_t>> shown_of_;  // for each output: the index of the expression
    std::vector<std::vector<Owner>> owners_;            // for each node: the modules that it belongs to
    std::vector<Ids> users_;                            // for each node: the nodes that it is an operand of
    mutable std::map<std::size_t, std::set<std::size_t>> shown_heads_;  // width → heads
    std::vector<Chapter> chapters_;
    std::vector<Ids> batches_;  // the chapters of the sequences of a batch
    std::map<bool, std::optional<std::vector<TensorMap>>> own_weights_;
    std::vector<bool> is_relevant_;
    std::vector<Status> status_;
    std::vector<bool> is_judged_;
    std::map<std::size_t, Diagnosis> answers_;
    std::size_t searches_ = 0;  // of a chapter, for these answers
    DataflowOptions chosen_;
    std::vector<Joined> joined_;   // from the last to the first
    std::size_t shown_count_ = 0;  // before these were joined
    std::vector<std::optional<std::size_t>>
        outdated_;                          // for each node: the operand whose cell ran again later
    std::optional<std::size_t> first_old_;  // the first output that is older than its code
    Ids older_;                             // outputs that are wrong, unlike what their code gives now
    double suits_ = -1.0;  // how well the outputs suit what the code shows with these options
    std::map<std::size_t, Dataflow> mended_;       // culprit → the dataflow with its right value, if known
    Ids mistaken_masks_;                           // the culprits that are about a mask
    std::map<std::size_t, std::size_t> departed_;  // culprit → the first output that shows it
};

}  // namespace

std::string_view name_of(OutputVerdict verdict) {
    constexpr std::string_view names[] = {"right",   "settings", "consistent", "by-product",
                                          "mistake", "follows",  "unknown"};
    return names[static_cast<std::size_t>(verdict)];
}

bool is_right(OutputVerdict verdict) {
    return verdict == OutputVerdict::right || verdict == OutputVerdict::settings ||
           verdict == OutputVerdict::by_product;
}

std::optional<std::size_t> Judgement::first_departure() const {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (outputs[i].verdict == OutputVerdict::mistake) {
            return i;
        }
    }
    return std::nullopt;
}

bool Judgement::all_right() const {
    return !outputs.empty() &&
           std::ranges::all_of(outputs, [](const Judged& output) { return is_right(output.verdict); });
}

Judgement judge(const Document& document, const Question& question) {
    return Judge(document, question).run();
}

}  // namespace attn
