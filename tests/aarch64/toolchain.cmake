# Compiles for 64-bit ARM with Debian's cross compiler; qemu runs what comes out. Static, for under qemu 7.2 the threads of
# a dynamic glibc hang.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CXX_FLAGS_INIT -Wno-psabi)  # which only says that gcc 10 passed pairs otherwise
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 CACHE STRING "What runs the programs here")
# Libraries of headers alone are those of this machine; tests/aarch64/packages.sh unpacks the others.
set(CMAKE_FIND_ROOT_PATH "${CMAKE_CURRENT_LIST_DIR}/../../build/aarch64-packages" /)
