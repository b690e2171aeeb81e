// Everything for C++ programs: the documents' modules, and the tensors they are made of. Needs nothing but
// the standard library.
#pragma once

#include "attention/fused_attention.hpp"
#include "attention/modules.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"
#include "tensor/matmul.hpp"
#include "tensor/numpy.hpp"
#include "tensor/random.hpp"
#include "tensor/reduce.hpp"
#include "tensor/softmax.hpp"
#include "tensor/tensor.hpp"
#include "tensor/tensor_text.hpp"
#include "tensor/threads.hpp"
#include "tensor/trigonometry.hpp"
#include "text/message.hpp"
