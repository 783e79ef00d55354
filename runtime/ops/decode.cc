// SPDX-License-Identifier: Apache-2.0
// TFLM_DECODE, a custom operator: inputs are pairs (encoded, ancillary), both constant; output i is
// what pair i decodes to. Formats: runtime/compression/FORMAT.md.

#include "lutra/compression/decode.h"

#include "lutra/ops/ops.h"
#include "runtime/decoders.h"
#include "runtime/ops/common.h"

namespace lutra {
namespace {

Fault ReadPair(const MicroContext& context, int pair, Encoding* encoding) {
  return ReadDecodePair(BytesIn(context.Input(2 * pair)), BytesIn(context.Input(2 * pair + 1)),
                        context.Output(pair), encoding);
}

}  // namespace

Status PrepareDecode(PrepareContext& context) {
  const int pairs = context.output_count();
  if (pairs < 1 || context.input_count() != 2 * pairs) {
    return context.Refuse(Rule::kDecodeOperands, kNoOperand, context.input_count(), 2 * pairs);
  }
  for (int i = 0; i < context.input_count(); ++i) {
    if (!context.HasInput(i)) return context.Refuse(Rule::kInputMissing, kNoOperand, i);
    if (!context.Input(i).is_constant()) return context.Refuse(Rule::kConstantRequired, i);
  }
  for (int pair = 0; pair < pairs; ++pair) {
    Encoding encoding;
    Fault fault = ReadPair(context, pair, &encoding);
    if (fault.rule == Rule::kNone) fault = CheckContents(encoding);
    if (fault.rule != Rule::kNone) {
      return context.Refuse(fault.rule, OutputOperand(pair), fault.found, fault.required);
    }
    LUTRA_TRY(context.PlaceDecoded(pair, encoding, Decode));
  }
  return Status::kOk;
}

Status EvalDecode(EvalContext& context) {
  for (int pair = 0; pair < context.output_count(); ++pair) {
    if (context.IsDecoded(pair)) continue;
    Encoding encoding;
    (void)ReadPair(context, pair, &encoding);  // Prepare has read it without an error.
    context.DecodeOutput(pair, encoding, Decode);
  }
  return Status::kOk;
}

}  // namespace lutra
