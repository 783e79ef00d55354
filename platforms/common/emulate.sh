#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: emulate.sh QEMU OPTION... -- FIRMWARE [ARGUMENT...]
#
# Runs a firmware under QEMU with semihosting: its arguments, the files below the
# current folder, standard input and output and exit code are the host's. An
# argument must not contain a space: semihosting passes one line.
set -eu

config=enable=on,target=native
firmware=
part=machine
left=$#
while [ "$left" -gt 0 ]; do
  word=$1
  shift
  left=$((left - 1))
  case $part in
    machine)
      if [ "$word" = -- ]; then part=firmware; else set -- "$@" "$word"; fi
      ;;
    firmware)
      firmware=$word
      config=$config,arg=firmware
      part=arguments
      ;;
    arguments)
      config=$config,arg=$(printf '%s' "$word" | sed 's/,/,,/g')
      ;;
  esac
done
exec "$@" -nographic -monitor none -serial none \
  -semihosting-config "$config" -kernel "$firmware"
