// SPDX-License-Identifier: Apache-2.0
// Exports the clusters of binned tensors as arrays, for training that keeps them, and imports them again.
//
//   ExportClusters("clusters", file, report, editor);            // Of BinModel.
//   const BinPlan plan = ImportClusters("clusters", file.model);  // For BinModel.
//
// A folder has two arrays for each tensor, for 0:4 "0_4.values.npy" and "0_4.indices.npy". Values are as the
// tensor stores them, int32 or float32: [k], or with a table for each channel [channels, k], where a shorter
// table repeats its last. Indices have the tensor's shape; element i is values[indices[i]] of its table.

#pragma once

#include <string>
#include <vector>

#include "compressor/bin_model.h"

namespace lutra::compressor {

// Writes the tensors that were binned. Throws BadInput for a folder that cannot be written, or that has
// arrays of other tensors, and writes nothing.
void ExportClusters(const std::string& folder, const host::ModelFile& file, const BinReport& report,
                    const ModelEditor& editor);

// Returns settings that bin tensors as the arrays say. Throws BadInput for arrays that are not of this model
// or lack the other of their pair, and for a tensor of float32 whose elements do not become the nearest
// values.
BinPlan ImportClusters(const std::string& folder, const Model& model);

// Returns settings that make `wanted`, whose elements have these values. BinSettings::add moves the elements
// that do not become the nearest value.
BinSettings SettingsFor(const TensorInfo& tensor, BinSettings settings,
                        std::vector<std::vector<double>> values, const Bytes& wanted);

}  // namespace lutra::compressor
