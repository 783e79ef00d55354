# SPDX-License-Identifier: Apache-2.0
# cmake -DTFLM_DIR=<tree of TensorFlow Lite Micro> -DSOURCE_DIR=... -DWORK_DIR=... -DCOMPILER=... -DLIBRARIES=<path>;...
#       -P snapshot_test.cmake
#
# TensorFlow Lite Micro's own programs compile unchanged against include/, and say what they shall. Of its tree they see
# their own folders and micro_test_v2.h, and models, pictures and sounds as arrays.
cmake_minimum_required(VERSION 3.25)
set(micro ${TFLM_DIR}/tensorflow/lite/micro)
if(NOT EXISTS ${micro}/examples/hello_world/hello_world_test.cc)
  message("snapshot test skipped: LUTRA_TFLM_DIR names no tree of TensorFlow Lite Micro")
  return()
endif()
file(REMOVE_RECURSE ${WORK_DIR})
set(tree ${WORK_DIR}/tree/tensorflow/lite/micro)
file(COPY ${micro}/examples ${micro}/benchmarks DESTINATION ${tree})
file(COPY ${micro}/tools/benchmarking DESTINATION ${tree}/tools)
file(COPY ${micro}/testing/micro_test_v2.h DESTINATION ${tree}/testing)

# data(<result> <path below micro/> <type> <bytes of an element> <skip>...)
# An array of the bytes of a file of TensorFlow Lite Micro's after `skip`, or of its rows of 96 bytes at each `skip`.
function(data result path suffix type element_bytes)
  cmake_path(GET path STEM name)
  cmake_path(GET path PARENT_PATH folder)
  file(SIZE ${micro}/${path} bytes)
  set(lines)
  if(path MATCHES "bmp$")
    set(bytes 9216)
    foreach(row RANGE 95 0 -1)
      math(EXPR at "1078 + 96 * ${row}")
      string(APPEND lines ".incbin \"${micro}/${path}\", ${at}, 96\n")
    endforeach()
  elseif(path MATCHES "wav$")
    math(EXPR bytes "${bytes} - 44")
    set(lines ".incbin \"${micro}/${path}\", 44\n")
  else()
    set(lines ".incbin \"${micro}/${path}\"\n")
  endif()
  math(EXPR count "${bytes} / ${element_bytes}")
  set(symbol g_${name}_${suffix})
  file(WRITE ${tree}/${folder}/${name}_${suffix}.h
       "#pragma once\n#include <stdint.h>\nconstexpr unsigned int ${symbol}_size = ${count};\nextern const ${type} ${symbol}[];\n")
  set(source ${WORK_DIR}/${name}_${suffix}.S)
  file(WRITE ${source} ".section .rodata\n.balign 16\n.globl ${symbol}\n${symbol}:\n${lines}.section .note.GNU-stack,\"\"\n")
  set(${result} ${source} PARENT_SCOPE)
endfunction()
set(models examples/hello_world/models/hello_world_float examples/hello_world/models/hello_world_int8
  examples/memory_footprint/models/simple_add_model models/person_detect models/keyword_scrambled
  models/keyword_scrambled_8bit examples/micro_speech/models/audio_preprocessor_int8
  examples/micro_speech/models/micro_speech_quantized examples/dtln/dtln_noise_suppression)
foreach(model IN LISTS models)
  cmake_path(GET model FILENAME name)
  data(${name} ${model}.tflite model_data "unsigned char" 1)
endforeach()
foreach(picture person no_person)
  data(${picture} examples/person_detection/testdata/${picture}.bmp image_data "unsigned char" 1)
endforeach()
set(sounds)
foreach(sound no_1000ms no_30ms noise_1000ms silence_1000ms yes_1000ms yes_30ms)
  data(source examples/micro_speech/testdata/${sound}.wav audio_data int16_t 2)
  list(APPEND sounds ${source})
endforeach()

# program(<name> <what it prints, a pattern> [ARGUMENTS <argument>...] SOURCES <file>...)
function(program name pattern)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "ARGUMENTS;SOURCES")
  execute_process(COMMAND ${COMPILER} -std=c++17 -O1 -w -ffunction-sections -fdata-sections -DGENERIC_BENCHMARK_NO_META_DATA
    -I${SOURCE_DIR}/compat/tflm/include -I${WORK_DIR}/tree ${arg_SOURCES} -o ${WORK_DIR}/${name} ${LIBRARIES} -lm
    -Wl,--gc-sections WORKING_DIRECTORY ${tree} RESULT_VARIABLE code ERROR_VARIABLE errors)
  if(code)
    message(SEND_ERROR "${name} does not compile:\n${errors}")
    return()
  endif()
  execute_process(COMMAND ${WORK_DIR}/${name} ${arg_ARGUMENTS} OUTPUT_VARIABLE output ERROR_VARIABLE output
                  RESULT_VARIABLE code TIMEOUT 60)
  string(REPLACE "\r" "" output "${output}")
  if(NOT output MATCHES "${pattern}")
    message(SEND_ERROR "${name} ended with ${code} and printed:\n${output}")
    return()
  endif()
  message("${name}: as it shall")
endfunction()
set(passed "~~~ALL TESTS PASSED~~~")
program(hello_world "total number of ticks.*${passed}"
  SOURCES examples/hello_world/hello_world_test.cc ${hello_world_float} ${hello_world_int8})
program(person_detection "\nRan successfully\n.*${passed}"
  SOURCES examples/person_detection/person_detection_test.cc ${person_detect} ${person} ${no_person})
program(memory_footprint_baseline "^$" SOURCES examples/memory_footprint/baseline_memory_footprint.cc)
# It has no operators on purpose, so it must fail.
program(memory_footprint "node 0 ADD.*Invoke failed"
  SOURCES examples/memory_footprint/interpreter_memory_footprint.cc ${simple_add_model})
# If it cannot allocate, it says so and passes.
program(network_tester "TestInvoke\n+${passed}" SOURCES examples/network_tester/network_tester_test.cc)
program(keyword_benchmark "KeywordRunNIerations\\(10\\) took" SOURCES benchmarks/keyword_benchmark.cc ${keyword_scrambled})
program(keyword_benchmark_8bit "KeywordRunNIerations\\(10\\) took"
  SOURCES benchmarks/keyword_benchmark_8bit.cc ${keyword_scrambled_8bit})
program(person_detection_benchmark "NoPersonDataIterations\\(10\\) took"
  SOURCES benchmarks/person_detection_benchmark.cc ${person_detect} ${person} ${no_person})
program(generic_model_benchmark "Output CRC32: 0x[0-9A-F]+\n.*Operation data" ARGUMENTS ${SOURCE_DIR}/models/kws.tflite
  SOURCES tools/benchmarking/generic_model_benchmark.cc tools/benchmarking/metrics.cc)
program(micro_speech "${passed}"
  SOURCES examples/micro_speech/micro_speech_test.cc ${audio_preprocessor_int8} ${micro_speech_quantized} ${sounds})
program(dtln "${passed}" SOURCES examples/dtln/dtln_test.cc examples/dtln/dtln_inout_data.cc ${dtln_noise_suppression})
