#include "diagnosis/wrong_number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mistakes/bits.hpp"
#include "notebook/notebook.hpp"
#include "notebook/replay.hpp"
#include "tensor/digits.hpp"

namespace attn {

namespace {

constexpr double nudge = 0.01;

struct WrongNumber {
    Piece piece;
    double bits = 0.0;  // description length of the number and its change
    double largest_difference = 0.0;
    std::string line{};  // `inputs[3][1] = 0.85`
    std::string instead_of{};
};

// Returns a number as this one is printed: 0.1921, 1.6586e-05.
std::string as_printed(const PrintedNumber& like, double value) {
    const bool is_fixed = like.notation == PrintedNumber::Notation::fixed;
    return is_fixed ? fmt::format("{:.{}f}", value, like.decimals)
                    : fmt::format("{:.{}e}", value, like.decimals);
}

// Returns the printed digits without sign and point: "0.1921" → "01921".
std::string digits_of(const PrintedNumber& like, double value) {
    std::string digits = as_printed(like, std::abs(value));
    std::erase(digits, '.');
    return digits;
}

bool is_mistyping(const PrintedNumber& printed, double right) {
    const double pasted = printed.value;
    const std::string a = digits_of(printed, pasted);
    const std::string b = digits_of(printed, right);
    if (a == b) {
        return pasted == -right || std::signbit(pasted) != std::signbit(right);
    }
    if (a.size() != b.size() || std::signbit(pasted) != std::signbit(right)) {
        return false;
    }
    // The digits after the first difference, or after a pair of exchanged digits, must be equal.
    const auto [x, y] = std::ranges::mismatch(a, b);
    return std::equal(x + 1, a.end(), y + 1) ||
           (x + 1 != a.end() && x[0] == y[1] && x[1] == y[0] && std::equal(x + 2, a.end(), y + 2));
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

// Returns a − s b. Infinite differences become 0, because masked cells do not change.
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

// Returns the wrong number if all others agree with a piece of the step. It must differ from the right one in
// a digit, in two exchanged digits, or in its sign.
std::optional<WrongNumber> mistyped(const Pattern& pasted, const Node& step) {
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
    const bool has_digits = number.notation == PrintedNumber::Notation::fixed ||
                            number.notation == PrintedNumber::Notation::scientific;
    if (!has_digits || number.decimals > 9 || !std::isfinite(meant) || !is_mistyping(number, meant)) {
        return std::nullopt;
    }
    constexpr double other_digits = 9.0;
    WrongNumber wrong{.piece = std::move(*piece)};
    wrong.bits = bits_for(static_cast<double>(numbers.size()) * (number.decimals + 1) * other_digits);
    wrong.largest_difference = std::abs(number.value - meant);
    const std::string cell = step.name + subscript(step.value, wrong.piece.offsets[off[0]]);
    wrong.line = fmt::format("{} = {}", cell, as_printed(number, number.value));
    wrong.instead_of = fmt::format("{} = {}", cell, as_printed(number, meant));
    return wrong;
}

// Repeats a walk with one number of the inputs changed.
class OtherInput {
public:
    // `steps` are the steps that may contain the pasted numbers.
    OtherInput(const RightWalk& right, const Tensor& inputs, std::vector<std::size_t> steps)
        : right_(&right),
          inputs_(&inputs),
          steps_(std::move(steps)),
          replay_(right.trace.notebook, steps_),
          given_(0) {
        const Nodes& nodes = right.trace.notebook.nodes();
        while (given_ < nodes.size() &&
               !(nodes[given_].call.operation->is_given() && identical(nodes[given_].value, inputs))) {
            ++given_;
        }
    }

    // Finds one number of the inputs whose change turns a piece of the step into the pasted numbers. Returns
    // nothing after thousands of changes: where two numbers are pasted, nearly any input promises to fit.
    std::optional<WrongNumber> find(const Pattern& pasted, std::size_t step) {
        if (moved_.empty() && !move_inputs()) {
            return std::nullopt;
        }
        const std::vector<Piece> pieces = pasted.closest_in(right_->trace.node(step).value);
        std::vector<double> wanted;
        for (const PrintedNumber& number : pasted.printed().numbers) {
            wanted.push_back(number.value);
        }
        for (const Guess& guess : guesses(pasted, wanted, step, pieces)) {
            const std::optional<float> exactly = solve(guess, wanted, step);
            constexpr int most_decimals = 4;  // inputs usually have at most this many decimals
            for (int decimals = 1; exactly && decimals <= most_decimals; ++decimals) {
                const double scale = std::pow(10.0, decimals);
                const double nearest = std::round(static_cast<double>(*exactly) * scale);
                // Also tries the neighbouring decimals, because the pasted numbers are rounded.
                for (const double off : {0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0}) {
                    const auto value = static_cast<float>((nearest + off) / scale);
                    if (value == inputs_->values()[guess.cell] || !change(guess.cell, value)) {
                        continue;
                    }
                    const std::vector<double> made = numbers_of(*guess.piece, value_of(step));
                    std::size_t n = 0;
                    while (n < made.size() && pasted.agrees(n, static_cast<float>(made[n]))) {
                        ++n;
                    }
                    if (n == made.size()) {
                        return wrong_number(guess, value, scale, std::sqrt(squares(less(made, wanted))));
                    }
                }
            }
        }
        return std::nullopt;
    }

private:
    struct Guess {
        const Piece* piece;
        std::size_t cell;
        double step;  // by how much the input changes
        double left;  // the sum of squared differences that remains after the change
    };

    // Returns false if the walk has no such inputs, if only the stage itself can repeat it, or after too many
    // changes.
    bool change(std::size_t cell, float value) {
        constexpr std::size_t most_changes = 4000;
        if (++changes_ > most_changes) {
            return false;
        }
        Tensor inputs = *inputs_;
        inputs.values()[cell] = value;
        return given_ < right_->trace.notebook.nodes().size() && replay_.make_of(given_, std::move(inputs));
    }

    const Tensor& value_of(std::size_t step) const {
        const Tensor* const changed = replay_.changed(step);
        return changed != nullptr ? *changed : right_->trace.node(step).value;
    }

    bool move_inputs() {
        for (std::size_t cell = 0; cell < inputs_->count(); ++cell) {
            if (!change(cell, inputs_->values()[cell] + static_cast<float>(nudge))) {
                moved_.clear();
                return false;
            }
            for (const std::size_t step : steps_) {
                moved_[step].push_back(value_of(step));
            }
        }
        return true;
    }

    // Returns guesses which input changed and by how much, the best first. They assume that the numbers of a
    // piece change linearly with each input.
    std::vector<Guess> guesses(const Pattern& pasted, const std::vector<double>& wanted, std::size_t step,
                               const std::vector<Piece>& pieces) const {
        const std::vector<Tensor>& moved = moved_.at(step);
        constexpr double telling =
            0.1;  // at most this share of the squared differences may remain after a guess
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
    std::optional<float> solve(const Guess& guess, const std::vector<double>& wanted, std::size_t step) {
        constexpr int patience = 8;
        constexpr double furthest = 100.0;
        constexpr double near = 1e-6;
        double at = static_cast<double>(inputs_->values()[guess.cell]);
        double by = guess.step;
        std::vector<double> from = numbers_of(*guess.piece, right_->trace.node(step).value);
        for (int i = 0; i < patience && std::abs(by) > near; ++i) {
            at += by;
            if (!(std::abs(at) < furthest) || !change(guess.cell, static_cast<float>(at))) {
                return std::nullopt;
            }
            std::vector<double> here = numbers_of(*guess.piece, value_of(step));
            const std::vector<double> slope = less(here, from);
            const double steps = squares(slope) > 0.0 ? least_squares(less(wanted, here), slope) : 0.0;
            by *= std::clamp(steps, -2.0, 2.0);
            from = std::move(here);
        }
        return static_cast<float>(at + by);
    }

    WrongNumber wrong_number(const Guess& guess, float value, double scale, double difference) const {
        const std::string cell = "inputs" + subscript(*inputs_, guess.cell);
        return {.piece = *guess.piece,
                .bits = bits_for(2.0 * static_cast<double>(inputs_->count()) * scale),
                .largest_difference = difference,
                .line = fmt::format("{} = {}", cell, shortest_digits(value)),
                .instead_of = fmt::format("{} = {}", cell, shortest_digits(inputs_->values()[guess.cell]))};
    }

    const RightWalk* right_;
    const Tensor* inputs_;
    std::vector<std::size_t> steps_;
    Replay replay_;
    std::size_t given_;  // the node of the inputs, or the number of nodes if there is none
    std::size_t changes_ = 0;

    // For each step, its tensors after a slight change of one input, one per input.
    std::map<std::size_t, std::vector<Tensor>> moved_{};
};

// Returns the match of a wrong number if it is convincing.
std::optional<Match> match_of(const Target& target, const RightStep& of, std::string_view id,
                              const std::optional<WrongNumber>& wrong, const Ranking& ranking) {
    if (!wrong) {
        return std::nullopt;
    }
    const RightWalk& right = *of.walk;
    const WalkEdit made{.mistake = find_mistake(id), .bits = find_mistake(id)->bits + wrong->bits};
    Match match =
        ranking.match(target, right, right.trace, of.node(), wrong->piece, {&made}, target.readings[0]);
    match.largest_difference = wrong->largest_difference;
    match.line = wrong->line;
    match.instead_of = wrong->instead_of;
    return match.is_convincing() ? std::optional(std::move(match)) : std::nullopt;
}

}  // namespace

std::optional<Match> mistyped(const Target& target, const RightStep& step, const Ranking& ranking) {
    return match_of(target, step, "mistyped", mistyped(target.pattern(), step.node()), ranking);
}

Work work_of_other_input(const RightWalk& right, Targets targets, const Question& question) {
    constexpr std::size_t most_inputs = 256;
    constexpr std::size_t most_effort = 2'000'000;
    constexpr Work of_each = 200;
    const std::size_t inputs = question.lesson.embeddings.count();
    const bool changes_inputs = uses(*right.trace.stage, "lesson") && inputs <= most_inputs &&
                                !right.of_document && !right.trace.parameters.backward &&
                                effort(right.trace) * inputs <= most_effort;
    return changes_inputs
               ? work_of(right.trace) * inputs + of_each * targets.size() * right.trace.steps.size()
               : 0;
}

Matches other_inputs(const RightWalk& right, Targets targets, const Question& question,
                     const Ranking& ranking) {
    const auto fits = [&](const Target* target, std::size_t id) {
        return target->pattern().fits(right.trace.node(id).value.shape());
    };
    std::vector<std::size_t> steps = right.trace.steps;
    std::erase_if(steps, [&](std::size_t id) {
        return !ranking.is_asked_for(right.trace.node(id)) ||
               std::ranges::none_of(targets, [&](const Target* target) { return fits(target, id); });
    });
    OtherInput other(right, question.lesson.embeddings, steps);
    Matches found;
    for (Target* const target : targets) {
        for (const std::size_t id : steps) {
            std::optional<Match> match = fits(target, id)
                                             ? match_of(*target, {&right, id}, "other-input",
                                                        other.find(target->pattern(), id), ranking)
                                             : std::nullopt;
            if (match) {
                found.emplace_back(target, std::move(*match));
            }
        }
    }
    return found;
}

}  // namespace attn
