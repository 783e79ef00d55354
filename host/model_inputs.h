// SPDX-License-Identifier: Apache-2.0
// Input values of a model: from a seed, or from files.
//
//   FillInputs(interpreter, SeededInputs(file.model, 1));

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/model_file.h"
#include "lutra/micro_interpreter.h"

namespace lutra::host {

// Returns bytes for each input of the model, made from the seed. If an operator uses an input as indices,
// shape, divisor, shift or radicand, directly or behind operators that only move values, it has values that
// this operator accepts.
std::vector<std::vector<uint8_t>> SeededInputs(const Model& model, uint64_t seed);

// Bytes for each input of the model, from one file each (raw or .npy). Throws BadInput if the files do not
// fit.
std::vector<std::vector<uint8_t>> ReadInputs(const ModelFile& file, const std::vector<std::string>& paths);

// Copies the values into the interpreter's inputs. There is one for each, of the right size.
void FillInputs(MicroInterpreter& interpreter, const std::vector<std::vector<uint8_t>>& inputs);

}  // namespace lutra::host
