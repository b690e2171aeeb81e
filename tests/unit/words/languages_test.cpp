// Both languages are complete: the files under data/narration/en and zh are compared with each other.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "files/json.hpp"
#include "files/located.hpp"
#include "files/resources.hpp"
#include "words/translation.hpp"
#include "words/words.hpp"

using namespace attn;

namespace {

using Texts = std::map<std::string, std::string>;  // by file and JSON pointer

void collect(const JsonView& json, const std::string& place, Texts& texts) {
    if (json.kind() == "string") {
        texts[place] = json.string();
    } else if (json.kind() == "object") {
        for (const auto& [key, value] : json.members()) {
            collect(value, json_pointer(place, key), texts);
        }
    } else if (json.kind() == "array") {
        for (std::size_t i = 0; i < json.size(); ++i) {
            collect(json[i], place + "/" + std::to_string(i), texts);
        }
    }
}

// English sentences of the sources, with their translations.
constexpr std::string_view translations = "translations.json";

Texts texts_in(std::string_view language) {
    const std::string folder = "narration/" + std::string(language) + "/";
    Texts texts;
    for (const Resource& file : std::span(resources, resource_count)) {
        if (file.name.starts_with(folder) && !file.name.ends_with(translations)) {
            collect(parse_json(file.text, file.name), std::string(file.name.substr(folder.size())), texts);
        }
    }
    return texts;
}

std::multiset<std::string> matches(const std::string& text, const char* pattern) {
    const std::regex regex(pattern);
    std::multiset<std::string> found;
    for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at) {
        found.insert(at->str());
    }
    return found;
}

// Returns the facts with which a sentence may begin: `[mask, not given]`.
std::string facts(const std::string& text) {
    return text.starts_with('[') ? text.substr(0, text.find(']') + 1) : "";
}

// Returns the placeholders; those without a number are counted, as fmt does.
std::multiset<std::string> places(const std::string& text) {
    std::multiset<std::string> found;
    for (const std::string& place : matches(text, R"(\{[^{}]*\})")) {
        found.insert(place == "{}" ? "{" + std::to_string(found.size()) + "}" : place);
    }
    return found;
}

// Returns true for text with a character from U+4E00 to U+9FFF, which is E4 B8 80 to E9 BF BF in UTF-8.
bool has_han(const std::string& text) {
    return std::ranges::any_of(text, [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte >= 0xE4U && byte <= 0xE9U;
    });
}

}  // namespace

TEST_CASE("no text is missing in either language") {
    const Texts english = texts_in("en");
    const Texts chinese = texts_in("zh");
    CHECK(english.size() > 450);
    for (const auto& entry : english) {
        CHECK_MESSAGE(chinese.contains(entry.first), "no Chinese for ", entry.first);
        CHECK_MESSAGE(!entry.second.empty(), "no text at ", entry.first);
    }
    for (const auto& entry : chinese) {
        CHECK_MESSAGE(english.contains(entry.first), "no English for ", entry.first);
    }
}

TEST_CASE("what is Chinese has Chinese characters, and what is English none but its examples") {
    for (const auto& entry : texts_in("zh")) {
        // `exp`, `d_k` and `{}（{}）` are the same in all languages.
        const std::string words =
            std::regex_replace(entry.second, std::regex(R"(\{[^}]*\}|^\[[^\]]*\])"), "");
        const bool says_something = words != "exp" && !matches(words, "[A-Za-z]{2,}").empty();
        CHECK_MESSAGE((has_han(entry.second) || !says_something), entry.first, ": ", entry.second);
    }
    std::size_t examples = 0;
    for (const auto& entry : texts_in("en")) {
        examples += has_han(entry.second) ? 1 : 0;  // 我 喜欢 绿茶, and 绿茶 by itself
    }
    CHECK(examples == 2);
}

TEST_CASE(
    "both languages have the same places for values, quote the same numbers and depend on the same facts") {
    const Texts chinese = texts_in("zh");
    for (const auto& entry : texts_in("en")) {
        const auto translated = chinese.find(entry.first);
        REQUIRE(translated != chinese.end());
        CAPTURE(entry.first);
        CHECK(places(entry.second) == places(translated->second));
        CHECK(facts(entry.second) == facts(translated->second));
        constexpr const char* decimals = R"(-?[0-9]+\.[0-9]+)";
        CHECK(matches(entry.second, decimals) == matches(translated->second, decimals));
    }
}

TEST_CASE("a translation by its English sentence has the same places, and is one") {
    const Words words("zh", "translations");
    CHECK(words.texts().size() > 150);
    for (const auto& entry : words.texts()) {
        const std::string english(entry.first);
        const std::string& chinese = entry.second;
        CAPTURE(english);
        const auto count = [](const std::string& text) { return matches(text, R"(\{[0-9]*\})").size(); };
        CHECK(count(english) == count(chinese));
        const bool says_something = !matches(english, "[A-Za-z]{2,}").empty();
        CHECK(has_han(chinese) == says_something);
    }
}

TEST_CASE("a message is worded in Chinese, and what it quotes stays as it was given") {
    const auto chinese = [](const Message& message) { return worded(message, "zh"); };
    CHECK(chinese(Message("{}: there is no such file; give the path of one, or - for standard input.",
                          "Numbers")) == "Numbers：没有这个文件；请给出文件的路径，或用 - 表示标准输入。");
    CHECK(chinese(Message("{}: at {}: {}", "a or b.json", "/1",
                          Message("expected {} but found {}.", Message("a number"), Message("an array")))) ==
          "a or b.json：/1 处：应为数，但找到数组。");
    CHECK(chinese(Message("no such sentence: {}", 1)) == "no such sentence: 1");
}

TEST_CASE("a text without a translation stays English") {
    CHECK(translated("this or that way", "zh") == "this or that way");
    CHECK(translated("", "zh") == "");
    CHECK(translated("a value is missing.", "en") == "a value is missing.");
}
