# SPDX-License-Identifier: Apache-2.0
# Sources that a quick build compiles several at a time compile alone, too.
# Debian packages: g++.
# When it fails: the file above lacks an #include that a neighbour has.
#
# LUTRA_UNITY_SINCE=REVISION: only the sources that changed since then.

since=${LUTRA_UNITY_SINCE:-}
changed=.
if [ -n "$since" ]; then
  changed=$(git diff --name-only --diff-filter=d "$since" -- '*.cc' 2>/dev/null) || {
    echo "dev: unity: there is no revision $since here, so no source was compiled alone" >&2
    exit 0
  }
  [ -n "$changed" ] || {
    echo "dev: unity: no source changed since $since" >&2
    exit 0
  }
fi

quietly cmake --preset dev -DLUTRA_QUICK_BUILD=ON
quietly cmake --build --preset dev

# The command of the files together, with one of them in their place; it only parses.
: >build/dev/alone
(cd build/dev && find . -path '*/Unity/unity_*.cxx' | sed 's|^\./||') | while read -r unity; do
  command=$(ninja -C build/dev -t commands -s "$unity.o" | sed 's| -o .*||')
  sed -n 's/^#include "\(.*\)"$/\1/p' "build/dev/$unity" | grep -F "$changed" |
    sed "s|.*|cd $root/build/dev \&\& $command -fsyntax-only &|" >>build/dev/alone || true
done
if [ -n "$since" ]; then
  [ -s build/dev/alone ] || {
    echo "dev: unity: the build compiles every source that changed since $since alone already" >&2
    exit 0
  }
else
  [ "$(wc -l <build/dev/alone)" -gt 200 ]
fi
xargs -d '\n' -P "$jobs" -n 1 sh -c <build/dev/alone 2>build/dev/alone.errors || {
  cat build/dev/alone.errors >&2
  exit 1
}
echo "dev: unity: $(wc -l <build/dev/alone) sources compile alone" >&2
