#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: count.sh [--lines FILE] [--objdump COMMAND --vector REGEX] PLUGIN EMULATOR OPTION... -- PROGRAM [ARGUMENT...]
#
# Runs a program that has the marks of marks.h under QEMU (qemu-system-... or, for Linux programs, qemu-...) and prints
# its lines, then a table of its regions. A region's name is what the program prints for it: `lutra1 region <name>`,
# one line per region, in the order in which they begin.
#
# --lines FILE     the other lutra1 lines of the program, then of each region
#                  lutra1 count <name> instructions <n> loads <n> stores <n> [vector <n>]
#                  where <name> is `region <index> depth <n>` if the program prints no names
# --objdump, --vector   counts vector instructions, too: those that COMMAND (a disassembler that takes GNU objdump's
#                  options; words with blanks between them) prints, as "mnemonic operands" with single blanks, so that
#                  the extended regular expression matches
set -eu

usage() {
  sed -n 's/^# usage: /usage: /p' "$0" >&2
  exit 2
}

folder=$(dirname "$0")
lines=
objdump=
vector=
while [ $# -ge 2 ]; do
  case $1 in
    --lines) lines=$2 ;;
    --objdump) objdump=$2 ;;
    --vector) vector=$2 ;;
    *) break ;;
  esac
  shift 2
done
if [ $# -lt 4 ] || [ "${objdump:+1}" != "${vector:+1}" ]; then usage; fi
plugin=$1
shift
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT

program=
found_separator=
for word in "$@"; do
  if [ -n "$found_separator" ]; then
    program=$word
    break
  fi
  [ "$word" != -- ] || found_separator=1
done
[ -n "$program" ] || usage

address() {
  readelf -sW "$program" | awk -v name="$1" '$8 == name { print "0x" $2; exit }'
}
begin=$(address lutra_count_begin)
end=$(address lutra_count_end)
if [ -z "$begin" ] || [ -z "$end" ]; then
  echo "count.sh: $program has no marks (marks.h)" >&2
  exit 2
fi

escape() {
  printf '%s' "$1" | sed 's/,/,,/g'
}
case $plugin in */*) ;; *) plugin=./$plugin ;; esac
options=$(escape "$plugin"),begin=$begin,end=$end,out=$(escape "$temporary")/counts
if [ -n "$vector" ]; then
  # COMMAND is split into words. The comments that objdump adds, and its names of addresses, are not operands.
  # shellcheck disable=SC2086
  $objdump -d --no-show-raw-insn "$program" >"$temporary/disassembly"
  VECTOR=$vector awk '
    /^ *[0-9a-f]+:\t/ {
      address = $1
      sub(/^ *[0-9a-f]+:[ \t]*/, "")
      gsub(/[ \t]*<[^>]*>|[ \t](#|;|@|\/\/) .*/, "")
      gsub(/[ \t]+/, " ")
      sub(/ $/, "")
      if ($0 ~ ENVIRON["VECTOR"]) print substr(address, 1, length(address) - 1)
    }' "$temporary/disassembly" >"$temporary/vector"
  options=$options,vector=$(escape "$temporary")/vector
fi

# The option goes before the separator, which Linux programs do not get.
emulator=$1
left=$#
while [ "$left" -gt 0 ]; do
  word=$1
  shift
  left=$((left - 1))
  if [ "$word" = -- ] && [ -n "$found_separator" ]; then
    found_separator=
    set -- "$@" -plugin "$options"
    case $emulator in *qemu-system-*) ;; *) continue ;; esac
  fi
  set -- "$@" "$word"
done
case $emulator in
  *qemu-system-*) set -- sh "$folder/../common/emulate.sh" "$@" ;;
esac
status=0
"$@" >"$temporary/printed" </dev/null || status=$?
if [ "$status" -ne 0 ] || [ ! -f "$temporary/counts" ]; then
  cat "$temporary/printed"
  echo "count.sh: no counts; the emulator ended with $status" >&2
  exit $((status ? status : 1))
fi

awk -v lines="$temporary/lines" '
  FNR == NR && $1 == "region" {
    i = regions++
    depth[i] = $4; instructions[i] = $6; loads[i] = $8; stores[i] = $10; vector[i] = $12
    counts[i] = $0
    sub(/^.* instructions/, "instructions", counts[i])
  }
  FNR == NR && $1 == "program" { began = $3; bad = $5 + $7; has_vector = $14 != "" }
  FNR == NR { next }
  $1 == "lutra1" && $2 == "region" {
    sub(/^lutra1 region /, "")
    name[names++] = $0
    next
  }
  { print }
  $1 == "lutra1" { print > lines }
  END {
    if (bad || regions == 0 || (names && names != regions)) {
      print "count.sh: " began + 0 " regions, " bad + 0 " open or unmatched, " names + 0 " names" > "/dev/stderr"
      exit 1
    }
    spaces = sprintf("%40s", "")
    printf "%14s %14s %14s", "instructions", "loads", "stores"
    if (has_vector) printf " %14s", "vector"
    print "  region"
    for (i = 0; i < regions; ++i) {
      if (!names) name[i] = "region " i " depth " depth[i]
      printf "%14s %14s %14s", instructions[i], loads[i], stores[i]
      if (has_vector) printf " %14s", vector[i]
      print "  " substr(spaces, 1, 2 * depth[i]) name[i]
      print "lutra1 count " name[i] " " counts[i] > lines
    }
  }' "$temporary/counts" "$temporary/printed"
[ -z "$lines" ] || cp "$temporary/lines" "$lines"
