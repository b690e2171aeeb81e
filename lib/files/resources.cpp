// Looks a compiled-in file up by name.
#include "files/resources.hpp"

#include <span>
#include <stdexcept>
#include <string>

namespace attn {

std::string_view resource(std::string_view name) {
    for (const Resource& resource : std::span(resources, resource_count)) {
        if (resource.name == name) {
            return resource.text;
        }
    }
    throw std::logic_error("no compiled-in resource named " + std::string(name));
}

}  // namespace attn
