// The fingerprint by which a page's Content-Security-Policy knows its own script and style.
#pragma once

#include <string>
#include <string_view>

namespace attn {

// SHA-256 (FIPS 180-4) of the bytes, in base64: 44 characters. `openssl dgst -sha256 -binary | base64`
std::string sha256_base64(std::string_view bytes);

}  // namespace attn
