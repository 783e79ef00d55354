# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.25)
# No folder includes what is above it (ARCHITECTURE.md); tests, benchmarks and examples obey as their folder does.
# Variable: SOURCE_DIR.

# What a folder may include beside itself; the rule of the deepest folder counts. <lutra/...> is the public part of
# runtime/, and allowed to whom `lutra` stands.
set(rules
  "runtime: lutra"
  "host: lutra"
  "host/core: lutra"
  "bench: host lutra runtime"
  "compressor: host lutra runtime"
  "conformance: compressor host lutra runtime"
  "conformance/linter: conformance/oracle host"
  "conformance/oracle:"
  "reports: host"
  "platforms: host/core lutra runtime")
# Single includes that are none of these, each with its reason.
set(exceptions
  # --version and --kernels list the variants of the kernels' tables.
  "host/environment.cc: runtime/kernels")

set(folders)
foreach(rule IN LISTS rules exceptions)
  string(REGEX MATCH "^([^:]+): ?(.*)$" matched "${rule}")
  set(name ${CMAKE_MATCH_1})
  string(REPLACE " " ";" allowed_${name} "${CMAKE_MATCH_2}")
  if(rule IN_LIST rules)
    list(APPEND folders ${name})
    list(APPEND allowed_${name} ${name})
  endif()
endforeach()
# The deepest first.
list(SORT folders ORDER DESCENDING)
set(top_folders ${folders})
list(FILTER top_folders EXCLUDE REGEX "/")
list(JOIN top_folders "|" top_folder)

# The public headers are those that runtime/CMakeLists.txt installs.
file(READ ${SOURCE_DIR}/runtime/CMakeLists.txt text)
if(NOT text MATCHES "set\\(public_headers([^)]*)\\)")
  message(FATAL_ERROR "runtime/CMakeLists.txt has no list public_headers: the pattern no longer matches")
endif()
string(REGEX MATCHALL "[^ \n]+\\.h" public_headers "${CMAKE_MATCH_1}")
# A kernel's header is public, too.
file(GLOB kernels RELATIVE ${SOURCE_DIR}/runtime/kernels ${SOURCE_DIR}/runtime/kernels/*)
foreach(kernel IN LISTS kernels)
  list(APPEND public_headers kernels/${kernel}/${kernel}.h)
endforeach()

# is_below(<result> <header> <folder>...)
function(is_below result header)
  set(${result} FALSE PARENT_SCOPE)
  foreach(folder IN LISTS ARGN)
    string(FIND "${header}" "${folder}/" at)
    if(at EQUAL 0)
      set(${result} TRUE PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# allowed_to(<result> <file>): what the file may include of this tree.
function(allowed_to result file)
  foreach(folder IN LISTS folders)
    is_below(inside "${file}" ${folder})
    if(inside)
      set(${result} ${allowed_${folder}} ${allowed_${file}} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "${file}: its folder has no rule")
endfunction()

set(count 0)
foreach(folder IN LISTS top_folders)
  file(GLOB_RECURSE files RELATIVE ${SOURCE_DIR} ${SOURCE_DIR}/${folder}/*.h ${SOURCE_DIR}/${folder}/*.cc)
  foreach(file IN LISTS files)
    allowed_to(allowed ${file})
    file(STRINGS ${SOURCE_DIR}/${file} lines REGEX "^ *# *include")
    foreach(line IN LISTS lines)
      if(NOT line MATCHES "^ *# *include *([<\"])([^>\"]*)[>\"]")
        message(SEND_ERROR "${file}: an include that this test does not understand: ${line}")
        continue()
      endif()
      set(quote "${CMAKE_MATCH_1}")
      set(header "${CMAKE_MATCH_2}")
      if(NOT header MATCHES "^(${top_folder}|lutra)/")
        # A header of ours says its folder; what is generated beside the build need not.
        if(quote STREQUAL "\"" AND header MATCHES "^[^/]*$|\\.\\./" AND NOT header MATCHES "_generated\\.h$")
          message(SEND_ERROR "${file} includes \"${header}\": name the header from the tree's root")
        endif()
        continue()
      endif()
      math(EXPR count "${count} + 1")
      is_below(is_allowed "${header}" ${allowed})
      if(NOT is_allowed)
        message(SEND_ERROR "${file} includes ${header}; it may include: ${allowed}")
      elseif(header MATCHES "^lutra/(.*)$" AND NOT CMAKE_MATCH_1 IN_LIST public_headers)
        message(SEND_ERROR "${file} includes ${header}, which is not among the public headers of runtime/CMakeLists.txt")
      endif()
    endforeach()
  endforeach()
endforeach()
if(count LESS 1000)
  message(SEND_ERROR "only ${count} includes were seen: the pattern no longer matches")
endif()
