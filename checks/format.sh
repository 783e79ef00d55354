# SPDX-License-Identifier: Apache-2.0
# Every C++ source is formatted as .clang-format says.
# Debian packages: clang-format-14.
# When it fails: git ls-files '*.cc' '*.h' | xargs clang-format-14 -i

git ls-files -z --cached --others --exclude-standard '*.cc' '*.h' |
  xargs -0 clang-format-14 --dry-run --Werror
