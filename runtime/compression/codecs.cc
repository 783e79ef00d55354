// SPDX-License-Identifier: Apache-2.0
// The rows of format.h as values.

#include "lutra/compression/codecs.h"

namespace lutra {
namespace {

#define LUTRA_CODEC(name, ...) FactsOf(DecodeType::k##name),
constexpr CodecFacts kCodecs[] = {LUTRA_CODECS(LUTRA_CODEC)};
#undef LUTRA_CODEC

}  // namespace

Span<const CodecFacts> AllCodecs() { return kCodecs; }

}  // namespace lutra
