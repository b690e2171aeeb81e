// Elementwise operations and broadcasting; triangles and transposition.
#include "tensor/elementwise.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

#include "bits.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"

using attn::bits;
using attn::digits;
using attn::Index;
using attn::Shape;
using attn::Tensor;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

// Returns 1, 2, 3, ….
Tensor counted(const Shape& shape) {
    Tensor x(shape);
    std::iota(x.values().begin(), x.values().end(), 1.0F);
    return x;
}

}  // namespace

TEST_CASE("two operands are combined number by number") {
    const Tensor a(Shape{3}, {6, -1, 0.5F});
    const Tensor b(Shape{3}, {2, 4, 0.25F});
    CHECK(attn::identical(attn::add(a, b), Tensor(Shape{3}, {8, 3, 0.75F})));
    CHECK(attn::identical(attn::sub(a, b), Tensor(Shape{3}, {4, -5, 0.25F})));
    CHECK(attn::identical(attn::mul(a, b), Tensor(Shape{3}, {12, -4, 0.125F})));
    CHECK(attn::identical(attn::div(a, b), Tensor(Shape{3}, {3, -0.25F, 2})));
}

TEST_CASE("shapes align at the last axis, and an axis of size 1 serves every index") {
    const Tensor x = counted(Shape{2, 3});
    const Tensor row(Shape{3}, {10, 20, 30});
    const Tensor column(Shape{2, 1}, {100, 200});
    CHECK(attn::identical(attn::add(x, row), Tensor(Shape{2, 3}, {11, 22, 33, 14, 25, 36})));
    CHECK(attn::identical(attn::add(row, x), attn::add(x, row)));
    CHECK(attn::identical(attn::add(x, column), Tensor(Shape{2, 3}, {101, 102, 103, 204, 205, 206})));
    CHECK(attn::identical(attn::add(column, row), Tensor(Shape{2, 3}, {110, 120, 130, 210, 220, 230})));
    CHECK(attn::identical(attn::add(x, attn::full(Shape{}, 1)), Tensor(Shape{2, 3}, {2, 3, 4, 5, 6, 7})));
    const Tensor batches = counted(Shape{2, 1, 1, 3});
    const Tensor sum = attn::add(batches, x);
    REQUIRE(sum.shape() == Shape{2, 1, 2, 3});
    for (std::size_t i = 0; i < sum.count(); ++i) {
        const Index at = sum.index(i);
        CHECK(sum.values()[i] == batches.at({at[0], 0, 0, at[3]}) + x.at({at[2], at[3]}));
    }
}

TEST_CASE("shapes that do not broadcast are refused with the name of the operation") {
    const Tensor a(Shape{2, 3});
    const Tensor b(Shape{2});
    CHECK_THROWS_WITH_AS(attn::add(a, b),
                         "[add] Expected shapes that broadcast but received (2, 3) and (2,).", attn::Error);
    CHECK_THROWS_WITH_AS(attn::sub(a, b),
                         "[sub] Expected shapes that broadcast but received (2, 3) and (2,).", attn::Error);
    CHECK_THROWS_WITH_AS(attn::mul(b, a),
                         "[mul] Expected shapes that broadcast but received (2,) and (2, 3).", attn::Error);
    CHECK_THROWS_WITH_AS(attn::div(a, Tensor(Shape{3, 3})),
                         "[div] Expected shapes that broadcast but received (2, 3) and (3, 3).", attn::Error);
}

TEST_CASE("a number is rounded to float32 before it divides") {
    // torch.tensor([1., 7.]) / 2**0.5
    const Tensor x(Shape{2}, {1, 7});
    CHECK(attn::identical(attn::div(x, std::sqrt(2.0)), attn::div(x, attn::full(Shape{}, 1.41421354F))));
}

TEST_CASE("a mask fills where it is not 0, and NaN counts as filled") {
    const Tensor x = counted(Shape{2, 3});
    CHECK(attn::identical(attn::masked_fill(x, Tensor(Shape{2, 3}, {0, 1, 0, -2, 0, not_a_number}), -inf),
                          Tensor(Shape{2, 3}, {1, -inf, 3, -inf, 5, -inf})));
    CHECK(attn::identical(attn::masked_fill(x, Tensor(Shape{3}, {0, 0, 1}), 9),
                          Tensor(Shape{2, 3}, {1, 2, 9, 4, 5, 9})));
    CHECK(attn::identical(attn::masked_fill(x, Tensor(Shape{2, 1}, {0, 1}), 0),
                          Tensor(Shape{2, 3}, {1, 2, 3, 0, 0, 0})));
    CHECK_THROWS_WITH_AS(attn::masked_fill(Tensor(Shape{3}), x, 0),
                         "[masked_fill] Expected a mask that broadcasts to (3,) but received (2, 3).",
                         attn::Error);
    CHECK_THROWS_WITH_AS(attn::masked_fill(x, Tensor(Shape{2}), 0),
                         "[masked_fill] Expected shapes that broadcast but received (2, 3) and (2,).",
                         attn::Error);
}

TEST_CASE("a number other than 0 is true, NaN and infinities included") {
    CHECK(digits(attn::ne(Tensor(Shape{6}, {0, -0.0F, 1e-45F, -1, inf, not_a_number}), 0)) == "001111");
    CHECK(digits(attn::eq(Tensor(Shape{6}, {0, -0.0F, 1e-45F, -1, inf, not_a_number}), 0)) == "110000");
    CHECK(digits(attn::ne(Tensor(Shape{3}, {0, 2, 1}), 2)) == "101");
}

TEST_CASE("triangles keep what lies on their side of the diagonal and make the rest 0") {
    // torch.tril(torch.ones(3, 5), diagonal=1); torch.triu(torch.ones(5, 3), diagonal=-1)
    CHECK(digits(attn::tril(attn::ones(Shape{3, 5}), 1)) == "11000 11100 11110");
    CHECK(digits(attn::triu(attn::ones(Shape{5, 3}), -1)) == "111 111 011 001 000");
    CHECK(digits(attn::tril(attn::ones(Shape{3, 3}))) == "100 110 111");
    CHECK(digits(attn::triu(attn::ones(Shape{3, 3}))) == "111 011 001");

    std::size_t compared = 0;
    for (const Shape& shape :
         {Shape{1, 1}, Shape{4, 4}, Shape{3, 5}, Shape{5, 3}, Shape{2, 3, 4}, Shape{2, 2, 3, 2}}) {
        const Tensor x = counted(shape);
        for (int diagonal = -6; diagonal <= 6; ++diagonal) {
            const Tensor lower = attn::tril(x, diagonal);
            const Tensor upper = attn::triu(x, diagonal);
            for (std::size_t i = 0; i < x.count(); ++i) {
                const Index at = x.index(i);
                const int right_of = static_cast<int>(at[x.rank() - 1]) - static_cast<int>(at[x.rank() - 2]);
                CHECK(lower.values()[i] == (right_of <= diagonal ? x.values()[i] : 0.0F));
                CHECK(upper.values()[i] == (right_of >= diagonal ? x.values()[i] : 0.0F));
                ++compared;
            }
            CHECK(attn::identical(attn::add(lower, attn::triu(x, diagonal + 1)), x));
        }
    }
    CHECK(compared == 13 * (1 + 16 + 15 + 15 + 24 + 24));
}

TEST_CASE("a triangle makes 0 of infinities and NaN too, and wants rows and columns") {
    CHECK(attn::identical(attn::tril(Tensor(Shape{2, 2}, {1, not_a_number, 1, inf})),
                          Tensor(Shape{2, 2}, {1, 0, 1, inf})));
    CHECK_THROWS_WITH_AS(attn::tril(Tensor(Shape{3})),
                         "[tril] Expected at least 2 dimensions but received (3,).", attn::Error);
    CHECK_THROWS_WITH_AS(attn::triu(Tensor(Shape{})),
                         "[triu] Expected at least 2 dimensions but received ().", attn::Error);
}

TEST_CASE("transposing exchanges two axes, and twice is the identity") {
    const Tensor x = counted(Shape{2, 3, 4, 5});
    for (int a = -4; a < 4; ++a) {
        for (int b = -4; b < 4; ++b) {
            const Tensor once = attn::transpose(x, a, b);
            CHECK(attn::identical(attn::transpose(once, a, b), x));
            CHECK(attn::identical(attn::transpose(x, b, a), once));
            CHECK(once.size(a) == x.size(b));
        }
    }
    CHECK(attn::identical(attn::transpose(counted(Shape{2, 3}), 0, 1),
                          Tensor(Shape{3, 2}, {1, 4, 2, 5, 3, 6})));
    CHECK(attn::transpose(x, 1, 2).at({1, 3, 2, 4}) == x.at({1, 2, 3, 4}));
    CHECK_THROWS_AS(attn::transpose(x, 0, 4), attn::Error);
}

// torch.maximum of fewer than 16 numbers
TEST_CASE("of two numbers the larger is taken, NaN before all others, and of 0 and −0 the first") {
    const Tensor a(Shape{6}, {1.0F, 2.0F, not_a_number, 1.0F, 0.0F, -0.0F});
    const Tensor b(Shape{6}, {3.0F, -1.0F, 1.0F, not_a_number, -0.0F, 0.0F});
    CHECK(bits(attn::maximum(a, b)) == "40400000 40000000 7fc00000 7fc00000 00000000 80000000");
}
