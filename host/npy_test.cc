// SPDX-License-Identifier: Apache-2.0
// Tests arrays as NumPy writes them, and damaged ones.

#include "host/npy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "host/testing/scratch_folder.h"

namespace lutra::host {
namespace {

std::string WriteNpy(const std::string& header, const std::string& data,
                     const std::string& magic = "\x93NUMPY\x01") {
  static const ScratchFolder folder;
  const std::string path = folder / "array.npy";
  std::ofstream file(path, std::ios::binary);
  file << magic << '\0' << static_cast<char>(header.size() & 255) << static_cast<char>(header.size() >> 8)
       << header << data;
  return path;
}

TEST(Npy, ReadsTypesAndShapes) {
  const std::string path = WriteNpy("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }",
                                    std::string("\1\0\2\0\3\0\4\0\5\0\xFF\xFF", 12));
  const NpyArray array = ReadNpy(path);
  EXPECT_EQ(array.type, TensorType::kInt16);
  EXPECT_EQ(array.shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(array.At(2), 3);
  EXPECT_EQ(array.At(5), -1);
}

TEST(Npy, ReadsTheBundledData) {
  const NpyArray inputs =
      ReadNpy(std::filesystem::path(LUTRA_SOURCE_DIR) / "models/kws.validation.inputs.npy");
  EXPECT_EQ(inputs.type, TensorType::kInt8);
  EXPECT_EQ(inputs.shape[0], 1000);
  EXPECT_EQ(inputs.bytes, 1000u * 490);
}

TEST(Npy, RefusesWhatItCannotRead) {
  const std::string good = "{'descr': '|i1', 'fortran_order': False, 'shape': (2,), }";
  EXPECT_NO_THROW(ReadNpy(WriteNpy(good, "ab")));
  EXPECT_THROW(ReadNpy(WriteNpy(good, "a")), BadInput) << "too short";
  EXPECT_THROW(ReadNpy(WriteNpy(good, "ab", "\x93NUMPX\x01")), BadInput);
  EXPECT_THROW(ReadNpy(WriteNpy(good, "ab", "\x93NUMPY\x09")), BadInput) << "version";
  EXPECT_THROW(ReadNpy(WriteNpy("{'descr': '>i4', 'fortran_order': False, 'shape': (0,), }", "")), BadInput);
  EXPECT_THROW(ReadNpy(WriteNpy("{'descr': '|i1', 'fortran_order': True, 'shape': (2,), }", "ab")), BadInput);
  EXPECT_THROW(ReadNpy(WriteNpy(
                   "{'descr': '|i1', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", "ab")),
               BadInput);
  EXPECT_THROW(ReadNpy("/no/such/file.npy"), BadInput);
}

NpyArray Parse(const std::string& file) {
  AlignedBytes bytes(file.size());
  std::copy(file.begin(), file.end(), bytes.data());
  return ParseNpy(std::move(bytes), "memory");
}

TEST(Npy, NeedsNoStackForALongHeader) {
  const std::string file =
      std::string("\x93NUMPY\x02\0\0\0\x10\0", 12) + "{'descr': '" + std::string(1 << 20, 'x');
  EXPECT_THROW(Parse(file), BadInput);
}

TEST(Npy, TakesNoNumberForTwo) {
  const auto with_shape = [](const std::string& shape) {
    const std::string header = "{'descr': '|i1', 'fortran_order': False, 'shape': " + shape + ", }";
    return std::string("\x93NUMPY\x01\0", 8) + static_cast<char>(header.size()) + '\0' + header + "abcdef";
  };
  EXPECT_EQ(Parse(with_shape("(2, 3)")).shape, (std::vector<int64_t>{2, 3}));
  EXPECT_TRUE(Parse(with_shape("()")).shape.empty());
  EXPECT_THROW(Parse(with_shape("(0000000000000000020000000000000000003,)")), BadInput);
  EXPECT_THROW(Parse(with_shape("(-2,)")), BadInput);
}

}  // namespace
}  // namespace lutra::host
