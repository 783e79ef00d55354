# SPDX-License-Identifier: Apache-2.0
# Every source of the presets dev and release compiles alone with GCC, without precompiled headers: each includes what it uses.
# Debian packages: g++.
# When it fails: the file above lacks an #include, or a header that it includes does.
#
# LUTRA_HEADERS_SINCE=REVISION: only the sources in which more than lines of comments changed since then.

since=${LUTRA_HEADERS_SINCE:-}
changed=.
if [ -n "$since" ]; then
  git rev-parse --quiet --verify "$since^{commit}" >/dev/null || {
    echo "dev: headers: there is no revision $since here, so no source was compiled alone" >&2
    exit 0
  }
  changed=$(git diff --numstat --no-renames -I '^ *//' --diff-filter=d "$since" -- '*.cc' | cut -f 3)
  [ -n "$changed" ] || {
    echo "dev: headers: no source changed since $since" >&2
    exit 0
  }
fi

quietly cmake -S . -B build/headers -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=g++ -DLUTRA_WERROR=ON \
  -DLUTRA_PRECOMPILED_HEADERS=OFF -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
# Makes the generated headers, without the libraries that another build makes first.
ninja -C build/headers -t targets all | sed -n 's|^\([^/].*/generated/.*\.h\): .*|\1|p' >build/headers/generated
xargs ninja -C build/headers -t commands -s <build/headers/generated | sort -u >build/headers/generate
(cd build/headers && quietly sh -e generate)

# Compiles each source once. A command is a line in JSON's quotes; the compiler only parses, and writes
# nothing.
sed -n 's/^ *"command": "\(.*\)",$/\1/p' build/headers/compile_commands.json | grep -v 'single_rounding_adapter\.dir' |
  grep -F "$changed" | sed -e 's/\\\\/\x01/g; s/\\"/"/g; s/\x01/\\/g' -e 's/ -o [^ ]*//; s/$/ -fsyntax-only/' |
  awk -v folder="$root/build/headers" '{ print "cd " folder " && " $0 }' | sort -u >build/headers/commands
count=$(wc -l <build/headers/commands)
if [ -z "$since" ]; then
  [ "$count" -gt 400 ]
elif [ "$count" -eq 0 ]; then
  echo "dev: headers: this build compiles none of the sources that changed since $since" >&2
  exit 0
fi
xargs -d '\n' -P "$jobs" -n 1 sh -c <build/headers/commands 2>build/headers/errors || {
  cat build/headers/errors >&2
  exit 1
}
echo "dev: headers: $count sources compile alone" >&2
