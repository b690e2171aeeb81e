#include "watch/recording.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "files/json.hpp"
#include "files/tensor_file.hpp"
#include "text/lists.hpp"
#include "text/message.hpp"
#include "watch/flat_weights.hpp"
#include "watch/recorded_ops.hpp"

namespace attn {

namespace {

constexpr std::string_view calls_format = "attn-walkthrough/calls";
constexpr std::int64_t last_line = std::int64_t{1} << 32U;
// PyTorch's limit.
constexpr std::size_t most_axes = 64;
// Views repeat numbers of their data, such as a mask that is expanded to all heads. To judge so many repeated
// numbers takes a few seconds.
constexpr std::size_t most_repeated = std::size_t{1} << 24U;

// The types of recorded tensors, by their names in PyTorch and in .safetensors.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> recorded_types{{{"float32", "F32"},
                                                                                       {"float64", "F64"},
                                                                                       {"float16", "F16"},
                                                                                       {"bfloat16", "BF16"},
                                                                                       {"bool", "BOOL"},
                                                                                       {"uint8", "U8"},
                                                                                       {"int64", "I64"},
                                                                                       {"int32", "I32"}}};

const NumberType* number_type(std::string_view of_torch) {
    const auto type =
        std::ranges::find(recorded_types, of_torch, &std::pair<std::string_view, std::string_view>::first);
    return type == recorded_types.end() ? nullptr : find_number_type(type->second);
}

std::string from_base64(const JsonView& view) {
    constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::string& text = view.string();
    std::array<int, 256> values{};
    values.fill(-1);
    for (std::size_t i = 0; i < alphabet.size(); ++i) {
        values.at(static_cast<unsigned char>(alphabet[i])) = static_cast<int>(i);
    }
    std::string bytes;
    std::uint32_t bits = 0;
    int count = 0;
    for (const char c : text.substr(0, text.find('='))) {
        const int value = values.at(static_cast<unsigned char>(c));
        if (value < 0) {
            view.fail(Message("expected base64."));
        }
        bits = bits << 6U | static_cast<std::uint32_t>(value);
        count += 6;
        if (count >= 8) {
            count -= 8;
            bytes.push_back(static_cast<char>(bits >> static_cast<unsigned>(count) & 0xFFU));
        }
    }
    return bytes;
}

std::vector<std::size_t> sizes_in(const JsonView& view) {
    const std::vector<std::uint64_t> sizes = view.whole_numbers();
    return {sizes.begin(), sizes.end()};
}

// Throws Error if the tensors repeat too many numbers of their data. Nothing has been decoded yet.
void require_few_repeated(const JsonView& tensors) {
    std::size_t repeated = 0;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const auto data = tensors[i].find("data");
        const NumberType* const type = data ? number_type(tensors[i].at("dtype").string()) : nullptr;
        if (type == nullptr) {
            continue;
        }
        const std::size_t available = data->string().size() / 4 * 3 / type->width;
        const std::size_t most = available + most_repeated - repeated;
        std::size_t count = 1;
        for (const std::size_t size : sizes_in(tensors[i].at("shape"))) {
            count = size != 0 && count > most / size ? most + 1 : count * size;
        }
        if (count > most) {
            tensors[i].fail(
                Message("the shapes repeat more than {} numbers of the data, the limit; record "
                        "fewer tokens.",
                        most_repeated));
        }
        repeated += count - std::min(count, available);
    }
}

// Reads the numbers through the strides.
void read_values(RecordedTensor& tensor, const JsonView& view) {
    const NumberType* const number = number_type(tensor.type);
    const std::vector<std::size_t> strides = sizes_in(view.at("strides"));
    if (number == nullptr || strides.size() != tensor.shape.size() || strides.size() > most_axes) {
        view.fail(Message("expected a tensor with strides for each axis."));
    }
    const std::string bytes = from_base64(view.at("data"));
    const std::size_t available = bytes.size() / number->width;
    const std::size_t count =
        std::accumulate(tensor.shape.begin(), tensor.shape.end(), std::size_t{1}, std::multiplies());
    tensor.numbers.reserve(count);
    std::vector<std::size_t> index(tensor.shape.size());
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at =
            std::inner_product(index.begin(), index.end(), strides.begin(), std::size_t{0});
        if (at >= available) {
            view.fail(Message("the data has fewer numbers than shape and strides need."));
        }
        tensor.numbers.push_back(static_cast<float>(number->read(bytes.data() + at * number->width)));
        for (std::size_t axis = index.size(); axis-- > 0;) {
            if (++index[axis] < tensor.shape[axis]) {
                break;
            }
            index[axis] = 0;
        }
    }
    tensor.has_numbers = true;
}

RecordedTensor read_recorded_tensor(const JsonView& view) {
    RecordedTensor tensor{.shape = sizes_in(view.at("shape")),
                          .type = view.at("dtype").string(),
                          .names = view.at("names").strings(),
                          .numbers = {}};
    const auto parameter = view.find("parameter");
    tensor.is_parameter = parameter && parameter->boolean();
    tensor.is_on_cpu = !view.find("device");
    if (view.find("data")) {
        read_values(tensor, view);
    }
    return tensor;
}

std::size_t line_in(const JsonView& view) {
    return static_cast<std::size_t>(view.at("line").integer(0, last_line));
}

// Collects the tensors and numbers of an argument.
void read_argument(RecordedCall& call, const JsonView& view, const std::string& keyword,
                   const std::function<std::size_t(const JsonView&)>& index) {
    if (view.kind() == "number") {
        call.arguments.emplace_back(keyword, view.number());
    } else if (view.kind() == "boolean") {
        call.arguments.emplace_back(keyword, view.boolean() ? 1.0 : 0.0);
    } else if (view.kind() == "string" && view.string().ends_with("Infinity")) {
        call.arguments.emplace_back(
            keyword, (view.string().starts_with('-') ? -1.0 : 1.0) * std::numeric_limits<double>::infinity());
    } else if (view.kind() == "string" && call.op == "einsum" && call.equation.empty()) {
        call.equation = view.string();
    } else if (view.kind() == "array") {
        for (std::size_t i = 0; i < view.size(); ++i) {
            read_argument(call, view[i], keyword, index);
        }
    } else if (view.kind() == "object") {
        if (const auto tensor = view.find("tensor")) {
            call.operands.push_back(index(*tensor));
            if (!keyword.empty()) {
                call.by_keyword.emplace(keyword, call.operands.back());
            }
        }
    }
}

}  // namespace

std::vector<bool> Recording::used() const {
    std::vector<bool> used(tensors.size());
    for (const RecordedCall& call : calls) {
        for (const std::size_t id : call.operands) {
            used[id] = true;
        }
    }
    return used;
}

double RecordedCall::number(std::string_view keyword, double otherwise) const {
    const auto found = std::ranges::find(arguments, keyword, &std::pair<std::string, double>::first);
    return found == arguments.end() ? otherwise : found->second;
}

bool drops_weights(const RecordedCall& call) {
    constexpr std::size_t p = 3;  // behind the width, the heads and add_zero_attn
    return (is_sdpa(call) && !call.is_eval && call.number("dropout_p", 0.0) > 0.0) ||
           (is_module(call) && call.number("training", 0.0) > 0.0 && call.arguments.size() > p &&
            call.arguments[p].second > 0.0);
}

bool is_recording(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    return begin != std::string_view::npos && text[begin] == '{' &&
           text.substr(begin, 80).find(calls_format) != std::string_view::npos;
}

Recording read_recording(std::string_view text, std::string_view origin) {
    const JsonView root = parse_json(text, origin);
    if (root.at("format").string() != calls_format) {
        root.at("format").fail(Message("expected \"{}\".", calls_format));
    }
    root.at("version").integer(1, 1);
    Recording recording;
    const JsonView tensors = root.at("tensors");
    require_few_repeated(tensors);
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        recording.tensors.push_back(read_recorded_tensor(tensors[i]));
    }
    const auto index = [&](const JsonView& view) {
        return static_cast<std::size_t>(
            view.integer(0, static_cast<std::int64_t>(recording.tensors.size()) - 1));
    };
    const JsonView calls = root.at("calls");
    for (std::size_t i = 0; i < calls.size(); ++i) {
        const JsonView view = calls[i];
        RecordedCall call{.op = view.at("op").string(),
                          .kind = std::string(kind_of(view.at("op").string())),
                          .operands = {},
                          .results = {},
                          .arguments = {},
                          .module = view.find("module") ? view.at("module").string() : "",
                          .is_eval = view.find("eval") && view.at("eval").boolean(),
                          .file = view.at("file").string(),
                          .text = view.at("text").string(),
                          .line = line_in(view)};
        const JsonView given = view.at("arguments");
        read_argument(call, given, "", index);
        if (call.op == "__setitem__" && given.size() > 0 && given[given.size() - 1].kind() == "object") {
            call.arguments.clear();  // the numbers are indices
        }
        const auto callers = view.find("callers");
        for (std::size_t level = 0; callers && level < callers->size(); ++level) {
            const JsonView by = (*callers)[level];
            call.callers.push_back(
                {by.at("function").string(), by.at("file").string(), by.at("text").string(), line_in(by)});
        }
        if (const auto keywords = view.find("keywords")) {
            for (const auto& [keyword, value] : keywords->members()) {
                read_argument(call, value, std::string(keyword), index);
            }
        }
        if (const auto lines = view.find("keyword_lines")) {
            for (const auto& [keyword, place] : lines->members()) {
                call.keyword_lines.push_back(
                    {std::string(keyword), place.at("text").string(), line_in(place)});
            }
        }
        if (is_one_of(call.op, {"addmm", "baddbmm"}) && call.operands.size() < 3) {
            call.kind = call.op;  // no product, for a factor is missing
        }
        const JsonView results = view.at("results");
        for (std::size_t result = 0; result < results.size(); ++result) {
            call.results.push_back(index(results[result]));
        }
        recording.calls.push_back(std::move(call));
    }
    flatten_weights(recording);
    recording.makers.resize(recording.tensors.size());
    for (std::size_t i = 0; i < recording.calls.size(); ++i) {
        const std::vector<std::size_t>& operands = recording.calls[i].operands;
        for (const std::size_t id : recording.calls[i].results) {
            if (!recording.makers[id] && !contains(operands, id)) {
                recording.makers[id] = i;
            }
        }
    }
    return recording;
}

}  // namespace attn
