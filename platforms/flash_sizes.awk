# SPDX-License-Identifier: Apache-2.0
# Reads linkers' maps and prints a table of sizes: flash_sizes.sh says which maps, and what the table is.
# Maps are plain/<operator>.map, optimised/<operator>.map and optimised/every.map.

function number(hex,    i, value) {
  value = 0
  hex = tolower(substr(hex, 3))
  for (i = 1; i <= length(hex); ++i) value = 16 * value + index("0123456789abcdef", substr(hex, i, 1)) - 1
  return value
}

# A section of the linked program that lies in flash; those of variables count as RAM, too.
function take(section, size, file,    bytes, key) {
  bytes = number(size)
  if (bytes == 0 || section ~ /sine_model/) return
  sub(/.*\//, "", file)
  if (output ~ /^\.(data|bss)/ && file !~ /main\.cc/) variables[kind, name] += bytes
  if (output !~ /^\.(text|rodata|data)/) return
  total[kind, name] += bytes
  # Link-time optimisation numbers sections and makes copies of functions.
  gsub(/\.(lto_priv|constprop|isra|part|cold|str1)\.[0-9]+/, "", section)
  if (kind == "optimised") {
    if (name == "every") optimised[section] += bytes
    return
  }
  key = file " " section
  if (seen[key, name]++) key = key " " seen[key, name]
  if (name == "row_groups" && (keepers[key] " ") ~ / kAdd /) return  # Its firmware has kAdd, which comes before it.
  if (bytes > plain[key]) plain[key] = bytes
  section_of[key] = section
  if (keepers[key] !~ (" " name "$")) keepers[key] = keepers[key] " " name
}

FNR == 1 {
  kind = FILENAME ~ /^plain/ ? "plain" : "optimised"
  name = FILENAME
  gsub(/.*\/|\.map$/, "", name)
  if (kind == "plain" && name != "row_groups") everyone = everyone " " (names[++count] = name)
  in_map = 0
  output = ""
}
/^Linker script and memory map/ { in_map = 1 }
!in_map { next }
/^[.\/][A-Za-z]/ { output = $1; next }
/^ [^ *(][^ ]*$/ { section = $1; next }  # A long name has a line of its own.
/^ [^ *(]/ && NF >= 4 { take($1, $3, $4); next }
/^ \*fill\*/ && output ~ /^\.(text|rodata|data)/ { total[kind, name] += number($3); next }
/^ +0x/ && section != "" { if ($2 ~ /^0x/) take(section, $2, $3); section = "" }

END {
  for (key in plain) plain_of[section_of[key]] += plain[key]
  # Sections of one name share what the optimised program has of that name.
  for (key in plain) {
    bytes = optimised[section_of[key]] * plain[key] / plain_of[section_of[key]]
    sum[keepers[key]] += bytes
    n = split(substr(keepers[key], 2), members, " ")
    for (i = 1; i <= n; ++i) if (members[i] != "row_groups") with[members[i]] += bytes
  }
  # Alone, an operator takes less: functions that it shares with others are inlined into it. Firmwares of several
  # operators save nearly as much.
  for (i = 1; i <= count; ++i) saved += (with[names[i]] + record - total["optimised", names[i]]) / count
  printf "%d base\n", sum[everyone] - saved
  printf "%d each\n", record
  printf "%d ram\n", variables["optimised", "kAdd"]
  for (i = 1; i <= count; ++i) print total["optimised", names[i]], "alone", names[i] | "sort -k2"
  for (list in sum) {
    bytes = int(sum[list] + 0.5)
    if (list == everyone || bytes == 0) continue
    n = split(substr(list, 2), members, " ")
    if (2 * n <= count) { print bytes list | "sort -k2"; continue }
    split("", is_member)
    for (i = 1; i <= n; ++i) is_member[members[i]] = 1
    others = ""
    for (i = 1; i <= count; ++i) if (!(names[i] in is_member)) others = others " " names[i]
    print bytes " all-but" others | "sort -k2"
  }
}
