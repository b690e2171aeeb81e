#include "views/json/parameters_json.hpp"

#include "files/json.hpp"

namespace attn {

Json parameters_json(const Parameters& parameters) {
    Json json = Json::object();
    for (const ParameterRow& row : parameter_table()) {
        if (const std::string value = row.json(parameters); !value.empty()) {
            json[row.name] = parse_json(value, row.name).value();
        }
    }
    return json;
}

}  // namespace attn
