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
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "files/json.hpp"
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

    double decimal() { return std::strtod(std::string(next()).c_str(), nullptr); }

    bool flag() { return number<int>() != 0; }

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
    suffix.requires_grad = words.flag();
    suffix.parameter = words.flag();
    return attn::tensor_text(words.tensor(), suffix, options);
}

// The numbers of a tensor as hexadecimal bits.
std::string bits(const attn::Tensor& x) {
    std::string text;
    for (const float value : x.values()) {
        fmt::format_to(std::back_inserter(text), "{:08x} ", std::bit_cast<std::uint32_t>(value));
    }
    return text;
}

attn::Generator generator(Words& words) {
    return attn::Generator(words.number<std::uint64_t>());
}

// AXIS TENSOR
template <attn::Tensor (*reduce)(const attn::Tensor&, int, bool)>
std::string along(Words& words) {
    const auto axis = words.number<int>();
    return bits(reduce(words.tensor(), axis, false));
}

// SEED COUNT
template <attn::Tensor (*draw)(attn::Generator&, const attn::Shape&)>
std::string drawn(Words& words) {
    attn::Generator seeded = generator(words);
    return bits(draw(seeded, attn::Shape{words.number<std::size_t>()}));
}

// SEED IN OUT BIAS
std::string linear(Words& words) {
    attn::Generator seeded = generator(words);
    const auto in = words.number<std::size_t>();
    const auto out = words.number<std::size_t>();
    const attn::Linear layer(seeded, in, out, words.flag());
    return bits(layer.weight()) + (layer.bias() ? bits(*layer.bias()) : "");
}

// SEED P COUNT
std::string keep_mask(Words& words) {
    attn::Generator seeded = generator(words);
    const auto p = words.decimal();
    return bits(
        attn::keep_mask(seeded, attn::Shape{words.number<std::size_t>()}, p, attn::DropoutRng::mt19937));
}

// TENSOR
template <attn::Tensor (*function)(const attn::Tensor&)>
std::string of_one(Words& words) {
    return bits(function(words.tensor()));
}

// AXIS TENSOR
std::string softmax(Words& words) {
    const int axis = words.number<int>();
    return bits(attn::softmax(words.tensor(), axis));
}

// TENSOR TENSOR
template <attn::Tensor (*function)(const attn::Tensor&, const attn::Tensor&)>
std::string of_two(Words& words) {
    const attn::Tensor a = words.tensor();
    return bits(function(a, words.tensor()));
}

// BASE TENSOR
std::string power(Words& words) {
    const double base = words.decimal();
    return bits(attn::pow(base, words.tensor()));
}

// TENSOR COSINES SINES
template <attn::Tensor (*rotate)(const attn::Tensor&, const attn::Tensor&, const attn::Tensor&)>
std::string rotation(Words& words) {
    const attn::Tensor x = words.tensor();
    const attn::Tensor cos = words.tensor();
    return bits(rotate(x, cos, words.tensor()));
}

// DIAGONAL TENSOR
template <attn::Tensor (*function)(const attn::Tensor&, int)>
std::string triangle(Words& words) {
    const int diagonal = words.number<int>();
    return bits(function(words.tensor(), diagonal));
}

// TENSOR MASK
std::string masked_fill(Words& words) {
    const attn::Tensor x = words.tensor();
    return bits(attn::masked_fill(x, words.tensor(), -std::numeric_limits<float>::infinity()));
}

// SEED P TENSOR
std::string dropout(Words& words) {
    attn::Generator seeded = generator(words);
    const auto p = words.decimal();
    return bits(attn::dropout(seeded, words.tensor(), p));
}

// Decodes a hexadecimal word into bytes.
std::string bytes(Words& words) {
    const std::string_view hex = words.next();
    std::string text;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
        int byte = 0;
        std::from_chars(hex.data() + i, hex.data() + i + 2, byte, 16);
        text += static_cast<char>(byte);
    }
    return text;
}

// Reads a text as JSON, given its bytes. Answers "accepted" or the error.
std::string json(Words& words) {
    try {
        attn::parse_json(bytes(words), "text");
    } catch (const attn::Error& error) {
        return error.what();
    }
    return "accepted";
}

// Reads a text as a paste, given its bytes. Answers with one line per tensor: SHOWN:GAP|- of each axis, a
// bar, then each number and half a unit of its last digit; or with the error.
std::string read(Words& words) {
    const std::string text = bytes(words);
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

struct Command {
    std::string_view name;
    std::string (*answer)(Words&);
};

constexpr Command commands[] = {
    {"print", print},
    {"read", read},
    {"json", json},
    {"rand", drawn<attn::rand>},
    {"randn", drawn<attn::randn>},
    {"linear", linear},
    {"keep_mask", keep_mask},
    {"exp", of_one<attn::exp>},
    {"softmax", softmax},
    {"matmul", of_two<attn::matmul>},
    {"add", of_two<attn::add>},
    {"sub", of_two<attn::sub>},
    {"mul", of_two<attn::mul>},
    {"div", of_two<attn::div>},
    {"maximum", of_two<attn::maximum>},
    {"masked_fill", masked_fill},
    {"tril", triangle<attn::tril>},
    {"triu", triangle<attn::triu>},
    {"dropout", dropout},
    {"abs", of_one<attn::abs>},
    {"sqrt", of_one<attn::sqrt>},
    {"sin", of_one<attn::sin>},
    {"cos", of_one<attn::cos>},
    {"pow", power},
    {"rotate_halves", rotation<attn::rotate_halves>},
    {"rotate_neighbours", rotation<attn::rotate_neighbours>},
    {"sum", along<attn::sum>},
    {"mean", along<attn::mean>},
    {"amax", along<attn::amax>},
    {"numpy_randn", drawn<attn::numpy::randn>},
    {"numpy_exp", of_one<attn::numpy::exp>},
    {"numpy_sum", along<attn::numpy::sum>},
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
