// SPDX-License-Identifier: Apache-2.0
// Removes channels from a model: from weights, biases, constants and shapes.
//
//   const Trace trace(file.model);
//   const Selection selection(trace);
//   ModelEditor editor(file);
//   RemoveChannels(trace, selection, &editor);
//
// The contributions of the channels to sums are added to biases; a layer without a bias gets one.

#pragma once

#include "compressor/model_editor.h"
#include "compressor/trim/selection.h"

namespace lutra::compressor {

// The editor holds the model that was traced, unchanged.
void RemoveChannels(const Trace& trace, const Selection& selection, ModelEditor* editor);

}  // namespace lutra::compressor
