// SPDX-License-Identifier: Apache-2.0
// Compares instructions with plain loops and tables, in each profile.

#include "delegates/vta/simulator/machine.h"

#include <algorithm>
#include <limits>

#include "delegates/vta/simulator/testing/machines.h"

namespace lutra::vta::sim {
namespace {

constexpr Profile kProfiles[] = {Profile::kReference, Profile::kHls, Profile::kChisel};

// Everything that a memory holds, as numbers.
std::vector<int64_t> Contents(Machine& machine, Memory memory) {
  std::vector<int64_t> values;
  for (uint32_t i = 0; i < machine.config().Depth(memory); ++i) {
    if (memory == Memory::kUop) values.push_back(machine.UopWord(i));
    if (memory == Memory::kInp) values.insert(values.end(), machine.Input(i).begin(), machine.Input(i).end());
    if (memory == Memory::kWgt)
      values.insert(values.end(), machine.Weights(i).begin(), machine.Weights(i).end());
    if (memory == Memory::kAcc || memory == Memory::kAcc8)
      values.insert(values.end(), machine.Accumulator(i).begin(), machine.Accumulator(i).end());
  }
  return values;
}

// Returns the memory after a LOAD, computed element by element.
std::vector<int64_t> AfterLoad(Bench& bench, const Instruction& load) {
  std::vector<int64_t> values = Contents(bench.machine, load.memory);
  const uint32_t depth = bench.machine.config().Depth(load.memory);
  const size_t lanes = values.size() / depth,
               bytes = bench.machine.config().ElementBytes(load.memory) / lanes;
  if (load.x_size == 0) return values;
  const uint32_t width = load.x_pad_0 + load.x_size + load.x_pad_1;
  const uint32_t height = load.y_pad_0 + load.y_size + load.y_pad_1;
  for (uint32_t y = 0; y < height; ++y) {
    for (uint32_t x = 0; x < width; ++x) {
      const bool inside = y >= load.y_pad_0 && y < load.y_pad_0 + load.y_size && x >= load.x_pad_0 &&
                          x < load.x_pad_0 + load.x_size;
      for (size_t lane = 0; lane < lanes; ++lane) {
        int64_t value = 0;
        if (inside) {
          const uint64_t element =
              load.dram_base + uint64_t{y - load.y_pad_0} * load.x_stride + (x - load.x_pad_0);
          const Span<uint8_t> from = bench.dram.Bytes((element * lanes + lane) * bytes, bytes);
          value = static_cast<int8_t>(from[0]);
          if (bytes == 4) value = static_cast<int32_t>(LoadWord(from.data()));
          if (load.memory == Memory::kUop) value = LoadWord(from.data());
        }
        values[(load.sram_base + y * width + x) * lanes + lane] = value;
      }
    }
  }
  return values;
}

TEST(Line02, LoadsPadOnEverySide) {
  std::mt19937_64 random(2);
  for (const Config& config : {kShipped, kSmall, kConfigs[3].config}) {
    for (const Memory memory : {Memory::kUop, Memory::kWgt, Memory::kInp, Memory::kAcc, Memory::kAcc8}) {
      Bench bench(config);
      const uint32_t element = config.ElementBytes(memory);
      const uint64_t address = bench.Noise(uint64_t{64} * element);
      for (int i = 0; i < (config.log_block == 3 ? 60 : 4); ++i) {
        Instruction load = {.memory = memory, .sram_base = static_cast<uint32_t>(random() % 4)};
        load.dram_base = static_cast<uint32_t>(address / element + random() % 4);
        // Half of the loads have no padding on a given side; strides of 0 and overlapping ones occur.
        const auto pad = [&random] { return random() % 2 == 0 ? 0u : static_cast<uint32_t>(random() % 3); };
        load.y_pad_0 = pad(), load.y_pad_1 = pad(), load.x_pad_0 = pad(), load.x_pad_1 = pad();
        load.y_size = static_cast<uint32_t>(random() % 4), load.x_size = static_cast<uint32_t>(random() % 4);
        load.x_stride = static_cast<uint32_t>(random() % 6);
        if (load.sram_base + load.Elements() > config.Depth(memory)) continue;
        const std::vector<int64_t> expected = AfterLoad(bench, load);
        ASSERT_TRUE(bench.Execute(load)) << bench.LastText();
        ASSERT_EQ(Contents(bench.machine, memory), expected) << ToString(memory) << i;
      }
    }
  }
}

TEST(Line02, TheLargestPaddingAndTheLastElement) {
  Bench bench;
  const uint64_t address = bench.Noise(4096);
  Instruction load = {.memory = Memory::kInp, .dram_base = static_cast<uint32_t>(address / 16)};
  load.y_size = 1, load.x_size = 1, load.y_pad_0 = load.y_pad_1 = load.x_pad_0 = load.x_pad_1 = 15;
  load.sram_base = 2048 - 31 * 31;
  const std::vector<int64_t> expected = AfterLoad(bench, load);
  ASSERT_TRUE(bench.Execute(load));
  EXPECT_EQ(Contents(bench.machine, Memory::kInp), expected);
  ++load.sram_base;
  EXPECT_EQ(Check(kShipped, load), InstructionFault::kSramRange);
}

TEST(Line02, AStrideOfZeroRepeatsARow) {
  Bench bench;
  const auto base = static_cast<uint32_t>(bench.Noise(64) / 64);
  ASSERT_TRUE(bench.Execute({.memory = Memory::kAcc, .dram_base = base, .y_size = 20, .x_size = 1}));
  for (uint32_t i = 0; i < 20; ++i) {
    const Span<int32_t> lanes = bench.machine.Accumulator(i), first = bench.machine.Accumulator(0);
    EXPECT_TRUE(std::equal(lanes.begin(), lanes.end(), first.begin())) << i;
  }
  EXPECT_EQ(static_cast<uint32_t>(bench.machine.Accumulator(7)[1]),
            LoadWord(bench.dram.Bytes(base * uint64_t{64}, 64).data() + 4));
}

TEST(Line02, NothingIsTransferredIfTheRowIsEmpty) {
  Bench bench;
  const std::vector<int64_t> before = Contents(bench.machine, Memory::kInp);
  Instruction load = {.memory = Memory::kInp, .dram_base = 0xFFFFFFFF, .y_size = 3};
  load.y_pad_0 = 2, load.x_pad_1 = 2;
  ASSERT_TRUE(bench.Execute(load)) << "DRAM is not touched, either";
  EXPECT_EQ(Contents(bench.machine, Memory::kInp), before);
}

TEST(Line02, TransfersStayInOneAllocation) {
  Bench bench;
  const auto first = static_cast<uint32_t>(bench.Noise(4096) / 16);
  bench.Noise(4096);  // What follows at once is another.
  Instruction load = {.memory = Memory::kInp, .dram_base = first, .y_size = 2, .x_size = 8, .x_stride = 248};
  ASSERT_TRUE(bench.Execute(load)) << bench.LastText();
  const std::vector<int64_t> before = Contents(bench.machine, Memory::kInp);
  for (const auto change : {&Instruction::x_size, &Instruction::x_stride, &Instruction::dram_base}) {
    Instruction beyond = load;
    ++(beyond.*change);
    EXPECT_FALSE(bench.Execute(beyond));
    EXPECT_TRUE(bench.Found(Issue::kDram));
    EXPECT_EQ(Contents(bench.machine, Memory::kInp), before);
  }
  --load.dram_base;
  EXPECT_FALSE(bench.Execute(load));
  EXPECT_EQ(bench.LastText().find("instruction 4: dram: found bytes 0xff0 to 0x1ff0, required"), 0u)
      << bench.LastText();
  EXPECT_FALSE(bench.Execute({.memory = Memory::kUop, .dram_base = 0, .y_size = 1, .x_size = 1})) << "null";
}

TEST(Line02, AllocationsEndWhereTheyEnd) {
  Dram dram;
  const uint64_t address = dram.Allocate(100), next = dram.Allocate(1);
  EXPECT_EQ(address, 4096u);
  EXPECT_EQ(next, 8192u);
  EXPECT_TRUE(dram.Holds(address, address + 100));
  EXPECT_TRUE(dram.Holds(address + 99, address + 100));
  EXPECT_FALSE(dram.Holds(address, address + 101));
  EXPECT_FALSE(dram.Holds(address - 1, address + 1));
  EXPECT_FALSE(dram.Holds(address, next + 1));
  EXPECT_FALSE(dram.Holds(0, 1));
}

TEST(Line02, ProfilesSayWhatTheyDoNotLoad) {
  const struct {
    Memory memory;
    uint32_t pad, rows;
    Issue issue;
    bool fails[kProfileCount];
  } cases[] = {{Memory::kWgt, 1, 1, Issue::kPadding, {false, true, false}},
               {Memory::kUop, 1, 1, Issue::kPadding, {false, true, false}},
               {Memory::kInp, 1, 1, Issue::kPadding, {false, false, false}},
               {Memory::kAcc, 1, 1, Issue::kPadding, {false, false, false}},
               {Memory::kUop, 0, 2, Issue::kUopRows, {false, true, false}},
               {Memory::kAcc, 0, 2, Issue::kUopRows, {false, false, false}},
               {Memory::kAcc8, 0, 1, Issue::kAcc8, {false, true, true}}};
  for (const auto& one : cases) {
    for (const Profile profile : kProfiles) {
      Bench bench(kSmall, profile);
      Instruction load = {.memory = one.memory};
      load.dram_base = static_cast<uint32_t>(bench.Noise(4096) / kSmall.ElementBytes(one.memory));
      load.y_size = one.rows, load.x_size = 1, load.y_pad_1 = one.pad;
      const bool fails = one.fails[static_cast<int>(profile)];
      EXPECT_EQ(bench.Execute(load), !fails);
      EXPECT_EQ(bench.Found(one.issue), fails);
    }
  }
}

constexpr int32_t kMin = std::numeric_limits<int32_t>::min(), kMax = std::numeric_limits<int32_t>::max();

// The operation in wide integers, then cut to 32 bits.
int32_t Wide(AluOpcode code, int64_t a, int64_t b) {
  const auto cut = [](int64_t value) { return static_cast<int32_t>(static_cast<uint32_t>(value)); };
  switch (code) {
    case AluOpcode::kMin:
      return cut(a < b ? a : b);
    case AluOpcode::kMax:
      return cut(a > b ? a : b);
    case AluOpcode::kAdd:
      return cut(a + b);
    case AluOpcode::kShr:
      if (b < 0) return b <= -32 ? 0 : cut(a * (int64_t{1} << -b));
      return b >= 32 ? (a < 0 ? -1 : 0)
                     : cut((a - ((a % (int64_t{1} << b)) + (int64_t{1} << b)) % (int64_t{1} << b)) /
                           (int64_t{1} << b));
    default:
      return static_cast<int32_t>(static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
  }
}

TEST(Line03, EveryCodeOnExtremes) {
  const int32_t values[] = {kMin, kMin + 1, -65537, -129, -2, -1, 0, 1, 2, 127, 32767, 65536, kMax - 1, kMax};
  Bench bench;
  bench.machine.UopWord(0) = EncodeUop(kShipped, {3, 5, 0});
  for (int code = 0; code < kAluOpcodeCount; ++code) {
    for (const int32_t a : values) {
      for (const int32_t b : values) {
        bench.machine.Accumulator(3)[9] = a;
        bench.machine.Accumulator(5)[9] = b;
        const auto op = static_cast<AluOpcode>(code);
        ASSERT_TRUE(bench.Execute(AluRegister(op)));
        EXPECT_EQ(bench.machine.Accumulator(3)[9], Wide(op, a, b)) << ToString(op) << " " << a << " " << b;
        EXPECT_EQ(bench.machine.Accumulator(5)[9], b);
        EXPECT_EQ(bench.machine.Output(3)[9], static_cast<int8_t>(Wide(op, a, b)));
        if (b < -32768 || b > 32767) continue;
        bench.machine.Accumulator(3)[9] = a;
        ASSERT_TRUE(bench.Execute(AluImmediate(op, b)));
        EXPECT_EQ(bench.machine.Accumulator(3)[9], Wide(op, a, b)) << ToString(op) << " " << a << " " << b;
      }
    }
  }
}

TEST(Line03, EveryShift) {
  for (const int32_t value : {kMin, -12345678, -1, 0, 1, 12345678, kMax}) {
    for (int32_t amount = -40; amount <= 40; ++amount) {
      EXPECT_EQ(Shift(Profile::kReference, value, amount, 0), Wide(AluOpcode::kShr, value, amount));
      EXPECT_EQ(IsPortableShift(Profile::kReference, amount, amount), amount > -32 && amount < 32);
      // HLS keeps five bits with a sign, for registers and immediates.
      const int32_t five = (amount & 31) >= 16 ? (amount & 31) - 32 : amount & 31;
      EXPECT_EQ(Shift(Profile::kHls, value, amount, 0), Wide(AluOpcode::kShr, value, five));
      EXPECT_EQ(IsPortableShift(Profile::kHls, amount, 0), amount >= -16 && amount <= 15) << amount;
      // Chisel takes the direction from the immediate field, and five bits of the amount.
      EXPECT_EQ(Shift(Profile::kChisel, value, amount, 0), value >> (amount & 31));
      EXPECT_EQ(IsPortableShift(Profile::kChisel, amount, 0), amount >= 0 && amount <= 31) << amount;
      EXPECT_EQ(IsPortableShift(Profile::kChisel, amount, amount), amount > -32 && amount < 32) << amount;
      EXPECT_EQ(Shift(Profile::kChisel, value, amount, -1),
                Wide(AluOpcode::kShr, value, -((32 - (amount & 31)) & 31)));
    }
  }
}

TEST(Line03, ShiftsThatDifferAreWarned) {
  for (const Profile profile : kProfiles) {
    for (const int32_t amount : {8, 20, 32}) {
      Bench bench(kShipped, profile);
      bench.machine.UopWord(0) = EncodeUop(kShipped, {3, 5, 0});
      std::fill_n(bench.machine.Accumulator(5).data(), 16, amount);
      const bool differs = amount == 32 || (amount == 20 && profile == Profile::kHls);
      ASSERT_TRUE(bench.Execute(AluRegister(AluOpcode::kShr)));
      EXPECT_EQ(bench.Found(Issue::kShift), differs);
    }
  }
}

TEST(Line03, NoHardwareMultiplies) {
  for (const Profile profile : kProfiles) {
    Bench bench(kShipped, profile);
    EXPECT_EQ(bench.Execute(AluImmediate(AluOpcode::kMul, 3)), profile == Profile::kReference);
    EXPECT_EQ(bench.Found(Issue::kMul), profile != Profile::kReference);
  }
}

// Computes GEMM by plain loops, on copies of the memories.
TEST(Line04, ProductsAreThoseOfPlainLoops) {
  std::mt19937_64 random(4);
  for (const NamedConfig& named : kConfigs) {
    const Config& config = named.config;
    Bench bench(config);
    std::vector<Uop> uops(7);
    for (uint32_t i = 0; i < uops.size(); ++i) {
      uops[i] = {i % 5, static_cast<uint32_t>(random() % 9), static_cast<uint32_t>(random() % 9)};
      bench.machine.UopWord(i + 2) = EncodeUop(config, uops[i]);
    }
    Instruction gemm = {.opcode = Opcode::kGemm, .uop_bgn = 2, .uop_end = 9, .iter_out = 3, .iter_in = 2};
    gemm.dst_factor_out = 5, gemm.dst_factor_in = 1, gemm.src_factor_out = 2, gemm.src_factor_in = 3;
    gemm.wgt_factor_out = 4, gemm.wgt_factor_in = 1;
    std::vector<int64_t> expected = Contents(bench.machine, Memory::kAcc);
    const uint32_t batch = config.batch(), block = config.block();
    for (uint32_t o = 0; o < 3; ++o) {
      for (uint32_t i = 0; i < 2; ++i) {
        for (const Uop& uop : uops) {
          for (uint32_t b = 0; b < batch; ++b) {
            for (uint32_t j = 0; j < block; ++j) {
              int64_t& acc = expected[((uop.dst + 5 * o + i) * batch + b) * block + j];
              for (uint32_t k = 0; k < block; ++k) {
                acc += int64_t{bench.machine.Input(uop.src + 2 * o + 3 * i)[b * block + k]} *
                       bench.machine.Weights(uop.wgt + 4 * o + i)[j * block + k];
              }
              acc = static_cast<int32_t>(static_cast<uint32_t>(acc));
            }
          }
        }
      }
    }
    ASSERT_TRUE(bench.Execute(gemm)) << bench.LastText();
    EXPECT_EQ(Contents(bench.machine, Memory::kAcc), expected) << named.name;
    for (uint32_t lane = 0; lane < config.lanes(); ++lane) {
      EXPECT_EQ(bench.machine.Output(12)[lane], static_cast<int8_t>(bench.machine.Accumulator(12)[lane]));
    }
  }
}

TEST(Line04, SumsWrap) {
  Bench bench;
  std::fill_n(bench.machine.Input(0).data(), 16, int16_t{-128});
  std::fill_n(bench.machine.Weights(0).data(), 256, int16_t{-128});
  std::fill_n(bench.machine.Accumulator(0).data(), 16, kMax);
  ASSERT_TRUE(bench.Execute(Compute(Opcode::kGemm)));
  EXPECT_EQ(bench.machine.Accumulator(0)[0], kMin + 16 * 16384 - 1);
}

TEST(Line04, AResetShowsOutWhatTheProfileShows) {
  for (const Profile profile : kProfiles) {
    Bench bench(kShipped, profile);
    std::fill_n(bench.machine.Input(0).data(), 16, int16_t{1});
    std::fill_n(bench.machine.Weights(0).data(), 256, int16_t{2});
    std::fill_n(bench.machine.Accumulator(0).data(), 16, 300);
    std::fill_n(bench.machine.Output(0).data(), 16, int8_t{7});
    Instruction reset = Compute(Opcode::kGemm);
    reset.reset = 1;
    ASSERT_TRUE(bench.Execute(reset));
    EXPECT_EQ(bench.machine.Accumulator(0)[5], 0);
    const int expected[] = {0, static_cast<int8_t>(300 + 32), 7};
    EXPECT_EQ(bench.machine.Output(0)[5], expected[static_cast<int>(profile)]);
    EXPECT_EQ(bench.machine.IsFresh(0), profile == Profile::kReference);
  }
}

TEST(Line04, IndicesStayInsideOverTheWholeLoop) {
  using I = Instruction;
  const Uop corner = {2047 - 26, 2047 - 62, 1023 - 44};
  Instruction gemm = {.opcode = Opcode::kGemm, .uop_end = 1, .iter_out = 3, .iter_in = 5};
  gemm.dst_factor_out = 3, gemm.dst_factor_in = 5;
  gemm.src_factor_out = 7, gemm.src_factor_in = 12;
  gemm.wgt_factor_out = 10, gemm.wgt_factor_in = 6;
  Instruction alu = gemm;
  alu.opcode = Opcode::kAlu, alu.wgt_factor_out = alu.wgt_factor_in = 0;
  for (const Instruction& good : {gemm, alu}) {
    Bench bench;
    bench.machine.UopWord(0) = EncodeUop(kShipped, corner);
    EXPECT_TRUE(bench.Execute(good)) << bench.LastText();
    for (const auto change : {&I::iter_out, &I::iter_in, &I::dst_factor_out, &I::dst_factor_in,
                              &I::src_factor_out, &I::src_factor_in, &I::wgt_factor_out, &I::wgt_factor_in}) {
      const bool is_wgt = change == &I::wgt_factor_out || change == &I::wgt_factor_in;
      if (is_wgt && good.opcode == Opcode::kAlu) continue;
      Bench bad;
      bad.machine.UopWord(0) = EncodeUop(kShipped, corner);
      Instruction instruction = good;
      ++(instruction.*change);
      const std::vector<int64_t> before = Contents(bad.machine, Memory::kAcc);
      EXPECT_FALSE(bad.Execute(instruction));
      EXPECT_TRUE(bad.Found(Issue::kIndex)) << bad.LastText();
      EXPECT_EQ(Contents(bad.machine, Memory::kAcc), before);
    }
  }
}

TEST(Line04, EmptyLoopsDoNothing) {
  for (const Profile profile : kProfiles) {
    for (const Opcode opcode : {Opcode::kGemm, Opcode::kAlu}) {
      Bench bench(kShipped, profile);
      const std::vector<int64_t> before = Contents(bench.machine, Memory::kAcc);
      Instruction empty = Compute(opcode);
      empty.iter_in = 0;
      EXPECT_EQ(bench.Execute(empty), profile != Profile::kChisel) << "Chisel's would not end";
      EXPECT_EQ(Contents(bench.machine, Memory::kAcc), before);
      EXPECT_TRUE(bench.Found(Issue::kEmptyLoop));
      empty.iter_in = 1, empty.uop_end = 0;
      EXPECT_EQ(bench.Execute(empty), profile != Profile::kChisel);
    }
  }
}

TEST(Line04, ChiselHasFewerUops) {
  for (const Profile profile : kProfiles) {
    Bench bench(kShipped, profile);
    for (uint32_t i = 0; i < 8192; ++i) bench.machine.UopWord(i) = EncodeUop(kShipped, {i % 2048, 0, 0});
    EXPECT_TRUE(bench.Execute(Compute(Opcode::kGemm, 2048)));
    EXPECT_EQ(bench.Execute(Compute(Opcode::kGemm, 2049)), profile != Profile::kChisel);
  }
}

TEST(Line05, StoresCutOff) {
  const int32_t values[] = {127, 128, -128, -129, 255, 256, 200, kMin, kMax};
  const int expected[] = {127, -128, -128, 127, -1, 0, -56, 0, -1};
  Bench bench;
  for (size_t i = 0; i < 9; ++i) bench.machine.Accumulator(0)[i] = values[i];
  const auto base = static_cast<uint32_t>(bench.Noise(64) / 16);
  ASSERT_TRUE(bench.Execute(AluImmediate(AluOpcode::kAdd, 0)));
  const Instruction store = {
      .opcode = Opcode::kStore, .memory = Memory::kOut, .dram_base = base, .y_size = 1, .x_size = 1};
  ASSERT_TRUE(bench.Execute(store));
  for (size_t i = 0; i < 9; ++i) {
    EXPECT_EQ(static_cast<int8_t>(bench.dram.Bytes(base * uint64_t{16}, 16)[i]), expected[i]) << values[i];
  }
}

TEST(Line05, StoresAreDenseInSramAndStridedInDram) {
  Bench bench;
  const uint64_t address = bench.Noise(16 * 64);
  std::vector<uint8_t> expected(bench.dram.Bytes(address, 16 * 64).begin(),
                                bench.dram.Bytes(address, 16 * 64).end());
  Instruction store = {.opcode = Opcode::kStore, .memory = Memory::kOut, .sram_base = 5};
  store.dram_base = static_cast<uint32_t>(address / 16) + 1, store.y_size = 4, store.x_size = 3;
  store.x_stride = 10;
  for (uint32_t y = 0; y < 4; ++y) {
    for (uint32_t x = 0; x < 3; ++x) {
      for (uint32_t lane = 0; lane < 16; ++lane) {
        expected[(1 + y * 10 + x) * 16 + lane] =
            static_cast<uint8_t>(bench.machine.Output(5 + y * 3 + x)[lane]);
      }
    }
  }
  ASSERT_TRUE(bench.Execute(store));
  const Span<uint8_t> bytes = bench.dram.Bytes(address, 16 * 64);
  EXPECT_EQ(std::vector<uint8_t>(bytes.begin(), bytes.end()), expected);
}

TEST(Line06, AStoreOfWhatNobodyWroteIsFound) {
  for (const Profile profile : kProfiles) {
    Bench bench(kShipped, profile);
    const auto base = static_cast<uint32_t>(bench.Noise(4096) / 16);
    const Instruction store = {
        .opcode = Opcode::kStore, .memory = Memory::kOut, .dram_base = base, .y_size = 1, .x_size = 2};
    bench.machine.UopWord(1) = EncodeUop(kShipped, {1, 1, 0});
    EXPECT_TRUE(bench.Execute(AluImmediate(AluOpcode::kAdd, 1, 2)));
    EXPECT_TRUE(bench.Execute(store));
    EXPECT_FALSE(bench.Found(Issue::kStaleOut));
    // A load changes the accumulator but not the element that a STORE reads.
    const int8_t old = bench.machine.Output(1)[0];
    const Instruction load = {
        .memory = Memory::kAcc, .sram_base = 1, .dram_base = base / 4, .y_size = 1, .x_size = 1};
    EXPECT_TRUE(bench.Execute(load));
    EXPECT_TRUE(bench.Execute(store)) << "it is stored all the same";
    EXPECT_TRUE(bench.Found(Issue::kStaleOut));
    EXPECT_EQ(bench.LastText().find("instruction 3: stale OUT: found element 1"), 0u) << bench.LastText();
    EXPECT_EQ(static_cast<int8_t>(bench.dram.Bytes(base * uint64_t{16}, 32)[16]), old);
  }
}

TEST(Line06, NeighboursThatChangeOneAccumulatorAreFound) {
  const struct {
    std::vector<uint32_t> dst;
    uint32_t iter_out, iter_in, factor_out, factor_in;
    bool one, two;  // Within one micro-op of each other; within two.
  } cases[] = {{{0, 1, 2, 0}, 1, 1, 0, 0, false, false},
               {{0, 1, 1}, 1, 1, 0, 0, true, true},
               {{0, 1, 0}, 1, 1, 0, 0, false, true},
               {{0}, 1, 4, 0, 1, false, false},
               {{0}, 1, 2, 0, 0, true, true},
               {{0}, 2, 1, 0, 0, true, true},
               {{0}, 2, 2, 1, 1, true, true},
               {{0}, 2, 2, 0, 1, false, true},
               {{0, 1, 2}, 9, 9, 0, 0, false, false},
               {{0, 1}, 1, 3, 0, 0, false, true},
               {{0, 1}, 3, 1, 0, 0, false, true},
               {{0, 1}, 1, 3, 0, 1, true, true}};
  for (const auto& one : cases) {
    for (const Profile profile : kProfiles) {
      for (const Opcode opcode : {Opcode::kGemm, Opcode::kAlu}) {
        Bench bench(kSmall, profile);
        for (uint32_t i = 0; i < one.dst.size(); ++i)
          bench.machine.UopWord(i) = EncodeUop(kSmall, {one.dst[i], 0, 0});
        Instruction instruction = Compute(opcode, static_cast<uint32_t>(one.dst.size()));
        instruction.iter_out = one.iter_out, instruction.iter_in = one.iter_in;
        instruction.dst_factor_out = one.factor_out, instruction.dst_factor_in = one.factor_in;
        const bool is_chisel = profile == Profile::kChisel;
        const bool found = is_chisel ? one.one && opcode == Opcode::kAlu : one.two;
        EXPECT_EQ(bench.Execute(instruction), !(is_chisel && found));
        EXPECT_EQ(bench.Found(Issue::kAdjacentDst), found) << ::testing::PrintToString(one.dst);
      }
    }
  }
}

}  // namespace
}  // namespace lutra::vta::sim
