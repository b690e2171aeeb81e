#include "views/text/stage_map.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "text/numbered.hpp"
#include "words/documents.hpp"

namespace attn {

namespace {

// A part of the main path: its label, and the steps that belong to it. In a loop, these are several.
struct Stop {
    std::string label;
    std::vector<std::size_t> steps;
};

std::vector<Stop> stops_of(const StageTrace& trace) {
    std::vector<Stop> stops;
    for (const auto& [label, pattern] : main_path(trace.stage->name)) {
        Stop stop{label, {}};
        std::ranges::copy_if(trace.steps, std::back_inserter(stop.steps),
                             [&, &pattern = pattern](std::size_t id) {
                                 const std::string& name = trace.node(id).name;
                                 return name == pattern || without_number(name) == pattern;
                             });
        if (!stop.steps.empty()) {
            stops.push_back(std::move(stop));
        }
    }
    return stops;
}

std::string joined(const std::vector<std::string>& parts) {
    return fmt::format("{}", fmt::join(parts, " → "));
}

}  // namespace

std::string map_with_shapes(const StageTrace& trace) {
    std::vector<std::string> parts;
    std::string before;
    for (const Stop& stop : stops_of(trace)) {
        const Shape& shape = trace.node(stop.steps.back()).value.shape();
        std::string sizes;
        for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
            sizes += fmt::format("{}{}", axis == 0 ? " " : "×", shape[axis]);
        }
        parts.push_back(stop.label + (sizes == before ? "" : sizes));
        before = sizes;
    }
    return joined(parts);
}

std::string map_at(const StageTrace& trace, std::size_t step) {
    const std::vector<Stop> stops = stops_of(trace);
    const Stop* current = nullptr;
    std::size_t nearest = 0;
    for (const Stop& stop : stops) {
        const auto next = std::ranges::lower_bound(stop.steps, step);
        if (next != stop.steps.end() && (current == nullptr || *next < nearest)) {
            current = &stop;
            nearest = *next;
        }
    }
    std::vector<std::string> parts;
    for (const Stop& stop : stops) {
        parts.push_back(&stop == current ? fmt::format("[{}]", stop.label) : stop.label);
    }
    return current == nullptr ? "" : joined(parts);
}

}  // namespace attn
