// Lets a script call the library: reads commands from standard input, one per line, and writes answers to
// standard output. Each answer ends with a line that consists of the record separator 0x1e. The script
// decides which answers are right.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <iostream>
#include <iterator>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "printed/reader.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"
#include "tensor/matmul.hpp"
#include "tensor/numpy.hpp"
#include "tensor/pcg64.hpp"
#include "tensor/random.hpp"
#include "tensor/reduce.hpp"
#include "tensor/softmax.hpp"
#include "tensor/tensor.hpp"
#include "tensor/tensor_text.hpp"
#include "tensor/trigonometry.hpp"

namespace {

// The words of one command, taken from left to right.
using Words = std::istringstream;

// Reads the next argument of a function. A tensor is RANK SIZE… BITS…, the bits of each float32 as
// hexadecimal.
template <class Argument>
Argument take(Words& words) {
    if constexpr (std::is_same_v<Argument, attn::Tensor>) {
        std::vector<std::size_t> sizes(take<std::size_t>(words));
        std::ranges::generate(sizes, [&] { return take<std::size_t>(words); });
        attn::Tensor x{attn::Shape(sizes)};
        words >> std::hex;
        std::ranges::generate(x.values(), [&] { return std::bit_cast<float>(take<std::uint32_t>(words)); });
        words >> std::dec;
        return x;
    } else if constexpr (std::is_same_v<Argument, attn::Generator> ||
                         std::is_same_v<Argument, attn::numpy::Pcg64>) {
        return Argument(take<std::uint64_t>(words));
    } else if constexpr (std::is_same_v<Argument, attn::Shape>) {
        return attn::Shape{take<std::size_t>(words)};
    } else {
        Argument value{};
        words >> value;
        return value;
    }
}

// PRECISION THRESHOLD EDGE_ITEMS LINE_WIDTH SCI_MODE GRAD_FN|- REQUIRES_GRAD PARAMETER TENSOR
std::string print(Words& words) {
    const auto size = [&] { return take<std::size_t>(words); };
    const attn::PrintOptions options{take<int>(words), size(), size(), size(), take<bool>(words)};
    const auto grad_fn = take<std::string>(words);
    const std::string_view name = grad_fn == "-" ? std::string_view() : grad_fn;
    const bool requires_grad = take<bool>(words), parameter = take<bool>(words);
    const attn::Suffix suffix{.grad_fn = name, .requires_grad = requires_grad, .parameter = parameter};
    return attn::tensor_text(take<attn::Tensor>(words), suffix, options);
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
    const auto hex = take<std::string>(words);
    std::string text;
    for (std::size_t i = 0; i < hex.size(); i += 2) {
        text += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
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
    {"softmax_backward", of<attn::softmax_backward>},
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
    {"pcg64_random", of<attn::numpy::random>},
    {"pcg64_normal", of<attn::numpy::standard_normal>},
    {"numpy_exp", of<attn::numpy::exp>},
    {"numpy_sum", of<along<attn::numpy::sum>>},
};

std::string answer(const std::string& line) {
    Words words(line);
    words.exceptions(std::ios::failbit);
    const auto* const command = std::ranges::find(commands, take<std::string>(words), &Command::name);
    if (command == std::end(commands)) {
        throw std::runtime_error("there is no such command: " + line);
    }
    return command->answer(words);
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
