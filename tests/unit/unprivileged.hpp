// Permissions as they bind everybody but the superuser, for tests of files.
#pragma once

#include <doctest/doctest.h>
#include <unistd.h>

// Permissions bind: the superuser, whom they do not, becomes another user while this lives.
class Unprivileged {
public:
    Unprivileged() {
        if (user_ == 0) {
            REQUIRE(::seteuid(65534) == 0);
        }
    }
    ~Unprivileged() {
        if (user_ == 0) {
            REQUIRE(::seteuid(0) == 0);
        }
    }

private:
    uid_t user_ = ::geteuid();
};
