# SPDX-License-Identifier: Apache-2.0
# Every source of the presets dev and release compiles alone, without precompiled headers: each includes what it uses.
# Debian packages: g++.
# When it fails: the file above lacks an #include, or a header that it includes does.

quietly cmake -S . -B build/headers -G Ninja -DCMAKE_BUILD_TYPE=Release -DLUTRA_WERROR=ON -DLUTRA_PRECOMPILED_HEADERS=OFF \
  -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
# shellcheck disable=SC2046
quietly ninja -C build/headers $(ninja -C build/headers -t targets all | sed -n 's|^\([^/].*/generated/.*\.h\): .*|\1|p')

# Each source once. A command is a line, which JSON quotes; it only parses, and writes nothing.
sed -n 's/^ *"command": "\(.*\)",$/\1/p' build/headers/compile_commands.json | grep -v 'single_rounding_adapter\.dir' |
  sed -e 's/\\\\/\x01/g; s/\\"/"/g; s/\x01/\\/g' -e 's/ -o [^ ]*//; s/$/ -fsyntax-only/' |
  awk -v folder="$root/build/headers" '{ print "cd " folder " && " $0 }' | sort -u >build/headers/commands
[ "$(wc -l <build/headers/commands)" -gt 400 ]
xargs -d '\n' -P "$jobs" -n 1 sh -c <build/headers/commands 2>build/headers/errors || {
  cat build/headers/errors >&2
  exit 1
}
