# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.25)
# No folder includes headers of a layer above its own (ARCHITECTURE.md); tests, benchmarks and examples obey
# the rule of their folder.
# Variables: SOURCE_DIR; PUBLIC_HEADERS, the runtime's, as runtime/CMakeLists.txt installs them.

# The folders that a folder may include beside itself; the rule of the deepest folder counts. <lutra/...> is
# the public part of runtime/, and allowed where `lutra` is listed.
set(rules
  "runtime: lutra"
  "host: lutra"
  "host/core: lutra"
  "delegates: host lutra runtime"
  "delegates/example: lutra"
  "delegates/vta/driver: lutra runtime"
  "delegates/vta/simulator: delegates/vta/driver host lutra runtime"
  "delegates/vta/program: delegates host lutra runtime"
  "sdk: host lutra"
  "bench: delegates sdk host lutra runtime"
  "compat: lutra"
  "bench/compare: bench conformance/adapters delegates host lutra runtime"
  "compressor: delegates host lutra runtime"
  "conformance: compressor delegates sdk host lutra runtime"
  "conformance/linter: conformance/oracle host"
  "conformance/oracle:"
  "conformance/runner: conformance host lutra"
  "reports: host"
  "platforms: host/core lutra runtime sdk")
# These single includes are allowed besides, each for a reason.
set(exceptions
  # --version and --kernels=list name the variants that the kernels' tables have.
  "host/environment.cc: runtime/kernels"
  # The compressor makes objects of a model by the schema, and knows which models cannot become objects.
  "conformance/oracle/model.cc: compressor"
  # The tests of the TFLM interface build their models with these headers.
  "compat/tflm/testing/ordinary.cc: runtime/testing"
  "host/model_file_test.cc: runtime/testing"
  "host/model_inputs_test.cc: runtime/testing"
  "host/simple_delegate_test.cc: runtime/testing")

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
# Deeper folders come first.
list(SORT folders ORDER DESCENDING)
set(top_folders ${folders})
list(FILTER top_folders EXCLUDE REGEX "/")
list(JOIN top_folders "|" top_folder)

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

# allowed_to(<result> <file>): lists the folders of this tree that the file may include.
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
        # A header of this tree is included with its folder; a generated header need not be.
        if(quote STREQUAL "\"" AND header MATCHES "^[^/]*$|\\.\\./" AND NOT header MATCHES "_generated\\.h$")
          message(SEND_ERROR "${file} includes \"${header}\": name the header from the tree's root")
        endif()
        continue()
      endif()
      math(EXPR count "${count} + 1")
      is_below(is_allowed "${header}" ${allowed})
      if(NOT is_allowed)
        message(SEND_ERROR "${file} includes ${header}; it may include: ${allowed}")
      elseif(header MATCHES "^lutra/(.*)$" AND NOT CMAKE_MATCH_1 IN_LIST PUBLIC_HEADERS)
        message(SEND_ERROR "${file} includes ${header}, which is no public header of runtime/CMakeLists.txt")
      endif()
    endforeach()
  endforeach()
endforeach()
if(count LESS 1000)
  message(SEND_ERROR "only ${count} includes were seen: the pattern no longer matches")
endif()
