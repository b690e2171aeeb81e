// Shapes, indices and the errors of tensors.
#include "tensor/tensor.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

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
    CHECK_THROWS_WITH_AS(x.size(2), "[size] Expected an axis of (2, 3) but received 2.", attn::Error);
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

TEST_CASE("a NaN equals one of other bits, and nothing else") {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    CHECK(attn::identical(Tensor(Shape{2}, {nan, -nan}), Tensor(Shape{2}, {-nan, nan})));
    CHECK_FALSE(attn::identical(Tensor(Shape{1}, {nan}), Tensor(Shape{1}, {1})));
    CHECK_FALSE(attn::identical(Tensor(Shape{1}, {1}), Tensor(Shape{1}, {nan})));
}

TEST_CASE("what is not there is not taken out, and what does not fit is not put together") {
    const Tensor x(Shape{2, 3}, {1, 2, 3, 4, 5, 6});
    CHECK_THROWS_WITH_AS(attn::select(x, {2}), "[select] Expected an index within (2, 3) but received 2.",
                         attn::Error);
    CHECK_THROWS_WITH_AS(attn::select(x, {1, 2, 7}),
                         "[select] Expected an index within (2, 3) but received 7.", attn::Error);
    CHECK_THROWS_WITH_AS(x.at({2, 0}), "[at] Expected an index within (2, 3) but received 2 for axis 0.",
                         attn::Error);
    CHECK_THROWS_AS(x.at({1, 3}), attn::Error);
    CHECK(x.at({1, 2, 7}) == 6.0F);
    CHECK_THROWS_WITH_AS(attn::slice(x, 2, 0, 1), "[slice] Expected an axis of (2, 3) but received 2.",
                         attn::Error);
    CHECK_THROWS_AS(attn::slice(Tensor(), 0, 0, 1), attn::Error);
    CHECK_THROWS_WITH_AS(attn::view(x, {4, 2}),
                         "[view] Expected a shape for 6 numbers but received (4, 2) for (2, 3).",
                         attn::Error);
    CHECK_THROWS_WITH_AS(attn::transpose(x, 0, 2), "[transpose] Expected an axis of (2, 3) but received 2.",
                         attn::Error);
    CHECK_THROWS_AS(attn::transpose(Tensor(), 0, 0), attn::Error);
    CHECK_THROWS_WITH_AS(attn::stack({}), "[stack] Expected at least one tensor, of at most 3 dimensions.",
                         attn::Error);
    CHECK_THROWS_AS(attn::stack({Tensor(Shape{1, 1, 1, 1})}), attn::Error);
    CHECK_THROWS_WITH_AS(attn::stack({x, Tensor(Shape{3, 2})}),
                         "[stack] Expected equal shapes but received (2, 3) and (3, 2).", attn::Error);
    CHECK_THROWS_WITH_AS(attn::cat({}, 0), "[cat] Expected at least one tensor.", attn::Error);
    CHECK_THROWS_WITH_AS(attn::cat({x, Tensor(Shape{2, 2})}, 0),
                         "[cat] Expected shapes equal but for one axis but received (2, 3) and (2, 2).",
                         attn::Error);
    CHECK_THROWS_AS(attn::cat({x, Tensor(Shape{2})}, 0), attn::Error);
    CHECK_THROWS_WITH_AS(attn::cat({Tensor(), Tensor()}, 0), "[cat] Expected an axis of () but received 0.",
                         attn::Error);
    CHECK(attn::cat({Tensor(Shape{0, 3}), Tensor(Shape{2, 3})}, 0).shape() == Shape{2, 3});
    CHECK(attn::stack({Tensor(Shape{0})}).shape() == Shape{1, 0});
    CHECK(identical(attn::cat({x, Tensor(Shape{2, 1}, {7, 8})}, 1),
                    Tensor(Shape{2, 4}, {1, 2, 3, 7, 4, 5, 6, 8})));
}

TEST_CASE("a slice holds what Python's holds, for all ends up to beyond the size") {
    // As Python's documentation of sequences says, an end below 0 counts from the end, and is then limited to
    // the sequence.
    constexpr int size = 4;
    const Tensor vector(Shape{size}, {0, 1, 2, 3});
    std::size_t compared = 0;
    for (int from = -6; from <= 6; ++from) {
        for (int to = -6; to <= 6; ++to) {
            std::vector<float> expected;
            for (int i = 0; i < size; ++i) {
                const bool begun = i >= (from < 0 ? from + size : from);
                const bool ended = i >= (to < 0 ? to + size : to);
                if (begun && !ended) {
                    expected.push_back(static_cast<float>(i));
                }
            }
            const Shape shape{expected.size()};
            CHECK(identical(attn::slice(vector, 0, from, to), Tensor(shape, expected)));
            ++compared;
        }
    }
    CHECK(compared == 169);
    constexpr auto far = std::numeric_limits<std::int64_t>::max();
    CHECK(identical(attn::slice(vector, 0, -far, far), vector));
    CHECK(identical(attn::slice(vector, 0, std::nullopt), vector));
    CHECK(identical(attn::slice(vector, 0, {}, -1), Tensor(Shape{3}, {0, 1, 2})));
}

TEST_CASE("a slice is cut along any axis, and of nothing there is nothing") {
    Tensor x(Shape{2, 3, 2});
    std::iota(x.values().begin(), x.values().end(), 0.0F);
    CHECK(identical(attn::slice(x, 0, 1), Tensor(Shape{1, 3, 2}, {6, 7, 8, 9, 10, 11})));
    CHECK(identical(attn::slice(x, -2, -1), Tensor(Shape{2, 1, 2}, {4, 5, 10, 11})));
    CHECK(identical(attn::slice(x, 2, 0, 1), Tensor(Shape{2, 3, 1}, {0, 2, 4, 6, 8, 10})));
    CHECK(attn::slice(x, 1, 9).shape() == Shape{2, 0, 2});
    CHECK(attn::slice(Tensor(Shape{0, 3}), 1, 1, 2).shape() == Shape{0, 1});
}

TEST_CASE("a tensor without numbers is turned over all the same") {
    CHECK(attn::transpose(Tensor(Shape{2, 0}), 0, 1).shape() == Shape{0, 2});
    CHECK(attn::transpose(Tensor(Shape{0, 3, 4}), 0, 2).shape() == Shape{4, 3, 0});
}
