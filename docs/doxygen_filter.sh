#!/bin/sh
# doxygen_filter.sh HEADER: prints it with its comments marked for Doxygen. The comment at the top belongs to the file. Lines that
# are indented by three spaces are code. A comment behind a member belongs to that member.
sed -E -e '1s|^// SPDX.*|/// \\file|' \
  -e 's|^( *)//$|\1///|; t' \
  -e 's|^( *)//   |\1///     |; t' \
  -e 's|^( *)// |\1/// |; t' \
  -e 's|([;,{}]) +// |\1 ///< |' "$1"
