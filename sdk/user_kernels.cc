// SPDX-License-Identifier: Apache-2.0
// Functions of the tables' types that call a user's kernel, with arguments in C.

#include "sdk/user_kernels.h"

#include "lutra/kernels/binary/binary.h"
#include "lutra/kernels/conv_2d/conv_2d.h"
#include "lutra/kernels/depthwise_conv_2d/depthwise_conv_2d.h"
#include "lutra/kernels/fully_connected/fully_connected.h"
#include "lutra/kernels/pool/pool.h"
#include "lutra/kernels/softmax/softmax.h"

namespace lutra::sdk {
namespace {

static_assert(sizeof(lutra_multiplier) == sizeof(Multiplier));

// These are global, as functions of a table have no other arguments.
lutra_kernel_table g_table = {};
KernelCalls g_calls = {};
const OutputGuard* g_guard = nullptr;

lutra_multiplier ToC(const Multiplier& multiplier) { return {multiplier.value, multiplier.shift}; }
const lutra_multiplier* ToC(const Multiplier* multipliers) {
  return reinterpret_cast<const lutra_multiplier*>(multipliers);
}
const int8_t* Codes(const void* bytes) { return static_cast<const int8_t*>(bytes); }
const int8_t* Codes(const Rows& rows, int32_t first) { return Codes(rows.Row(first)); }
int8_t* OutputCodes(const Rows& rows, int32_t first) { return reinterpret_cast<int8_t*>(rows.Row(first)); }

// Returns whether the user's kernel computed the output, which has `bytes` bytes.
template <typename... Parameters, typename... Arguments>
bool Makes(int (*kernel)(Parameters...), int8_t* output, int32_t bytes, Arguments... arguments) {
  int8_t* const memory = g_guard == nullptr ? output : g_guard->begin(bytes);
  int answer = 0;
#if defined(__cpp_exceptions)
  try {
    answer = kernel(arguments..., memory);
  } catch (...) {
    EndAfterThrow();
  }
#else
  answer = kernel(arguments..., memory);
#endif
  if (g_guard != nullptr) g_guard->end(memory, bytes, answer == 0 ? output : nullptr);
  ++(answer == 0 ? g_calls.made : g_calls.declined);
  return answer == 0;
}

// Returns whether the call computes whole images.
bool IsWhole(int32_t first_row, int32_t row_count, int32_t out_height) {
  const bool whole = first_row == 0 && row_count > 0 && row_count % out_height == 0;
  if (!whole) ++g_calls.declined;
  return whole;
}

template <auto kMember, typename Args, Kernel<RowsFn<Args>>& kReference>
void Convolve(const Args& args, const Rows& input, const Rows& output, int32_t first_row, int32_t row_count) {
  const ConvShape& s = *args.shape;
  const ConvQuantization& q = args.quantization;
  const lutra_conv_args c = {.images = row_count / s.out_height,
                             .in_height = s.in_height,
                             .in_width = s.in_width,
                             .in_channels = s.in_channels,
                             .out_height = s.out_height,
                             .out_width = s.out_width,
                             .out_channels = s.out_channels,
                             .filter_height = s.filter_height,
                             .filter_width = s.filter_width,
                             .filter_channels = s.filter_channels,
                             .stride_h = s.stride_h,
                             .stride_w = s.stride_w,
                             .dilation_h = s.dilation_h,
                             .dilation_w = s.dilation_w,
                             .pad_top = s.pad_top,
                             .pad_left = s.pad_left,
                             .input_offset = q.input_offset,
                             .output_offset = q.output_offset,
                             .activation_min = q.activation_min,
                             .activation_max = q.activation_max,
                             .filter = args.filter,
                             .bias = args.bias,
                             .multipliers = ToC(args.multipliers)};
  if (MakesAllChannels(args) && IsWhole(first_row, row_count, s.out_height) &&
      Makes(g_table.*kMember, OutputCodes(output, 0), row_count * output.row_bytes, &c, Codes(input, 0)))
    return;
  kReference(args, input, output, first_row, row_count);
}

void FullyConnected(const FullyConnectedArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                    int32_t row_count) {
  const ConvQuantization& q = args.quantization;
  const lutra_fully_connected_args c = {.rows = row_count,
                                        .depth = args.depth,
                                        .channels = args.channels,
                                        .input_offset = q.input_offset,
                                        .output_offset = q.output_offset,
                                        .activation_min = q.activation_min,
                                        .activation_max = q.activation_max,
                                        .weights = args.weights,
                                        .bias = args.bias,
                                        .multipliers = ToC(args.multipliers),
                                        .one_multiplier = args.one_multiplier};
  // With compressed weights, a call may compute only some of the channels.
  if (output.row_bytes == args.channels && Makes(g_table.fully_connected_s8, OutputCodes(output, first_row),
                                                 row_count * output.row_bytes, &c, Codes(input, first_row)))
    return;
  FullyConnectedRef(args, input, output, first_row, row_count);
}

template <auto kMember, Kernel<PoolFn>& kReference>
void Pool(const PoolArgs& args, const Rows& input, const Rows& output, int32_t first_row, int32_t row_count) {
  const PoolShape& s = *args.shape;
  const lutra_pool_args c = {.images = row_count / s.out_height,
                             .in_height = s.in_height,
                             .in_width = s.in_width,
                             .depth = s.depth,
                             .out_height = s.out_height,
                             .out_width = s.out_width,
                             .filter_height = s.filter_height,
                             .filter_width = s.filter_width,
                             .stride_h = s.stride_h,
                             .stride_w = s.stride_w,
                             .pad_top = s.pad_top,
                             .pad_left = s.pad_left,
                             .activation_min = args.activation_min,
                             .activation_max = args.activation_max};
  if (IsWhole(first_row, row_count, s.out_height) &&
      Makes(g_table.*kMember, OutputCodes(output, 0), row_count * output.row_bytes, &c, Codes(input, 0)))
    return;
  kReference(args, input, output, first_row, row_count);
}

template <auto kMember, Kernel<BinaryFn>& kReference>
void Combine(const BinaryArgs& args, int32_t first, int32_t count) {
  const BinaryQuantization& q = *args.quantization;
  const lutra_binary_args c = {.count = count,
                               .a_step = args.a_step,
                               .b_step = args.b_step,
                               .a_offset = -q.a_zero_point,
                               .b_offset = -q.b_zero_point,
                               .output_offset = q.out_zero_point,
                               .a_multiplier = ToC(q.a_multiplier),
                               .b_multiplier = ToC(q.b_multiplier),
                               .out_multiplier = ToC(q.out_multiplier),
                               .activation_min = q.min,
                               .activation_max = q.max};
  if (Makes(g_table.*kMember, static_cast<int8_t*>(args.output) + first, count, &c,
            Codes(args.a) + first * args.a_step, Codes(args.b) + first * args.b_step))
    return;
  kReference(args, first, count);
}

void Softmax(const SoftmaxArgs& args, const Rows& input, const Rows& output, int32_t first_row,
             int32_t row_count) {
  const lutra_softmax_args c = {
      .rows = row_count, .depth = args.depth, .multiplier = ToC(args.multiplier), .diff_min = args.diff_min};
  if (Makes(g_table.softmax_s8, OutputCodes(output, first_row), row_count * output.row_bytes, &c,
            Codes(input, first_row)))
    return;
  SoftmaxRef<int8_t>(args, input, output, first_row, row_count);
}

template <typename Fn>
KernelReplacement::AnyFn Any(Fn* function) {
  return reinterpret_cast<KernelReplacement::AnyFn>(function);
}

// Returns the function that calls the library's kernel instead of a table's reference; null: there is none.
KernelReplacement::AnyFn Find(KernelReplacement::AnyFn reference) {
  using Table = lutra_kernel_table;
  const struct {
    bool has;
    KernelReplacement::AnyFn reference, caller;
  } kernels[] = {
      {g_table.conv_2d_s8 != nullptr, Any(Conv2DRef),
       Any(Convolve<&Table::conv_2d_s8, Conv2DArgs, Conv2DRef>)},
      {g_table.depthwise_conv_2d_s8 != nullptr, Any(DepthwiseConv2DRef),
       Any(Convolve<&Table::depthwise_conv_2d_s8, DepthwiseConv2DArgs, DepthwiseConv2DRef>)},
      {g_table.fully_connected_s8 != nullptr, Any(FullyConnectedRef), Any(FullyConnected)},
      {g_table.average_pool_2d_s8 != nullptr, Any(AveragePoolRef),
       Any(Pool<&Table::average_pool_2d_s8, AveragePoolRef>)},
      {g_table.max_pool_2d_s8 != nullptr, Any(MaxPoolRef), Any(Pool<&Table::max_pool_2d_s8, MaxPoolRef>)},
      {g_table.add_s8 != nullptr, Any(AddRef), Any(Combine<&Table::add_s8, AddRef>)},
      {g_table.sub_s8 != nullptr, Any(SubRef), Any(Combine<&Table::sub_s8, SubRef>)},
      {g_table.mul_s8 != nullptr, Any(MulRef), Any(Combine<&Table::mul_s8, MulRef>)},
      {g_table.softmax_s8 != nullptr, Any(SoftmaxRef<int8_t>), Any(Softmax)},
  };
  for (const auto& kernel : kernels) {
    if (kernel.has && kernel.reference == reference) return kernel.caller;
  }
  return nullptr;
}

constexpr KernelReplacement kReplacement = {"user", Find};

}  // namespace

void UseKernels(const lutra_kernel_table& table, InterpreterOptions* options) {
  g_table = table;
  options->replacement = &kReplacement;
  options->cpu_features = kCpuAny;
  options->overlap = false;
  options->decompression = DecompressionPolicy::kPerUse;
}

void SetOutputGuard(const OutputGuard* guard) { g_guard = guard; }

KernelCalls TakeCalls() {
  const KernelCalls calls = g_calls;
  g_calls = {};
  return calls;
}

const char* WhyNotJudged(const KernelCalls& calls) {
  if (calls.declined > 0) return "a kernel of the library declined it";
  return calls.made == 0 ? "no kernel of the library takes part in it" : nullptr;
}

}  // namespace lutra::sdk
