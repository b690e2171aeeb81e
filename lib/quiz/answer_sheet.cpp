#include "quiz/answer_sheet.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "files/json_view.hpp"
#include "tensor/digits.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

// `3`, but no `03`; nothing for a name.
std::optional<std::size_t> number_of(std::string_view key) {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), number);
    return error == std::errc() && end == key.data() + key.size() && std::to_string(number) == key
               ? std::optional(number)
               : std::nullopt;
}

std::string number_text(double number) {
    const std::string digits = shortest_digits(number);
    return digits.ends_with(".0") ? digits.substr(0, digits.size() - 2) : digits;
}

class Reader {
public:
    Reader(std::string_view origin, std::size_t questions) : origin_(origin), questions_(questions) {}

    std::vector<AnswerSet> sets(const Json& json) const {
        const auto* const object = std::get_if<Json::Object>(&json.value);
        const auto has_number = [](const JsonMember& member) { return number_of(member.key).has_value(); };
        if (object == nullptr || object->empty() || std::ranges::any_of(*object, has_number)) {
            return {set("", json, "")};
        }
        std::vector<AnswerSet> sets;
        for (const JsonMember& member : *object) {
            sets.push_back(set(member.key, member.value, json_pointer("", member.key)));
        }
        return sets;
    }

private:
    AnswerSet set(const std::string& name, const Json& json, const std::string& pointer) const {
        AnswerSet set{name, std::vector<std::string>(questions_)};
        if (const auto* const list = std::get_if<Json::Array>(&json.value)) {
            for (std::size_t i = 0; i < list->size(); ++i) {
                const std::string at = json_pointer(pointer, std::to_string(i));
                place(set, i + 1, at) = answer((*list)[i], at);
            }
        } else if (const auto* const object = std::get_if<Json::Object>(&json.value)) {
            for (const JsonMember& member : *object) {
                const std::string at = json_pointer(pointer, member.key);
                place(set, number_of(member.key).value_or(0), at) = answer(member.value, at);
            }
        } else {
            fail_at_pointer(origin_, pointer,
                            "expected answers as a list, or as an object by number, {\"1\": \"0.5517\"}.");
        }
        return set;
    }

    std::string& place(AnswerSet& set, std::size_t number, const std::string& pointer) const {
        if (number < 1 || number > questions_) {
            fail_at_pointer(origin_, pointer, Message("expected a task from 1 to {}.", questions_));
        }
        return set.answers[number - 1];
    }

    // As somebody would type it.
    std::string answer(const Json& json, const std::string& pointer) const {
        if (const auto* const text = std::get_if<std::string>(&json.value)) {
            return *text;
        }
        if (const auto* const number = std::get_if<double>(&json.value)) {
            return number_text(*number);
        }
        if (const auto* const list = std::get_if<Json::Array>(&json.value)) {
            std::vector<std::string> sizes;
            for (std::size_t i = 0; i < list->size(); ++i) {
                sizes.push_back(answer((*list)[i], json_pointer(pointer, std::to_string(i))));
            }
            return fmt::format("({})", fmt::join(sizes, ", "));
        }
        if (std::holds_alternative<std::nullptr_t>(json.value)) {
            return "";
        }
        fail_at_pointer(origin_, pointer, "expected a number, a text, or a list of sizes.");
    }

    std::string_view origin_;
    std::size_t questions_;
};

}  // namespace

Sheet answer_sheet(const Quiz& quiz, const SheetRequest& request, const Style& style) {
    const Words words(style.language, "exercises");
    const std::string exercise(request.exercise);
    const bool of_book = !exercise.empty();
    Sheet sheet{.title = of_book ? words("of_book", exercise) : words("title"),
                .paragraphs = {of_book ? words(exercise + "/statement") : words("how")},
                .tasks = {},
                .conclusion = {},
                .is_key = request.is_key,
                .answer = words("answer")};
    if (quiz.questions.size() < request.wished) {
        sheet.paragraphs.push_back(Words(style.language, "quiz")("few", quiz.questions.size()));
    }
    for (const QuizQuestion& question : quiz.questions) {
        const StageTrace& walked = *question.right;
        const Node& step = walked.node(question.step);
        const std::string tensor =
            of_book && question.cell
                ? fmt::format("{} =\n{}\n", step.name, tensor_text(step.value, {}, style.print))
                : "";
        sheet.tasks.push_back({.heading = question.is_exercise()
                                              ? words("of_book", question.exercise)
                                              : fmt::format("{} · {}", walked.stage->name, step.name),
                               .shown = question.shown,
                               .text = question.text,
                               .answer = answer_text(question.right_answer(), question.decimals),
                               .solved = tensor});
    }
    if (request.is_key) {
        sheet.title = words("key", sheet.title);
        if (of_book) {
            sheet.conclusion.push_back(words(exercise + "/solution"));
        }
    }
    sheet.conclusion.push_back(words("made_by", request.command));
    return sheet;
}

std::vector<AnswerSet> read_answer_sets(std::string_view text, std::string_view origin,
                                        std::size_t questions) {
    const Json json = parse_json(text, origin, JsonNumbers::exact);
    return Reader(origin, questions).sets(json);
}

}  // namespace attn
