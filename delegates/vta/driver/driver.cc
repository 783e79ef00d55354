// SPDX-License-Identifier: Apache-2.0
// Memory of the driver, and layouts.

#include "delegates/vta/driver/driver.h"

#include <string.h>

namespace lutra::vta {
namespace {

// Kernels of micro-ops that a stream remembers at most.
constexpr uint64_t kKernels = 2048;
// Indices of elements have 32 bits, those of micro-ops bytes / 4.
constexpr uint64_t kMostDramBytes = uint64_t{1} << 32;

// Calls copy(offset in the image, plain offset, channels) for each pixel of each existing lane.
template <typename Copy>
void ForEachPixel(const Config& config, const Image& image, const Copy& copy) {
  const uint32_t block = config.block(), blocks = image.Blocks(config);
  for (uint32_t lane = 0; lane < image.groups * config.batch(); ++lane) {
    const uint32_t group = lane / config.batch(), in_group = lane % config.batch();
    for (uint32_t b = 0; b < blocks; ++b) {
      const uint64_t plane = uint64_t{group} * blocks + b;
      const uint32_t channels = Least(block, image.channels - b * block);
      for (uint32_t y = 0; y < image.height; ++y) {
        uint64_t plain =
            image.LaneOffset(lane) + y * image.row_stride + uint64_t{b} * block * image.channel_stride;
        uint64_t element = (plane * image.rows + image.top + y) * image.columns + image.left;
        for (uint32_t x = 0; x < image.width; ++x, ++element, plain += image.column_stride) {
          if (plain >= image.count) break;
          copy((element * config.batch() + in_group) * block, plain, channels);
        }
      }
    }
  }
}

}  // namespace

uint64_t Image::LaneOffset(uint32_t lane) const {
  if (outer_count == 0) return lane * lane_stride;
  uint64_t offset = 0;
  for (uint32_t i = outer_count; i-- > 0; lane /= outer[i].size) {
    offset += lane % outer[i].size * outer[i].stride;
  }
  return offset;
}

Status PrepareDriver(Driver& driver) {
  LUTRA_TRY(AllocateArray(driver, driver.config().Depth(Memory::kUop), &driver.recorded));
  return AllocateArray(driver, kKernels, &driver.kernels);
}

Status AllocateDram(const Driver& driver, uint64_t bytes, DramBuffer* buffer) {
  if (bytes > kMostDramBytes) return Status::kUnsupported;
  // An allocation of 0 bytes has an address, too.
  const uint64_t size = bytes == 0 ? 1 : bytes;
  if (driver.device.allocate != nullptr) {
    LUTRA_TRY(driver.device.allocate(driver.device.user, size, buffer));
  } else {
    void* memory = nullptr;
    LUTRA_TRY(driver.memory.allocate(driver.memory.user, size, &memory));
    *buffer = {static_cast<uint8_t*>(memory), size, 0};
    LUTRA_TRY(driver.device.map(driver.device.user, buffer));
  }
  return buffer->address % kDramAlignment == 0 ? Status::kOk : Status::kInvalidArgument;
}

Image ImageOfNhwc(const Config& config, uint32_t images, uint32_t height, uint32_t width, uint32_t channels) {
  Image image = {.groups = (images + config.batch() - 1) >> config.log_batch,
                 .height = height,
                 .width = width,
                 .channels = channels,
                 .rows = height,
                 .columns = width};
  image.column_stride = channels;
  image.row_stride = uint64_t{width} * channels;
  image.lane_stride = height * image.row_stride;
  image.count = images * image.lane_stride;
  return image;
}

Image ImageOfRows(const Config& config, uint32_t count, uint32_t channels) {
  const uint32_t width = (count + config.batch() - 1) >> config.log_batch;
  Image image = {.width = width, .channels = channels, .columns = width};
  image.lane_stride = channels;
  image.column_stride = uint64_t{channels} << config.log_batch;
  image.count = uint64_t{count} * channels;
  return image;
}

void WidenImage(Image& image, uint32_t top, uint32_t left, uint32_t bottom, uint32_t right) {
  const uint32_t below = image.rows - image.top, after = image.columns - image.left;
  image.top = Most(top, image.top);
  image.left = Most(left, image.left);
  image.rows = image.top + Most(bottom, below);
  image.columns = image.left + Most(right, after);
}

Status AllocateImage(const Driver& driver, Image* image) {
  const Config& config = driver.config();
  const uint64_t plane = uint64_t{image->rows} * image->columns;
  const uint64_t planes = uint64_t{image->groups} * image->Blocks(config);
  const uint64_t element = config.ElementBytes(image->memory());
  // Each factor is below 2^32: the quotient says whether the product fits.
  if (plane > kMostDramBytes || planes > kMostDramBytes / element / (plane == 0 ? 1 : plane)) {
    return Status::kUnsupported;
  }
  LUTRA_TRY(AllocateDram(driver, planes * plane * element, &image->buffer));
  memset(image->buffer.bytes, static_cast<uint8_t>(image->fill), static_cast<size_t>(image->buffer.size));
  return Status::kOk;
}

void PackImage(const Config& config, const Image& image, const int8_t* plain) {
  ForEachPixel(config, image, [&](uint64_t at, uint64_t offset, uint32_t channels) {
    const int8_t* const from = plain + offset;
    if (image.table != nullptr) {
      uint8_t* const to = image.buffer.bytes + 4 * at;
      for (uint32_t c = 0; c < channels; ++c) {
        StoreWord(to + 4 * c, static_cast<uint32_t>(image.table[from[c * image.channel_stride] + 128]));
      }
    } else if (image.channel_stride == 0) {
      memset(image.buffer.bytes + at, static_cast<uint8_t>(*from), channels);
    } else {
      memcpy(image.buffer.bytes + at, from, channels);
    }
  });
}

void UnpackImage(const Config& config, const Image& image, int8_t* plain) {
  ForEachPixel(config, image, [&](uint64_t at, uint64_t offset, uint32_t channels) {
    memcpy(plain + offset, image.buffer.bytes + at, channels);
  });
}

}  // namespace lutra::vta
