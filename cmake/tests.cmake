# SPDX-License-Identifier: Apache-2.0
# Tests of the tree as a whole: its documents, and what is installed of it.

set(programs)
get_property(installed_programs GLOBAL PROPERTY lutra_installed_programs)
foreach(program IN LISTS installed_programs)
  list(APPEND programs $<TARGET_FILE:${program}>)
endforeach()

if(NOT LUTRA_SINGLE_ROUNDING)
  add_test(NAME readme.commands COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${PROJECT_SOURCE_DIR}
           -DBUILD_DIR=${PROJECT_BINARY_DIR} -DWORK_DIR=${PROJECT_BINARY_DIR}/readme_test -DGENERATOR=${CMAKE_GENERATOR}
           "-DPROGRAMS=${programs}" -P ${PROJECT_SOURCE_DIR}/cmake/readme_test.cmake)
  set_tests_properties(readme.commands PROPERTIES LABELS bench TIMEOUT 600 COST 100)
endif()

# install_test(<name> <what>)
function(install_test name what)
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -DWHAT=${what} -DSOURCE_DIR=${PROJECT_SOURCE_DIR}
           -DBUILD_DIR=${PROJECT_BINARY_DIR} -DWORK_DIR=${PROJECT_BINARY_DIR}/${name}_test "-DPROGRAMS=${programs}"
           -P ${PROJECT_SOURCE_DIR}/cmake/install_test.cmake)
  set_tests_properties(${name} PROPERTIES LABELS install TIMEOUT 300 SKIP_REGULAR_EXPRESSION "install test skipped:")
endfunction()
install_test(install.moved installation)
install_test(install.package package)
install_test(install.partial partial)
