// SPDX-License-Identifier: Apache-2.0
// Replaces kernels by ones that note their arguments and call the references.

#include "conformance/arguments.h"

#include <fmt/format.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "host/core/byte_order.h"
#include "host/prepared_model.h"
#include "lutra/micro_interpreter.h"
#include "lutra/ops/ops.h"
#include "sdk/user_kernels.h"

namespace lutra::conformance {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kFirstArenaBytes = size_t{1} << 20;

// Writes a struct of arguments as an object of JSON, and as definitions in C.
class Notes {
 public:
  Notes(const std::string& kernel, const std::string& type, size_t call) : kernel_(kernel), call_(call) {
    struct_ = fmt::format("static const {} case_arguments_{} = {{\n", type, call);
  }
  Notes& Number(const char* name, int32_t value) {
    json_[name] = value;
    return Member(name, fmt::format("{}", value));
  }
  Notes& One(const char* name, const lutra_multiplier& m) {
    json_[name] = JsonOf(m);
    return Member(name, TextOf(m));
  }
  // `values` may be null.
  template <typename T>
  Notes& Array(const char* name, const char* type, const T* values, int64_t count) {
    if (values == nullptr) {
      json_[name] = nullptr;
      return Member(name, "0");
    }
    Json list = Json::array();
    const std::string variable = fmt::format("case_{}_{}", name, call_);
    arrays_ += fmt::format("static const {} {}[] = {{", type, variable);
    for (int64_t i = 0; i < count; ++i) {
      list.push_back(JsonOf(values[i]));
      arrays_ += (i == 0 ? "" : i % 16 == 0 ? ",\n  " : ", ") + TextOf(values[i]);
    }
    arrays_ += "};\n";
    json_[name] = std::move(list);
    return Member(name, variable);
  }

  Json json() const { return {{"kernel", kernel_}, {"arguments", json_}}; }
  std::string header() const { return fmt::format("/* {} */\n{}{}}};\n", kernel_, arrays_, struct_); }

 private:
  template <typename T>
  static Json JsonOf(T value) {
    return static_cast<int32_t>(value);
  }
  static Json JsonOf(const lutra_multiplier& m) { return {{"value", m.value}, {"shift", m.shift}}; }
  template <typename T>
  static std::string TextOf(T value) {
    // The lowest number is no literal.
    const auto number = static_cast<int32_t>(value);
    return number == INT32_MIN ? "INT32_MIN" : fmt::format("{}", number);
  }
  static std::string TextOf(const lutra_multiplier& m) { return fmt::format("{{{}, {}}}", m.value, m.shift); }
  Notes& Member(const char* name, const std::string& value) {
    struct_ += fmt::format("    .{} = {},\n", name, value);
    return *this;
  }

  std::string kernel_, arrays_, struct_;
  size_t call_;
  Json json_ = Json::object();
};

std::vector<Notes> g_notes;

Notes& Begin(const char* kernel, const char* type) {
  return g_notes.emplace_back(kernel, type, g_notes.size());
}

// Structs of arguments have members of the same names for what they have in common.
template <typename Args>
void NoteActivation(Notes& notes, const Args& a) {
  notes.Number("activation_min", a.activation_min).Number("activation_max", a.activation_max);
}
template <typename Args>
void NoteWindows(Notes& notes, const Args& a) {
  notes.Number("images", a.images).Number("in_height", a.in_height).Number("in_width", a.in_width);
  notes.Number("out_height", a.out_height).Number("out_width", a.out_width);
  notes.Number("filter_height", a.filter_height).Number("filter_width", a.filter_width);
  notes.Number("stride_h", a.stride_h).Number("stride_w", a.stride_w);
  notes.Number("pad_top", a.pad_top).Number("pad_left", a.pad_left);
}

void Note(const char* kernel, const lutra_conv_args& a, int64_t filter_count) {
  Notes& notes = Begin(kernel, "lutra_conv_args");
  NoteWindows(notes, a);
  notes.Number("in_channels", a.in_channels).Number("out_channels", a.out_channels);
  notes.Number("filter_channels", a.filter_channels);
  notes.Number("dilation_h", a.dilation_h).Number("dilation_w", a.dilation_w);
  notes.Number("input_offset", a.input_offset).Number("output_offset", a.output_offset);
  NoteActivation(notes, a);
  notes.Array("filter", "int8_t", a.filter, filter_count * a.filter_height * a.filter_width);
  notes.Array("bias", "int32_t", a.bias, a.out_channels);
  notes.Array("multipliers", "lutra_multiplier", a.multipliers, a.out_channels);
}

int Conv(const lutra_conv_args* a, const int8_t*, int8_t*) {
  Note("conv_2d_s8", *a, int64_t{a->out_channels} * a->filter_channels);
  return 1;
}
int DepthwiseConv(const lutra_conv_args* a, const int8_t*, int8_t*) {
  Note("depthwise_conv_2d_s8", *a, a->out_channels);
  return 1;
}
int FullyConnected(const lutra_fully_connected_args* a, const int8_t*, int8_t*) {
  Notes& notes = Begin("fully_connected_s8", "lutra_fully_connected_args");
  notes.Number("rows", a->rows).Number("depth", a->depth).Number("channels", a->channels);
  notes.Number("input_offset", a->input_offset).Number("output_offset", a->output_offset);
  NoteActivation(notes, *a);
  notes.Array("weights", "int8_t", a->weights, int64_t{a->channels} * a->depth);
  notes.Array("bias", "int32_t", a->bias, a->channels);
  notes.Array("multipliers", "lutra_multiplier", a->multipliers, a->one_multiplier != 0 ? 1 : a->channels);
  notes.Number("one_multiplier", a->one_multiplier);
  return 1;
}
void Note(const char* kernel, const lutra_pool_args& a) {
  Notes& notes = Begin(kernel, "lutra_pool_args");
  NoteWindows(notes, a);
  notes.Number("depth", a.depth);
  NoteActivation(notes, a);
}
void Note(const char* kernel, const lutra_binary_args& a) {
  Notes& notes = Begin(kernel, "lutra_binary_args");
  notes.Number("count", a.count).Number("a_step", a.a_step).Number("b_step", a.b_step);
  notes.Number("a_offset", a.a_offset).Number("b_offset", a.b_offset);
  notes.Number("output_offset", a.output_offset);
  notes.One("a_multiplier", a.a_multiplier).One("b_multiplier", a.b_multiplier);
  notes.One("out_multiplier", a.out_multiplier);
  NoteActivation(notes, a);
}
int Softmax(const lutra_softmax_args* a, const int8_t*, int8_t*) {
  Notes& notes = Begin("softmax_s8", "lutra_softmax_args");
  notes.Number("rows", a->rows).Number("depth", a->depth);
  notes.One("multiplier", a->multiplier).Number("diff_min", a->diff_min);
  return 1;
}

using PoolKernel = int(const lutra_pool_args*, const int8_t*, int8_t*);
using BinaryKernel = int(const lutra_binary_args*, const int8_t*, const int8_t*, int8_t*);

lutra_kernel_table NotingTable() {
  PoolKernel* const average = [](auto* a, auto*, auto*) { return Note("average_pool_2d_s8", *a), 1; };
  PoolKernel* const max = [](auto* a, auto*, auto*) { return Note("max_pool_2d_s8", *a), 1; };
  BinaryKernel* const add = [](auto* a, auto*, auto*, auto*) { return Note("add_s8", *a), 1; };
  BinaryKernel* const sub = [](auto* a, auto*, auto*, auto*) { return Note("sub_s8", *a), 1; };
  BinaryKernel* const mul = [](auto* a, auto*, auto*, auto*) { return Note("mul_s8", *a), 1; };
  return {.conv_2d_s8 = Conv,
          .depthwise_conv_2d_s8 = DepthwiseConv,
          .fully_connected_s8 = FullyConnected,
          .average_pool_2d_s8 = average,
          .max_pool_2d_s8 = max,
          .add_s8 = add,
          .sub_s8 = sub,
          .mul_s8 = mul,
          .softmax_s8 = Softmax};
}

// Runs one inference. Its refusal does not matter here.
void RunOnce(const Model& model, const Case& test, const InterpreterOptions& options) {
  host::GrowArena(kFirstArenaBytes, [&](size_t bytes) -> size_t {
    const host::AlignedBytes arena(bytes);
    MicroInterpreter interpreter(model, AllOps(), arena.span(), options);
    const Status status = interpreter.AllocateTensors();
    if (status == Status::kArenaTooSmall) return interpreter.diagnosis().wanted_bytes;
    if (status != Status::kOk) return 0;
    for (int i = 0; i < interpreter.input_count() && i < static_cast<int>(test.inputs.size()); ++i) {
      const Tensor input = interpreter.input(i);
      const oracle::Bytes& given = test.inputs[static_cast<size_t>(i)];
      if (given.size() != static_cast<size_t>(input.info.bytes)) return 0;
      std::memcpy(input.data, given.data(), given.size());
      host::SwapToOrFromLittleEndian(input.info.type, static_cast<uint8_t*>(input.data), given.size());
    }
    (void)interpreter.Invoke();
    return 0;
  });
}

}  // namespace

KernelArguments ArgumentsOf(const Case& test) {
  host::AlignedBytes bytes(test.model.size());
  std::memcpy(bytes.data(), test.model.data(), test.model.size());
  Model model;
  Diagnosis diagnosis;
  g_notes.clear();
  if (Model::Load(bytes.span(), &model, &diagnosis) != Status::kOk) return {};
  InterpreterOptions options;
  sdk::UseKernels(NotingTable(), &options);
  RunOnce(model, test, options);
  if (g_notes.empty()) return {};
  Json calls = Json::array();
  KernelArguments arguments = {.calls = static_cast<int>(g_notes.size()),
                               .header = fmt::format("/* {}: what kernels get, by sdk/lutra_kernels.h. */\n"
                                                     "#include \"lutra_kernels.h\"\n",
                                                     test.id)};
  for (const Notes& notes : g_notes) {
    calls.push_back(notes.json());
    arguments.header += "\n" + notes.header();
  }
  arguments.json = Json({{"schema_version", 1}, {"case", test.id}, {"calls", calls}}).dump() + "\n";
  return arguments;
}

}  // namespace lutra::conformance
