#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: count.sh [--json FILE] PLUGIN EMULATOR OPTION... -- PROGRAM [ARGUMENT...]
#
# Runs a program that has the marks of marks.h under QEMU (qemu-system-... or, for Linux programs, qemu-...) and prints
# its lines, then a table of its regions. A region's name is what the program
# prints for it: `lutra1 region <kind> [<node> [<operator>]]`, one line per region, in the order in which they begin.
set -eu

folder=$(dirname "$0")
json=/dev/null
if [ "${1:-}" = --json ]; then
  json=$2
  shift 2
fi
if [ $# -lt 4 ]; then
  sed -n 's/^# usage: /usage: /p' "$0" >&2
  exit 2
fi
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

address() {
  readelf -sW "$program" | awk -v name="$1" '$8 == name { print "0x" $2; exit }'
}
begin=$(address lutra_count_begin)
end=$(address lutra_count_end)
if [ -z "$begin" ] || [ -z "$end" ]; then
  echo "count.sh: $program has no marks (marks.h)" >&2
  exit 2
fi
case $plugin in */*) ;; *) plugin=./$plugin ;; esac
escaped=$(printf '%s' "$plugin" | sed 's/,/,,/g')

# The option goes before the separator, which Linux programs do not get.
emulator=$1
left=$#
while [ "$left" -gt 0 ]; do
  word=$1
  shift
  left=$((left - 1))
  if [ "$word" = -- ] && [ -n "$found_separator" ]; then
    found_separator=
    set -- "$@" -plugin "$escaped,begin=$begin,end=$end,out=$temporary/counts"
    case $emulator in *qemu-system-*) ;; *) continue ;; esac
  fi
  set -- "$@" "$word"
done
case $emulator in
  *qemu-system-*) set -- sh "$folder/../common/emulate.sh" "$@" ;;
esac
status=0
"$@" >"$temporary/lines" </dev/null || status=$?
if [ "$status" -ne 0 ] || [ ! -f "$temporary/counts" ]; then
  cat "$temporary/lines"
  echo "count.sh: no counts; the emulator ended with $status" >&2
  exit $((status ? status : 1))
fi

awk -v json="$json" -v program="$program" -v emulator="$emulator" '
  function quote(text) {
    gsub(/\\/, "\\\\", text)
    gsub(/"/, "\\\"", text)
    return "\"" text "\""
  }
  function counts(i) {
    return "\"instructions\": " instructions[i] ", \"loads\": " loads[i] ", \"stores\": " stores[i]
  }
  FNR == NR && $1 == "region" {
    i = regions++
    depth[i] = $4; instructions[i] = $6; loads[i] = $8; stores[i] = $10
  }
  FNR == NR && $1 == "program" { began = $3; bad = $5 + $7 }
  FNR == NR { next }
  $1 == "lutra1" && $2 == "region" {
    i = names++
    kind[i] = $3; node[i] = $4; operator[i] = $5
    sub(/^lutra1 region /, "")
    name[i] = $0
    next
  }
  $1 == "lutra1" && $2 == "output" && $4 == "crc32" { crcs = crcs (crcs == "" ? "" : ", ") quote($5) }
  { print }
  END {
    if (bad || regions == 0 || (names && names != regions)) {
      print "count.sh: " began + 0 " regions, " bad + 0 " of them open or unmatched, " names + 0 " names" > "/dev/stderr"
      exit 1
    }
    print "{\"program\": " quote(program) ", \"emulator\": " quote(emulator) ", \"output_crc32\": [" crcs "]," > json
    print " \"regions\": [" > json
    spaces = sprintf("%40s", "")
    printf "%14s %14s %14s  %s\n", "instructions", "loads", "stores", "region"
    for (i = 0; i < regions; ++i) {
      if (!(i in name)) { name[i] = "region " i; kind[i] = "region"; node[i] = i }
      printf "%14.0f %14.0f %14.0f  %s%s\n", instructions[i], loads[i], stores[i], substr(spaces, 1, 2 * depth[i]), name[i]
      line = "  {\"kind\": " quote(kind[i])
      if (node[i] != "") line = line ", \"node\": " node[i]
      if (operator[i] != "") line = line ", \"operator\": " quote(operator[i])
      line = line ", \"depth\": " depth[i] ", " counts(i) "}"
      print line (i + 1 < regions ? "," : "") > json
    }
    print " ]}" > json
  }' "$temporary/counts" "$temporary/lines"
