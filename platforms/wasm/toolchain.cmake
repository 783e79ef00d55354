# SPDX-License-Identifier: Apache-2.0
# WebAssembly with 128-bit vectors, over WASI preview 1. Of the C++ library only headers are used.
# Debian packages: clang-19 lld-19 wasi-libc libc++-19-dev-wasm32 libclang-rt-19-dev-wasm32 nodejs.
set(LUTRA_PLATFORM wasm)
set(LUTRA_PLATFORM_FLAGS "-msimd128")
set(LUTRA_PLATFORM_EMULATOR node --no-warnings "${CMAKE_CURRENT_LIST_DIR}/run.mjs")
# Node compiles the module for this machine: times are real.
set(LUTRA_PLATFORM_HAS_CLOCK ON)

set(CMAKE_SYSTEM_NAME WASI)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
# Platform/WASI.cmake: CMake has none of its own.
list(APPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)

set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)
# This compiler finds no archiver of its own version. The linker of WebAssembly reads archives without an index,
# which another machine's ranlib would not make anyway.
set(CMAKE_AR ar)
set(CMAKE_RANLIB :)
set(CMAKE_CXX_FLAGS_INIT "${LUTRA_PLATFORM_FLAGS} -nostdinc++ -ffunction-sections -fdata-sections")
set(CMAKE_CXX_STANDARD_INCLUDE_DIRECTORIES /usr/lib/llvm-19/include/wasm32-wasi/c++/v1)
# The stack lies first: an overflow leaves the memory and traps, instead of destroying data.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-nostdlib++ -Wl,--stack-first -Wl,-z,stack-size=65536")

set(CMAKE_CROSSCOMPILING_EMULATOR ${LUTRA_PLATFORM_EMULATOR})
