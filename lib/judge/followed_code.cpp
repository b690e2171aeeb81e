#include "judge/followed_code.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "diagnosis/pieces.hpp"
#include "judge/printed_outputs.hpp"
#include "printed/decode.hpp"
#include "printed/reader.hpp"

namespace attn {

namespace {

constexpr int most_decimals = 8;  // of numbers whose printed digits count

using Indices = std::vector<std::size_t>;

// Replaces what is shown one by one by its stack.
void join(Dataflow& flow, const std::vector<Joined>& all) {
    for (const auto& [first, shape] : all) {
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

class CodeFollower {
public:
    CodeFollower(const Document& document, const Tensor& inputs) : document_(document), inputs_(inputs) {}

    FollowedCode run() {
        for (const Item& item : document_.items) {
            followed_.code.push_back(item.kind == Item::Kind::code ? python::parse(item.text)
                                                                   : python::Code());
        }
        read_outputs();
        follow_code();
        join_shown();
        drop_other_numbers();
        return std::move(followed_);
    }

private:
    std::optional<std::size_t> node_of(std::size_t output) const { return followed_.node_of(output); }

    // Leaves out an output of a notebook, a script or Markdown that has too many tensors.
    std::vector<PrintedTensor> tensors_of(const Item& item) {
        try {
            return item.kind == Item::Kind::output ? tensors_of_output(item, document_)
                                                   : std::vector<PrintedTensor>();
        } catch (const OverLimit&) {
            if (document_.format == Document::Format::plain) {
                throw;
            }
            followed_.skipped.emplace_back("{}: more than {} tensors or {} numbers, the limit for an output.",
                                           place_text(item.place), max_printed_tensors, max_printed_numbers);
            return {};
        }
    }

    void read_outputs() {
        for (std::size_t i = 0; i < document_.items.size(); ++i) {
            const Item& item = document_.items[i];
            for (PrintedTensor& tensor : tensors_of(item)) {
                Judged output{.printed = std::move(tensor), .item = i};
                output.place = item.saved.empty() ? item.place_of(output.printed.line) : item.place;
                output.label = output.printed.name;
                followed_.outputs.push_back(std::move(output));
            }
        }
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

    void report_dropped() {
        const auto first = std::ranges::find_if(followed_.outputs, [](const Judged& output) {
            const double number = output.printed.numbers[0].value;
            return number != std::trunc(number);
        });
        if (first != followed_.outputs.end()) {
            followed_.skipped.emplace_back(
                "{}: single numbers that could not be followed through the code; hand them in as text.",
                place_text(first->place));
        }
    }

    // Leaves out numbers of Python that the code does not compute.
    void drop_other_numbers() {
        std::vector<Judged> outputs;
        for (std::size_t i = 0; i < followed_.outputs.size(); ++i) {
            const PrintedTensor& printed = followed_.outputs[i].printed;
            const bool is_bare =
                printed.shown.rank() == 0 && printed.place.empty() && printed.numbers.size() == 1;
            const auto node = node_of(i);
            const double number = printed.numbers[0].value;
            const bool is_telling = node && (!followed_.flow.nodes[*node].operands.empty() ||
                                             (number != std::trunc(number) &&
                                              !is_name(followed_.flow.shown[*followed_.shown_of[i]].source)));
            if (!is_bare || (is_telling && followed_.agrees(printed, *node))) {
                outputs.push_back(std::move(followed_.outputs[i]));
            }
        }
        if (outputs.empty()) {
            report_dropped();
        }
        followed_.outputs = std::move(outputs);
        pair();
    }

    // ---- pairing ----------------------------------------------------------------------------------------

    bool fits(const PrintedTensor& printed, std::size_t node) const {
        return printed.fits(followed_.flow.nodes[node].value.shape());
    }

    // How well an expression suits an output; negative if it cannot be it.
    double suits(const PrintedTensor& printed, const Shown& shown) const {
        // Outside notebooks, prose may stand behind outputs. An integer is a number of it, or of Python.
        const PrintedNumber& first = printed.numbers[0];
        const bool is_integer = printed.shown.rank() == 0 && printed.place.empty() &&
                                (first.decimals == 0 || first.decimals == PrintedNumber::exact);
        return is_integer && document_.format != Document::Format::notebook && !shown.is_number ? -1.0
               : !shown.node || followed_.flow.nodes[*shown.node].operation == "printed"        ? 0.5
               : !followed_.flow.nodes[*shown.node].is_known ? (fits(printed, *shown.node) ? 1.0 : -1.0)
               : followed_.agrees(printed, *shown.node)
                   ? 2.0 + std::min(1.0, 0.01 * static_cast<double>(printed.numbers.size()))
               : fits(printed, *shown.node) && printed.shown.rank() > 0 ? 0.25
                                                                        : -1.0;
    }

    // Pairs the outputs of each cell with what its code shows, in order. Returns the sum of how well they
    // suit.
    double pair() {
        followed_.shown_of.assign(followed_.outputs.size(), std::nullopt);
        double total = 0.0;
        std::map<std::size_t, std::pair<Indices, Indices>> cells;  // code item → outputs, shown
        for (std::size_t i = 0; i < followed_.outputs.size(); ++i) {
            cells[code_of(followed_.outputs[i].item)].first.push_back(i);
        }
        for (std::size_t i = 0; i < followed_.flow.shown.size(); ++i) {
            cells[followed_.flow.shown[i].item].second.push_back(i);
        }
        for (const auto& [item, cell] : cells) {
            total += align(cell.first, cell.second);
        }
        return total;
    }

    double align(const Indices& outputs, const Indices& shown) {
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
                    gain[i][j] = suits(followed_.outputs[outputs[i]].printed, followed_.flow.shown[shown[j]]);
                }
                best[i][j] = std::max({best[i + 1][j], best[i][j + 1],
                                       gain[i][j] > 0.0 ? best[i + 1][j + 1] + gain[i][j] : 0.0});
            }
        }
        for (std::size_t i = 0, j = 0; i < n && j < m;) {
            if (gain[i][j] > 0.0 && best[i][j] == best[i + 1][j + 1] + gain[i][j]) {
                followed_.shown_of[outputs[i++]] = shown[j++];
            } else {
                (best[i][j] == best[i][j + 1] ? j : i) += 1;
            }
        }
        pair_alone(outputs, shown);
        return best[0][0];
    }

    // The only matrix that a cell prints is the only variable that it shows, also if the shape is another.
    void pair_alone(const Indices& outputs, const Indices& shown) {
        std::optional<std::size_t>& only = followed_.shown_of[outputs[0]];
        const PrintedTensor& printed = followed_.outputs[outputs[0]].printed;
        const Shown& alone = followed_.flow.shown[shown[0]];
        if (outputs.size() == 1 && shown.size() == 1 && !only && printed.shown.rank() > 1 &&
            is_name(alone.source) && alone.is_certain && alone.node &&
            followed_.flow.nodes[*alone.node].is_known) {
            only = shown[0];
        }
    }

    // A row of numbers that the code shows one by one, as print(*row) does, is their stack.
    void join_shown() {
        constexpr std::size_t most = 1'000'000;  // comparisons
        std::size_t tried = 0;
        for (std::size_t i = 0; i < followed_.outputs.size(); ++i) {
            const PrintedTensor& printed = followed_.outputs[i].printed;
            const std::size_t count = printed.numbers.size();
            if (followed_.shown_of[i] || count < 2 || printed.summarised()) {
                continue;
            }
            const auto is_shown = [&](std::size_t first) {
                for (std::size_t k = 0; k < count; ++k) {
                    const Shown& one = followed_.flow.shown[first + k];
                    PrintedTensor number = printed;
                    number.shown = Shape{};
                    number.numbers = {printed.numbers[k]};
                    if (one.item != code_of(followed_.outputs[i].item) || !one.node ||
                        !followed_.flow.nodes[*one.node].is_known || !followed_.agrees(number, *one.node)) {
                        return false;
                    }
                }
                return true;
            };
            for (std::size_t first = 0; first + count <= followed_.flow.shown.size() && ++tried < most;
                 ++first) {
                if (followed_.flow.shown[first].item == code_of(followed_.outputs[i].item) &&
                    is_shown(first)) {
                    followed_.joined.push_back({first, printed.shown});
                    break;
                }
            }
        }
        std::ranges::sort(followed_.joined, std::greater<>(), &Joined::first);
        followed_.joined.erase(std::unique(followed_.joined.begin(), followed_.joined.end(),
                                           [](const Joined& later, const Joined& one) {
                                               return one.first + one.shape.count() > later.first;
                                           }),
                               followed_.joined.end());
        followed_.shown_count = followed_.flow.shown.size();
        join(followed_.flow, followed_.joined);
        pair();
    }

    // ---- the order of execution ---------------------------------------------------------------------------

    // Follows the code with these options, and once more with the numbers that only the outputs state. Keeps
    // the result if it suits the outputs better.
    void try_options(DataflowOptions options) {
        constexpr std::size_t most = 40'000;  // nodes: following a long loop again and again takes too long
        if (followed_nodes_ > most) {
            return;
        }
        Dataflow before = std::move(followed_.flow);
        std::vector<std::optional<std::size_t>> shown_before = std::move(followed_.shown_of);
        options.printed.clear();
        options.drawn.clear();
        followed_.flow = follow(document_, followed_.code, options);
        pair();
        adopt_printed(options);
        followed_nodes_ += followed_.flow.nodes.size();
        if (!options.printed.empty()) {
            followed_.flow = follow(document_, followed_.code, options);
            followed_nodes_ += followed_.flow.nodes.size();
        }
        if (const double suits = pair(); suits > suits_) {
            suits_ = suits;
            followed_.options = std::move(options);
        } else {
            followed_.flow = std::move(before);
            followed_.shown_of = std::move(shown_before);
        }
    }

    void adopt_printed(DataflowOptions& options) const {
        for (std::size_t i = 0; i < followed_.outputs.size(); ++i) {
            const PrintedTensor& printed = followed_.outputs[i].printed;
            const Shown* const shown =
                followed_.shown_of[i] ? &followed_.flow.shown[*followed_.shown_of[i]] : nullptr;
            const bool is_open =
                shown != nullptr && (!shown->node || !followed_.flow.nodes[*shown->node].is_known);
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
            options.printed[*followed_.shown_of[i]] = value;
            for (std::size_t k = 0; shown->node && k < followed_.flow.draws.size(); ++k) {
                if (followed_.flow.draws[k].node == *shown->node) {
                    options.drawn[k] = value;
                }
            }
        }
    }

    // Follows the code in different orders, with both dropout masks and with earlier runs of a cell. Keeps
    // what gives the outputs.
    void follow_code() {
        follow_with(std::nullopt);
        if (followed_.flow.lacks_inputs) {
            follow_with(inputs_);
        }
    }

    void follow_with(const std::optional<Tensor>& inputs) {
        try_options({.inputs = inputs});
        const bool has_counts = std::ranges::any_of(
            document_.items, [](const Item& item) { return item.place.execution_count.has_value(); });
        for (const DropoutRng rng : {DropoutRng::mt19937, DropoutRng::mkl}) {
            for (const bool in_document_order : {false, true}) {
                const bool is_other = in_document_order ? has_counts : rng == DropoutRng::mkl;
                const bool is_possible = is_other && (rng == DropoutRng::mt19937 || has_dropout());
                if (is_possible && !all_agree()) {
                    try_options({.in_document_order = in_document_order, .rng = rng, .inputs = inputs});
                }
            }
        }
        if (followed_.options.inputs.has_value() == inputs.has_value()) {
            find_earlier_run();
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
        Indices missing;                  // the first counts without a cell
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
            const bool adds = changes_earlier(followed_.code[item].statements);
            Indices counts;
            if (adds || open.contains(document_.items[item].place.cell)) {
                std::ranges::copy_if(missing, std::back_inserter(counts),
                                     [count](std::size_t earlier) { return earlier < count; });
            }
            if (adds) {
                counts.push_back(count);
            }
            for (const std::size_t earlier : counts) {
                DataflowOptions options = followed_.options;
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
        for (const Drawn& draw : followed_.flow.draws) {
            cells.insert(followed_.flow.nodes[draw.node].place.cell);
        }
        for (const Computed& node : followed_.flow.nodes) {
            if (node.operands.empty() && node.value.rank() == 2) {
                cells.insert(node.place.cell);
            }
        }
        return cells;
    }

    static bool uses(const python::Expression& expression, std::string_view name) {
        return expression.is_name(name) ||
               std::ranges::any_of(expression.operands,
                                   [&](const python::Expression& part) { return uses(part, name); });
    }

    // True if a statement changes a variable of another cell, as `context += …` and `attn = softmax(attn)`.
    static bool changes_earlier(const std::vector<python::Statement>& statements) {
        std::set<std::string_view> own;  // variables that these statements give a value
        return std::ranges::any_of(statements, [&](const python::Statement& statement) {
            using enum python::Statement::Kind;
            const bool is_name =
                statement.kind == assignment && statement.targets[0].is(python::Expression::Kind::name);
            const bool is_new = is_name && own.insert(statement.targets[0].text).second;
            return statement.kind == augmented ||
                   (is_new && uses(statement.value, statement.targets[0].text)) ||
                   (statement.kind == for_ && changes_earlier(statement.body));
        });
    }

    bool has_dropout() const {
        return std::ranges::any_of(followed_.flow.nodes,
                                   [](const Computed& node) { return node.operation == "dropout"; });
    }

    bool all_agree() const {
        for (std::size_t i = 0; i < followed_.outputs.size(); ++i) {
            const auto node = node_of(i);
            if ((node && followed_.flow.nodes[*node].operation == "printed") ||
                (node && followed_.flow.nodes[*node].is_known &&
                 !followed_.agrees(followed_.outputs[i].printed, *node))) {
                return false;
            }
        }
        return true;
    }

    const Document& document_;
    const Tensor& inputs_;  // assumed if the document has none
    FollowedCode followed_;
    std::size_t followed_nodes_ = 0;  // in all attempts
    double suits_ = -1.0;             // how well the outputs suit what the code shows with these options
};

}  // namespace

std::optional<std::size_t> FollowedCode::node_of(std::size_t output) const {
    return shown_of[output] ? flow.shown[*shown_of[output]].node : std::nullopt;
}

bool FollowedCode::is_doubtful(std::size_t output) const {
    const std::optional<std::size_t> node = node_of(output);
    return node && !flow.shown[*shown_of[output]].is_certain && !agrees(outputs[output].printed, *node);
}

bool FollowedCode::agrees(const PrintedTensor& printed, std::size_t node) const {
    // The code is followed in float32. Digits behind those of float32 say nothing.
    PrintedTensor rounded = printed;
    for (PrintedNumber& number : rounded.numbers) {
        const int most = number.notation == PrintedNumber::Notation::scientific ? 5 : 6;
        number.decimals = number.decimals == PrintedNumber::exact || number.decimals <= most + 1
                              ? number.decimals
                              : static_cast<std::uint8_t>(most);
    }
    return is_printed(rounded, flow.nodes[node].value, flow.nodes[node].slack);
}

Dataflow FollowedCode::with_value(const Document& document, std::size_t node, const Tensor& value) const {
    DataflowOptions replacing = options;
    replacing.replaced = std::pair(node, value);
    Dataflow changed = follow(document, code, replacing);
    if (changed.shown.size() == shown_count) {
        join(changed, joined);
    }
    return changed;
}

FollowedCode follow_outputs(const Document& document, const Tensor& inputs) {
    return CodeFollower(document, inputs).run();
}

bool is_printed(const PrintedTensor& printed, const Tensor& value, double slack) {
    const auto is_noise = [](double x) { return std::abs(x) <= 2e-6; };  // differences that ought to be 0
    if (printed.shown == value.shape() && !printed.summarised() &&
        std::ranges::all_of(printed.numbers, is_noise, &PrintedNumber::value) &&
        std::ranges::all_of(value.values(), [&](float x) { return is_noise(static_cast<double>(x)); })) {
        return true;
    }
    const Pattern pattern(printed, slack);
    const std::optional<Piece> piece = pattern.fits(value.shape()) ? pattern.find_in(value) : std::nullopt;
    return piece && (piece->kind == PieceKind::whole || piece->kind == PieceKind::flattened) &&
           !piece->exchanged;
}

}  // namespace attn
