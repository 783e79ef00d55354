# SPDX-License-Identifier: Apache-2.0
# The programs that run on a platform. On bare metal they link lutra::platform: what a program needs to start, print and
# end there. Under an operating system the same sources run over stdio.

if(NOT cross AND NOT LUTRA_PLATFORM)
  set(LUTRA_PLATFORM ${CMAKE_SYSTEM_PROCESSOR})
endif()
if(NOT LUTRA_PLATFORM)
  message(FATAL_ERROR "No LUTRA_PLATFORM: use one of the toolchain files, platforms/<platform>/toolchain.cmake")
endif()
# A platform's folder need not be in this tree.
get_filename_component(platform_dir "${CMAKE_TOOLCHAIN_FILE}" DIRECTORY)

if(bare_metal)
  add_library(lutra_platform STATIC common/report.cc common/semihosting.cc common/start.cc
                                    ${LUTRA_PLATFORM_START})
  add_library(lutra::platform ALIAS lutra_platform)
  set_target_properties(lutra_platform PROPERTIES EXPORT_NAME platform)
  target_include_directories(lutra_platform PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/lutra>)
  target_compile_features(lutra_platform PUBLIC cxx_std_20)
  # Exceptions are not caught: applications are compiled like this, too.
  target_compile_options(lutra_platform PUBLIC -fno-exceptions -fno-rtti -fno-threadsafe-statics)
  # Start-up runs before data is in place: no loop of it may become a call of the C library. Nor does it take part
  # in link-time optimisation, which would see a caller and a stack that are not what it expects.
  target_compile_options(lutra_platform PRIVATE
    $<IF:$<CXX_COMPILER_ID:Clang>,-fno-builtin,-fno-tree-loop-distribute-patterns>)
  set_target_properties(lutra_platform PROPERTIES INTERPROCEDURAL_OPTIMIZATION OFF)
  target_link_libraries(lutra_platform PRIVATE $<BUILD_INTERFACE:lutra_warnings>)
  # Only the libraries named here are linked: no start-up files, no C++ library.
  target_link_options(lutra_platform INTERFACE
    $<IF:$<CXX_COMPILER_ID:Clang>,-nostdlib,-nostartfiles$<SEMICOLON>-nodefaultlibs>
    $<BUILD_INTERFACE:-L${CMAKE_CURRENT_SOURCE_DIR}/common> $<BUILD_INTERFACE:-T${platform_dir}/memory.ld>
    $<INSTALL_INTERFACE:-L$<INSTALL_PREFIX>/share/lutra/platforms/common>
    $<INSTALL_INTERFACE:-T$<INSTALL_PREFIX>/share/lutra/platforms/${LUTRA_PLATFORM}/memory.ld>
    -Wl,--gc-sections -Wl,--fatal-warnings)
  target_link_libraries(lutra_platform INTERFACE m c gcc)
else()
  # Programs have fixed addresses, so that the plugin (counter/) finds their marks.
  add_library(lutra_platform STATIC common/hosted.cc common/report.cc)
  add_library(lutra::platform ALIAS lutra_platform)
  target_include_directories(lutra_platform PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_options(lutra_platform PUBLIC -fno-exceptions -fno-rtti -fno-threadsafe-statics)
  if(LUTRA_PLATFORM_HAS_CLOCK)
    target_compile_definitions(lutra_platform PRIVATE LUTRA_PLATFORM_HAS_CLOCK)
  endif()
  target_link_libraries(lutra_platform PRIVATE lutra_warnings)
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    target_compile_options(lutra_platform PUBLIC -fno-pie)
    target_link_options(lutra_platform PUBLIC -no-pie -Wl,--gc-sections)
  endif()
endif()

# lutra_program(<name> <file>...): <name>.elf; on bare metal with a map of it in <name>.map.
function(lutra_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE lutra::runtime lutra::platform lutra_warnings)
  if(bare_metal)
    target_link_options(${name} PRIVATE -Wl,-Map=${name}.map)
    set_target_properties(${name} PROPERTIES LINK_DEPENDS
      "${platform_dir}/memory.ld;${CMAKE_CURRENT_SOURCE_DIR}/common/sections.ld")
  endif()
  set_target_properties(${name} PROPERTIES SUFFIX .elf)
endfunction()

lutra_program(run_model common/run_model.cc common/inference_report.cc common/model_memory.cc)
lutra_program(run_cases common/run_cases.cc common/model_memory.cc)
target_compile_definitions(run_cases PRIVATE
  LUTRA_VERSION="${PROJECT_VERSION}" LUTRA_PLATFORM="${LUTRA_PLATFORM}")

# Kernels of a user in the place of references: sdk/README.md. Sources are compiled without the options of ours.
if(LUTRA_KERNELS)
  enable_language(C)
  set(kernel_archives ${LUTRA_KERNELS})
  list(FILTER kernel_archives INCLUDE REGEX "[.]a$")
  set(kernel_sources ${LUTRA_KERNELS})
  list(FILTER kernel_sources EXCLUDE REGEX "[.]a$")
  if(kernel_sources)
    add_library(user_kernels OBJECT ${kernel_sources})
    target_include_directories(user_kernels PRIVATE ${PROJECT_SOURCE_DIR}/sdk)
    list(APPEND kernel_archives $<TARGET_OBJECTS:user_kernels>)
  endif()
  foreach(program IN ITEMS run_model run_cases)
    target_sources(${program} PRIVATE ${PROJECT_SOURCE_DIR}/sdk/user_kernels.cc)
    target_link_libraries(${program} PRIVATE ${kernel_archives})
    target_compile_definitions(${program} PRIVATE LUTRA_LINKED_KERNELS)
  endforeach()
endif()

lutra_program(spot_keyword common/spot_keyword.cc common/inference_report.cc common/model_memory.cc)
lutra_program(run_arenas common/run_arenas.cc common/inference_report.cc common/model_memory.cc)
lutra_program(run_mutants common/run_mutants.cc common/inference_report.cc common/model_memory.cc)
lutra_program(run_variants common/run_variants.cc common/inference_report.cc common/model_memory.cc
  variants/checks.cc variants/variants.cc)
lutra_program(prove_kernels common/prove_kernels.cc common/inference_report.cc common/model_memory.cc proofs/proofs.cc)
target_compile_definitions(prove_kernels PRIVATE LUTRA_PLATFORM="${LUTRA_PLATFORM}")
# lutra_prove_target(<conformance>): the target `prove` proves the kernels anew, here or in the platform's emulator.
function(lutra_prove_target conformance)
  set(program)
  foreach(word IN LISTS CMAKE_CROSSCOMPILING_EMULATOR ITEMS $<TARGET_FILE:prove_kernels>)
    string(APPEND program "'${word}' ")
  endforeach()
  string(STRIP "${program}" program)
  add_custom_target(prove
    COMMAND ${conformance} prove --program "${program}" --sources ${PROJECT_SOURCE_DIR}
            -o ${PROJECT_SOURCE_DIR}/golden/proofs/${LUTRA_PLATFORM}.json
    DEPENDS prove_kernels VERBATIM USES_TERMINAL)
endfunction()
if(NOT cross)
  # `conformance prove` looks for the program in this folder.
  set_target_properties(prove_kernels PROPERTIES SUFFIX "" RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/conformance/adapters)
  install(TARGETS prove_kernels)
  return()
endif()

# size_<name>: the smallest program with these operators.
function(lutra_size_program name)
  lutra_program(size_${name} common/size_model.cc common/inference_report.cc common/model_memory.cc)
  list(JOIN ARGN "," ops)
  target_compile_definitions(size_${name} PRIVATE "LUTRA_OPS=${ops}")
endfunction()
lutra_size_program(dense kFullyConnected)
lutra_size_program(kws kAveragePool2D kConv2D kDepthwiseConv2D kFullyConnected kReshape kSoftmax)
# The same without float32.
lutra_size_program(int8_kws kAveragePool2DInt8Only kConv2DInt8Only kDepthwiseConv2DInt8Only kFullyConnectedInt8Only kReshape
  kSoftmaxInt8Only)
lutra_size_program(resnet kAdd kAveragePool2D kConv2D kFullyConnected kReshape kSoftmax)
# The seven operators of the four models of MLPerf Tiny.
lutra_size_program(mlperf_tiny kAdd kAveragePool2D kConv2D kDepthwiseConv2D kFullyConnected kReshape kSoftmax)

if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  return()
endif()
lutra_program(overflow_stack common/overflow_stack.cc)
if(NOT bare_metal)
  return()
endif()

# A firmware in C: what the C compiler is given is C alone.
enable_language(C)
add_library(c_firmware_objects OBJECT common/c_firmware.c)
set_target_properties(c_firmware_objects PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
  INTERPROCEDURAL_OPTIMIZATION OFF)
target_include_directories(c_firmware_objects PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/runtime/include)
target_compile_options(c_firmware_objects PRIVATE -Wall -Wextra -Wpedantic)
lutra_program(c_firmware common/c_firmware_host.cc $<TARGET_OBJECTS:c_firmware_objects>)

# The board's library alone, which needs none of the programs: builds it, and installs it to CMAKE_INSTALL_PREFIX.
add_custom_target(install-runtime COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} VERBATIM)
add_dependencies(install-runtime lutra_runtime lutra_tflm lutra_platform)

# Files that an application elsewhere needs: example/ shows their use.
install(TARGETS lutra_platform EXPORT lutra-targets)
install(FILES common/report.h common/semihosting.h common/start.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/lutra/platforms/common)
install(FILES ${platform_dir}/toolchain.cmake ${platform_dir}/memory.ld
        DESTINATION share/lutra/platforms/${LUTRA_PLATFORM})
install(FILES common/bare_metal.cmake common/cortex_m.cmake common/cortex_m_clang.cmake common/risc_v.cmake common/xtensa.cmake common/emulate.sh common/sections.ld
        DESTINATION share/lutra/platforms/common)
