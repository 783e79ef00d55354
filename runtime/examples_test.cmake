# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.25)
# Compiles the examples in the opening comments of public headers, and those of READMEs (```cpp). Variables: SOURCE_DIR,
# INCLUDE_DIR (where <lutra/...> is), HEADERS (below its lutra/), PAGES (below the root), WORK_DIR, COMPILER.
#
# In a header, an example is a run of comment lines that are indented by three spaces, one of which ends in a semicolon (else they
# are a formula); a line of prose ends it. One that has an #include is a whole file. Another may use the names of
# runtime/testing/header_examples.h, and is either declarations or the body of a function.
file(REMOVE_RECURSE ${WORK_DIR})

# compiles(<variable> <name> <text>): sets the variable to whether the text compiles; its errors are kept in
# `errors`.
function(compiles variable name text)
  set(file ${WORK_DIR}/${name}.cc)
  file(WRITE ${file} "${text}")
  execute_process(COMMAND ${COMPILER} -std=c++20 -fsyntax-only -I${INCLUDE_DIR} -I${SOURCE_DIR} ${file}
                  RESULT_VARIABLE code ERROR_VARIABLE errors)
  set(errors "${errors}" PARENT_SCOPE)
  set(${variable} OFF PARENT_SCOPE)
  if(code EQUAL 0)
    set(${variable} ON PARENT_SCOPE)
  endif()
endfunction()

# check_example(<file> <number in it> <text> <lines before it, unless it has its own>)
function(check_example file number example include)
  string(MAKE_C_IDENTIFIER "${file}_${number}" name)
  if(example MATCHES "#include")
    compiles(good ${name} "${example}")
  else()
    set(before "#include \"runtime/testing/header_examples.h\"\n${include}")
    compiles(good ${name} "${before}namespace example {\n${example}}\n")
    if(NOT good)
      set(declaration_errors "as declarations:\n${errors}\nas the body of a function:\n")
      compiles(good ${name} "${before}lutra::Status Example() {\n${example}return Status::kOk;\n}\n")
    endif()
  endif()
  if(NOT good)
    message(SEND_ERROR "the example in ${file} does not compile:\n${example}\n${declaration_errors}${errors}\n"
                       "mend it, or declare what it takes for granted in runtime/testing/header_examples.h")
  endif()
endfunction()

set(count 0)
foreach(header IN LISTS HEADERS)
  file(READ ${INCLUDE_DIR}/lutra/${header} text)
  string(REGEX REPLACE "#pragma once.*" "" text "${text}")
  # Lists of CMake split at semicolons and keep brackets together, so lines are taken from the text one by
  # one.
  set(example)
  set(number 0)
  string(APPEND text "// .\n")
  while(text MATCHES "^([^\n]*)\n(.*)$")
    set(line "${CMAKE_MATCH_1}")
    set(text "${CMAKE_MATCH_2}")
    if(line MATCHES "^//   (.*)$")
      string(APPEND example "${CMAKE_MATCH_1}\n")
    elseif(NOT "${line}" STREQUAL "//" AND NOT "${example}" STREQUAL "")
      if(example MATCHES ";( *//[^\n]*)?\n")
        math(EXPR number "${number} + 1")
        check_example(lutra/${header} ${number} "${example}" "#include <lutra/${header}>\n")
      endif()
      set(example)
    endif()
  endwhile()
  math(EXPR count "${count} + ${number}")
endforeach()
if(count LESS 10)
  message(SEND_ERROR "only ${count} examples were seen: the pattern no longer matches")
endif()

foreach(page IN LISTS PAGES)
  file(READ ${SOURCE_DIR}/${page} text)
  set(number 0)
  while(text MATCHES "\n```cpp\n(.*)$")
    set(rest "${CMAKE_MATCH_1}")
    string(FIND "${rest}" "\n```\n" end)
    string(SUBSTRING "${rest}" 0 ${end} example)
    string(SUBSTRING "${rest}" ${end} -1 text)
    math(EXPR number "${number} + 1")
    check_example(${page} ${number} "${example}\n" "")
  endwhile()
  if(number EQUAL 0)
    message(SEND_ERROR "${page}: found no example, required: ```cpp")
  endif()
  math(EXPR count "${count} + ${number}")
endforeach()
message(STATUS "${count} examples compile")
