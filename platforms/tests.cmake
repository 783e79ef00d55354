# SPDX-License-Identifier: Apache-2.0
# The tests of a platform's own build: platform.<what>. Programs of this machine make what is expected: those of
# LUTRA_HOST_BUILD. What the programs print is kept in logs/, of which `results` makes build/results/<platform>.json
# (with LUTRA_SMOKE_CASES: results/<platform>.json of this build).

set(LUTRA_HOST_BUILD "" CACHE PATH
    "A build for this machine, whose programs the tests use; without it, the target host_programs makes one in build/host")
set(host_build ${LUTRA_HOST_BUILD})
if(host_build)
  add_custom_target(host_programs)
else()
  set(host_build ${PROJECT_SOURCE_DIR}/build/host)
  include(ExternalProject)
  ExternalProject_Add(host_programs
    SOURCE_DIR ${PROJECT_SOURCE_DIR} BINARY_DIR ${host_build} PREFIX ${CMAKE_CURRENT_BINARY_DIR}/host_programs
    CMAKE_ARGS -DCMAKE_BUILD_TYPE=Release -DLUTRA_BUILD_TESTS=OFF -DLUTRA_BUILD_BENCHMARKS=OFF
               -DLUTRA_SINGLE_ROUNDING=${LUTRA_SINGLE_ROUNDING}
    BUILD_ALWAYS ON INSTALL_COMMAND "" EXCLUDE_FROM_ALL ON)
endif()

# A part of the cases is no result of the platform: it stays in its own build.
option(LUTRA_SMOKE_CASES "platform.conformance runs the smoke set of golden/ instead of the whole corpus" OFF)
set(result_dir ${PROJECT_SOURCE_DIR}/build/results)
if(LUTRA_SMOKE_CASES)
  set(result_dir ${PROJECT_BINARY_DIR}/results)
endif()

set(logs ${CMAKE_CURRENT_BINARY_DIR}/logs)
set(packed ${CMAKE_CURRENT_BINARY_DIR}/packed)
set(bundled ${PROJECT_SOURCE_DIR}/models)
set(others ${LUTRA_TEST_DATA}/models)
# <model> <operators of the smallest program: size_<these>>
set(models ${bundled}/sine dense ${bundled}/ad dense ${bundled}/ic resnet ${bundled}/kws kws ${bundled}/kws_clustered kws
           ${bundled}/vww96 kws ${others}/ad01_int8 mlperf_tiny ${others}/kws_ref_model mlperf_tiny
           ${others}/pretrainedResnet_quant mlperf_tiny ${others}/vww_96_int8 mlperf_tiny)
# At most this much .text and .rodata in the smallest programs. TensorFlow Lite Micro takes 51,716 bytes for the seven
# operators of MLPerf Tiny, with its reference kernels.
set(limit_bytes_cortex-m4_dense 25200)
set(limit_bytes_cortex-m4_kws 54500)
set(limit_bytes_cortex-m4_int8_kws 49400)
set(limit_bytes_cortex-m4_resnet 48800)
set(limit_bytes_cortex-m4_mlperf_tiny 58900)
set(limit_bytes_cortex-m55_dense 36900)
set(limit_bytes_cortex-m55_kws 97900)
set(limit_bytes_cortex-m55_int8_kws 80700)
set(limit_bytes_cortex-m55_resnet 82400)
set(limit_bytes_cortex-m55_mlperf_tiny 105300)
# The smallest arena of models whose weights are multiplied as they are stored: their plain ones' (1,792 and 12,672) and
# tables of 1,024 bytes for a tensor, or 64 for two filters.
set(arena_bytes_cortex-m4_ad_nibbles 3056)
set(arena_bytes_cortex-m4_kws_pairs 13824)
set(arena_bytes_cortex-m4_kws_channels 12816)
set(arena_bytes_cortex-m4_spot_keyword 12064)
# The texts of docs/benchmarks.md before the bytes of these programs.
set(documented_cortex-m4_kws "with the six of[^0-9]+([0-9,]+)")
set(documented_cortex-m4_int8_kws "without float32 they take[^0-9]+([0-9,]+)")
set(documented_cortex-m4_mlperf_tiny "these models use takes ([0-9,]+)")
set(documented_cortex-m55_int8_kws "int8 keyword spotting takes ([0-9,]+)")
set(documented_cortex-m55_mlperf_tiny "`.rodata` there, ([0-9,]+)")

# platform_test(<what> <script arguments>...)
function(platform_test what)
  set(name platform.${what})
  add_test(NAME ${name}
    COMMAND ${CMAKE_COMMAND} -DPLATFORM=${LUTRA_PLATFORM} -DSOURCE_DIR=${PROJECT_SOURCE_DIR}
            -DPROGRAM_DIR=${CMAKE_CURRENT_BINARY_DIR} -DHOST_BUILD=${host_build} -DLOGS=${logs} ${ARGN}
            -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/platform_test.cmake)
  set_tests_properties(${name} PROPERTIES
    LABELS platform TIMEOUT 600 SKIP_REGULAR_EXPRESSION "platform test skipped:")
endfunction()

# Programs have the policy small on bare metal, fast elsewhere.
set(other_policy small)
if(bare_metal)
  set(other_policy fast)
endif()

while(models)
  list(POP_FRONT models path operators)
  get_filename_component(model ${path} NAME)
  platform_test(${model} -DACTION=model -DPROGRAM=run_model -DMODEL=${path}.tflite -DLOG=${model})
  platform_test(${other_policy}_${model} -DACTION=model -DPROGRAM=run_model -DMODEL=${path}.tflite
    -DLOG=${model}.${other_policy} -DMEMORY=${other_policy})
  platform_test(size_${model} -DACTION=model -DPROGRAM=size_${operators} -DMODEL=${path}.tflite -DLOG=${model}.size
    -DLIMIT_BYTES=${limit_bytes_${LUTRA_PLATFORM}_${operators}}
    "-DDOCUMENTED=${documented_${LUTRA_PLATFORM}_${operators}}")
endwhile()
# The smallest program for int8 alone. Its log is no result of the model.
platform_test(size_int8_kws -DACTION=model -DPROGRAM=size_int8_kws -DMODEL=${bundled}/kws.tflite -DLOG=int8_kws
  -DLOGS=${CMAKE_CURRENT_BINARY_DIR}/int8_logs -DLIMIT_BYTES=${limit_bytes_${LUTRA_PLATFORM}_int8_kws}
  "-DDOCUMENTED=${documented_${LUTRA_PLATFORM}_int8_kws}")

# Changed here, run there: the outputs are those of the plain model. <plain model> <name> <verb of compress and its
# options>. No two names may begin alike.
set(changes "kws_clustered decode pack --codec=lut --format=decode"
            "kws_clustered metadata pack --codec=lut --format=metadata"
            "kws_clustered packed pack --target=lutra"
            "ic planned plan" "vww96 planned plan --tables" "kws tables plan --tables" "ad nibbles pack --codec=lut"
            "kws pairs pack --codec=lut --target=lutra" "kws channels pack --codec=lut")
# These models get 16 values in each table first: the outputs are those of the changed model.
foreach(name IN ITEMS nibbles pairs channels)
  set(bin_${name} --bits=4)
endforeach()
foreach(change IN LISTS changes)
  separate_arguments(change)
  list(POP_FRONT change plain name)
  list(JOIN change " " verb)
  set(model ${plain}_${name})
  set(model_${name} -DACTION=model -DPROGRAM=run_model -DMODEL=${packed}/${model}.tflite
      -DPLAIN_MODEL=${bundled}/${plain}.tflite -DBIN=${bin_${name}} "-DCOMPRESS=${verb}")
  platform_test(${model} ${model_${name}} -DLOG=${model})
endforeach()
# The address at which a platform's memory.ld puts tensors that are decoded outside the arena.
set(decoded_at_cortex-m7 0x20000000)
# <how a model is packed> <policy of decompression> <bytes outside the arena>
foreach(way IN ITEMS "decode at-init 0" "decode streamed 0" "decode per-use 8192" "metadata at-init 8192"
                     "metadata streamed 0" "packed at-init 0" "packed streamed 0" "packed streamed 8192"
                     "packed per-use 8192")
  separate_arguments(way)
  list(GET way 0 name)
  list(GET way 1 policy)
  list(GET way 2 bytes)
  set(log kws_clustered_${name}.${policy}.${bytes})
  platform_test(${policy}_${bytes}_kws_clustered_${name} ${model_${name}} -DLOG=${log} -DMEMORY=small
    "-DDECOMPRESSION=${policy} ${bytes}" -DDECODED_AT=${decoded_at_${LUTRA_PLATFORM}})
endforeach()

# Multiplied as they are stored, where a variant can: with one table, and with one for each channel.
foreach(model IN ITEMS ad_nibbles kws_pairs kws_channels)
  string(REGEX REPLACE ".*_" "" name ${model})
  platform_test(streamed_0_${model} ${model_${name}} -DLOG=${model}.streamed.0 -DMEMORY=small
    "-DDECOMPRESSION=streamed 0" -DMOST_ARENA_BYTES=${arena_bytes_${LUTRA_PLATFORM}_${model}})
endforeach()

platform_test(spot_keyword -DACTION=spot_keyword -DPROGRAM=spot_keyword -DMOST_ARENA_BYTES=${arena_bytes_${LUTRA_PLATFORM}_spot_keyword}
  -DPREPROCESSOR=${LUTRA_TEST_DATA}/real-models/audio_preprocessor_int8.tflite
  -DNETWORK=${LUTRA_TEST_DATA}/models/micro_speech_quantized.tflite)
platform_test(arena_sizes -DACTION=arena_sizes -DPROGRAM=run_arenas)
platform_test(variants -DACTION=variants -DPROGRAM=run_variants)
platform_test(proofs -DACTION=proofs -DPROGRAM=prove_kernels)
# Renews the platform's proofs in golden/proofs/.
lutra_prove_target(${host_build}/conformance/conformance)
# Cases follow the default rounding.
if(NOT LUTRA_SINGLE_ROUNDING)
  platform_test(conformance -DACTION=conformance -DSMOKE=${LUTRA_SMOKE_CASES})
  platform_test(fuzz -DACTION=fuzz)
  set_tests_properties(platform.fuzz PROPERTIES LABELS "platform;fuzz")
endif()
# Without the verifier a model has to be trusted.
if(LUTRA_VERIFY_MODEL)
  platform_test(mutants -DACTION=mutants -DPROGRAM=run_mutants)
  set_tests_properties(platform.mutants PROPERTIES LABELS "platform;fuzz")
endif()
# A library with LUTRA_INT16 and LUTRA_UINT8 compiles, and its records have the sizes that hosts count.
if(bare_metal AND NOT CMAKE_SIZEOF_VOID_P EQUAL 8)
  file(GLOB operators CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/runtime/ops/*.cc)
  list(FILTER operators EXCLUDE REGEX "_test\\.cc$")
  add_library(lutra_all_types OBJECT EXCLUDE_FROM_ALL ${operators})
  target_include_directories(lutra_all_types PRIVATE $<TARGET_PROPERTY:lutra_runtime,INCLUDE_DIRECTORIES>)
  target_compile_definitions(lutra_all_types PRIVATE
    $<TARGET_PROPERTY:lutra_runtime,COMPILE_DEFINITIONS> LUTRA_HAVE_INT16=1 LUTRA_HAVE_UINT8=1)
  target_compile_options(lutra_all_types PRIVATE $<TARGET_PROPERTY:lutra_runtime,COMPILE_OPTIONS> -fsyntax-only)
  target_compile_features(lutra_all_types PRIVATE cxx_std_20)
  target_link_libraries(lutra_all_types PRIVATE lutra_freestanding)
  add_test(NAME platform.all_types COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target lutra_all_types)
  set_tests_properties(platform.all_types PROPERTIES LABELS platform)
endif()

platform_test(refuses -DACTION=run -DPROGRAM=run_model -DEXPECT_CODE=3 -DEXPECT_LINE=refused
  -DMODEL=${CMAKE_CURRENT_LIST_DIR}/README.md)
if(LUTRA_PLATFORM_EMULATOR MATCHES "^[^;]*qemu")
  platform_test(count_twice -DACTION=count_twice -DPROGRAM=run_model -DMODEL=${bundled}/kws.tflite)
endif()
if(NOT cross_linux)
  platform_test(stack_overflow -DACTION=run -DPROGRAM=overflow_stack -DEXPECT_CODE=1 -DEXPECT_LINE=fault)
endif()
if(bare_metal)
  platform_test(consumer -DACTION=consumer -DPROGRAM=example -DGENERATOR=${CMAKE_GENERATOR}
    -DLINK_TIME_OPTIMISATION=${CMAKE_INTERPROCEDURAL_OPTIMIZATION} -DMODEL=${bundled}/sine.tflite)
endif()
if(bare_metal)
  platform_test(c_firmware -DACTION=c_firmware -DPROGRAM=c_firmware -DMODEL=${bundled}/kws.tflite)
endif()
if(bare_metal AND NOT CMAKE_SIZEOF_VOID_P EQUAL 8)
  platform_test(embed -DACTION=embed -DPROGRAM=firmware -DGENERATOR=${CMAKE_GENERATOR} -DOTHERS=${others}
    -DLINK_TIME_OPTIMISATION=${CMAKE_INTERPROCEDURAL_OPTIMIZATION})
endif()
if(NOT cross_linux AND CMAKE_SIZEOF_VOID_P EQUAL 4)
  platform_test(arenas -DACTION=arenas -DPROGRAM=run_model -DOTHERS=${others})
endif()
if(TARGET generic_benchmark)
  platform_test(generic_benchmark -DACTION=benchmark -DBENCHMARK=$<TARGET_FILE:generic_benchmark>)
endif()

list(JOIN LUTRA_PLATFORM_EMULATOR " " emulator_command)
set(build_type ${CMAKE_BUILD_TYPE})
if(LUTRA_KERNEL_OPTIONS)
  string(APPEND build_type ", kernels ${LUTRA_KERNEL_OPTIONS}")
endif()
set(clock)
if(LUTRA_PLATFORM_HAS_CLOCK)
  set(clock --clock clock_gettime)
endif()
# The tests leave logs; this makes a result file of them.
add_custom_target(results
  COMMAND ${CMAKE_COMMAND} -E make_directory ${result_dir}
  COMMAND ${host_build}/bench/device_results --platform ${LUTRA_PLATFORM} --cpu "${emulator_command}"
          --compiler "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
          --build-type "${build_type}"
          ${clock} --command "./dev platforms ${LUTRA_PLATFORM}"
          --models ${bundled} --models ${others} --models ${packed}
          --conformance ${logs}/conformance.json --kernels ${logs}/variants.lines
          --tests ${PROJECT_BINARY_DIR}/tests.xml
          -o ${result_dir}/${LUTRA_PLATFORM}.json ${logs}
  VERBATIM USES_TERMINAL)
