// Forwards to text/html.hpp, because lib/judge includes this path. Other files include text/html.hpp.
#pragma once

#include "text/html.hpp"
