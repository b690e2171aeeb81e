// Finds a compiled-in file by name.
#include "files/resources.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>

namespace attn {

const Resource* find_resource(std::string_view name) {
    const std::span all(resources, resource_count);
    const auto found = std::ranges::find(all, name, &Resource::name);
    return found == all.end() ? nullptr : &*found;
}

std::string_view resource(std::string_view name) {
    if (const Resource* const found = find_resource(name)) {
        return found->text;
    }
    throw std::logic_error("no compiled-in resource named " + std::string(name));
}

}  // namespace attn
