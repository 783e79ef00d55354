# SPDX-License-Identifier: Apache-2.0
# Documents and licence beside what is installed, and the Debian package of everything: cpack -G DEB.

file(GLOB documents RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/*.md ${PROJECT_SOURCE_DIR}/*/*.md ${PROJECT_SOURCE_DIR}/*/*/*.md)
list(FILTER documents EXCLUDE REGEX "^build")
# All documents are installed, as they refer to each other.
foreach(document IN LISTS documents ITEMS LICENSE)
  get_filename_component(folder ${document} DIRECTORY)
  install(FILES ${PROJECT_SOURCE_DIR}/${document} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder})
endforeach()

install(FILES ${PROJECT_SOURCE_DIR}/cmake/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Whoever builds a package is its maintainer: DEBFULLNAME and DEBEMAIL, as for Debian's own tools, else the
# user of this machine.
set(maintainer_name $ENV{DEBFULLNAME})
if(NOT maintainer_name)
  set(maintainer_name "Unnamed maintainer")
endif()
set(maintainer_address $ENV{DEBEMAIL})
if(NOT maintainer_address)
  cmake_host_system_information(RESULT host QUERY FQDN)
  set(user $ENV{USER})
  if(NOT user)
    set(user root)
  endif()
  set(maintainer_address ${user}@${host})
endif()
set(maintainer "${maintainer_name} <${maintainer_address}>")

# Debian reads the changes of a package in a format of its own; this project's are in CHANGELOG.md, which is
# installed, too.
find_program(LUTRA_GZIP gzip)
if(LUTRA_GZIP)
  string(TIMESTAMP today "%a, %d %b %Y %H:%M:%S +0000" UTC)
  set(changelog ${PROJECT_BINARY_DIR}/changelog)
  file(WRITE ${changelog} "lutra (${PROJECT_VERSION}) unstable; urgency=medium\n\n"
       "  * See CHANGELOG.md.\n\n -- ${maintainer}  ${today}\n")
  execute_process(COMMAND ${LUTRA_GZIP} -9nf ${changelog} COMMAND_ERROR_IS_FATAL ANY)
  install(FILES ${changelog}.gz DESTINATION ${CMAKE_INSTALL_DOCDIR})
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME lutra)
set(CPACK_PACKAGE_CONTACT ${maintainer})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "exact int8 runtime for .tflite models, and tools to measure it")
set(CPACK_PACKAGE_DESCRIPTION
    "Lutra runs .tflite models on microcontrollers and PCs, exact to the bit with
TensorFlow Lite Micro. generic_benchmark says what a model costs in flash,
memory and time; compress makes its weights smaller; conformance says of any
runtime which exact rules it follows; make_report puts results on one page.
The library and its headers are for programs that run models themselves.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
# A package has all programs, while an installation has those that were built; it depends on their libraries.
get_property(CPACK_LUTRA_PROGRAMS GLOBAL PROPERTY lutra_installed_programs)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package_check.cmake)
include(CPack)
