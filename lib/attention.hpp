// Everything a C++ program needs: tensors and the documents' attention modules. Only the standard library is
// required.
#pragma once

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
