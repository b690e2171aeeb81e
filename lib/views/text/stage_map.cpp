#include "views/text/stage_map.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "text/lists.hpp"
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
        for (const std::size_t id : trace.steps) {
            const std::string& name = trace.node(id).name;
            if (name == pattern || without_number(name) == pattern) {
                stop.steps.push_back(id);
            }
        }
        if (!stop.steps.empty()) {
            stops.push_back(std::move(stop));
        }
    }
    return stops;
}

}  // namespace

std::string map_with_shapes(const StageTrace& trace) {
    std::vector<std::string> parts;
    std::string before;
    for (const Stop& stop : stops_of(trace)) {
        const Shape& shape = trace.node(stop.steps.back()).value.shape();
        const std::string sizes = shape.rank() == 0 ? "" : fmt::format(" {}", fmt::join(shape, "×"));
        parts.push_back(stop.label + (sizes == before ? "" : sizes));
        before = sizes;
    }
    return joined(parts, " → ");
}

std::string map_at(const StageTrace& trace, std::size_t step) {
    const std::vector<Stop> stops = stops_of(trace);
    std::size_t next = std::string::npos;  // the nearest step of the path, at or after this one
    for (const Stop& stop : stops) {
        const auto found = std::ranges::lower_bound(stop.steps, step);
        next = std::min(next, found == stop.steps.end() ? next : *found);
    }
    std::vector<std::string> parts;
    for (const auto& [label, steps] : stops) {
        const bool is_current = contains(steps, next);
        parts.push_back(is_current ? fmt::format("[{}]", label) : label);
    }
    return next == std::string::npos ? "" : joined(parts, " → ");
}

}  // namespace attn
