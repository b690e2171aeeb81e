// All operations, as stages write them.
#pragma once

#include "notebook/ops/arithmetic.hpp"
#include "notebook/ops/gradients.hpp"
#include "notebook/ops/layout.hpp"
#include "notebook/ops/loops.hpp"
#include "notebook/ops/masks.hpp"
#include "notebook/ops/numpy.hpp"
#include "notebook/ops/parameters.hpp"
#include "notebook/ops/products.hpp"
#include "notebook/ops/random.hpp"
#include "notebook/ops/reductions.hpp"
#include "notebook/ops/sources.hpp"
#include "notebook/ops/trigonometric.hpp"
