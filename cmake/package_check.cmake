# SPDX-License-Identifier: Apache-2.0
# Run by CPack before it packs: nothing is missing.
foreach(program IN LISTS CPACK_LUTRA_PROGRAMS)
  file(GLOB_RECURSE found ${CPACK_TEMPORARY_DIRECTORY}/*/bin/${program})
  if(NOT found)
    message(FATAL_ERROR "package: found no ${program}, required: every program; build all of them first: cmake --build")
  endif()
endforeach()
