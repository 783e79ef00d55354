# SPDX-License-Identifier: Apache-2.0
# The common part of the toolchain files of all bare-metal platforms. A platform sets
# LUTRA_PLATFORM (its folder's name), LUTRA_PLATFORM_PREFIX (of the compiler's
# programs), LUTRA_PLATFORM_FLAGS, LUTRA_PLATFORM_START (the source that runs
# from reset to StartProgram, below platforms/) and LUTRA_PLATFORM_EMULATOR (QEMU
# and the machine), then includes this file.

set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR "${LUTRA_PLATFORM}")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)

foreach(language C CXX ASM)
  set(suffix gcc)
  if(language STREQUAL CXX)
    set(suffix g++)
  endif()
  set(CMAKE_${language}_COMPILER "${LUTRA_PLATFORM_PREFIX}${suffix}")
  # One section per function and object, so that the linker keeps what is used.
  set(CMAKE_${language}_FLAGS_INIT
    "${LUTRA_PLATFORM_FLAGS} -ffunction-sections -fdata-sections -fno-unwind-tables -fno-asynchronous-unwind-tables")
  string(APPEND CMAKE_${language}_FLAGS_INIT " -fomit-frame-pointer")
endforeach()
set(CMAKE_EXECUTABLE_SUFFIX_CXX .elf)
set(CMAKE_EXECUTABLE_SUFFIX_C .elf)

set(CMAKE_CROSSCOMPILING_EMULATOR
  sh "${CMAKE_CURRENT_LIST_DIR}/emulate.sh" ${LUTRA_PLATFORM_EMULATOR} --)
