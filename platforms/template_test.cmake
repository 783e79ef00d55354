# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE_DIR=... -DWORK_DIR=... -DGENERATOR=... -DHOST_PROGRAM=<generic_benchmark> -P template_test.cmake
#
# The platform that platforms/README.md shows builds, by the command that stands there, and runs a model as the host does.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/../cmake/scratch_tree.cmake)

foreach(program arm-none-eabi-g++ qemu-system-arm)
  unset(found CACHE)
  find_program(found ${program})
  if(NOT found)
    message("platform test skipped: ${program} is not installed (platforms/cortex-m3/README.md)")
    return()
  endif()
endforeach()

scratch_tree(${SOURCE_DIR} ${WORK_DIR})
file(READ ${SOURCE_DIR}/platforms/README.md page)
foreach(name toolchain.cmake memory.ld)
  string(REPLACE "." "\\." pattern ${name})
  if(NOT page MATCHES "\n```[a-z]*\n([^\n`]* my-board/${pattern}[^`]*)```")
    message(FATAL_ERROR "platforms/README.md shows no my-board/${name}")
  endif()
  file(WRITE ${WORK_DIR}/platforms/my-board/${name} "${CMAKE_MATCH_1}")
endforeach()

if(NOT page MATCHES "\n(cmake -S \\. -B (build/my-board) [^\n]*)\n")
  message(FATAL_ERROR "platforms/README.md shows no command for my-board")
endif()
set(build ${WORK_DIR}/${CMAKE_MATCH_2})
separate_arguments(configure UNIX_COMMAND "${CMAKE_MATCH_1}")
set(ENV{CMAKE_GENERATOR} ${GENERATOR})
execute_process(COMMAND ${configure} WORKING_DIRECTORY ${WORK_DIR} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${build} --target run_model --parallel 2 COMMAND_ERROR_IS_FATAL ANY)
include(${WORK_DIR}/platforms/my-board/toolchain.cmake)
execute_process(COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR} ${build}/platforms/run_model.elf sine.tflite
                WORKING_DIRECTORY ${SOURCE_DIR}/models OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${HOST_PROGRAM} ${SOURCE_DIR}/models/sine.tflite --runs 1 --warmup 0 --format json
                OUTPUT_VARIABLE json COMMAND_ERROR_IS_FATAL ANY)
string(JSON crc GET "${json}" results 0 outputs 0 crc32)
if(NOT output MATCHES "lutra1 output 0 crc32 ${crc}\n")
  message(FATAL_ERROR "no output with the host's CRC32 ${crc}:\n${output}")
endif()
