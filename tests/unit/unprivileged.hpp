// File permissions for tests: the superuser must become an ordinary user, because permissions do not restrict
// him.
#pragma once

#include <doctest/doctest.h>
#include <unistd.h>

// While this object lives, the superuser is a different user, so that permissions apply.
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
