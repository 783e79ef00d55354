#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sh fuzz/seeds.sh FOLDER: the seeds of every target, each target's in a folder of its own.
set -eu
cd "$(dirname "$0")/.."

mkdir -p "$1/model" "$1/oracle" "$1/tools" "$1/vta"
cp -R fuzz/seeds/. "$1"
cp delegates/vta/program/examples/*.vta "$1/vta"
# Small models of every operator.
cp models/sine.tflite "$1/model"
for model in golden/smoke/cases/*/model.tflite; do
  cp "$model" "$1/model/$(basename "$(dirname "$model")")"
done
for reader in oracle tools; do cp -R "$1/model/." "$1/$reader"; done
