# SPDX-License-Identifier: Apache-2.0
# Doxygen makes the reference of the public headers without a warning.
# Debian packages: doxygen g++.
# When it fails: the warnings above name the comment; docs/doxygen_filter.sh says how comments are read.

quietly "$root/dev" docs
[ -f build/docs/html/micro__interpreter_8h.html ] || {
  echo "dev: found no page of lutra/micro_interpreter.h in build/docs/html" >&2
  exit 1
}
