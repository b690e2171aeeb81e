// The unit tests' entry point; the tests lie in the *_test.cpp files beside it.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
