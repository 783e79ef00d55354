# SPDX-License-Identifier: Apache-2.0
# The common part of the toolchain files of all Linux targets. A platform sets LUTRA_PLATFORM (its folder's name),
# LUTRA_PLATFORM_PREFIX (of the compiler's programs), LUTRA_PLATFORM_FLAGS and LUTRA_PLATFORM_EMULATOR, and
# may set CMAKE_C_COMPILER and CMAKE_CXX_COMPILER; then it includes this file.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR "${LUTRA_PLATFORM}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)

if(NOT CMAKE_CXX_COMPILER)
  set(CMAKE_C_COMPILER "${LUTRA_PLATFORM_PREFIX}gcc")
  set(CMAKE_CXX_COMPILER "${LUTRA_PLATFORM_PREFIX}g++")
endif()
set(CMAKE_C_FLAGS_INIT "${LUTRA_PLATFORM_FLAGS}")
set(CMAKE_CXX_FLAGS_INIT "${LUTRA_PLATFORM_FLAGS}")
# A static program is one file, which the emulator can run without the target's libraries.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static")

set(CMAKE_CROSSCOMPILING_EMULATOR ${LUTRA_PLATFORM_EMULATOR})
