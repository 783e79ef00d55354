# SPDX-License-Identifier: Apache-2.0
# Documents and licence beside what is installed, and the Debian package of everything: cpack -G DEB.

file(GLOB documents RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/*.md ${PROJECT_SOURCE_DIR}/*/*.md ${PROJECT_SOURCE_DIR}/*/*/*.md)
list(FILTER documents EXCLUDE REGEX "^build")
# As they refer to each other.
foreach(document IN LISTS documents ITEMS LICENSE)
  get_filename_component(folder ${document} DIRECTORY)
  install(FILES ${PROJECT_SOURCE_DIR}/${document} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder})
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME lutra)
set(CPACK_PACKAGE_CONTACT "Lutra's maintainers <maintainers@users.noreply.a-seed-33313767.example>")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
# A package has all programs, also where an installation has what was built, and depends on their libraries.
get_property(CPACK_LUTRA_PROGRAMS GLOBAL PROPERTY lutra_installed_programs)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package_check.cmake)
include(CPack)
