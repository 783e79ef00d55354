// SPDX-License-Identifier: Apache-2.0
// Files of streams; the example; traces; streams that were changed at random.

#include "delegates/vta/program/stream_file.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "delegates/vta/simulator/testing/machines.h"
#include "delegates/vta/simulator/testing/programs.h"
#include "delegates/vta/simulator/trace.h"
#include "host/failures.h"

namespace lutra::vta::sim {
namespace {

constexpr char kExample[] = LUTRA_SOURCE_DIR "/delegates/vta/program/examples/conv.vta";

Program Example() {
  return Convolution{.height = 4, .width = 3, .in_blocks = 2, .out_blocks = 2}.Make(kSmall);
}

std::vector<uint8_t> BytesOf(Program program) {
  return StreamBytes(program.config, {program.stream.data(), program.stream.size()}, program.dram);
}

StreamFile Parse(const std::vector<uint8_t>& bytes) {
  return ParseStream({bytes.data(), bytes.size()}, "test.vta");
}

TEST(StreamFile, RoundTrips) {
  const Program program = Example();
  const std::vector<uint8_t> bytes = BytesOf(program);
  StreamFile file = Parse(bytes);
  EXPECT_EQ(StreamBytes(file.config, {file.stream.data(), file.stream.size()}, file.dram), bytes);
  Simulator simulator(file.config);
  ASSERT_TRUE(simulator.Run({file.stream.data(), file.stream.size()}, file.dram).ok());
  EXPECT_EQ(program.OutputOf(file.dram), program.expected);
}

// LUTRA_WRITE_EXAMPLE=1 writes it.
TEST(StreamFile, TheExampleIsWhatTheBuilderWrites) {
  const std::vector<uint8_t> bytes = BytesOf(Example());
  if (std::getenv("LUTRA_WRITE_EXAMPLE") != nullptr) {
    std::filesystem::create_directories(std::filesystem::path(kExample).parent_path());
    std::ofstream(kExample, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  std::ifstream file(kExample, std::ios::binary);
  const std::string text = {std::istreambuf_iterator<char>(file), {}};
  EXPECT_TRUE(std::equal(text.begin(), text.end(), bytes.begin(), bytes.end(), [](char a, uint8_t b) {
    return static_cast<uint8_t>(a) == b;
  })) << "run again with LUTRA_WRITE_EXAMPLE=1";
}

TEST(StreamFile, WhatIsCutOrChangedIsRefused) {
  const std::vector<uint8_t> good = BytesOf(VectorAdd(kSmall, 2));
  const auto refusal = [](std::vector<uint8_t> bytes) -> std::string {
    try {
      Parse(bytes);
    } catch (const host::BadInput& refused) {
      return refused.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal(good), "accepted");
  for (size_t size = 0; size < good.size(); size += size < 64 ? 1 : 37) {
    const std::string text = refusal({good.begin(), good.begin() + static_cast<ptrdiff_t>(size)});
    EXPECT_EQ(text.find("test.vta: stream: found "), 0u) << size;
  }
  const auto changed = [&good](size_t at, uint8_t value) {
    std::vector<uint8_t> bytes = good;
    bytes[at] = value;
    return bytes;
  };
  EXPECT_NE(refusal(changed(0, 'v')).find("VTASTRM1"), std::string::npos);
  EXPECT_NE(refusal(changed(8, 4)).find("inputs and weights of 8 bits"), std::string::npos);
  EXPECT_NE(refusal(changed(17, 40)).find("LOG_BUS_WIDTH"), std::string::npos);
  EXPECT_NE(refusal(changed(18, 1)).find("bytes 18 and 19"), std::string::npos);
  EXPECT_NE(refusal(changed(20, 200)).find("its header tells of"), std::string::npos);
  EXPECT_NE(refusal(changed(23, 255)).find("its header tells of"), std::string::npos);
  EXPECT_NE(refusal(changed(26, 1)).find("at most 4096"), std::string::npos);
  EXPECT_NE(refusal(changed(31, 255)).find("its header tells of"), std::string::npos);
}

TEST(Trace, HasEveryInstruction) {
  Program program = Example();
  Simulator simulator(program.config);
  const Result result = simulator.Run({program.stream.data(), program.stream.size()}, program.dram);
  ASSERT_TRUE(result.ok());
  const nlohmann::json trace = nlohmann::json::parse(ChromeTrace(program.config, result));
  ASSERT_EQ(trace["traceEvents"].size(), program.stream.size() + 4);
  std::map<int, uint64_t> last;  // By row: nothing overlaps.
  uint64_t cycles = 0;
  for (const nlohmann::json& event : trace["traceEvents"]) {
    if (event["ph"] != "X") continue;
    const uint64_t begin = event["ts"], end = begin + event["dur"].get<uint64_t>();
    EXPECT_GE(begin, last[event["tid"]]);
    last[event["tid"]] = end;
    cycles = std::max(cycles, end);
  }
  EXPECT_EQ(cycles, result.timing.cycles);
  EXPECT_EQ(last.size(), 3u);
  EXPECT_EQ(Summary(program.config, result)
                .find(fmt::format("{} instructions, {} cycles, estimated\n", program.stream.size(), cycles)),
            0u);
}

// One to four faults: bits, instructions that are lost, doubled or exchanged, bytes of memory.
void Mutate(Program& program, std::mt19937_64& random) {
  std::vector<EncodedInstruction>& stream = program.stream;
  for (uint64_t left = 1 + random() % 4; left > 0 && !stream.empty(); --left) {
    const auto at = static_cast<ptrdiff_t>(random() % stream.size());
    EncodedInstruction& one = stream[static_cast<size_t>(at)];
    switch (random() % 7) {
      case 0:
        stream.erase(stream.begin() + at);
        break;
      case 1:
        stream.insert(stream.begin() + at, EncodedInstruction(one));
        break;
      case 2:
        std::swap(one, stream[random() % stream.size()]);
        break;
      case 3: {
        const Dram::Interval& uops = program.dram.allocations()[0];
        program.dram.Bytes(uops.begin, 64)[random() % 64] ^= static_cast<uint8_t>(1u << random() % 8);
        break;
      }
      case 4:  // A flag.
        one.bytes[0] ^= static_cast<uint8_t>(8u << random() % 4);
        break;
      default:
        one.bytes[random() % 16] ^= static_cast<uint8_t>(1u << random() % 8);
        break;
    }
  }
}

// Changed streams end with an error that names an instruction, or run; a stream that runs without a race
// gives the same in another order. LUTRA_MUTANTS sets their number.
TEST(Line07, MutantsAreRefusedOrRun) {
  const char* wanted = std::getenv("LUTRA_MUTANTS");
  const int count = wanted == nullptr ? 2000 : std::atoi(wanted);
  const Program originals[] = {Example(), MatrixProduct(kSmall, 10, 3), VectorAdd(kSmall, 16)};
  std::mt19937_64 random(7);
  std::map<std::string, int> outcomes;
  for (int i = 0; i < count; ++i) {
    Program program = originals[i % 3];
    Mutate(program, random);
    const auto profile = static_cast<Profile>(i / 3 % kProfileCount);
    Dram dram = program.dram, other_dram = program.dram;
    Simulator simulator(kSmall, profile), other(kSmall, profile);
    const Span<const EncodedInstruction> stream = {program.stream.data(), program.stream.size()};
    const Result result = simulator.Run(stream, dram, {.seed = 1, .most_uops = 100000});
    if (!result.ok()) {
      const Finding& error = result.findings.back();
      ASSERT_TRUE(error.instruction < stream.size() || stream.empty()) << error.text;
      ++outcomes[ToString(error.issue)];
      continue;
    }
    ++outcomes["none"];
    ASSERT_TRUE(
        other.Run(stream, other_dram, {.priority = {{Stage::kStore, Stage::kCompute, Stage::kLoad}}}).ok());
    ASSERT_EQ(program.OutputOf(dram), program.OutputOf(other_dram)) << i;
  }
  if (wanted != nullptr) {
    for (const auto& [issue, times] : outcomes) fmt::print("{}: {}\n", issue, times);
  }
  for (const Issue issue :
       {Issue::kInstruction, Issue::kIndex, Issue::kDram, Issue::kDeadlock, Issue::kTokenLeak, Issue::kRace,
        Issue::kFinish, Issue::kTooLong, Issue::kFinishEarly}) {
    EXPECT_GT(outcomes[ToString(issue)], 0) << ToString(issue);
  }
  EXPECT_GT(outcomes["none"], count / 20);
}

}  // namespace
}  // namespace lutra::vta::sim
