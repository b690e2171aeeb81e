// Shapes, indices and what the tensor refuses.
#include "tensor/tensor.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "tensor/error.hpp"
#include "tensor/layout.hpp"

using attn::Index;
using attn::Shape;
using attn::Tensor;

TEST_CASE("offsets run row by row, the last axis fastest") {
    const Tensor x(Shape{2, 3, 4});
    CHECK(x.offset(Index{0, 0, 1}) == 1);
    CHECK(x.offset(Index{0, 1, 0}) == 4);
    CHECK(x.offset(Index{1, 2, 3}) == 23);
    for (std::size_t i = 0; i < x.count(); ++i) {
        CHECK(x.offset(x.index(i)) == i);
    }
}

TEST_CASE("a negative axis counts from the back") {
    const Tensor x(Shape{2, 3});
    CHECK(x.size(-1) == 3);
    CHECK(x.size(-2) == 2);
    CHECK_THROWS_WITH_AS(x.size(2), "[shape] Expected an axis of (2, 3) but received 2.", attn::Error);
    CHECK_THROWS_AS(x.size(-3), attn::Error);
}

TEST_CASE("a shape reads as Python writes a tuple") {
    CHECK(Shape{}.text() == "()");
    CHECK(Shape{6}.text() == "(6,)");
    CHECK(Shape{2, 6, 3}.text() == "(2, 6, 3)");
}

TEST_CASE("a tensor refuses values that do not fill its shape, a fifth dimension and sizes beyond memory") {
    CHECK_THROWS_WITH_AS(Tensor(Shape{2, 2}, {1, 2, 3}),
                         "[tensor] Expected 4 numbers for shape (2, 2) but received 3.", attn::Error);
    CHECK_THROWS_AS((Shape{1, 1, 1, 1, 1}), attn::Error);
    CHECK_THROWS_AS((Tensor(Shape{3, 1000000000})), attn::Error);
    constexpr std::size_t huge = std::numeric_limits<std::size_t>::max() / 2;
    CHECK_THROWS_AS((Tensor(Shape{huge, 4})), attn::Error);
}

TEST_CASE("parts and indices can be written out in place") {
    const Tensor a(Shape{2}, {1, 2});
    const Tensor b(Shape{2}, {3, 4});
    const Tensor both = attn::stack({a, b});
    CHECK(identical(both, Tensor(Shape{2, 2}, {1, 2, 3, 4})));
    CHECK(identical(attn::stack({a}), Tensor(Shape{1, 2}, {1, 2})));
    CHECK(identical(attn::cat({a, b}, -1), Tensor(Shape{4}, {1, 2, 3, 4})));
    CHECK(identical(attn::select(both, {1}), b));
    CHECK(identical(attn::select(both, {0}), a));
    CHECK(identical(attn::select(both, {1, 0}), Tensor(Shape{}, {3})));
}

TEST_CASE("identical tells the sign of zero apart and lets NaN equal NaN") {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    CHECK(attn::identical(Tensor(Shape{2}, {1, nan}), Tensor(Shape{2}, {1, nan})));
    CHECK_FALSE(attn::identical(attn::full(Shape{1}, 0.0F), attn::full(Shape{1}, -0.0F)));
    CHECK_FALSE(attn::identical(Tensor(Shape{2, 1}), Tensor(Shape{1, 2})));
}
