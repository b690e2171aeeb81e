#include "log_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace attn {

namespace {

constexpr std::size_t columns = 60;
constexpr std::size_t lines = 12;

struct Range {
    double least = std::numeric_limits<double>::infinity();
    double most = -std::numeric_limits<double>::infinity();

    void add(double value) {
        least = std::min(least, std::log(value));
        most = std::max(most, std::log(value));
    }
    std::size_t place(double value, std::size_t places) const {
        const double share = most > least ? (std::log(value) - least) / (most - least) : 0.0;
        return static_cast<std::size_t>(std::lround(share * static_cast<double>(places - 1)));
    }
};

std::string axis_number(double value) {
    return fmt::format("{:.3g}", value);
}

}  // namespace

std::string log_plot(const std::vector<Series>& all) {
    Range across;
    Range up;
    for (const Series& series : all) {
        for (const Point& point : series.points) {
            across.add(point.x);
            up.add(point.y);
        }
    }
    if (across.most < across.least) {
        return "";
    }
    std::vector<std::string> canvas(lines, std::string(columns, ' '));
    for (const Series& series : all) {
        for (const Point& point : series.points) {
            canvas[lines - 1 - up.place(point.y, lines)][across.place(point.x, columns)] = series.mark;
        }
    }
    std::string text;
    for (std::size_t line = 0; line < lines; ++line) {
        std::string& row = canvas[line];
        row.erase(row.find_last_not_of(' ') + 1);
        const std::string number = line == 0           ? axis_number(std::exp(up.most))
                                   : line + 1 == lines ? axis_number(std::exp(up.least))
                                                       : "";
        text += fmt::format("{:>8} |{}\n", number, row);
    }
    const std::string least = fmt::format("{:.7g}", std::exp(across.least));
    text += fmt::format("{:8} +{:-<{}}\n", "", "", columns);
    text += fmt::format("{:10}{}{:>{}}\n", "", least, fmt::format("{:.7g}", std::exp(across.most)),
                        columns - least.size());
    return text;
}

double growth_exponent(const std::vector<Point>& points) {
    double mean_x = 0.0;
    double mean_y = 0.0;
    const auto count = static_cast<double>(points.size());
    for (const Point& point : points) {
        mean_x += std::log(point.x) / count;
        mean_y += std::log(point.y) / count;
    }
    double above = 0.0;
    double below = 0.0;
    for (const Point& point : points) {
        above += (std::log(point.x) - mean_x) * (std::log(point.y) - mean_y);
        below += (std::log(point.x) - mean_x) * (std::log(point.x) - mean_x);
    }
    return points.size() < 2 ? std::numeric_limits<double>::quiet_NaN() : above / below;
}

}  // namespace attn
