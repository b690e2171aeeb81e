// The command line in UTF-8.
#pragma once

#include <string>
#include <vector>

namespace attn {

// argv[0] included. On Windows, where argv has the characters of one code page, the arguments are those the
// system keeps in Unicode; and the standard streams are set to UTF-8, without translated line ends.
std::vector<std::string> arguments(int argc, const char* const* argv);

}  // namespace attn
