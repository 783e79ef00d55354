// SPDX-License-Identifier: Apache-2.0
// Tells tools that do not run a model which of its nodes delegates would take.
//
//   for (const int node : TakenNodes(model, chosen.tables()[0])) ...

#pragma once

#include <map>
#include <string>
#include <vector>

#include "delegates/delegates.h"
#include "lutra/compression/format.h"
#include "lutra/model.h"

namespace lutra::delegates {

// Returns for each node of the main graph that AllocateTensors gives to a delegate, that delegate's number in
// the list. Empty for a model that the runtime refuses.
std::map<int, size_t> TakenNodes(const Model& model, const std::vector<const Delegate*>& tables);

// A node that a delegate declines because one of its constants is compressed.
struct CompressedOperand {
  int node = 0;
  int32_t tensor = 0;  // The tensor that the node reads.
  DecodeType codec = DecodeType::kLut;
  const Delegate* delegate = nullptr;
};

// Returns the operands that keep nodes from delegates which do not know the codecs.
std::vector<CompressedOperand> KeptByCompression(const Model& model,
                                                 const std::vector<const Delegate*>& tables);

// "lut, huffman"; "none".
std::string NamesOf(const CodecSet& codecs);

}  // namespace lutra::delegates
