# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.25)
# Object files that are compiled for an instruction set must offer the linker only the functions of their variants:
# functions whose names end in that instruction set, with the type of elements for templates, and those of kernels/dots.h
# that have it as an argument. Otherwise a shared header's function, compiled for the instruction set, might be the one
# copy that is kept: an illegal instruction on other processors. Variables: SOURCE_DIR, NM, OBJECTS (a file with their
# names, one a line), LEAST (the least number of them that are variants).
include(${SOURCE_DIR}/cmake/instruction_sets.cmake)
file(STRINGS ${OBJECTS} objects)
set(count 0)
foreach(object IN LISTS objects)
  lutra_instruction_set_of(${object} set)
  if(NOT set)
    continue()
  endif()
  math(EXPR count "${count} + 1")
  execute_process(COMMAND ${NM} --extern-only --defined-only --demangle --format=posix ${object}
                  OUTPUT_VARIABLE listing COMMAND_ERROR_IS_FATAL ANY)
  # A line is a name and, behind it, the symbol's type: T is code that exists once.
  string(REGEX MATCHALL "[^\n]+" lines "${listing}")
  if(NOT lines)
    message(SEND_ERROR "${object} offers nothing")
  endif()
  # Constants of headers, which sanitizers keep, contain no instruction.
  list(FILTER lines EXCLUDE REGEX " V( |$)")
  # 32-bit x86 finds its own address by such a function, which is plain code.
  list(FILTER lines EXCLUDE REGEX "^__x86\\.get_pc_thunk\\.")
  foreach(line IN LISTS lines)
    string(TOLOWER "${line}" lower)
    # W is code that exists once for each list of template arguments.
    if(NOT (lower MATCHES "^lutra::[a-z0-9_]*${set}\\(.*\\) t( |$)" AND line MATCHES " T( |$)") AND
       NOT (lower MATCHES "^void lutra::[a-z0-9_]*${set}<[a-z ]+>\\(.*\\) [tw]( |$)" AND line MATCHES " [TW]( |$)") AND
       NOT (lower MATCHES "^lutra::dots<lutra::${set}, .*>::[a-z]+\\(.*\\) w( |$)" AND line MATCHES " W( |$)"))
      message(SEND_ERROR "${object} is compiled for ${set} and offers ${line}")
    endif()
  endforeach()
endforeach()
if(count LESS LEAST)
  message(SEND_ERROR "only ${count} of these objects are variants; there should be ${LEAST}")
endif()
