// A plot in characters, both axes logarithmic, on which n^k is a straight line of slope k.
#pragma once

#include <string>
#include <vector>

namespace attn {

struct Point {
    double x, y;  // above 0
};

struct Series {
    char mark;
    std::vector<Point> points;
};

// Where two series meet, the later one's mark is drawn. Empty when there are no points.
std::string log_plot(const std::vector<Series>& all);

// The k of the c·x^k that fits best: least squares of the logarithms. NaN for fewer than two points.
double growth_exponent(const std::vector<Point>& points);

}  // namespace attn
