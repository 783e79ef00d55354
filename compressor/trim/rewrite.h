// SPDX-License-Identifier: Apache-2.0
// Takes channels out of a model: of weights, biases, constants and shapes.
//
//   const Trace trace(file.model);
//   const Selection selection(trace);
//   ModelEditor editor(file);
//   RemoveChannels(trace, selection, &editor);
//
// What the channels gave to sums becomes a part of biases, which are added where there are none.

#pragma once

#include "compressor/model_editor.h"
#include "compressor/trim/selection.h"

namespace lutra::compressor {

// The editor holds the model that was traced, unchanged.
void RemoveChannels(const Trace& trace, const Selection& selection, ModelEditor* editor);

}  // namespace lutra::compressor
