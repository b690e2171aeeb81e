#include "views/json/parameters_json.hpp"

#include <nlohmann/json.hpp>

namespace attn {

Json parameters_json(const Parameters& parameters) {
    Json json = Json::object();
    for (const ParameterRow& row : parameter_table()) {
        if (const std::string value = row.json(parameters); !value.empty()) {
            json[row.name] = Json::parse(value);
        }
    }
    return json;
}

}  // namespace attn
