// SPDX-License-Identifier: Apache-2.0
// Checks the files that embed writes, and that it leaves none half-written and overwrites none of others.
// platform.embed checks that the sources build and run.

#include "compressor/embed.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "compressor/model_editor.h"
#include "host/failures.h"
#include "host/firmware.h"
#include "host/output_file.h"
#include "host/testing/scratch_folder.h"
#include "runtime/testing/model_builder.h"

namespace lutra::compressor {
namespace {

namespace fs = std::filesystem;

host::ModelFile Bundled(const std::string& name) {
  return host::ReadModelFile(fs::path(LUTRA_SOURCE_DIR) / "models" / name);
}

std::vector<host::ModelFile> One(const std::string& name) {
  std::vector<host::ModelFile> models;
  models.push_back(Bundled(name));
  return models;
}

std::string Lines(const fs::path& path) { return host::ReadFileText(path); }

size_t CountEntries(const fs::path& folder) {
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder)) ++count;
  return count;
}

TEST(Embed, ListsTheOperatorsAndTheSmallestArena) {
  const Firmware firmware = Embed(One("kws.tflite"), {.board = "cortex-m4"});
  EXPECT_EQ(firmware.operators, (std::vector<std::string>{"kAveragePool2D", "kConv2D", "kDepthwiseConv2D",
                                                          "kFullyConnected", "kSoftmax"}));
  // run_model finds these on the board (platform.arenas compares all models).
  EXPECT_EQ(firmware.arena_bytes, 12672u);
  const std::string& header = firmware.files.at("model_ops.h");
  EXPECT_NE(header.find("kArenaBytes = 12672;"), std::string::npos) << header;
  EXPECT_NE(header.find("{lutra::TensorType::kInt8, 4, {1, 49, 10, 1}, 490, 0.0313725509f, -1}"),
            std::string::npos)
      << header;
  EXPECT_EQ(firmware.files.at("kws.tflite").size(), 47672u);
}

TEST(Embed, CountsTheLargestArenaOfModelsAndOfBoards) {
  const host::ModelFile kws = Bundled("kws.tflite");
  const auto bytes_on = [&](const std::string& board) {
    return host::ArenaOn(host::BoardOf(board), kws, MemoryPolicy::kSmall).bytes;
  };
  EXPECT_GT(bytes_on("cortex-m4"), bytes_on("rv32imc"));
  EXPECT_EQ(bytes_on("32"), bytes_on("cortex-m4"));
  std::vector<host::ModelFile> both = One("sine.tflite");
  both.push_back(Bundled("kws.tflite"));
  EXPECT_EQ(Embed(both, {.board = "rv32imc"}).arena_bytes, bytes_on("rv32imc"));
  EXPECT_THROW(host::BoardOf("cortex-m"), host::BadUsage);
}

TEST(Embed, AsksForALibraryThatHasTheModelsTypes) {
  const auto sum_of = [](TensorType type) {
    ModelBuilder builder;
    const int input = builder.AddTensor({.shape = {1, 16}, .type = type, .scale = 0.5f});
    const int output = builder.AddTensor({.shape = {1, 16}, .type = type, .scale = 0.5f});
    builder.AddOperator(BuiltinOperator::kAdd, {input, input}, {output});
    return LoadModel(builder.Finish({input}, {output}), "m.tflite");
  };
  const std::tuple<TensorType, std::string, std::string> cases[] = {
      {TensorType::kInt16, "LUTRA_INT16", "LUTRA_HAVE_INT16"},
      {TensorType::kUInt8, "LUTRA_UINT8", "LUTRA_HAVE_UINT8"}};
  for (const auto& [type, option, macro] : cases) {
    std::vector<host::ModelFile> models;
    models.push_back(sum_of(type));
    EXPECT_EQ(host::BoardOptionsOf(models[0].model).library, std::set<std::string>{option});
    const Firmware firmware = Embed(models, {.board = "cortex-m4"});
    EXPECT_GT(firmware.arena_bytes, 0u);
    const std::string& header = firmware.files.at("model_ops.h");
    EXPECT_NE(header.find("#if !" + macro + "\n#error"), std::string::npos) << header;
    EXPECT_NE(header.find("-D" + option + "=ON"), std::string::npos) << header;
    EXPECT_EQ(host::LibraryText(firmware.needs),
              "the board's library is built with\n  -D" + option + "=ON\n");
  }
  EXPECT_TRUE(host::BoardOptionsOf(sum_of(TensorType::kInt8).model).library.empty());
}

TEST(Embed, RefusesTwoModelsOfOneName) {
  std::vector<host::ModelFile> both = One("sine.tflite");
  both.push_back(Bundled("sine.tflite"));
  EXPECT_THROW(Embed(both, {}), host::BadInput);
}

TEST(Embed, WritesModelsAsArraysOfTheSameBytes) {
  const Firmware firmware = Embed(One("sine.tflite"), {.array = true});
  EXPECT_FALSE(firmware.files.contains("model.S"));
  const host::ModelFile sine = Bundled("sine.tflite");
  const std::string& text = firmware.files.at("model.c");
  size_t at = text.find("= {");
  ASSERT_NE(at, std::string::npos);
  for (size_t i = 0; i < sine.bytes.size(); ++i) {
    at = text.find_first_of("0123456789", at);
    ASSERT_NE(at, std::string::npos) << i;
    size_t digits = 0;
    ASSERT_EQ(std::stoi(text.substr(at, 3), &digits), sine.bytes.data()[i]) << i;
    at += digits;
  }
}

TEST(Embed, ReplacesItsOwnFolderAndNothingOfOthers) {
  const host::ScratchFolder scratch;
  const fs::path folder = scratch / "firmware";
  WriteFolder(folder, Embed(One("kws.tflite"), {}));
  WriteFolder(folder, Embed(One("sine.tflite"), {.array = true}));
  EXPECT_FALSE(fs::exists(folder / "kws.tflite"));
  EXPECT_TRUE(fs::exists(folder / "model.c"));
  EXPECT_EQ(CountEntries(scratch / ""), 1u) << "something temporary is left";
  // The rest of a killed run, whatever its number was, is not mixed into the folder.
  for (const char* end : {"new", "old"}) {
    const fs::path left = scratch / fmt::format(".firmware.{}.{}", getpid(), end);
    fs::create_directory(left);
    host::WriteFileBytes(left / "left", "x", 1);
  }
  WriteFolder(folder, Embed(One("sine.tflite"), {.array = true}));
  EXPECT_EQ(CountEntries(folder), 5u);
  EXPECT_FALSE(fs::exists(folder / "left"));
  EXPECT_EQ(CountEntries(scratch / ""), 3u);

  // The user has changed this file and removed the line.
  const std::string mine = "// Mine.\nint main() {}\n";
  host::WriteFileBytes(folder / "main.cc", mine.data(), mine.size());
  const std::string before = Lines(folder / "model_ops.h");
  EXPECT_THROW(WriteFolder(folder, Embed(One("kws.tflite"), {})), host::BadInput);
  EXPECT_EQ(Lines(folder / "main.cc"), mine);
  EXPECT_EQ(Lines(folder / "model_ops.h"), before);

  // A folder with other files, and a path that cannot be a folder, are refused.
  for (const char* name : {"notes.txt", "other.tflite"}) {
    const fs::path other = scratch / (std::string("of_") + name);
    fs::create_directory(other);
    host::WriteFileBytes(other / name, mine.data(), mine.size());
    EXPECT_THROW(WriteFolder(other, Embed(One("kws.tflite"), {})), host::BadInput) << name;
    EXPECT_EQ(CountEntries(other), 1u) << name;
  }
  // A model that the user has put beside those that model.S lists is the user's.
  const fs::path with_mine = scratch / "with_mine";
  WriteFolder(with_mine, Embed(One("kws.tflite"), {}));
  for (const char* name : {"mine.tflite", "ws.tflite"}) {
    host::WriteFileBytes(with_mine / name, mine.data(), mine.size());
    EXPECT_THROW(WriteFolder(with_mine, Embed(One("sine.tflite"), {})), host::BadInput) << name;
    EXPECT_EQ(Lines(with_mine / name), mine);
    fs::remove(with_mine / name);
  }
  // Neither a link to the folder is replaced, nor a folder with a link in it.
  fs::create_directory_symlink(with_mine, scratch / "link");
  EXPECT_THROW(WriteFolder(scratch / "link", Embed(One("sine.tflite"), {})), host::BadInput);
  EXPECT_TRUE(fs::is_symlink(scratch / "link"));
  fs::rename(with_mine / "kws.tflite", scratch / "kws.tflite");
  fs::create_symlink(scratch / "kws.tflite", with_mine / "kws.tflite");
  EXPECT_THROW(WriteFolder(with_mine, Embed(One("sine.tflite"), {})), host::BadInput);
  EXPECT_THROW(WriteFolder(folder / "main.cc", Embed(One("kws.tflite"), {})), host::BadInput);
  EXPECT_THROW(WriteFolder("/proc/firmware", Embed(One("kws.tflite"), {})), host::BadInput);
}

// A program that is killed at any moment leaves the old folder or the new one, and nothing beside it.
TEST(Embed, SurvivesAKill) {
  const host::ScratchFolder scratch;
  const fs::path folder = scratch / "firmware";
  const Firmware one = Embed(One("kws.tflite"), {}), other = Embed(One("sine.tflite"), {});
  WriteFolder(folder, one);
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (;;) {
        WriteFolder(folder, other);
        WriteFolder(folder, one);
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20 + 3 * i));
    kill(child, SIGKILL);
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    const bool is_one = fs::exists(folder / "kws.tflite");
    for (const auto& [name, text] : (is_one ? one : other).files) EXPECT_EQ(Lines(folder / name), text);
    EXPECT_EQ(CountEntries(folder), one.files.size());
    // The guardian of the child removes what is left, when the child has ended.
    for (int wait = 0; CountEntries(scratch / "") > 1 && wait < 500; ++wait)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(CountEntries(scratch / ""), 1u);
  }
}

}  // namespace
}  // namespace lutra::compressor
