#include "judge/printed_outputs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "printed/decode.hpp"
#include "tensor/error.hpp"
#include "text/ascii.hpp"

namespace attn {

namespace {

// ['0.5', '0.25'] → [ 0.5 ,  0.25 ]
std::string without_quotes(std::string text) {
    constexpr std::size_t longest = 32;  // characters of a number
    for (std::size_t at = text.find('\''); at != std::string::npos; at = text.find('\'', at + 1)) {
        const std::size_t length = std::string_view(text).substr(at + 1, longest).find('\'');
        if (length != std::string::npos && read_only_number(std::string_view(text).substr(at + 1, length))) {
            text[at] = text[at + 1 + length] = ' ';
        }
    }
    return text;
}

}  // namespace

std::vector<PrintedTensor> tensors_of_output(const Item& output, const Document& document) {
    const std::string& origin = document.origin;
    if (!output.saved.empty()) {
        std::vector<PrintedTensor> saved = output.saved;
        std::erase_if(saved, [](const PrintedTensor& tensor) { return tensor.numbers.empty(); });
        return saved;
    }
    std::vector<PrintedTensor> tensors;
    std::string text;  // the one that the places of numbers are in
    try {
        text = without_quotes(with_ascii_signs(decode_paste(output.text, origin)));
        const bool has_code = std::ranges::any_of(
            document.items, [](const Item& item) { return item.kind == Item::Kind::code; });
        tensors = read_tensors(text, origin, !has_code).tensors;
    } catch (const OverLimit&) {
        throw;
    } catch (const Error&) {
        tensors.clear();  // an output without numbers
    }
    const auto range = [](const PrintedTensor& tensor) {
        const auto [first, last] = std::ranges::minmax(tensor.numbers, {}, &PrintedNumber::offset);
        return std::pair<std::size_t, std::size_t>(first.offset, last.offset);
    };
    std::erase_if(tensors, [&](const PrintedTensor& tensor) {
        if (tensor.numbers.empty()) {
            return true;
        }
        const auto [from, to] = range(tensor);
        const std::size_t before = text.find_last_not_of(' ', from == 0 ? 0 : from - 1);
        const bool is_bracketed = before != std::string::npos && text[before] == '[';
        const bool is_loose = tensor.shown.rank() < 2 && !is_bracketed;
        return (is_loose && document.format != Document::Format::plain) ||
               text.substr(from, to - from).find("tensor(") != std::string::npos;
    });
    std::ranges::stable_sort(tensors, {}, [&](const PrintedTensor& tensor) { return range(tensor).first; });
    std::vector<PrintedTensor> scalars;
    std::size_t line = 1;
    std::size_t end = 0;  // of the tensors that begin before this place
    auto next = tensors.begin();
    for (std::size_t at = 0; at < text.size(); ++at) {
        line += at > 0 && text[at - 1] == '\n' ? 1 : 0;
        for (; next != tensors.end() && range(*next).first <= at; ++next) {
            end = std::max(end, range(*next).second + 1);
        }
        const bool begins =
            at == 0 || std::string_view(" \n(,=:>[").find(text[at - 1]) != std::string_view::npos;
        constexpr std::size_t longest = 64;  // characters of a number
        const std::string_view word = begins && at >= end ? std::string_view(text).substr(at, longest) : "";
        const std::size_t stop = std::min(word.find_first_of(" \n),]"), word.size());
        const std::optional<PrintedNumber> number =
            stop > 0 && stop < longest ? read_only_number(word.substr(0, stop)) : std::nullopt;
        if (!number) {
            continue;
        }
        PrintedTensor scalar;
        scalar.numbers = {*number};
        scalar.numbers[0].offset = static_cast<std::uint32_t>(at);
        settle_precision(scalar.numbers);
        scalar.line = line;
        scalar.place = at >= 7 && text.substr(at - 7, 7) == "tensor(" ? "tensor" : "";
        scalars.push_back(std::move(scalar));
    }
    tensors.insert(tensors.end(), scalars.begin(), scalars.end());
    std::ranges::stable_sort(tensors, {}, [&](const PrintedTensor& tensor) { return range(tensor).first; });
    return tensors;
}

}  // namespace attn
