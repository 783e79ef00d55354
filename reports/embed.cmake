# SPDX-License-Identifier: Apache-2.0
# cmake -DINPUT=<file> -DOUTPUT=<header> -DNAME=<constant> -P embed.cmake
# The text of INPUT as a string constant in a header; without INPUT, an empty one.

set(text)
if(INPUT)
  file(READ "${INPUT}" text)
endif()
file(WRITE "${OUTPUT}" "#pragma once\n\n#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n\nnamespace lutra::reports {\ninline constexpr char ${NAME}[] = R\"lutra(${text})lutra\";\n}\n")
