// Reads a lesson, and checks that its tensor and its list of tokens belong together.
#include "stages/lesson_reader.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "files/inflate.hpp"
#include "files/json.hpp"
#include "files/located.hpp"
#include "files/source.hpp"
#include "files/tensor_file.hpp"
#include "notebook/ops.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"
#include "text/decimal.hpp"
#include "text/lists.hpp"
#include "text/printable.hpp"
#include "text/split.hpp"
#include "text/utf8.hpp"

namespace attn {

namespace {

const TensorEntry& embeddings_in(const TensorFile& file) {
    const std::vector<TensorEntry>& entries = file.entries();
    if (entries.size() == 1) {
        return entries.front();
    }
    for (const std::string_view name : {"inputs", "embeddings", "x"}) {
        if (const TensorEntry* const entry = file.find(name)) {
            return *entry;
        }
    }
    constexpr std::size_t most_names = 20;
    std::string names;
    for (std::size_t i = 0; i < std::min(entries.size(), most_names); ++i) {
        names += (i == 0 ? "" : ", ") + printable(entries[i].name);
    }
    throw Error("{}: has {} tensors, but none called inputs, embeddings or x{}{}{}.",
                printable(file.origin()), entries.size(), names.empty() ? "" : ": ", names,
                entries.size() > most_names ? ", …" : "");
}

// Pages and tables repeat each token many times.
void require_short_tokens(const Lesson& lesson, const std::string& origin) {
    constexpr std::size_t most = 1000;
    for (std::size_t i = 0; i < lesson.tokens.size(); ++i) {
        if (const std::size_t bytes = lesson.tokens[i].size(); bytes > most) {
            throw Error("{}: token {} has {} bytes, more than the limit of {}; shorten it.",
                        printable(origin), i, bytes, most);
        }
    }
}

void require_few_numbers(double count, std::string_view origin, const std::string& place,
                         const std::string& shape) {
    if (count > double(max_read_numbers)) {
        fail_at_pointer(origin, place,
                        Message("expected at most {} numbers but found the shape {}; save fewer tokens.",
                                max_read_numbers, shape));
    }
}

Lesson lesson_in(const TensorFile& file) {
    const TensorEntry& entry = embeddings_in(file);
    const auto first = std::ranges::find_if(entry.sizes, [](std::uint64_t size) { return size != 1; });
    const auto leading =
        std::min<std::ptrdiff_t>(first - entry.sizes.begin(), std::ptrdiff_t(entry.sizes.size()) - 2);
    const std::string place = entry.name.empty() ? "" : json_pointer("", entry.name);
    if (entry.sizes.size() < 2 || std::ptrdiff_t(entry.sizes.size()) - leading != 2) {
        const bool is_batch = entry.sizes.size() >= 3;
        fail_at_pointer(
            file.origin(), place,
            is_batch ? Message("expected one sequence, a shape like (6, 3), but found {}. Save one "
                               "of the batch: numpy.save(\"x.npy\", batch[0])",
                               entry.shape_text())
                     : Message("expected one row of numbers per token, a shape like (6, 3), but found {}.",
                               entry.shape_text()));
    }
    const std::uint64_t tokens = entry.sizes[entry.sizes.size() - 2];
    constexpr std::uint64_t most_tokens = 4'000'000;
    if (tokens > most_tokens) {
        fail_at_pointer(file.origin(), place,
                        Message("expected at most {} tokens but found {}.", most_tokens, tokens));
    }
    const double numbers = double(tokens) * double(entry.sizes.back());
    require_few_numbers(numbers, file.origin(), place, entry.shape_text());
    const Tensor read = file.read(entry, Contents::finite);
    Lesson lesson{{}, view(read, Shape{read.size(-2), read.size(-1)})};
    for (std::size_t i = 0; i < lesson.embeddings.size(0); ++i) {
        lesson.tokens.push_back(std::to_string(i));
    }
    return lesson;
}

// A table of numbers, as spreadsheets save it: fields between commas, semicolons or tabs, perhaps a line of
// names above and the tokens in the first column. Between semicolons, decimals may have a comma.
class Table {
public:
    Table(std::string_view text, std::string_view origin) : origin_(origin) {
        separator_ = contains(text, '\t') ? '\t' : contains(text, ';') ? ';' : ',';
        std::size_t number = 0;
        for (const std::string_view line : split_lines(text)) {
            take_line(line, ++number);
        }
    }

    Lesson lesson() {
        if (numbers_.empty()) {
            throw Error("{}: no row of numbers found.", printable(origin_));
        }
        const Shape shape{rows_, numbers_.size() / rows_};
        return {.tokens = std::move(tokens_), .embeddings = Tensor(shape, std::move(numbers_))};
    }

private:
    void take_line(std::string_view line, std::size_t number) {
        std::vector<std::string> fields;
        for (bool more = true; more;) {
            const std::size_t end = std::min(line.find(separator_), line.size());
            fields.push_back(trimmed(line.substr(0, end)));
            if (numbers_.size() + fields.size() > max_read_numbers) {
                throw Error("{}:{}: more than {} numbers, the limit; save fewer tokens.", printable(origin_),
                            number, max_read_numbers);
            }
            more = end < line.size();
            line.remove_prefix(std::min(end + 1, line.size()));
        }
        if (std::ranges::all_of(fields, &std::string::empty)) {
            return;
        }
        std::string token = std::to_string(rows_);
        double value = 0;
        if (!reads(fields.front(), value) && fields.size() > 1 && !is_damaged(fields.front())) {
            token = fields.front();
            fields.erase(fields.begin());
        }
        const bool is_header =
            std::ranges::none_of(fields, [&](const std::string& one) { return reads(one, value); });
        if (is_header && rows_ == 0) {
            return;
        }
        const std::size_t width = rows_ == 0 ? fields.size() : numbers_.size() / rows_;
        if (fields.size() != width) {
            throw Error("{}:{}: expected {} numbers, as in the rows above, but found {}.", printable(origin_),
                        number, width, fields.size());
        }
        for (const std::string& field : fields) {
            if (!reads(field, value) || !std::isfinite(float(value))) {
                throw Error("{}:{}: expected a number but found {}.", printable(origin_), number,
                            in_quotes(field));
            }
            numbers_.push_back(float(value));
        }
        tokens_.push_back(std::move(token));
        ++rows_;
    }

    static std::string trimmed(std::string_view field) {
        constexpr std::string_view around = " \r\"";
        const std::size_t first = std::min(field.find_first_not_of(around), field.size());
        return std::string(field.substr(first, field.find_last_not_of(around) + 1 - first));
    }

    // True for a field that begins as a decimal, 0.1O5, or contains control characters: no name of a token.
    static bool is_damaged(const std::string& field) {
        double value = 0;
        return contains(field.substr(0, read_double(field, value)), '.') ||
               std::ranges::any_of(field, [](char c) { return static_cast<unsigned char>(c) < ' '; });
    }

    bool reads(std::string field, double& value) const {
        if (separator_ == ';') {
            std::ranges::replace(field, ',', '.');
        }
        return !field.empty() && read_double(field, value) == field.size();
    }

    std::string_view origin_;
    char separator_ = ',';
    std::vector<std::string> tokens_;
    std::vector<float> numbers_;
    std::size_t rows_ = 0;
};

}  // namespace

Lesson read_lesson(std::string_view text, std::string_view origin) {
    const JsonView document = parse_json(text, origin);
    Lesson lesson;
    const bool is_bare = document.kind() == "array";  // [[0.43, 0.15], …]; each row's number is its token
    if (!is_bare) {
        document.allow_keys({"tokens", "embeddings"});
        const JsonView tokens = document.at("tokens");
        lesson.tokens = tokens.strings();
        if (lesson.tokens.empty()) {
            tokens.fail("expected at least one token but found none.");
        }
    }

    const JsonView embeddings = is_bare ? document : document.at("embeddings");
    lesson.embeddings = embeddings.tensor();
    const Shape& shape = lesson.embeddings.shape();
    require_few_numbers(double(shape.count()), origin, embeddings.pointer(), shape.text());
    if (shape.rank() != 2) {
        embeddings.fail(Message("expected one row of numbers per token, a shape like ({}, 3), but found {}.",
                                is_bare ? 6 : lesson.tokens.size(), shape.text()));
    }
    for (std::size_t row = 0; is_bare && row < shape[0]; ++row) {
        lesson.tokens.push_back(std::to_string(row));
    }
    if (shape[0] != lesson.tokens.size()) {
        embeddings.fail(
            Message("expected one row per token, {} in all, but found {}.", lesson.tokens.size(), shape[0]));
    }
    return lesson;
}

Lesson load_lesson(const std::string& path) {
    const std::string origin = source_name(path);
    const auto bytes = std::make_shared<const std::string>(read_source(path));
    const std::shared_ptr<const TensorFile> file = open_tensor_file(bytes, origin);
    const bool is_table = path.ends_with(".csv") || path.ends_with(".tsv");
    Lesson lesson = file != nullptr ? lesson_in(*file)
                    : is_table      ? Table(*bytes, origin).lesson()
                                    : read_lesson(*bytes, origin);
    lesson.is_own = true;
    require_short_tokens(lesson, origin);
    return lesson;
}

Lesson lesson_of_words(std::string_view sentence) {
    Lesson lesson{.tokens = {}, .embeddings = {}, .is_own = true};
    bool in_word = false;
    for (std::size_t at = 0; at < sentence.size();) {
        const CodePoint point = decode_utf8(sentence, at);
        if (!point.valid) {
            throw Error("--text: the sentence is not valid UTF-8.");
        }
        const bool is_blank = point.value <= U' ' || point.value == 0x3000;
        const bool is_word = point.value >= 0x3041 && point.value <= 0x3ffff &&
                             !(point.value >= 0xa000 && point.value < 0xf900) &&
                             !(point.value >= 0xfb00 && point.value < 0x20000);
        if (!is_blank) {
            if (is_word || !in_word) {
                lesson.tokens.emplace_back();
            }
            lesson.tokens.back() += sentence.substr(at, point.length);
        }
        in_word = !is_blank && !is_word;
        at += point.length;
    }
    if (lesson.tokens.empty()) {
        throw Error("--text: expected a sentence, such as 'The cat sat on the mat', but received {}.",
                    in_quotes(sentence));
    }
    require_short_tokens(lesson, "--text");
    for (const std::string& token : lesson.tokens) {
        lesson.words.push_back(crc32(token) % embedding_rows);
    }
    Notebook notebook;
    lesson.embeddings = embedding(notebook, lesson.words, 3).value();
    return lesson;
}

}  // namespace attn
