#include "dataflow/functions.hpp"

#include <algorithm>
#include <map>

namespace attn::flow {

namespace {

// Operations that other files record.
std::vector<Function> recorded() {
    return {{"select", Role::move, {}},   {"changed", Role::move, {}},  {"overwritten", Role::move, {}},
            {"half", Role::move, {}},     {"bfloat16", Role::move, {}}, {"number", Role::constant, {}},
            {"rand", Role::draw, {}},     {"randn", Role::draw, {}},    {"Linear", Role::draw, {}},
            {"Embedding", Role::draw, {}}};
}

}  // namespace

const Function* find_function(std::string_view name) {
    static const std::vector<std::vector<Function>> tables{
        elementwise_functions(), reductions(), moves(), constants(), products(), recorded()};
    static const std::map<std::string_view, const Function*> all = [] {
        std::map<std::string_view, const Function*> by_name;
        for (const std::vector<Function>& table : tables) {
            for (const Function& one : table) {
                by_name.emplace(one.name, &one);
                for (const std::string_view other : one.also) {
                    by_name.emplace(other, &one);
                }
            }
        }
        return by_name;
    }();
    auto found = all.find(name);
    if (found == all.end() && name.size() > 1 && name.ends_with('_')) {
        found = all.find(name.substr(0, name.size() - 1));
    }
    return found == all.end() ? nullptr : found->second;
}

Role role_of(std::string_view operation) {
    const Function* const found = find_function(operation);
    return found == nullptr || found->name != operation ? Role::step : found->role;
}

Shape joint_shape(const Shape& a, const Shape& b) {
    Sizes sizes(std::max(a.rank(), b.rank()), 1);
    for (const Shape* const shape : {&a, &b}) {
        for (std::size_t i = 0; i < shape->rank(); ++i) {
            std::size_t& size = sizes[sizes.size() - 1 - i];
            const std::size_t other = (*shape)[shape->rank() - 1 - i];
            if (size != other && size != 1 && other != 1) {
                not_followed();
            }
            size = size == 1 ? other : size;
        }
    }
    return Shape(sizes);
}

Shape sized(const std::vector<std::int64_t>& sizes, std::size_t count) {
    Sizes all;
    std::size_t known = 1;
    for (const std::int64_t size : sizes) {
        known *= size < 0 ? 1 : static_cast<std::size_t>(size);
    }
    for (const std::int64_t size : sizes) {
        all.push_back(size < 0 ? count / std::max<std::size_t>(known, 1) : static_cast<std::size_t>(size));
    }
    return Shape(all);
}

}  // namespace attn::flow
