#include "answers/file_use.hpp"

#include <algorithm>
#include <memory>

#include "files/source.hpp"
#include "files/system.hpp"
#include "files/tensor_file.hpp"
#include "tensor/error.hpp"
#include "text/ascii.hpp"
#include "text/lists.hpp"
#include "text/printable.hpp"
#include "text/split.hpp"
#include "views/document/made_by.hpp"

namespace attn {

namespace {

constexpr std::uint64_t most_bytes = 1U << 20U;  // lessons and sheets of answers are smaller

bool has_weights(const TensorFile& file) {
    return std::ranges::any_of(file.entries(), [](const TensorEntry& entry) {
        return contains(entry.name, "W_query") || entry.name.ends_with(".weight");
    });
}

// True for {"1": …}, and for {"Ada": {"1": …}}.
bool has_answers(std::string_view json) {
    const std::size_t first = json.find("\"1\"");
    const std::size_t next =
        first == std::string_view::npos ? first : json.find_first_not_of(" \r\n\t", first + 3);
    return next != std::string_view::npos && json[next] == ':';
}

FileUse use_of_text(const std::string& path, std::string_view text) {
    if (path.ends_with(".json")) {
        const bool is_ours = contains(text, "\"attn-walkthrough/");  // calls, or a trace
        return is_ours                            ? FileUse::numbers
               : contains(text, "\"embeddings\"") ? FileUse::input
               : contains(text, ".weight\"")      ? FileUse::weights
               : has_answers(text)                ? FileUse::answers
                                                  : FileUse::numbers;
    }
    if (has_suffix(path, {".csv", ".tsv"})) {
        const std::string_view head = up_to(text, "\n");
        constexpr std::string_view axes[] = {"token", "query", "batch", "head"};
        if (contains(axes, up_to(head, ","))) {
            return FileUse::numbers;  // a step that --out wrote
        }
        const bool has_name = !head.empty() && (is_lower(to_lower(head.front())) || head.front() == '"');
        const bool has_task = has_name && (std::ranges::any_of(head, is_digit) || contains(head, "answer"));
        return has_task ? FileUse::answers : has_name ? FileUse::input : FileUse::numbers;
    }
    if (command_of_sheet(text)) {
        return FileUse::answers;
    }
    const bool has_digit = std::ranges::any_of(text, is_digit);
    return path.ends_with(".txt") && !has_digit ? FileUse::text : FileUse::numbers;
}

}  // namespace

bool has_suffix(std::string_view path, std::initializer_list<std::string_view> suffixes) {
    return std::ranges::any_of(suffixes, [&](std::string_view suffix) { return path.ends_with(suffix); });
}

bool is_answer_file(const std::string& path) {
    return has_suffix(path, {".json", ".csv", ".tsv"});
}

bool is_sheet(const std::string& path) {
    return has_suffix(path, {".ipynb", ".md"}) && kind_of(path) == FileKind::file &&
           use_of(path) == FileUse::answers;
}

FileUse use_of(const std::string& path) {
    try {
        const auto bytes = std::make_shared<const std::string>(read_source(path));
        if (const auto file = open_tensor_file(bytes, path)) {
            return has_weights(*file) ? FileUse::weights : FileUse::numbers;
        }
        return bytes->size() > most_bytes ? FileUse::numbers : use_of_text(path, *bytes);
    } catch (const Error&) {
        return FileUse::numbers;
    }
}

}  // namespace attn
