// SPDX-License-Identifier: Apache-2.0
// Tests single commands of the engine: registers, queue, errors, memories.

#include "compressor/gap9/engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <vector>

#include "compressor/gap9/testing.h"

namespace lutra::compressor::gap9 {
namespace {

TEST(Gap9Engine, ReadsTheHardwaresVector) {
  Bytes l2;
  for (uint32_t word : {0xCBC1EE7Eu, 0x60DCA4D6u, 0xF1FADE23u, 0x8B8E3966u, 0x0010C460u}) {
    Append(word, 4, &l2);
  }
  const Items items = {30, 19, 27, 3,  28, 5,  27, 26, 4,  5,  23, 1,  22, 17, 24,
                       27, 26, 15, 28, 13, 22, 28, 24, 17, 11, 4,  24, 8,  12, 8};
  const Configuration conf{.element_bytes = 2, .item_width = 5, .items = 30};
  EXPECT_EQ(Decompressed(conf, l2), ElementBytesOf(items, 2));

  Bytes l1 = ElementBytesOf(items, 2);
  Bytes packed(20, 0);
  Engine engine(Memory(l1), Memory(packed));
  Command command;
  Configuration pack = conf;
  pack.direction = Direction::kCompress;
  command.conf = pack.Word();
  engine.Push(&command);
  engine.Run();
  EXPECT_EQ(engine.bits_read(), 150u);
  l2[18] &= 0x3F;  // The test's data continue after the 30 items.
  l2[19] = 0;
  EXPECT_EQ(packed, l2);
}

TEST(Gap9Engine, ReadsSmallVectors) {
  EXPECT_EQ(Decompressed({.element_bytes = 1, .item_width = 3, .items = 8}, {0xD1, 0x58, 0x1F}),
            (Bytes{1, 2, 3, 4, 5, 6, 7, 0}));
  EXPECT_EQ(Decompressed({.element_bytes = 1, .item_width = 3, .sign_extend = true, .items = 8},
                         {0xD1, 0x58, 0x1F}),
            (Bytes{1, 2, 3, 0xFC, 0xFD, 0xFE, 0xFF, 0}));

  const uint16_t lut[] = {0x0102, 0x8304, 0x0506, 0x0708};
  Command command{.lut = lut, .lut_size = 4, .update_lut = true};
  EXPECT_EQ(
      Decompressed({.mode = Mode::kLut, .element_bytes = 2, .item_width = 2, .items = 4}, {0xE4}, command),
      (Bytes{2, 1, 4, 0x83, 6, 5, 8, 7}));
  Configuration sparse{.mode = Mode::kSparseLut, .element_bytes = 1, .item_width = 2, .items = 6};
  EXPECT_EQ(Decompressed(sparse, {0xCA, 0x0E}, command), (Bytes{0xBA, 6, 0xBA, 0xBA, 4, 8}));
  sparse.start_bit = 5;
  EXPECT_EQ(Decompressed(sparse, {0x40, 0xD9, 0x01}, command), (Bytes{0xBA, 6, 0xBA, 0xBA, 4, 8}));
  sparse.start_byte = 3;
  sparse.element_bytes = 2;
  sparse.items = 2;
  EXPECT_EQ(Decompressed(sparse, {0xFF, 0xFF, 0xFF, 0x40, 0xD9, 0x01}, command), (Bytes{0xBA, 0xAB, 6, 5}));
}

TEST(Gap9Engine, ConfigurationIsTheRegister) {
  const Configuration conf{.mode = Mode::kSparseLut,
                           .element_bytes = 2,
                           .item_width = 21,
                           .sign_extend = true,
                           .start_bit = 5,
                           .start_byte = 2,
                           .direction = Direction::kCompress,
                           .items = 0xBEEF};
  EXPECT_EQ(conf.Word(), 0xBEEFu << 16 | 2u << 14 | 1u << 13 | 5u << 10 | 1u << 9 | 21u << 4 | 1u << 2 | 2u);
  for (int bit = 0; bit < 32; ++bit) {
    const uint32_t word = conf.Word() ^ 1u << bit;
    const uint32_t mode_3_is_t3 = (word & 3) == 3 ? word - 1 : word;
    EXPECT_EQ(Configuration::Parse(word).Word(), mode_3_is_t3) << bit;
  }
  EXPECT_EQ(Configuration().Word(), kResetConfiguration);
  EXPECT_EQ(Configuration::Parse(8).element_bytes, 0);
  EXPECT_EQ(Configuration::Parse(8).Word() >> 2 & 3, 2u);

  Configuration placed;
  uint32_t l2_address = 0;
  placed.SetL2Address(0x1007, &l2_address);
  EXPECT_EQ(l2_address, 0x1004u);
  EXPECT_EQ(placed.start_byte, 3);
}

TEST(Gap9Engine, RunsAQueueInOrder) {
  Bytes l1(10 * 4, kUntouched);
  Bytes l2 = {0x21, 0x43, 0, 0};
  Engine engine(Memory(l1), Memory(l2));
  std::vector<Command> commands(10);
  for (uint32_t i = 0; i < 10; ++i) {
    commands[i].l1_address = 4 * i;
    commands[i].conf = Configuration{.element_bytes = 1, .item_width = 4, .items = 4}.Word();
    engine.Push(&commands[i]);
  }
  commands[3].l2_address = 4;  // This command fails; those after it still run.
  EXPECT_FALSE(commands[0].done);
  engine.Run();
  for (uint32_t i = 0; i < 10; ++i) {
    EXPECT_TRUE(commands[i].done);
    EXPECT_EQ(commands[i].error, i == 3 ? Error::kL2Range : Error::kNone);
    EXPECT_EQ(l1[4 * i], i == 3 ? kUntouched : 1);
    EXPECT_EQ(l1[4 * i + 3], i == 3 ? kUntouched : 4);
  }
  EXPECT_EQ(engine.traffic().commands, 9u);
  EXPECT_EQ(engine.traffic().failed, 1u);
  engine.Push(&commands[0]);
  EXPECT_FALSE(commands[0].done);
  engine.Run();
  EXPECT_TRUE(commands[0].done);
}

TEST(Gap9Engine, KeepsLutAndRowsUntilTold) {
  Bytes l1(4, 0);
  Bytes l2 = {0xE4, 0, 0, 0};
  Engine engine(Memory(l1), Memory(l2));
  const uint16_t lut[] = {9, 8, 7, 6};
  const uint16_t other[] = {1, 2};
  Command command{
      .conf = Configuration{.mode = Mode::kLut, .element_bytes = 1, .item_width = 2, .items = 4}.Word()};
  const auto run = [&] {
    engine.Push(&command);
    engine.Run();
    return command.error;
  };
  command.lut = lut;
  command.lut_size = 4;
  command.update_lut = true;
  EXPECT_EQ(run(), Error::kNone);
  EXPECT_EQ(l1, (Bytes{9, 8, 7, 6}));
  command.lut = other;
  command.update_lut = false;
  run();
  EXPECT_EQ(l1, (Bytes{9, 8, 7, 6}));
  command.lut_size = 2;
  command.update_lut = true;
  run();
  EXPECT_EQ(l1, (Bytes{1, 2, 7, 6}));
  command.update_lut = false;
  engine.WriteLut(3, 0x1FF);
  run();
  EXPECT_EQ(l1, (Bytes{1, 2, 7, 0xFF}));
  EXPECT_EQ(engine.traffic().lut_entries, 6u);
  engine.Reset();
  run();
  EXPECT_EQ(l1, (Bytes{0, 0, 0, 0}));

  command = Command{.conf = Configuration{.element_bytes = 1, .item_width = 2, .items = 2}.Word(),
                    .transfer = Transfer::k2dL2,
                    .l2_rows = {0, 1},
                    .update_l2_rows = true};
  run();
  EXPECT_EQ(l1, (Bytes{0, 2, 0, 0}));
  command.l2_rows = {0, 2};
  command.update_l2_rows = false;
  run();
  EXPECT_EQ(l1, (Bytes{0, 2, 0, 0}));
  command.update_l2_rows = true;
  run();
  EXPECT_EQ(l1, (Bytes{0, 3, 0, 0}));
}

TEST(Gap9Engine, CountsWhatItMoves) {
  Bytes l1(32, 0);
  Bytes l2(16, 0);
  Engine engine(Memory(l1), Memory(l2));
  Command linear{.conf =
                     Configuration{.element_bytes = 2, .item_width = 5, .start_bit = 7, .items = 10}.Word()};
  engine.Push(&linear);
  // There are two rows of 3 items, 9 bits each: one in bytes 0 and 1, one in bytes 2 and 3.
  Command rows{.conf = Configuration{.element_bytes = 1, .item_width = 3, .items = 6}.Word(),
               .transfer = Transfer::k2dL2,
               .l2_rows = {2, 5},
               .update_l2_rows = true};
  engine.Push(&rows);
  engine.Run();
  EXPECT_EQ(engine.bits_read(), 18u);
  EXPECT_EQ(engine.traffic().items, 16u);
  EXPECT_EQ(engine.traffic().l2_bits, 50u + 18u);
  EXPECT_EQ(engine.traffic().l2_bytes, 8u + 4u);
  EXPECT_EQ(engine.traffic().l1_bytes, 20u + 6u);
}

TEST(Gap9Engine, HandlesAnIllegalWidthLikeOneBit) {
  Bytes l2 = {0b10100110, 0, 0, 0};
  const Bytes bits = {0, 1, 1, 0, 0, 1, 0, 1};
  EXPECT_EQ(Decompressed({.element_bytes = 1, .item_width = 0, .items = 8}, l2), bits);
  const uint16_t lut[] = {0, 1};
  const Command command{.lut = lut, .lut_size = 2, .update_lut = true};
  for (uint8_t width = 16; width < 32; ++width) {
    EXPECT_EQ(
        Decompressed({.mode = Mode::kLut, .element_bytes = 1, .item_width = width, .items = 8}, l2, command),
        bits);
  }
  Command checked{.conf = Configuration{.item_width = 0}.Word()};
  EXPECT_EQ(Check(checked), Error::kWidth);
  checked.conf = Configuration{.item_width = 31}.Word();
  EXPECT_EQ(Check(checked), Error::kNone);
  checked.conf = Configuration{.mode = Mode::kLut, .item_width = 16}.Word();
  EXPECT_EQ(Check(checked), Error::kWidth);
}

TEST(Gap9Engine, NamesEveryError) {
  Bytes l1(8, kUntouched);
  Bytes l2(8, 0xFF);
  Engine engine(Memory(l1), Memory(l2));
  const auto run = [&](Command command) {
    engine.Push(&command);
    engine.Run();
    return command.error;
  };
  const uint16_t lut[] = {1};
  const Configuration four{.element_bytes = 1, .item_width = 4, .items = 8};
  const auto word = [&](auto change) {
    Configuration conf = four;
    change(conf);
    return conf.Word();
  };
  EXPECT_EQ(run({.conf = four.Word()}), Error::kNone);

  const Command reserved{.conf = 8};
  EXPECT_EQ(run(reserved), Error::kExtension);
  EXPECT_EQ(Check(reserved), Error::kExtension);
  const uint32_t in_lut = word([](auto& conf) { conf.mode = Mode::kLut; });
  for (const Command& command :
       {Command{.conf = in_lut, .lut_size = 1, .update_lut = true},
        Command{.conf = in_lut, .lut = lut, .update_lut = true},
        Command{.conf = four.Word(), .lut = lut, .lut_size = 1, .update_lut = true}}) {
    EXPECT_EQ(Check(command), Error::kLut);
  }
  EXPECT_EQ(run({.conf = in_lut, .lut_size = 1, .update_lut = true}), Error::kLut);

  const uint32_t pack = word([](auto& conf) { conf.direction = Direction::kCompress; });
  EXPECT_EQ(run({.conf = pack, .transfer = Transfer::k2dL1}), Error::kTransfer);
  EXPECT_EQ(run({.conf = in_lut, .transfer = Transfer::k2dL2}), Error::kTransfer);
  EXPECT_EQ(run({.conf = pack | in_lut}), Error::kTransfer);
  const Command reserved_transfer{.conf = four.Word(), .transfer = static_cast<Transfer>(3)};
  EXPECT_EQ(run(reserved_transfer), Error::kTransfer);
  EXPECT_EQ(Check(reserved_transfer), Error::kTransfer);
  EXPECT_EQ(
      run({.conf = four.Word(), .transfer = Transfer::k2dL2, .l2_rows = {2, 1}, .update_l2_rows = true}),
      Error::kStride);
  EXPECT_EQ(run({.l2_address = 2, .conf = four.Word()}), Error::kL2Address);

  std::fill(l1.begin(), l1.end(), kUntouched);
  EXPECT_EQ(run({.l1_address = 1, .conf = four.Word()}), Error::kL1Range);
  EXPECT_EQ(run({.l1_address = UINT32_MAX, .conf = four.Word()}), Error::kL1Range);
  EXPECT_EQ(run({.l2_address = 8, .conf = four.Word()}), Error::kL2Range);
  EXPECT_EQ(run({.l2_address = UINT32_MAX - 3, .conf = four.Word()}), Error::kL2Range);
  EXPECT_EQ(run({.l2_address = 4, .conf = word([](auto& conf) { conf.start_bit = 1; })}), Error::kL2Range);
  EXPECT_EQ(l1, Bytes(8, kUntouched));
  EXPECT_EQ(run({.l2_address = 4, .conf = four.Word()}), Error::kNone);
  // Eight flags with an index of four bits each are 40 bits.
  const uint32_t sparse = word([](auto& conf) { conf.mode = Mode::kSparseLut; });
  EXPECT_EQ(run({.l2_address = 4, .conf = sparse}), Error::kL2Range);
  EXPECT_EQ(run({.l2_address = 0, .conf = sparse}), Error::kNone);
  std::fill(l2.begin(), l2.end(), uint8_t{0});
  const uint32_t five = word([](auto& conf) {
    conf.mode = Mode::kSparseLut;
    conf.start_byte = 3;
    conf.start_bit = 4;
    conf.items = 5;
  });
  EXPECT_EQ(run({.l2_address = 4, .conf = five}), Error::kL2Range);
  EXPECT_EQ(run({.l2_address = 0, .conf = five}), Error::kNone);
  EXPECT_EQ(run({.l1_address = 1000, .l2_address = 1000, .conf = kResetConfiguration}), Error::kNone);
  for (int error = 0; error <= static_cast<int>(Error::kL2Range); ++error) {
    EXPECT_STRNE(ToString(static_cast<Error>(error)), "unknown");
  }
}

TEST(Gap9Engine, StaysInsideItsMemories) {
  std::mt19937 random(5);
  const uint16_t lut[] = {1, 2, 3};
  int failed = 0;
  for (int round = 0; round < 20000; ++round) {
    // The memories have exactly their sizes, so that a sanitizer sees an access to the first byte after them.
    Bytes l1(random() % 200);
    Bytes l2(random() % 64);
    for (uint8_t& byte : l2) byte = static_cast<uint8_t>(random());
    Engine engine(Memory(l1), Memory(l2));
    Command command;
    command.l1_address = random() % 200 >> random() % 8;
    command.l2_address = (random() % 64 >> random() % 8) & (random() % 8 == 0 ? ~0u : ~3u);
    command.conf = (random() & 0xFFFF) | (random() % 40) << 16;
    if (random() % 2 == 0) command.conf &= ~0x2003u;  // Clears the bits of T1 and of decompression.
    command.transfer = static_cast<Transfer>(random() % 4 * (random() % 2));
    command.l2_rows = {static_cast<uint16_t>(random() % 5), static_cast<uint16_t>(random() % 8)};
    command.l1_rows = {static_cast<uint16_t>(random() % 5), static_cast<uint16_t>(random() % 8)};
    command.update_l2_rows = command.update_l1_rows = true;
    command.lut = lut;
    command.lut_size = static_cast<uint8_t>(random() % 4);
    command.update_lut = command.lut_size > 0;
    engine.Push(&command);
    engine.Run();
    ASSERT_TRUE(command.done);
    failed += command.error != Error::kNone;
  }
  EXPECT_GT(failed, 5000);
  EXPECT_LT(failed, 18500);
  printf("%d of 20000 refused\n", failed);
}

}  // namespace
}  // namespace lutra::compressor::gap9
