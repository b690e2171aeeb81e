// Shapes, indices and the errors of tensors.
#include "tensor/tensor.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "draws.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"

using namespace attn;

TEST_CASE("offsets run row by row, the last axis fastest; a negative axis counts from the back") {
    const Tensor x({2, 3, 4});
    CHECK(x.offset({0, 0, 1}) == 1);
    CHECK(x.offset({1, 2, 3}) == 23);
    for (std::size_t i = 0; i < x.count(); ++i) {
        CHECK(x.offset(x.index(i)) == i);
    }
    CHECK(x.size(-1) == 4);
    CHECK(x.size(-3) == 2);
    CHECK_THROWS_WITH_AS(x.size(3), "[size] Expected an axis of (2, 3, 4) but received 3.", Error);
    CHECK_THROWS_AS(x.size(-4), Error);
}

TEST_CASE("a shape reads as Python writes a tuple") {
    CHECK(Shape{}.text() == "()");
    CHECK(Shape{6}.text() == "(6,)");
    CHECK(Shape{2, 6, 3}.text() == "(2, 6, 3)");
}

TEST_CASE("identical tells the sign of zero apart, and lets NaN of any bits equal NaN and nothing else") {
    const float nan = std::nanf("");
    CHECK(identical(Tensor({2}, {1, nan}), Tensor({2}, {1, -nan})));
    CHECK_FALSE(identical(full({1}, 0.0F), full({1}, -0.0F)));
    CHECK_FALSE(identical(Tensor({2, 1}), Tensor({1, 2})));
    CHECK_FALSE(identical(full({1}, nan), full({1}, 1)));
    CHECK_FALSE(identical(full({1}, 1), full({1}, nan)));
}

TEST_CASE("what is not there is not taken out, what does not fit is not put together or made") {
    const Tensor x = counted({2, 3});
    constexpr std::size_t huge = std::numeric_limits<std::size_t>::max() / 2;
    CHECK_THROWS_WITH_AS(Tensor({2, 2}, {1, 2, 3}),
                         "[tensor] Expected 4 numbers for shape (2, 2) but received 3.", Error);
    CHECK_THROWS_AS((Shape{1, 1, 1, 1, 1, 1}), Error);
    CHECK_THROWS_AS(Tensor({3, 1000000000}), Error);
    CHECK_THROWS_AS(Tensor({huge, 4}), Error);
    CHECK_THROWS_WITH_AS(select(x, {1, 2, 7}), "[select] Expected an index within (2, 3) but received 7.",
                         Error);
    CHECK_THROWS_AS(select(x, {2}), Error);
    CHECK_THROWS_WITH_AS(x.at({2, 0}), "[at] Expected an index within (2, 3) but received 2 for axis 0.",
                         Error);
    CHECK_THROWS_AS(x.at({1, 3}), Error);
    CHECK(x.at({1, 2, 7}) == 6.0F);
    CHECK_THROWS_WITH_AS(slice(x, 2, 0, 1), "[slice] Expected an axis of (2, 3) but received 2.", Error);
    CHECK_THROWS_WITH_AS(view(x, {4, 2}),
                         "[view] Expected a shape for 6 numbers but received (4, 2) for (2, 3).", Error);
    CHECK_THROWS_WITH_AS(transpose(x, 0, 2), "[transpose] Expected an axis of (2, 3) but received 2.", Error);
    CHECK_THROWS_WITH_AS(stack(std::vector<Tensor>()),
                         "[stack] Expected at least one tensor, of at most 4 dimensions.", Error);
    CHECK_THROWS_AS(stack({Tensor({1, 1, 1, 1, 1})}), Error);
    CHECK_THROWS_WITH_AS(stack({x, Tensor({3, 2})}),
                         "[stack] Expected equal shapes but received (2, 3) and (3, 2).", Error);
    CHECK_THROWS_WITH_AS(cat(std::vector<Tensor>(), 0), "[cat] Expected at least one tensor.", Error);
    CHECK_THROWS_WITH_AS(cat({x, Tensor({2, 2})}, 0),
                         "[cat] Expected shapes equal but for one axis but received (2, 3) and (2, 2).",
                         Error);
    CHECK_THROWS_AS(cat({x, Tensor({2})}, 0), Error);
    CHECK_THROWS_WITH_AS(cat({Tensor(), Tensor()}, 0), "[cat] Expected an axis of () but received 0.", Error);
}

TEST_CASE("tensors are joined along a new axis or one they have") {
    const Tensor x = counted({2, 3});
    CHECK(identical(select(stack({x, Tensor({2, 3})}), {0}), x));
    CHECK(identical(select(x, {1, 0}), full({}, 4)));
    CHECK(stack({Tensor({0})}).shape() == Shape{1, 0});
    CHECK(identical(cat({x, Tensor({2, 1}, {7, 8})}, -1), Tensor({2, 4}, {1, 2, 3, 7, 4, 5, 6, 8})));
    CHECK(identical(cat({Tensor({0, 3}), x}, 0), x));
}

TEST_CASE("a slice holds what Python's holds, for all ends up to beyond the size") {
    // As Python's documentation of sequences says, an end below 0 counts from the end, and is then limited to
    // the sequence.
    constexpr int size = 4;
    const Tensor vector({size}, {0, 1, 2, 3});
    for (int from = -6; from <= 6; ++from) {
        for (int to = -6; to <= 6; ++to) {
            std::vector<float> expected;
            for (int i = std::max(from < 0 ? from + size : from, 0);
                 i < std::min(to < 0 ? to + size : to, size); ++i) {
                expected.push_back(static_cast<float>(i));
            }
            CHECK(identical(slice(vector, 0, from, to), Tensor({expected.size()}, expected)));
        }
    }
    constexpr auto far = std::numeric_limits<std::int64_t>::max();
    CHECK(identical(slice(vector, 0, -far, far), vector));
    CHECK(identical(slice(vector, 0, std::nullopt), vector));
}

TEST_CASE("a slice is cut along any axis, and of nothing there is nothing") {
    const Tensor x = counted({2, 3, 2});
    CHECK(identical(slice(x, -2, -1), Tensor({2, 1, 2}, {5, 6, 11, 12})));
    CHECK(identical(slice(x, 2, 0, 1), Tensor({2, 3, 1}, {1, 3, 5, 7, 9, 11})));
    CHECK(slice(Tensor({0, 3}), 1, 1, 2).shape() == Shape{0, 1});
}
