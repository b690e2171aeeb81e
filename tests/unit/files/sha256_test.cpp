// The fingerprint of page scripts, against openssl:
//     printf abc | openssl dgst -sha256 -binary | base64
#include "files/sha256.hpp"

#include <doctest/doctest.h>

#include <string>

using attn::sha256_base64;

TEST_CASE("the fingerprint is SHA-256 in base64, for lengths around the size of a block") {
    CHECK(sha256_base64("") == "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    CHECK(sha256_base64("abc") == "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
    CHECK(sha256_base64(std::string(55, 'a')) == "n0OQ+NMMLdkuyfCVtl4rmumwqSWlJY4kHJ8ekQ9zQxg=");
    CHECK(sha256_base64(std::string(56, 'a')) == "s1Q5pKxvCUi21vnjxq8PX1kM4g8b3nCQ73lwaG7Gc4o=");
    CHECK(sha256_base64(std::string(64, 'a')) == "/+BU/nrgy23GXDr5th1SCfQ5hR20PQulmXM33xVGaOs=");
    CHECK(sha256_base64(std::string(1000000, 'a')) == "zcduXJkU+5KBocfihNc+Z/GAmkiklyAOBG05zMcRLNA=");
    CHECK(sha256_base64("→ é\n") == "GfjTPVbV3Gbe/UdC+0chVHysrZ5YIuq0zJQBHHsy03M=");
}
