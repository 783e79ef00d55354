# SPDX-License-Identifier: Apache-2.0
# Run by CPack before it packs: checks that no program is missing, and makes the package depend on the
# programs' libraries. CPACK_DEBIAN_PACKAGE_SHLIBDEPS finds libraries, too, but first asks for the type of
# each of thousands of files.
set(found_programs)
foreach(program IN LISTS CPACK_LUTRA_PROGRAMS)
  file(GLOB_RECURSE found ${CPACK_TEMPORARY_DIRECTORY}/*/bin/${program})
  if(NOT found)
    message(FATAL_ERROR "package: found no ${program}, required: every program; build all of them first: cmake --build")
  endif()
  list(APPEND found_programs ${found})
endforeach()

# dpkg-shlibdeps must run in the folder of a Debian source package.
set(folder ${CPACK_TOPLEVEL_DIRECTORY}/shlibdeps)
file(WRITE ${folder}/debian/control "")
execute_process(COMMAND dpkg-shlibdeps -O ${found_programs} WORKING_DIRECTORY ${folder} RESULT_VARIABLE code
                OUTPUT_VARIABLE output ERROR_VARIABLE errors)
if(NOT code EQUAL 0 OR NOT output MATCHES "shlibs:Depends=([^\n]+)")
  message(FATAL_ERROR "package: dpkg-shlibdeps (Debian: dpkg-dev) found no libraries: ${code}\n${errors}")
endif()
set(CPACK_DEBIAN_PACKAGE_DEPENDS ${CMAKE_MATCH_1})
