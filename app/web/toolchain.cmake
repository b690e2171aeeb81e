# Compiles for WebAssembly with Debian's clang 19 and WASI's C library. app/web/wasi.mjs provides files,
# arguments and standard streams. Exceptions use the machine's instructions, with
# app/web/system/exceptions.cpp.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_AR /usr/bin/llvm-ar-19)
set(CMAKE_RANLIB /usr/bin/llvm-ranlib-19)
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
string(CONCAT CMAKE_CXX_FLAGS_INIT "-fwasm-exceptions -msimd128 -D_WASI_EMULATED_SIGNAL "
    "-D_WASI_EMULATED_PROCESS_CLOCKS -DCLI11_HAS_FILESYSTEM=0 -isystem ${CMAKE_CURRENT_LIST_DIR}/include")
string(CONCAT CMAKE_EXE_LINKER_FLAGS_INIT "-lwasi-emulated-signal -lwasi-emulated-process-clocks "
    "-Wl,--strip-all -Wl,-z,stack-size=1048576 -Wl,--initial-memory=33554432 -Wl,--max-memory=4294967296")
set(ATTN_WEB ON)
