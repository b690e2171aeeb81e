// The C library's exp of one float32, which PyTorch falls back to where too few numbers are left for a
// vector.
#pragma once

namespace attn {

// x ≤ 0, -inf or NaN. The same bits as expf of glibc 2.28 and later, whatever library is installed here.
float expf(float x);

}  // namespace attn
