// Numbers of NumPy 2.2: np.float32(np.random.default_rng(123).random(4)) and so on.
#include "tensor/pcg64.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace attn;

namespace {

std::vector<float> values_of(const Tensor& x) {
    return {x.values().begin(), x.values().end()};
}

}  // namespace

TEST_CASE("seeds of 32 and more bits give NumPy's numbers") {
    numpy::Pcg64 generator(123);
    CHECK(values_of(numpy::random(generator, {4})) ==
          std::vector{0.682351887F, 0.0538210198F, 0.220359877F, 0.184371814F});
    numpy::Pcg64 other(1099511627783U);
    CHECK(values_of(numpy::random(other, {3})) == std::vector{0.829812884F, 0.255305171F, 0.153790712F});
}

TEST_CASE("normal numbers come from NumPy's ziggurat, also those of its tail") {
    numpy::Pcg64 generator(123);
    CHECK(values_of(numpy::standard_normal(generator, {5})) ==
          std::vector{-0.989121377F, -0.367786646F, 1.28792524F, 0.19397442F, 0.920230925F});
    double sum = 0.0;  // depends on all numbers
    numpy::Pcg64 another(123);
    const Tensor many = numpy::standard_normal(another, {300000});
    for (const float x : many.values()) {
        sum = sum * 0.999 + static_cast<double>(x);
    }
    CHECK(sum == doctest::Approx(-17.7308928494));
}

TEST_CASE("integers take halves of 64 bits; the next other number does not take the second half") {
    numpy::Pcg64 generator(0);
    CHECK(values_of(numpy::integers(generator, -3, 10, {9})) ==
          std::vector{8.0F, 5.0F, 3.0F, 0.0F, 1.0F, -3.0F, -3.0F, -3.0F, -1.0F});
    CHECK(values_of(numpy::random(generator, {1})) == std::vector{0.912755549F});
    CHECK(values_of(numpy::integers(generator, 4, 5, {2})) == std::vector{4.0F, 4.0F});
}
