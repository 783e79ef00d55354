# SPDX-License-Identifier: Apache-2.0
# One test of the plugin, as a script (cmake -P). Counts PROGRAM with PLUGIN under EMULATOR, qemu-<processor>, twice,
# which must give the same; and
#
#   ACTION=known   PROGRAM is known_counts: its regions have the counts they must have
#   ACTION=repeat  PROGRAM is run_model, which runs MODEL: Invoke contains the operators
#
# A failure is FATAL_ERROR; a line "platform test skipped: ..." makes CTest count a skipped test.
cmake_minimum_required(VERSION 3.25)

foreach(program ${EMULATOR} readelf objdump)
  unset(found CACHE)
  find_program(found ${program})
  if(NOT found)
    message("platform test skipped: ${program} is not installed (platforms/counter/README.md)")
    return()
  endif()
endforeach()
execute_process(COMMAND ${EMULATOR} --help OUTPUT_VARIABLE help ERROR_QUIET)
if(NOT help MATCHES "-plugin")
  message("platform test skipped: ${EMULATOR} is built without plugins")
  return()
endif()

# Platforms have the names of processors.
string(REPLACE "qemu-" "" platform ${EMULATOR})
include(${CMAKE_CURRENT_LIST_DIR}/../${platform}/toolchain.cmake OPTIONAL)
set(vector)
if(LUTRA_PLATFORM_VECTOR)
  set(vector --objdump objdump --vector "${LUTRA_PLATFORM_VECTOR}")
endif()

# The lines `lutra1 count <ARGN>...` of a run. Times among the other lines differ.
function(count variable)
  set(lines ${PROGRAM}.${ACTION}.lines)
  execute_process(COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/count.sh --lines ${lines} ${vector} ${PLUGIN} ${EMULATOR} --
                          ${PROGRAM} ${MODEL} ${ARGN}
                  COMMAND_ERROR_IS_FATAL ANY)
  file(STRINGS ${lines} counts REGEX "^lutra1 count ")
  file(REMOVE ${lines})
  set(${variable} "${counts}" PARENT_SCOPE)
endfunction()

# Instructions, loads, stores and, where there are any, vector instructions of the region `name`.
function(numbers name variable)
  set(line ${counts})
  list(FILTER line INCLUDE REGEX "^lutra1 count ${name} instructions ")
  string(REGEX REPLACE "^.* instructions ([0-9]+) loads ([0-9]+) stores ([0-9]+)( vector )?" "\\1;\\2;\\3;"
         line "${line}")
  set(${variable} "${line}" PARENT_SCOPE)
endfunction()

# The numbers of the region `name` beyond those of `base` must match the regular expression.
function(expect name base pattern)
  numbers(${name} all)
  numbers(${base} of_base)
  set(result)
  foreach(number IN ZIP_LISTS all of_base)
    math(EXPR number "${number_0} - ${number_1}")
    list(APPEND result ${number})
  endforeach()
  if(NOT "${result}" MATCHES "^${pattern}$")
    message(FATAL_ERROR "the region ${name} is ${result} beyond ${base}, and not ${pattern}")
  endif()
endfunction()

count(counts)
count(again)
if(NOT counts OR NOT counts STREQUAL again)
  message(FATAL_ERROR "two runs differ:\n${counts}\n${again}")
endif()

if(ACTION STREQUAL "known")
  set(none)
  if(vector)
    set(none ";0")
  endif()
  expect(nop empty "1000;0;0${none}")
  # The instructions are those that the processor needs beside a load or store, too.
  expect(load empty "[0-9]+;3;0${none}")
  expect(store empty "[0-9]+;0;2${none}")
  expect(inner empty "0;0;0${none}")
  if(platform STREQUAL "x86_64")
    expect(vector empty "800;0;0;400")
  endif()
  count(unnamed unnamed)
  list(GET unnamed -1 line)
  if(NOT line MATCHES "^lutra1 count region [56] depth 1 instructions [0-9]+ ")
    message(FATAL_ERROR "without names, the inner region is '${line}'")
  endif()

elseif(ACTION STREQUAL "repeat")
  set(sum 0)
  set(operators ${counts})
  list(FILTER operators EXCLUDE REGEX "^lutra1 count invoke ")
  foreach(line IN LISTS operators)
    string(REGEX REPLACE "^.* instructions ([0-9]+) .*$" "\\1" number "${line}")
    math(EXPR sum "${sum} + ${number}")
  endforeach()
  numbers(invoke invoke)
  list(GET invoke 0 invoke)
  # Around each operator lie its marks and the interpreter.
  list(LENGTH operators count)
  math(EXPR gap "${invoke} - ${sum}")
  math(EXPR limit "100 * ${count}")
  if(count EQUAL 0 OR gap GREATER limit OR gap LESS -${limit})
    message(FATAL_ERROR "Invoke takes ${invoke} instructions, its ${count} operators together ${sum}")
  endif()

else()
  message(FATAL_ERROR "No such ACTION: '${ACTION}'")
endif()
