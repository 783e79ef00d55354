# SPDX-License-Identifier: Apache-2.0
# One test of the plugin, as a script (cmake -P). Counts PROGRAM with PLUGIN under EMULATOR or that of TOOLCHAIN:
#
#   ACTION=known   PROGRAM is known_counts: its regions have the counts they must have
#   ACTION=repeat  PROGRAM is count_model: two runs on MODEL give the same table; Invoke contains the operators
#
# A failure is FATAL_ERROR; a line "platform test skipped: ..." makes CTest count a skipped test.
cmake_minimum_required(VERSION 3.25)

set(compilers)
if(TOOLCHAIN)
  include(${TOOLCHAIN})
  set(EMULATOR ${LUTRA_PLATFORM_EMULATOR})
  set(compilers ${CMAKE_CXX_COMPILER} flatc)
endif()
list(GET EMULATOR 0 emulator)
foreach(program ${emulator} ${compilers} readelf)
  unset(found CACHE)
  find_program(found ${program})
  if(NOT found)
    message("platform test skipped: ${program} is not installed (platforms/counter/README.md)")
    return()
  endif()
endforeach()
execute_process(COMMAND ${emulator} --help OUTPUT_VARIABLE help ERROR_QUIET)
if(NOT help MATCHES "-plugin")
  message("platform test skipped: ${emulator} is built without plugins")
  return()
endif()

# Runs in the folder of MODEL, as emulate.sh wants words without spaces.
function(count variable json)
  set(folder ${CMAKE_CURRENT_BINARY_DIR})
  set(name)
  if(MODEL)
    get_filename_component(folder ${MODEL} DIRECTORY)
    get_filename_component(name ${MODEL} NAME)
  endif()
  execute_process(
    COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/count.sh --json ${json} ${PLUGIN} ${EMULATOR} -- ${PROGRAM} ${name}
    WORKING_DIRECTORY ${folder} OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  message("${output}")
  set(${variable} "${output}" PARENT_SCOPE)
endfunction()

# Instructions, loads and stores of region `i` of the JSON beyond those of region `base` (-1: nothing).
function(difference json i base variable)
  set(result)
  foreach(what instructions loads stores)
    string(JSON number GET "${json}" regions ${i} ${what})
    if(base GREATER_EQUAL 0)
      string(JSON number_of_base GET "${json}" regions ${base} ${what})
      math(EXPR number "${number} - ${number_of_base}")
    endif()
    list(APPEND result ${number})
  endforeach()
  set(${variable} "${result}" PARENT_SCOPE)
endfunction()

set(json_file ${PROGRAM}.counts.json)
count(first ${json_file})
file(READ ${json_file} json)

if(ACTION STREQUAL "known")
  # The first number may exceed by what the processor needs beside a load or store.
  difference("${json}" 1 0 nops)
  difference("${json}" 2 0 loads)
  difference("${json}" 3 0 stores)
  difference("${json}" 5 0 inner)
  list(SUBLIST loads 1 2 loads)
  list(SUBLIST stores 1 2 stores)
  if(NOT nops STREQUAL "1000;0;0" OR NOT loads STREQUAL "3;0" OR NOT stores STREQUAL "0;2"
     OR NOT inner STREQUAL "0;0;0")
    message(FATAL_ERROR "1000 nops are ${nops}, 3 loads ${loads}, 2 stores ${stores}, the inner region ${inner}")
  endif()
  string(JSON depth GET "${json}" regions 5 depth)
  if(NOT depth EQUAL 1)
    message(FATAL_ERROR "the inner region has the depth ${depth}")
  endif()

elseif(ACTION STREQUAL "repeat")
  count(second ${json_file})
  if(NOT first STREQUAL second)
    message(FATAL_ERROR "two runs differ")
  endif()
  string(JSON count LENGTH "${json}" regions)
  math(EXPR last "${count} - 1")
  set(sum 0)
  foreach(i RANGE 1 ${last})
    string(JSON number GET "${json}" regions ${i} instructions)
    math(EXPR sum "${sum} + ${number}")
  endforeach()
  string(JSON invoke GET "${json}" regions 0 instructions)
  # Around each operator lie its marks and the interpreter.
  math(EXPR gap "${invoke} - ${sum}")
  math(EXPR limit "100 * ${last}")
  if(gap GREATER limit OR gap LESS -${limit})
    message(FATAL_ERROR "Invoke takes ${invoke} instructions, its operators together ${sum}")
  endif()

else()
  message(FATAL_ERROR "No such ACTION: '${ACTION}'")
endif()
