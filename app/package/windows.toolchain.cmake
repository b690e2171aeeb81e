# Compiles for Windows with Debian's MinGW-w64: one static .exe that needs no other file.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# Windows aligns the stack to 16 bytes, but gcc assumes 32 or 64 when it spills vectors (GCC bug 54412). gcc
# also assumes that the linker keeps this file's copy of an inline function. If the kept copy was compiled
# with other flags, it overwrites registers that gcc expects unchanged: std::mt19937 then writes to a wrong
# address.
set(CMAKE_CXX_FLAGS_INIT "-Wa,-muse-unaligned-vector-move -fno-ipa-ra")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static")
