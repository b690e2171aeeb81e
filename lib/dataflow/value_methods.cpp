// Methods of texts, lists and dictionaries.
#include <algorithm>

#include "dataflow/interpreter.hpp"
#include "text/ascii.hpp"
#include "text/replace.hpp"

namespace attn::flow {

namespace value_methods {

Result lower(const Call& call) {
    std::string text = call.self.text;
    std::ranges::transform(text, text.begin(), to_lower);
    return Value::of(std::move(text));
}

Result replace(const Call& call) {
    const Given& by = call.of;
    std::string text = call.self.text;
    constexpr std::size_t most = 10'000'000;  // each letter may become a long text
    if (by.size() != 2 || by[0].text.empty() || text.size() * by[1].text.size() > most) {
        return Value{};
    }
    replace_all(text, by[0].text, by[1].text);
    return Value::of(std::move(text));
}

Result split(const Call& call) {
    const std::string& text = call.self.text;
    const std::string separator = call.of.values.empty() ? " " : call.of[0].text;
    std::vector<Value> words;
    for (std::size_t from = 0; from <= text.size() && !separator.empty();) {
        const std::size_t to = std::min(text.find(separator, from), text.size());
        if (to > from) {
            words.push_back(Value::of(text.substr(from, to - from)));
        }
        from = to + separator.size();
    }
    return Value::of(std::move(words));
}

Result append(const Call& call) {  // also extend
    if (call.of.size() != 1) {
        return Value{};
    }
    Value longer = call.self;
    const std::vector<Value> more = call.name == "append" ? call.of.values : call.in.iterated(call.of[0]);
    longer.items.insert(longer.items.end(), more.begin(), more.end());
    call.in.change(*call.expression, call.in.affords(Value::of(more)) ? std::move(longer) : Value{});
    return Value::none();
}

Result get(const Call& call) {
    Value whole = call.self;
    const Value* const item = whole.item(call.of.first());
    return item != nullptr ? *item : call.of.size() > 1 ? call.of[1] : Value::none();
}

Result listed(const Call& call) {
    return call.self.listed(call.name);
}

}  // namespace value_methods

Result call_value_method(const Call& made) {
    using namespace value_methods;
    static const Rows of_texts{{"lower", lower}, {"replace", replace}, {"split", split}};
    static const Rows of_lists{{"append", append}, {"extend", append}};
    static const Rows of_dictionaries{{"get", get}, {"items", listed}, {"keys", listed}, {"values", listed}};
    const bool is_text = made.self.is(Kind::text);
    return called(is_text                    ? of_texts
                  : made.self.is(Kind::list) ? of_lists
                                             : of_dictionaries,
                  made.name, made);
}

}  // namespace attn::flow
