// SPDX-License-Identifier: Apache-2.0
// Writes the text of a firmware's files, and replaces the folder as a whole or not at all.

#include "compressor/embed.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <random>
#include <set>
#include <system_error>

#include "host/firmware.h"
#include "host/guardian.h"
#include "host/output_file.h"
#include "host/printable.h"

namespace lutra::compressor {
namespace {

namespace fs = std::filesystem;

// Each text file begins with this in a comment. A file from which the user removes the line is not replaced.
constexpr char kWrittenBy[] = "Written by compress embed, which replaces this file unless this line is gone.";

struct EmbeddedModel {
  const host::ModelFile* file;
  std::string name;  // An identifier: kws of kws.tflite.
  std::string symbol() const { return name + "_model"; }
};

std::vector<EmbeddedModel> NameModels(const std::vector<host::ModelFile>& models) {
  std::vector<EmbeddedModel> named;
  std::set<std::string> names;
  for (const host::ModelFile& file : models) {
    named.push_back({&file, host::FirmwareNameOf(file.path)});
    if (!names.insert(named.back().name).second) {
      throw host::BadInput(fmt::format("{}: name: another model is {}, too; rename one of them", file.path,
                                       named.back().name));
    }
  }
  return named;
}

std::string Head(const std::string& comment, const std::string& text) {
  return fmt::format("{0} {1}\n{0} {2}\n", comment, kWrittenBy, text);
}

std::string AssemblyOf(const std::vector<EmbeddedModel>& models) {
  std::string text = "/* " + std::string(kWrittenBy) + "\n   The models, in read-only memory. */\n";
  for (const EmbeddedModel& model : models) {
    text += fmt::format(
        "\n    .section .rodata.{0}, \"a\"\n    .balign 16\n    .global {0}\n    .type {0}, %object\n{0}:\n"
        "    .incbin \"{1}.tflite\"\n    .size {0}, . - {0}\n",
        model.symbol(), model.name);
  }
  return text;
}

std::string ArrayOf(const std::vector<EmbeddedModel>& models) {
  std::string text = Head("//", "The models, in read-only memory.") + "\n#include \"model.h\"\n";
  for (const EmbeddedModel& model : models) {
    const host::AlignedBytes& bytes = model.file->bytes;
    text +=
        fmt::format("\nconst uint8_t {}[{}] __attribute__((aligned(16))) = {{", model.symbol(), bytes.size());
    for (size_t i = 0; i < bytes.size(); ++i) {
      text += fmt::format("{}{}{}", i == 0 ? "" : ",", i % 24 == 0 ? "\n    " : "", bytes.data()[i]);
    }
    text += "};\n";
  }
  return text;
}

std::string HeaderOf(const std::vector<EmbeddedModel>& models) {
  std::string text =
      Head("//", "The bytes of the models, for C and C++.") +
      "\n#pragma once\n\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  for (const EmbeddedModel& model : models) {
    text += fmt::format("extern const uint8_t {}[{}];\n", model.symbol(), model.file->bytes.size());
  }
  return text + "\n#ifdef __cplusplus\n}\n#endif\n";
}

// Returns a float literal, which has a point or an exponent.
std::string FloatLiteral(float value) {
  std::string digits = fmt::format("{:.9g}", value);
  if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
  return digits + "f";
}

// Returns the enumerator of lutra::TensorType; a firmware has no inputs and outputs of other types.
const char* TypeConstant(TensorType type) {
  switch (type) {
    case TensorType::kFloat32:
      return "kFloat32";
    case TensorType::kInt32:
      return "kInt32";
    case TensorType::kInt64:
      return "kInt64";
    case TensorType::kBool:
      return "kBool";
    case TensorType::kInt16:
      return "kInt16";
    case TensorType::kUInt8:
      return "kUInt8";
    default:
      return "kInt8";
  }
}

std::string TensorsOf(const Model& model, const char* name, PackedList<int32_t> tensors) {
  std::string text = fmt::format("inline constexpr TensorFacts {}[] = {{\n", name);
  for (int i = 0; i < tensors.count; ++i) {
    const TensorInfo info = model.tensor(0, tensors[i]);
    std::vector<int32_t> dims(info.shape.dims, info.shape.dims + info.shape.rank);
    text += fmt::format("    {{lutra::TensorType::{}, {}, {{{}}}, {}, {}, {}}},\n", TypeConstant(info.type),
                        info.shape.rank, fmt::join(dims, ", "), info.bytes, FloatLiteral(info.scale),
                        info.zero_point);
  }
  return text + "};\n";
}

std::string FactsOf(const EmbeddedModel& model) {
  const Model& graph = model.file->model;
  return fmt::format("\nnamespace {0} {{\n\n{1}{2}\n}}  // namespace {0}\n", model.symbol(),
                     TensorsOf(graph, "kInputs", graph.inputs(0)),
                     TensorsOf(graph, "kOutputs", graph.outputs(0)));
}

// LUTRA_INT16, an option of CMake, gives the library and its users LUTRA_HAVE_INT16.
std::string LibraryCheckOf(const host::BoardOptions& needs) {
  std::string text;
  for (const std::string& name : needs.library) {
    const std::string macro = "LUTRA_HAVE_" + name.substr(std::string("LUTRA_").size());
    text += fmt::format("#if !{}\n#error \"a model needs a library that was built with -D{}=ON\"\n#endif\n\n",
                        macro, name);
  }
  return text;
}

std::string OpsHeaderOf(const std::vector<EmbeddedModel>& models, const EmbedOptions& options,
                        const Firmware& firmware, const host::BoardOptions& needs) {
  std::vector<std::string> operators;
  for (const std::string& name : firmware.operators) operators.push_back("lutra::" + name);
  std::string text = Head("//", "What the models need of the runtime.") +
                     "\n#pragma once\n\n#include <lutra/lutra.h>\n" +
                     (needs.row_groups ? "#include <lutra/row_groups.h>\n" : "") +
                     "#include <stddef.h>\n#include <stdint.h>\n\n" + LibraryCheckOf(needs) +
                     "namespace firmware {\n\n// Nothing else of the runtime's operators is linked.\n";
  text += fmt::format("inline constexpr lutra::Op kOps[] = {{{}}};\n\n", fmt::join(operators, ", "));
  const char* const policy = options.policy == MemoryPolicy::kFast ? "fast" : "small";
  text += fmt::format(
      "// The smallest arena in which each model works, for {} with memory policy {}. They share it, one\n"
      "// after the other.\ninline constexpr size_t kArenaBytes = {};\n\n",
      options.board == "32" ? "any board of 32 bits" : options.board, policy, firmware.arena_bytes);
  text += "inline lutra::InterpreterOptions Options() {\n  lutra::InterpreterOptions options;\n";
  text += fmt::format("  options.policy = lutra::MemoryPolicy::k{};\n",
                      options.policy == MemoryPolicy::kFast ? "Fast" : "Small");
  if (needs.decode || needs.int4) {
    text += fmt::format("  options.decode = lutra::{};\n", needs.decode ? "Decode" : "DecodeInt4");
  }
  if (needs.row_groups) text += "  options.row_groups = &lutra::kRowGroups;\n";
  text += "  return options;\n}\n\n";
  text +=
      "// The real value of a code is scale * (code - zero_point).\nstruct TensorFacts {\n"
      "  lutra::TensorType type;\n  int rank;\n  int32_t shape[8];\n  int32_t bytes;\n  float scale;\n"
      "  int32_t zero_point;\n};\n";
  for (const EmbeddedModel& model : models) text += FactsOf(model);
  return text + "\n}  // namespace firmware\n";
}

constexpr char kIncludes[] =
    "\n#include <lutra/lutra.h>\n#include <platforms/common/report.h>\n#include <stddef.h>\n#include "
    "<stdint.h>\n"
    "#include <string.h>\n\n#include \"model.h\"\n#include \"model_ops.h\"\n";

constexpr char kProgram[] = R"(
namespace {

using lutra::platforms::ReportLine;

alignas(16) uint8_t arena[firmware::kArenaBytes];

// The rule's number (lutra/rule.h) and where. Names and sentences, lutra/diagnosis_text.h, take 9 KB.
int Refuse(const lutra::Diagnosis& diagnosis) {
  ReportLine line("refused");
  line.Text("rule").Number(static_cast<intptr_t>(diagnosis.rule));
  line.Text("node").Number(diagnosis.node).Text("tensor").Number(diagnosis.tensor);
  line.Bytes("wanted", diagnosis.wanted_bytes);
  return 3;
}

// A pattern stands for your samples: replace it.
void FillInput(const lutra::Tensor& input) {
  if (input.info.is_constant()) return;  // It lies in flash.
  memset(input.data, 0, static_cast<size_t>(input.info.bytes));
  if (input.info.type != lutra::TensorType::kInt8) return;
  auto* const codes = static_cast<uint8_t*>(input.data);
  for (int32_t i = 0; i < input.info.bytes; ++i) codes[i] = static_cast<uint8_t>(37 * i + 11);
}

// zlib's.
uint32_t Crc32(const void* data, int32_t bytes) {
  uint32_t crc = 0xFFFFFFFF;
  for (int32_t i = 0; i < bytes; ++i) {
    crc ^= static_cast<const uint8_t*>(data)[i];
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (0xEDB88320 & (0 - (crc & 1)));
  }
  return ~crc;
}

int Run(const char* name, lutra::Span<const uint8_t> bytes) {
  ReportLine("model").Text(name).Bytes("bytes", bytes.size());
  lutra::Model model;
  lutra::Diagnosis diagnosis;
  if (lutra::Model::Load(bytes, &model, &diagnosis) != lutra::Status::kOk) return Refuse(diagnosis);
  lutra::MicroInterpreter interpreter(model, firmware::kOps, arena, firmware::Options());
  if (interpreter.AllocateTensors() != lutra::Status::kOk) return Refuse(interpreter.diagnosis());
  ReportLine("arena").Bytes("given", sizeof arena).Bytes("used", interpreter.memory().used_bytes);
  for (int i = 0; i < interpreter.input_count(); ++i) FillInput(interpreter.input(i));
  if (!lutra::HasRun(interpreter.Invoke())) return Refuse(interpreter.diagnosis());
  for (int i = 0; i < interpreter.output_count(); ++i) {
    const lutra::Tensor output = interpreter.output(i);
    ReportLine("output").Number(i).Text("crc32").Hex(Crc32(output.data, output.info.bytes));
  }
  return 0;
}

}  // namespace

int main() {
)";

std::string ProgramOf(const std::vector<EmbeddedModel>& models) {
  std::string text =
      Head("//", "Runs each model once, and prints lines that begin with lutra1.") + kIncludes + kProgram;
  for (size_t i = 0; i < models.size(); ++i) {
    text += fmt::format("  {}code = Run(\"{}\", {});\n", i == 0 ? "int " : "if (code == 0) ", models[i].name,
                        models[i].symbol());
  }
  return text + "  return code;\n}\n";
}

std::string BuildOf(const std::vector<EmbeddedModel>& models, const EmbedOptions& options) {
  const std::string board = options.board == "32" ? "<platform>" : options.board;
  const char* const source = options.array ? "model.c" : "model.S";
  std::string text =
      Head("#", "A project of its own. DIR is where the board's library is installed:") +
      fmt::format(
          "#   cmake -S . -B ../build-firmware -DCMAKE_BUILD_TYPE=MinSizeRel -DCMAKE_PREFIX_PATH=DIR \\\n"
          "#         -DCMAKE_TOOLCHAIN_FILE=DIR/share/lutra/platforms/{}/toolchain.cmake\n"
          "cmake_minimum_required(VERSION 3.25)\nproject(firmware LANGUAGES C CXX{})\n"
          "find_package(lutra REQUIRED)\nadd_executable(firmware main.cc {})\n"
          "target_include_directories(firmware PRIVATE ${{CMAKE_CURRENT_SOURCE_DIR}})\n"
          "target_link_libraries(firmware PRIVATE lutra::runtime lutra::platform)\n"
          "# In the platform's emulator.\nadd_custom_target(run COMMAND firmware USES_TERMINAL VERBATIM)\n",
          board, options.array ? "" : " ASM", source);
  if (options.array) return text;
  text += "set_source_files_properties(model.S PROPERTIES OBJECT_DEPENDS \"";
  for (size_t i = 0; i < models.size(); ++i) {
    text += fmt::format("{}${{CMAKE_CURRENT_SOURCE_DIR}}/{}.tflite", i == 0 ? "" : ";", models[i].name);
  }
  return text + "\")\n";
}

// Returns whether the folder's file is one that embed has written: a model that its model.S includes, or a
// text that says so.
bool IsOurs(const fs::path& path) {
  if (!fs::is_regular_file(fs::symlink_status(path))) return false;
  if (path.extension() == ".tflite") {
    const fs::path list = path.parent_path() / "model.S";
    const std::string line = fmt::format(".incbin \"{}\"\n", path.filename().string());
    return fs::is_regular_file(list) && host::ReadFileText(list).find(line) != std::string::npos;
  }
  return host::ReadFileText(path).substr(0, 200).find(kWrittenBy) != std::string::npos;
}

void RefuseForeignFiles(const fs::path& folder) {
  const fs::file_status status = fs::symlink_status(folder);
  if (!fs::exists(status)) return;
  if (fs::is_symlink(status)) {
    throw host::BadInput(folder.string() + ": output: it is a symbolic link; name the folder itself");
  }
  if (!fs::is_directory(folder)) {
    throw host::BadInput(folder.string() + ": output: it is no folder; name another");
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (IsOurs(entry.path())) continue;
    throw host::BadInput(
        fmt::format("{}: output: found {}, which compress embed has not written; name another folder",
                    folder.string(), entry.path().filename().string()));
  }
}

// A new folder beside the target, which is removed with the object, and also if this program is killed.
class NewFolder {
 public:
  explicit NewFolder(const fs::path& target) {
    constexpr int kMostNames = 100;
    std::random_device random;
    for (int i = 0; i < kMostNames; ++i) {
      path_ = target.parent_path() / fmt::format(".{}.{:08x}", target.filename().string(), random());
      guarded_.emplace(host::Guarded::kFolder, path_.string());  // The guardian is told before it exists.
      if (mkdir(path_.c_str(), 0777) == 0) return;
      const int error = errno;
      guarded_->Release();  // The name is another's.
      if (error != EEXIST)
        throw fs::filesystem_error("mkdir", path_, std::error_code(error, std::generic_category()));
    }
    throw fs::filesystem_error("mkdir", path_, std::make_error_code(std::errc::file_exists));
  }
  const fs::path& path() const { return path_; }
  void Release() { guarded_->Release(); }

 private:
  fs::path path_;
  std::optional<host::Guarded> guarded_;
};

// Writes the files into `fresh`; what goes wrong is told of the file in `target`, which the user knows.
void WriteFiles(const Firmware& firmware, const fs::path& fresh, const fs::path& target) try {
  for (const auto& [name, text] : firmware.files)
    host::WriteFileBytes(fresh / name, text.data(), text.size());
} catch (const host::BadInput& failure) {
  std::string text = failure.what();
  const std::string name = host::Printable(fresh.string());
  if (text.starts_with(name)) text.replace(0, name.size(), host::Printable(target.string()));
  throw host::BadInput(text);
}

// Gives the folder `fresh` the name of `target`. A folder that has this name gets that of `fresh` in the same
// step, so that there is one or the other at any time. Returns whether nothing is called `fresh` now.
bool Publish(const fs::path& fresh, const fs::path& target) {
  if (!fs::exists(target)) {
    fs::rename(fresh, target);
    return true;
  }
  if (renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) == 0) return false;
  // The file system cannot exchange names: for a moment there is no folder of this name. The old one is not
  // guarded, as the guardian must not remove the only copy.
  const fs::path old = fresh.string() + ".old";
  fs::rename(target, old);
  std::error_code failure;
  fs::rename(fresh, target, failure);
  if (!failure) {
    const host::Guarded guarded(host::Guarded::kFolder, old.string());
    return true;
  }
  fs::rename(old, target);
  throw fs::filesystem_error("rename", target, failure);
}

}  // namespace

Firmware Embed(const std::vector<host::ModelFile>& models, const EmbedOptions& options) {
  const std::vector<EmbeddedModel> named = NameModels(models);
  const host::Board& board = host::BoardOf(options.board);
  Firmware firmware;
  host::BoardOptions& needs = firmware.needs;
  std::set<std::string> operators;
  for (const host::ModelFile& file : models) {
    const host::BoardArena arena = host::ArenaOn(board, file, options.policy);
    firmware.arena_bytes = std::max(firmware.arena_bytes, arena.bytes);
    const host::BoardOptions own = host::BoardOptionsOf(file.model);
    needs.decode |= own.decode;
    needs.int4 |= own.int4;
    needs.row_groups |= own.row_groups;
    needs.library.insert(own.library.begin(), own.library.end());
    operators.merge([&] {
      const std::vector<std::string> names = host::OperatorsOf(file.model);
      return std::set<std::string>(names.begin(), names.end());
    }());
  }
  firmware.operators.assign(operators.begin(), operators.end());
  firmware.files = {{"model.h", HeaderOf(named)},
                    {"model_ops.h", OpsHeaderOf(named, options, firmware, needs)},
                    {"main.cc", ProgramOf(named)},
                    {"CMakeLists.txt", BuildOf(named, options)}};
  if (options.array) {
    firmware.files["model.c"] = ArrayOf(named);
    return firmware;
  }
  firmware.files["model.S"] = AssemblyOf(named);
  for (const EmbeddedModel& model : named) {
    const host::AlignedBytes& bytes = model.file->bytes;
    firmware.files[model.name + ".tflite"] =
        std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  return firmware;
}

void WriteFolder(const std::string& folder, const Firmware& firmware) {
  fs::path target = fs::absolute(folder).lexically_normal();
  if (!target.has_filename()) target = target.parent_path();
  RefuseForeignFiles(target);
  try {
    fs::create_directories(target.parent_path());
    NewFolder fresh(target);
    WriteFiles(firmware, fresh.path(), target);
    if (Publish(fresh.path(), target)) fresh.Release();
  } catch (const fs::filesystem_error& failure) {
    throw host::BadInput(
        fmt::format("{}: output: {}; name another folder", folder, failure.code().message()));
  }
}

}  // namespace lutra::compressor
