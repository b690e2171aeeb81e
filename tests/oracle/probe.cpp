// Lets a script call the library: reads commands from standard input, one per line, and writes answers to
// standard output. Each answer ends with a line that consists of the record separator 0x1e. The script
// decides which answers are right.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <vector>

#include "printed/reader.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"
#include "tensor/matmul.hpp"
#include "tensor/numpy.hpp"
#include "tensor/random.hpp"
#include "tensor/reduce.hpp"
#include "tensor/softmax.hpp"
#include "tensor/tensor.hpp"
#include "tensor/tensor_text.hpp"
#include "tensor/trigonometry.hpp"

namespace {

// The words of one command, taken from left to right.
class Words {
public:
    explicit Words(std::string_view line) : rest_(line) {}

    std::string_view next() {
        const std::size_t length = std::min(rest_.find(' '), rest_.size());
        if (length == 0) {
            throw std::runtime_error("the command is too short");
        }
        const std::string_view word = rest_.substr(0, length);
        rest_.remove_prefix(std::min(length + 1, rest_.size()));
        return word;
    }

    template <class Number>
    Number number(int base = 10) {
        const std::string_view word = next();
        Number value{};
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
        if (error != std::errc{} || end != word.data() + word.size()) {
            throw std::runtime_error(fmt::format("\"{}\" is not the number expected", word));
        }
        return value;
    }

    // RANK SIZE… BITS…, the bits of each float32 as hexadecimal.
    attn::Tensor tensor() {
        std::vector<std::size_t> sizes(number<std::size_t>());
        for (std::size_t& size : sizes) {
            size = number<std::size_t>();
        }
        attn::Tensor x{attn::Shape(sizes)};
        for (float& value : x.values()) {
            value = std::bit_cast<float>(number<std::uint32_t>(16));
        }
        return x;
    }

private:
    std::string_view rest_;
};

// PRECISION THRESHOLD EDGE_ITEMS LINE_WIDTH GRAD_FN|- REQUIRES_GRAD PARAMETER TENSOR
std::string print(Words& words) {
    attn::PrintOptions options;
    options.precision = words.number<int>();
    options.threshold = words.number<std::size_t>();
    options.edge_items = words.number<std::size_t>();
    options.line_width = words.number<std::size_t>();
    attn::Suffix suffix;
    suffix.grad_fn = words.next();
    if (suffix.grad_fn == "-") {
        suffix.grad_fn = {};
    }
    suffix.requires_grad = words.number<int>() != 0;
    suffix.parameter = words.number<int>() != 0;
    return attn::tensor_text(words.tensor(), suffix, options);
}

// Reads the next argument of a function from the words.
template <class Argument>
Argument take(Words& words) {
    if constexpr (std::is_same_v<Argument, attn::Tensor>) {
        return words.tensor();
    } else if constexpr (std::is_same_v<Argument, attn::Generator>) {
        return attn::Generator(words.number<std::uint64_t>());
    } else if constexpr (std::is_same_v<Argument, attn::Shape>) {
        return attn::Shape{words.number<std::size_t>()};
    } else if constexpr (std::is_same_v<Argument, double>) {
        return std::strtod(std::string(words.next()).c_str(), nullptr);
    } else if constexpr (std::is_same_v<Argument, bool>) {
        return words.number<int>() != 0;
    } else {
        return words.number<Argument>();
    }
}

// Calls a function and answers with the numbers of its result as hexadecimal bits.
template <class... Arguments>
std::string call(Words& words, attn::Tensor (*function)(Arguments...)) {
    std::tuple<std::remove_cvref_t<Arguments>...> arguments{take<std::remove_cvref_t<Arguments>>(words)...};
    const attn::Tensor result = std::apply(function, arguments);
    std::string text;
    for (const float value : result.values()) {
        fmt::format_to(std::back_inserter(text), "{:08x} ", std::bit_cast<std::uint32_t>(value));
    }
    return text;
}

template <auto function>
std::string of(Words& words) {
    return call(words, function);
}

template <attn::Tensor (*function)(const attn::Tensor&, const attn::Tensor&)>
std::string of_two(Words& words) {
    return call(words, function);
}

template <attn::Tensor (*reduce)(const attn::Tensor&, int, bool)>
attn::Tensor along(const attn::Tensor& x, int axis) {
    return reduce(x, axis, false);
}

attn::Tensor linear(attn::Generator& generator, std::size_t in, std::size_t out, bool bias) {
    const attn::Linear layer(generator, in, out, bias);
    std::vector parts{attn::view(layer.weight(), {in * out})};
    if (bias) {
        parts.push_back(*layer.bias());
    }
    return attn::cat(parts, 0);
}

attn::Tensor keep_mask(attn::Generator& generator, const attn::Shape& shape, double p) {
    return attn::keep_mask(generator, shape, p, attn::DropoutRng::mt19937);
}

attn::Tensor dropout(attn::Generator& generator, const attn::Tensor& x, double p) {
    return attn::dropout(generator, x, p);
}

attn::Tensor masked_fill(const attn::Tensor& x, const attn::Tensor& mask) {
    return attn::masked_fill(x, mask, -std::numeric_limits<float>::infinity());
}

// Reads a text as a paste, given its bytes. Answers with one line per tensor: SHOWN:GAP|- of each axis, a
// bar, then each number and half a unit of its last digit; or with the error.
std::string read(Words& words) {
    const std::string_view hex = words.next();
    std::string text;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
        int byte = 0;
        std::from_chars(hex.data() + i, hex.data() + i + 2, byte, 16);
        text += static_cast<char>(byte);
    }
    std::string lines;
    try {
        for (const attn::PrintedTensor& tensor : attn::read_tensors(text, "text").tensors) {
            lines += lines.empty() ? "" : "\n";
            for (std::size_t axis = 0; axis < tensor.shown.rank(); ++axis) {
                const auto& gap = tensor.gaps[axis];
                lines += fmt::format("{}:{} ", tensor.shown[axis], gap ? std::to_string(*gap) : "-");
            }
            lines += "|";
            for (const attn::PrintedNumber& number : tensor.numbers) {
                lines += fmt::format("{} {} ", number.value, 0.5 * last_unit(number));
            }
        }
    } catch (const attn::Error& error) {
        return error.what();
    }
    return lines;
}

// A function reads its arguments in the order of its parameters.
struct Command {
    std::string_view name;
    std::string (*answer)(Words&);
};

constexpr Command commands[] = {
    {"print", print},
    {"read", read},
    {"rand", of<attn::rand>},
    {"randn", of<attn::randn>},
    {"linear", of<linear>},
    {"keep_mask", of<keep_mask>},
    {"exp", of<attn::exp>},
    {"softmax", of<attn::softmax>},
    {"matmul", of<attn::matmul>},
    {"add", of_two<attn::add>},
    {"sub", of_two<attn::sub>},
    {"mul", of_two<attn::mul>},
    {"div", of_two<attn::div>},
    {"maximum", of<attn::maximum>},
    {"masked_fill", of<masked_fill>},
    {"tril", of<attn::tril>},
    {"triu", of<attn::triu>},
    {"dropout", of<dropout>},
    {"abs", of<attn::abs>},
    {"sqrt", of<attn::sqrt>},
    {"sin", of<attn::sin>},
    {"cos", of<attn::cos>},
    {"pow", of<attn::pow>},
    {"rotate_halves", of<attn::rotate_halves>},
    {"rotate_neighbours", of<attn::rotate_neighbours>},
    {"sum", of<along<attn::sum>>},
    {"mean", of<along<attn::mean>>},
    {"amax", of<along<attn::amax>>},
    {"numpy_randn", of<attn::numpy::randn>},
    {"numpy_exp", of<attn::numpy::exp>},
    {"numpy_sum", of<along<attn::numpy::sum>>},
};

std::string answer(std::string_view line) {
    Words words(line);
    const std::string_view name = words.next();
    for (const Command& command : commands) {
        if (command.name == name) {
            return command.answer(words);
        }
    }
    throw std::runtime_error(fmt::format("there is no command \"{}\"", name));
}

}  // namespace

int main() {
    try {
        std::ios::sync_with_stdio(false);
        for (std::string line; std::getline(std::cin, line);) {
            std::cout << answer(line) << "\n\x1e\n" << std::flush;
        }
    } catch (const std::exception& error) {
        fmt::print(stderr, "attn-oracle-probe: {}\n", error.what());
        return 2;
    }
    return std::cout ? 0 : 2;
}
