# SPDX-License-Identifier: Apache-2.0
# scratch_tree(<source folder> <tree>): a tree of links to the sources, in which tests may make files: build/ and a
# platform's folder are its own.
function(scratch_tree source tree)
  file(REMOVE_RECURSE ${tree})
  file(MAKE_DIRECTORY ${tree}/build ${tree}/platforms)
  file(GLOB entries RELATIVE ${source} ${source}/* ${source}/platforms/*)
  list(REMOVE_ITEM entries build platforms conformance-failures)
  foreach(entry IN LISTS entries)
    file(CREATE_LINK ${source}/${entry} ${tree}/${entry} SYMBOLIC)
  endforeach()
endfunction()
