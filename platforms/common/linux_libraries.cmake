# SPDX-License-Identifier: Apache-2.0
# The libraries that programs and tests for a Linux target need. What is installed here is the host's; its
# headers serve any target, and googletest is compiled from its sources (Debian: googletest).

# Makes find_package(<package>) succeed, with targets that this file has made.
function(lutra_package_is_made package)
  file(WRITE ${CMAKE_FIND_PACKAGE_REDIRECTS_DIR}/${package}Config.cmake
       "# Made by platforms/common/linux_libraries.cmake.\n")
endfunction()

# lutra_header_library(<package> <target> <folder>/<header>)
function(lutra_header_library package target header)
  find_path(LUTRA_${package}_INCLUDE ${header} PATHS /usr/local/include /usr/include REQUIRED
            NO_CMAKE_FIND_ROOT_PATH)
  mark_as_advanced(LUTRA_${package}_INCLUDE)
  # A cross compiler must not see all of /usr/include, so the headers are reached through a link.
  set(links ${PROJECT_BINARY_DIR}/header_libraries)
  get_filename_component(folder ${header} DIRECTORY)
  file(MAKE_DIRECTORY ${links})
  file(CREATE_LINK ${LUTRA_${package}_INCLUDE}/${folder} ${links}/${folder} SYMBOLIC)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} INTERFACE ${links})
  lutra_package_is_made(${package})
endfunction()

if(LUTRA_BUILD_TOOLS)
  lutra_header_library(CLI11 CLI11::CLI11 CLI/CLI.hpp)
  lutra_header_library(fmt fmt::fmt fmt/format.h)
  target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
  lutra_header_library(nlohmann_json nlohmann_json::nlohmann_json nlohmann/json.hpp)
endif()

if(LUTRA_BUILD_TESTS)
  find_path(LUTRA_GOOGLETEST_SOURCE src/gtest-all.cc PATHS /usr/src/googletest/googletest
            NO_CMAKE_FIND_ROOT_PATH)
  mark_as_advanced(LUTRA_GOOGLETEST_SOURCE)
  if(LUTRA_GOOGLETEST_SOURCE)
    add_library(lutra_googletest STATIC
      ${LUTRA_GOOGLETEST_SOURCE}/src/gtest-all.cc ${LUTRA_GOOGLETEST_SOURCE}/src/gtest_main.cc)
    add_library(GTest::gtest ALIAS lutra_googletest)
    add_library(GTest::gtest_main ALIAS lutra_googletest)
    target_include_directories(lutra_googletest SYSTEM PUBLIC ${LUTRA_GOOGLETEST_SOURCE}/include
                               PRIVATE ${LUTRA_GOOGLETEST_SOURCE})
    lutra_package_is_made(GTest)
  else()
    message(STATUS "googletest's sources not found (LUTRA_GOOGLETEST_SOURCE): no tests")
    set(LUTRA_BUILD_TESTS OFF)
  endif()
endif()
