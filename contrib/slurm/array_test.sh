#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# array_test.sh CONFORMANCE: lutra-array without Slurm. A stand-in for sbatch runs the parts and the merge at once, one after
# the other: commands with odd words, bad usage, a part that fails, and what --resume runs again. slurm_test.sh has the real one.
set -eu
conformance=$1
here=$(cd "$(dirname "$0")" && pwd)
array=$here/lutra-array
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset GTEST_TOTAL_SHARDS GTEST_SHARD_INDEX
mkdir bin "a folder"
cat > bin/sbatch <<'END'
#!/bin/sh
# Notes each call in `calls`; runs the script of an array for each index, or the command of --wrap.
echo "$@" >> "$CALLS"
[ ! -e "$CALLS.refuse" ] || exit 1
for word; do
  case $word in
    --array=*) indices=$(echo "${word#*=}" | tr , ' ') ;;
    --output=*) log=${word#*=} ;;
    --wrap=*) sh -c "${word#*=}" > "$log" 2>&1 ;;
  esac
done
for index in ${indices:-}; do
  SLURM_ARRAY_TASK_ID=$index sh "$word" >> "$(echo "$log" | sed "s/%a/$index/")" 2>&1 || :
done
echo 7
END
printf '#!/bin/sh\n' > bin/squeue
chmod +x bin/*
export PATH="$work/bin:$PATH" CALLS="$work/calls"

fail() { echo "FAILED: $1"; cat calls "a folder"/* 2> /dev/null | tail -n 40; exit 1; }
# refused CODE WORDS ARGUMENT...: expects that the program ends with CODE and prints WORDS.
refused() {
  code=$1 words=$2; shift 2
  got=0; "$array" "$@" > said 2>&1 || got=$?
  [ "$got" = "$code" ] || { cat said; fail "$*: exit code $got, required $code"; }
  grep -q -- "$words" said || { cat said; fail "$*: required the words: $words"; }
}

refused 2 "found no command" --shards 3
refused 2 'shards: found ""' "$conformance" run
refused 2 'shards: found "0"' "$conformance" run --shards 0
refused 2 'shards: found "x3"' "$conformance" run --shards x3
refused 2 'shards: found "99999999999999999999"' "$conformance" run --shards 99999999999999999999
refused 2 "found nothing after it" "$conformance" run --shards
refused 2 "found no run in it" --resume --folder nothing
refused 2 "found no run in it" --watch --folder nothing
refused 3 "cannot be made" "$conformance" run --shards 3 --folder /dev/null/folder
refused 0 "Usage: lutra-array" --help
[ ! -e calls ] || fail "bad usage reached sbatch"

# An empty word, a blank, an apostrophe and a pattern must reach the program unchanged.
cat > "it's odd" <<END
#!/bin/sh
case " \$* " in *" --shard 2/3 "*) [ ! -e "$work/spoil" ] || { echo spoilt; exit 3; } ;; esac
exec "$conformance" "\$@"
END
chmod +x "it's odd"
touch spoil
set -- "$work/it's odd" fuzz --cases 30 --ops ADD --seed 7 --jobs 1 --reproducers ''
refused 3 "missing: 2" "$@" --shards 3 --folder "a folder/its parts" --watch
grep -q spoilt "a folder/its parts/2.log" || fail "the log of the part that failed"
[ ! -e "a folder/its parts/whole.json" ] || fail "a result without part 2"
refused 2 "found another run in it" "$@" --shards 3 --folder "a folder/its parts"
refused 2 "found a command" "$@" --resume --folder "a folder/its parts"

touch calls.refuse
refused 3 "sbatch has refused the parts" --resume --folder "a folder/its parts"
rm calls.refuse spoil calls
refused 0 "30 judged, 0 failed" --resume --folder "a folder/its parts" --watch --partition "small"
grep -q -- '--array=2 ' calls || fail "--resume runs what is there"
[ "$(grep -c -- '--partition=small' calls)" = 2 ] || fail "the partition is not told"
grep -q -- '--dependency=afterany:7' calls || fail "the merge waits for nothing"
"$@" --results one.json > /dev/null
sed '/"date": /d; /"clock_resolution_ns": /d; /"noise": \[.*\]/d; /"noise": \[$/,/\]/d; /"seconds": /d' one.json > a
sed '/"date": /d; /"clock_resolution_ns": /d; /"noise": \[.*\]/d; /"noise": \[$/,/\]/d; /"seconds": /d' "a folder/its parts/whole.json" > b
diff a b || fail "the parts are not the whole"

# A merge that could not write its code has not ended well.
cp "a folder/its parts/code" code
: > "a folder/its parts/code"
refused 3 "has not said how it ended" --folder "a folder/its parts" --watch
mv code "a folder/its parts/code"
refused 0 "30 judged, 0 failed" --folder "a folder/its parts" --watch

# Proofs are split and merged with the same options. Builds with sanitizers have no proofs.
if [ -x "$(dirname "$conformance")/adapters/prove_kernels" ]; then
  refused 0 "4 proofs\|[1-9] proof" "$conformance" prove lookup --jobs 1 --shards 3 --folder proofs --watch
  "$conformance" prove lookup --jobs 1 --results one.json > /dev/null
  for file in one.json proofs/whole.json; do sed '/"context": {/,/^  },$/d' "$file" > "$file.same"; done
  diff one.json.same proofs/whole.json.same || fail "the parts of a proof are not the whole"
else
  echo "no prove_kernels in this build: proofs are not tried"
fi

# A model's samples are split and merged with the same options, too.
set -- "$conformance" model "$here/../../models/sine.tflite" --seeds 7
refused 0 "7 samples, 3 layers: 0 wrong" "$@" --shards 3 --folder model --watch
"$@" --results one.json > /dev/null
for file in one.json model/whole.json; do sed '/"context": {/,/^ },$/d' "$file" > "$file.same"; done
diff one.json.same model/whole.json.same || fail "the parts of a trial are not the whole"
echo "all passed"
