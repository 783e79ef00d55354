# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.25)
# Installs the build to a folder of its own, builds runtime/example with the installed files, and runs it.
# Variables: BUILD_DIR, SOURCE_DIR, WORK_DIR, GENERATOR, COMPILER.
file(REMOVE_RECURSE ${WORK_DIR})
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(code)
    message(FATAL_ERROR "${ARGN}: ${code}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/prefix)

# Public headers need only each other, and no other header of the project is installed.
file(GLOB_RECURSE headers RELATIVE ${WORK_DIR}/prefix/include ${WORK_DIR}/prefix/include/*)
list(LENGTH headers count)
if(count LESS 60 OR count GREATER 125)
  message(FATAL_ERROR "${count} headers are installed: ${headers}")
endif()
set(includes)
set(tflm_includes)
foreach(header IN LISTS headers)
  # The headers with TensorFlow Lite Micro's names, for C++17, include nothing of lutra/.
  if(header MATCHES "^lutra-tflm/(tensorflow/.*\\.h)$")
    file(WRITE ${WORK_DIR}/alone/${header}.cc "#include <${CMAKE_MATCH_1}>\n#include <${CMAKE_MATCH_1}>\n")
    list(APPEND tflm_includes ${WORK_DIR}/alone/${header}.cc)
    continue()
  endif()
  if(NOT header MATCHES "^lutra/.*\\.h$" OR header MATCHES "(_test|_cases|_internal)\\.h$")
    message(FATAL_ERROR "${header} is installed")
  endif()
  file(WRITE ${WORK_DIR}/alone/${header}.cc "#include <${header}>\n#include <${header}>\n")
  string(APPEND includes " ${WORK_DIR}/alone/${header}.cc")
endforeach()
separate_arguments(includes)
run(${COMPILER} -std=c++20 -fsyntax-only -Wall -Wextra -Werror -I${WORK_DIR}/prefix/include ${includes})

run(${COMPILER} -std=c++17 -fsyntax-only -Wall -Wextra -Wpedantic -Werror -I${WORK_DIR}/prefix/include/lutra-tflm ${tflm_includes})

run(${CMAKE_COMMAND} -S ${SOURCE_DIR}/runtime/example -B ${WORK_DIR}/build -G ${GENERATOR}
    -DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix)
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
run(${WORK_DIR}/build/example ${SOURCE_DIR}/models/sine.tflite)
# The output is sin of the input's code 0, as the recorded runtime computes it.
if(NOT output MATCHES "^-?[0-9]+ \n$")
  message(FATAL_ERROR "the example printed: ${output}")
endif()
execute_process(COMMAND ${WORK_DIR}/build/example ${SOURCE_DIR}/README.md RESULT_VARIABLE code ERROR_VARIABLE error)
if(NOT code EQUAL 3 OR NOT error MATCHES "TFL3")
  message(FATAL_ERROR "the example took a text file for a model: ${code} ${error}")
endif()
