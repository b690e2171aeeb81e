#include "diagnosis/readings.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "diagnosis/costs.hpp"
#include "mistakes/bits.hpp"

namespace attn {

namespace {

// The tolerance is a share of the largest number, because sums of a few terms lose a few units in the last
// place.
struct Kind {
    std::string_view name;
    // Significant binary digits of the type; 0: the numbers may have any number of digits.
    int digits;
    double slack;
    double bits;
};
constexpr Kind kinds[] = {
    {"float32", 0, 1e-5, cost::other_order},
    {"bfloat16", 8, 0x1p-6, cost::half_type},
    {"float16", 11, 0x1p-9, cost::half_type},
};

// A smaller count of numbers can agree by chance.
constexpr std::size_t enough = 6;

// If all numbers fit into so few binary digits, returns how improbable that is, in bits. Otherwise returns
// nothing.
std::optional<double> evidence(const PrintedTensor& printed, int digits) {
    double bits = 0.0;
    for (const PrintedNumber& number : printed.numbers) {
        if (number.value == 0.0 || number.value == 1.0 || !std::isfinite(number.value)) {
            continue;
        }
        const double spacing = std::ldexp(1.0, std::ilogb(number.value) + 1 - digits);
        const double half_unit = 0.5 * last_unit(number);
        if (std::abs(std::remainder(number.value, spacing)) > half_unit + 1e-3 * spacing) {
            return std::nullopt;
        }
        bits += bits_for(std::clamp(spacing / (2.0 * half_unit), 1.0, 1e3));
    }
    return bits;
}

// If the last printed digit of every number is 0, returns the unit of the last digit before these zeros:
// 0.001 for torch.round(x, decimals=3), which is printed with four decimals. Returns 0 if not all end in 0,
// or if there are too few numbers or decimals.
double rounded_unit(const PrintedTensor& printed) {
    constexpr int fewest = 2;  // fewer decimals could be whole numbers
    int decimals = 0;
    for (const PrintedNumber& number : printed.numbers) {
        constexpr int most = 9;
        int needed = number.decimals;
        if (number.notation != PrintedNumber::Notation::fixed || needed > most ||
            !std::isfinite(number.value)) {
            return 0.0;
        }
        double last = std::round(std::abs(number.value) * std::pow(10.0, needed));
        for (; needed > 0 && std::fmod(last, 10.0) == 0.0; --needed) {
            last /= 10.0;
        }
        decimals = std::max(decimals, needed);
        if (needed == number.decimals) {
            return 0.0;
        }
    }
    return printed.numbers.size() >= enough && decimals >= fewest ? std::pow(10.0, -decimals) : 0.0;
}

bool is_possible(const Kind& kind, const PrintedTensor& printed) {
    if (printed.numbers.size() < enough) {
        return kind.name == "float32";
    }
    if (kind.digits == 0) {
        return true;
    }
    const std::string_view dtype = printed.dtype;
    const std::string_view of = dtype.substr(dtype.rfind('.') + 1);  // "float16" of torch.float16
    return of.ends_with("float16") ? of == kind.name
                                   : evidence(printed, kind.digits).value_or(0.0) >= convincing;
}

}  // namespace

bool Reading::explains(const Piece& piece, const Tensor& right) const {
    const std::vector<PrintedNumber>& numbers = pattern.printed().numbers;
    const auto kind = std::ranges::find(kinds, name, &Kind::name);
    const std::span<const float> values = right.values();
    // Sums of other signs cancel, so a number is off by a share of its row's largest one. Weights and
    // exponentials in float32 do not cancel.
    const bool cancels = name != "float32" || std::ranges::any_of(values, [](float x) { return x < 0.0F; });
    const std::size_t width = cancels && right.rank() > 0 ? right.shape()[right.rank() - 1] : 1;
    std::vector<double> sizes(values.size() / std::max<std::size_t>(width, 1));  // of the rows
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto size = static_cast<double>(std::abs(values[i]));
        sizes[i / width] = std::isfinite(size) ? std::max(sizes[i / width], size) : sizes[i / width];
    }
    for (std::size_t n = 0; n < numbers.size(); ++n) {
        const std::size_t at = piece.offsets[n];
        const auto x = static_cast<double>(values[at]);
        const double further = x == 0.0                  ? 0.0
                               : kind == std::end(kinds) ? slack
                                                         : kind->slack * sizes[at / width];
        if (std::abs(x - numbers[n].value) > tolerance(numbers[n]) + further) {
            return false;
        }
    }
    return true;
}

std::optional<Piece> Reading::find_in(const Tensor& right) const {
    std::optional<Piece> piece = pattern.find_in(right);
    return piece && (name.empty() || explains(*piece, right)) ? piece : std::nullopt;
}

std::vector<Reading> readings(const PrintedTensor& printed) {
    std::vector<Reading> all;
    const auto add = [&](std::string_view name, double bits, double slack) {
        all.push_back({name, bits, slack, surprise(printed, slack), Pattern(printed, slack)});
    };
    add("", 0.0, 0.0);
    for (const Kind& kind : kinds) {
        if (is_possible(kind, printed)) {
            add(kind.name, kind.bits, kind.slack * largest(printed));
        }
    }
    if (const double unit = rounded_unit(printed); unit > 0.0) {
        add("decimals", cost::fewer_decimals, 0.5 * unit);
    }
    return all;
}

std::optional<PrintedTensor> without_float32_tails(const PrintedTensor& printed) {
    constexpr int most_decimals = 4;  // people round to at most this many decimals
    constexpr int tail = 10;          // nobody types numbers with this many decimals
    int decimals = 0;
    for (const PrintedNumber& number : printed.numbers) {
        if (!std::isfinite(number.value)) {
            continue;
        }
        const bool is_fixed = number.notation != PrintedNumber::Notation::scientific;
        const auto single = static_cast<float>(number.value);
        const bool is_single =
            std::abs(static_cast<double>(single) - number.value) <= 0.5 * last_unit(number);
        int needed = 0;
        double scaled = std::abs(number.value);
        for (; needed <= most_decimals &&
               static_cast<float>(std::round(scaled) / std::pow(10.0, needed)) != std::abs(single);
             ++needed) {
            scaled *= 10.0;
        }
        if (!is_fixed || !is_single || number.decimals < tail || needed > most_decimals) {
            return std::nullopt;
        }
        decimals = std::max(decimals, needed);
    }
    if (decimals == 0) {  // whole numbers are exact
        return std::nullopt;
    }
    PrintedTensor rounded = printed;
    for (PrintedNumber& number : rounded.numbers) {
        number.decimals = static_cast<std::uint8_t>(decimals);
        number.notation = PrintedNumber::Notation::fixed;
    }
    return rounded;
}

}  // namespace attn
