// SPDX-License-Identifier: Apache-2.0
// ShareEqualParts writes the same model in fewer bytes. ModelEditor::Write ends with it.
//
//   const Bytes smaller = ShareEqualParts({builder.GetBufferPointer(), builder.GetSize()});
//
// FlatBuffers finds tables, lists and strings through offsets, so that equal ones may be stored once
// (https://flatbuffers.dev/internals says where offsets point to, and does not require that only one does).
// Models repeat shapes, scales and options for every layer.

#pragma once

#include <set>
#include <span>

#include "compressor/model_editor.h"

namespace lutra::compressor {

// `model`: a verified file in which every field is one of the schema's. Every reader sees the same fields
// with the same values; the bytes of buffers lie at multiples of 16, those of `streams` of 4. The same model
// always gives the same bytes.
Bytes ShareEqualParts(std::span<const uint8_t> model, const std::set<uint32_t>& streams = {});

}  // namespace lutra::compressor
