// Looks a compiled-in file up by name.
#include "files/resources.hpp"

#include <span>
#include <stdexcept>
#include <string>

namespace attn {

std::optional<std::string_view> find_resource(std::string_view name) {
    for (const Resource& resource : std::span(resources, resource_count)) {
        if (resource.name == name) {
            return resource.text;
        }
    }
    return std::nullopt;
}

std::string_view resource(std::string_view name) {
    const std::optional<std::string_view> found = find_resource(name);
    if (!found) {
        throw std::logic_error("no compiled-in resource named " + std::string(name));
    }
    return *found;
}

}  // namespace attn
