# Compiles for 64-bit ARM with Debian's cross compiler; qemu runs the result. The program is static, because
# the threads of a dynamic glibc hang under qemu 7.2.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CXX_FLAGS_INIT -Wno-psabi)  # a note that gcc 10 passed pairs differently
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 CACHE STRING "What runs the programs here")
# Header-only libraries are this machine's; tests/aarch64/packages.sh unpacks the others.
set(CMAKE_FIND_ROOT_PATH "${CMAKE_CURRENT_LIST_DIR}/../../build/aarch64-packages" /)
