// A heat map as a picture: the part of a large tensor that it shows, and the note about the rest.
#include "views/heatmap/heatmap_svg.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "tensor/layout.hpp"
#include "texts.hpp"
#include "walked.hpp"

using namespace attn;

namespace {

// Returns the picture of a step.
std::string picture(const Tensor& x) {
    StageTrace trace = walk_defaults("head-split");
    const Var node = trace.notebook.step("step", trace.notebook.given(x));
    const Words phrases("en", "program");
    return heatmap_svg(Heatmap(trace.notebook, node.id, phrases, {}), phrases, {"step", "A step", "en"});
}

}  // namespace

TEST_CASE("what a picture leaves out it counts, one or many") {
    const std::string whole = picture(ones(Shape{48, 3}));
    CHECK_FALSE(has(whole, ">… "));
    CHECK(count(whole, ">1.</text>") == 48 * 3 + 1);  // the end of the scale
    const std::string one = picture(ones(Shape{49, 2}));
    CHECK(has(one, ">… 1 more row"));
    CHECK_FALSE(has(one, "more column"));
    const std::string many = picture(ones(Shape{18, 50, 51}));
    CHECK(has(many, ">… 2 more rows"));
    CHECK(has(many, ">… 3 more columns"));
    CHECK(has(many, ">… 2 more matrices"));
}

TEST_CASE("numbers are read out as long as there are not too many") {
    CHECK(has(picture(ones(Shape{12, 12})), " 11: 0 1., 1 1.,"));
    CHECK_FALSE(has(picture(ones(Shape{12, 13})), " 11: 0 1., 1 1.,"));
    CHECK(has(picture(ones(Shape{3})), " 0 1., 1 1., 2 1.."));
}

TEST_CASE("only a tensor with an axis and a number is drawn") {
    CHECK(Heatmap::can_show(Tensor({1})));
    CHECK_FALSE(Heatmap::can_show(Tensor(Shape{})));
    CHECK_FALSE(Heatmap::can_show(Tensor({2, 0})));
}
