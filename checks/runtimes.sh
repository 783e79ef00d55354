# SPDX-License-Identifier: Apache-2.0
# LiteRT and TensorFlow Lite Micro, where npm and pip can install them, follow their profiles in the smoke set, but for the operators that are named here.
# When it fails: conformance identify names cases and rules; for another version, ./dev runtimes measure and new names here.

runtimes=build/runtimes

# unexplained RUNTIME: operators that the rule of its profile need not explain, as a pattern.
unexplained() {
  case $1 in
    # The nodes that the delegate leaves, those of int4 too, have WebAssembly's kernels, without blocks.
    litert-js) echo 'DEPTHWISE_CONV_2D|FULLY_CONNECTED|QUANTIZE|QUANTIZE.float32|TRANSPOSE_CONV' ;;
    # RELU6 has a rule of its own; the other kernels read memory that they should not: RUNTIMES.md.
    tflm) echo 'CONV_2D|DEPTHWISE_CONV_2D|RELU6|SPACE_TO_BATCH_ND' ;;
    # SPACE_TO_BATCH_ND pads with memory that nothing set: RUNTIMES.md.
    tflm-python) echo 'SPACE_TO_BATCH_ND' ;;
    *) echo 'none' ;;
  esac
}

# follows NAME PROFILE COMMAND: the profile explains every operator but those that `unexplained` names.
follows() {
  "$conformance" identify --smoke --golden golden --jobs "$jobs" --runner "$3" </dev/null >"$runtimes/$1.txt" \
    2>"$runtimes/$1.errors" || [ $? -eq 1 ] || {
    cat "$runtimes/$1.errors" >&2
    return 1
  }
  share=$(sed -n "s/^$2  *//p" "$runtimes/$1.txt")
  others=$(echo "$share" | sed -n 's/^.*; not //p' | tr ',' '\n' | tr -d ' ' | grep -vxE "$(unexplained "$1")") || true
  if [ "$(echo "$share" | sed 's/^.* of \([0-9]*\).*/\1/')" -lt 50 ] || [ -n "$others" ]; then
    echo "dev: $1: found $share, required: profile $2 explains at least 50 operators, all but $(unexplained "$1")" >&2
    return 1
  fi
  echo "dev: $1: profile $2 explains $share" >&2
}

# survives NAME COMMAND: ADD without quantisation ends LiteRT's process; a crash is reported, and later cases
# run.
survives() {
  case $1 in tflm*) return 0 ;; esac
  summary=$("$conformance" run --filter 'int8.refused.add.*' --golden golden --jobs 1 --reproducers '' --runner "$2" \
    </dev/null 2>>"$runtimes/$1.errors" | tail -n 1) || true
  case $summary in
    *" 0 passed,"* | *" 0 crashed,"* | "")
      echo "dev: $1: found \"$summary\", required: some cases crash, and others pass" >&2
      return 1
      ;;
  esac
}

"$root/dev" runtimes >"$runtimes.list" || [ $? -eq 77 ]
[ -s "$runtimes.list" ] || exit 0
quietly quick_build
quietly cmake --build --preset dev --target conformance
conformance=build/dev/conformance/conformance
bad=0
while read -r name _ profile command; do
  follows "$name" "$profile" "$command" && survives "$name" "$command" || bad=1
done <"$runtimes.list"
[ "$bad" -eq 0 ]
