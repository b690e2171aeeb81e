// Finds a compiled-in file by name.
#include "files/resources.hpp"

#include <span>
#include <stdexcept>
#include <string>

#include "text/lists.hpp"

namespace attn {

const Resource* find_resource(std::string_view name) {
    return find_in(std::span(resources, resource_count), name, &Resource::name);
}

std::string_view resource(std::string_view name) {
    if (const Resource* const found = find_resource(name)) {
        return found->text;
    }
    throw std::logic_error("no compiled-in resource named " + std::string(name));
}

}  // namespace attn
