#include "diagnosis/slips.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "notebook/notebook.hpp"
#include "notebook/replay.hpp"
#include "tensor/digits.hpp"

namespace attn {

namespace {

constexpr double nudge = 0.01;

// Returns the printed digits without sign and point: "0.1921" → "01921".
std::string digits_of(double value, int decimals) {
    std::string digits = fmt::format("{:.{}f}", std::abs(value), decimals);
    std::erase(digits, '.');
    return digits;
}

bool is_one_slip(double pasted, double right, int decimals) {
    const std::string a = digits_of(pasted, decimals);
    const std::string b = digits_of(right, decimals);
    if (a == b) {
        return pasted == -right || std::signbit(pasted) != std::signbit(right);
    }
    if (a.size() != b.size() || std::signbit(pasted) != std::signbit(right)) {
        return false;
    }
    const auto [first, other] = std::ranges::mismatch(a, b);
    std::string mended = a;
    const auto at = static_cast<std::size_t>(first - a.begin());
    mended[at] = b[at];
    if (mended == b) {
        return true;
    }
    mended = a;
    if (at + 1 < mended.size()) {
        std::swap(mended[at], mended[at + 1]);
    }
    return mended == b;
}

std::string subscript(const Tensor& tensor, std::size_t offset) {
    const Index index = tensor.index(offset);
    std::string text;
    for (std::size_t axis = 0; axis < tensor.rank(); ++axis) {
        text += fmt::format("[{}]", index[axis]);
    }
    return text;
}

double squares(const std::vector<double>& numbers) {
    double sum = 0.0;
    for (const double x : numbers) {
        sum += x * x;
    }
    return sum;
}

// Returns a − s b, with 0 where the difference is not finite, because masked cells do not change.
std::vector<double> less(const std::vector<double>& a, const std::vector<double>& b, double s = 1.0) {
    std::vector<double> difference(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double x = a[i] - s * b[i];
        difference[i] = std::isfinite(x) ? x : 0.0;
    }
    return difference;
}

// Returns the s that minimises the sum of squares of a − s b.
double least_squares(const std::vector<double>& a, const std::vector<double>& b) {
    double products = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        products += a[i] * b[i];
    }
    return products / squares(b);
}

std::vector<double> numbers_of(const Piece& piece, const Tensor& value) {
    std::vector<double> numbers;
    for (const std::size_t offset : piece.offsets) {
        numbers.push_back(static_cast<double>(value.values()[offset]));
    }
    return numbers;
}

}  // namespace

std::optional<Slip> mistyped(const Pattern& pasted, const Node& step) {
    const std::vector<PrintedNumber>& numbers = pasted.printed().numbers;
    constexpr std::size_t enough = 3;
    if (numbers.size() < enough) {
        return std::nullopt;
    }
    std::optional<Piece> piece = pasted.nearly_in(step.value);
    if (!piece) {
        return std::nullopt;
    }
    std::vector<std::size_t> off;
    const auto right = [&](std::size_t n) { return step.value.values()[piece->offsets[n]]; };
    for (std::size_t n = 0; n < numbers.size() && off.size() < 2; ++n) {
        if (!pasted.agrees(n, right(n))) {
            off.push_back(n);
        }
    }
    if (off.size() != 1) {
        return std::nullopt;
    }
    const PrintedNumber& number = numbers[off[0]];
    const auto meant = static_cast<double>(right(off[0]));
    const int decimals = number.decimals;
    if (number.notation != PrintedNumber::Notation::fixed || decimals > 9 || !std::isfinite(meant) ||
        !is_one_slip(number.value, meant, decimals)) {
        return std::nullopt;
    }
    constexpr double other_digits = 9.0;
    Slip slip{.piece = std::move(*piece)};
    slip.bits = std::log2(static_cast<double>(numbers.size()) * (decimals + 1) * other_digits);
    slip.largest_difference = std::abs(number.value - meant);
    const std::string cell = step.name + subscript(step.value, slip.piece.offsets[off[0]]);
    slip.line = fmt::format("{} = {:.{}f}", cell, number.value, decimals);
    slip.instead_of = fmt::format("{} = {:.{}f}", cell, meant, decimals);
    return slip;
}

struct OtherInput::Guess {
    const Piece* piece;
    std::size_t cell;
    double step;  // the change of the input
    double left;  // the remaining sum of squared differences
};

OtherInput::OtherInput(const RightWalk& right, const Question& question, std::vector<std::size_t> steps)
    : right_(&right), question_(&question), steps_(std::move(steps)) {}

// Returns the inputs with one number replaced.
Tensor OtherInput::with(std::size_t cell, float value) const {
    Tensor inputs = question_->lesson.embeddings;
    inputs.values()[cell] = value;
    return inputs;
}

StageTrace OtherInput::walk_with(std::size_t cell, float value) const {
    Lesson other = question_->lesson;
    other.embeddings = with(cell, value);
    return walk(*right_->trace.stage, other, right_->trace.parameters, question_->inputs);
}

// Returns the same step of another walk.
Tensor OtherInput::in(const StageTrace& walked, std::size_t step) const {
    return walked.node(*walked.find(right_->trace.node(step).name)).value;
}

void OtherInput::move_inputs() {
    const Nodes& nodes = right_->trace.notebook.nodes();
    const Tensor& inputs = question_->lesson.embeddings;
    const auto given = std::ranges::find_if(nodes, [&](const Node& node) {
        return node.call.operation->is_given() && identical(node.value, inputs);
    });
    Replay replay(right_->trace.notebook, steps_);
    for (std::size_t cell = 0; cell < inputs.count(); ++cell) {
        const float moved = inputs.values()[cell] + static_cast<float>(nudge);
        const bool is_made =
            given != nodes.end() &&
            replay.make_of(static_cast<std::size_t>(given - nodes.begin()), with(cell, moved));
        const std::optional<StageTrace> walked =
            is_made ? std::nullopt : std::optional(walk_with(cell, moved));
        for (const std::size_t step : steps_) {
            const Tensor* const changed = is_made ? replay.changed(step) : nullptr;
            moved_[step].push_back(walked               ? in(*walked, step)
                                   : changed != nullptr ? *changed
                                                        : nodes[step].value);
        }
    }
}

// Returns the numbers of the inputs that explain a piece best when they change linearly, the best first.
std::vector<OtherInput::Guess> OtherInput::guesses(const Pattern& pasted, const std::vector<double>& wanted,
                                                   std::size_t step, const std::vector<Piece>& pieces) {
    if (moved_.empty()) {
        move_inputs();
    }
    const std::vector<Tensor>& moved = moved_.at(step);
    constexpr double telling = 0.1;  // the share of the squared differences that may remain
    const double rounding = pasted.rounding();
    std::vector<Guess> all;
    for (const Piece& piece : pieces) {
        const std::vector<double> from = numbers_of(piece, right_->trace.node(step).value);
        const std::vector<double> missing = less(wanted, from);
        for (std::size_t cell = 0; cell < moved.size(); ++cell) {
            const std::vector<double> slope = less(numbers_of(piece, moved[cell]), from);
            const double steps = squares(slope) > 0.0 ? least_squares(missing, slope) : 0.0;
            const double left = squares(less(missing, slope, steps));
            if (left < telling * squares(missing) + 2.0 * rounding) {
                all.push_back({&piece, cell, steps * nudge, left});
            }
        }
    }
    std::ranges::sort(all, {}, &Guess::left);
    constexpr std::size_t promising = 6;
    all.resize(std::min(all.size(), promising));
    return all;
}

// Uses the secant method to find the value that comes nearest.
std::optional<float> OtherInput::solve(const Guess& guess, const std::vector<double>& wanted,
                                       std::size_t step) const {
    constexpr int patience = 8;
    constexpr double furthest = 100.0;
    constexpr double near = 1e-6;
    double at = static_cast<double>(question_->lesson.embeddings.values()[guess.cell]);
    double by = guess.step;
    std::vector<double> from = numbers_of(*guess.piece, right_->trace.node(step).value);
    for (int i = 0; i < patience && std::abs(by) > near; ++i) {
        at += by;
        if (!(std::abs(at) < furthest)) {
            return std::nullopt;
        }
        std::vector<double> here =
            numbers_of(*guess.piece, in(walk_with(guess.cell, static_cast<float>(at)), step));
        const std::vector<double> slope = less(here, from);
        const double steps = squares(slope) > 0.0 ? least_squares(less(wanted, here), slope) : 0.0;
        by *= std::clamp(steps, -2.0, 2.0);
        from = std::move(here);
    }
    return static_cast<float>(at + by);
}

std::optional<Slip> OtherInput::find(const Pattern& pasted, std::size_t step) {
    const Node& node = right_->trace.node(step);
    const std::vector<Piece> pieces = pasted.closest_in(node.value);
    std::vector<double> wanted;
    for (const PrintedNumber& number : pasted.printed().numbers) {
        wanted.push_back(number.value);
    }
    for (const Guess& guess : guesses(pasted, wanted, step, pieces)) {
        const std::optional<float> exactly = solve(guess, wanted, step);
        constexpr int most_decimals = 4;  // decimals of typical inputs
        for (int decimals = 1; exactly && decimals <= most_decimals; ++decimals) {
            const double scale = std::pow(10.0, decimals);
            const double nearest = std::round(static_cast<double>(*exactly) * scale);
            for (const double off : {0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0}) {  // the paste is rounded
                const auto value = static_cast<float>((nearest + off) / scale);
                if (value == question_->lesson.embeddings.values()[guess.cell]) {
                    continue;
                }
                const std::vector<double> made =
                    numbers_of(*guess.piece, in(walk_with(guess.cell, value), step));
                std::size_t n = 0;
                while (n < made.size() && pasted.agrees(n, static_cast<float>(made[n]))) {
                    ++n;
                }
                if (n == made.size()) {
                    return slip(guess, value, scale, std::sqrt(squares(less(made, wanted))));
                }
            }
        }
    }
    return std::nullopt;
}

Slip OtherInput::slip(const Guess& guess, float value, double scale, double difference) const {
    const Tensor& inputs = question_->lesson.embeddings;
    const std::string cell = "inputs" + subscript(inputs, guess.cell);
    return {.piece = *guess.piece,
            .bits = std::log2(2.0 * static_cast<double>(inputs.count()) * scale),
            .largest_difference = difference,
            .line = fmt::format("{} = {}", cell, shortest_digits(value)),
            .instead_of = fmt::format("{} = {}", cell, shortest_digits(inputs.values()[guess.cell]))};
}

}  // namespace attn
