// SPDX-License-Identifier: Apache-2.0
// Reads pixmaps, and scales pictures by two taps in each direction.

#include "compressor/accuracy/pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace lutra::compressor {
namespace {

[[noreturn]] void RefusePicture(const std::string& file, const std::string& what) {
  throw host::BadInput(fmt::format("{}: {}", file, what));
}

// Reads the header of a portable pixmap: https://netpbm.sourceforge.net/doc/ppm.html. Numbers lie between
// white space and comments, which reach to the end of their line; one byte of white space ends the header.
class PixmapHeader {
 public:
  PixmapHeader(const host::AlignedBytes& file, const std::string& name) : file_(file), name_(name) {
    if (file.size() < 3 || file.data()[0] != 'P' || (file.data()[1] != '5' && file.data()[1] != '6')) {
      RefusePicture(name, "picture: found no P5 or P6 header, required: a .ppm file; convert the picture");
    }
    channels = file.data()[1] == '5' ? 1 : 3;
    at_ = 2;
    width = Number();
    height = Number();
    if (Number() != 255)
      RefusePicture(name, "picture: found other than 255 levels, required: 8 bits; convert the picture");
    ++at_;
  }
  size_t data_at() const { return at_; }

  int64_t channels = 0;
  int64_t width = 0;
  int64_t height = 0;

 private:
  int64_t Number() {
    const auto* bytes = file_.data();
    while (at_ < file_.size() && (std::isspace(bytes[at_]) != 0 || bytes[at_] == '#')) {
      if (bytes[at_] == '#') {
        while (at_ < file_.size() && bytes[at_] != '\n') ++at_;
      } else {
        ++at_;
      }
    }
    int64_t number = 0;
    const size_t first = at_;
    while (at_ < file_.size() && std::isdigit(bytes[at_]) != 0 && number < 1000000) {
      number = number * 10 + (bytes[at_++] - '0');
    }
    if (at_ == first || at_ >= file_.size())
      RefusePicture(name_, "picture: the header is cut short; convert the picture");
    return number;
  }

  const host::AlignedBytes& file_;
  const std::string& name_;
  size_t at_ = 0;
};

// The two input pixels around an output pixel, and the share of the second.
struct Tap {
  int64_t first = 0;
  int64_t second = 0;
  double share = 0;
};

std::vector<Tap> TapsOf(int64_t from, int64_t to) {
  std::vector<Tap> taps;
  for (int64_t i = 0; i < to; ++i) {
    const double middle =
        (static_cast<double>(i) + 0.5) * static_cast<double>(from) / static_cast<double>(to) - 0.5;
    const double place = std::clamp(middle, 0.0, static_cast<double>(from - 1));
    const auto first = static_cast<int64_t>(place);
    taps.push_back({first, std::min(first + 1, from - 1), place - static_cast<double>(first)});
  }
  return taps;
}

}  // namespace

Picture ReadPixmap(const std::string& name) {
  const host::AlignedBytes file = host::ReadFileBytes(name);
  const PixmapHeader header(file, name);
  Picture picture = {
      .height = header.height, .width = header.width, .channels = header.channels, .pixels = {}};
  const auto elements = static_cast<size_t>(header.channels * header.width * header.height);
  if (elements == 0 || file.size() - header.data_at() < elements)
    RefusePicture(name, "picture: the pixels are cut short; convert the picture");
  const uint8_t* const pixels = file.data() + header.data_at();
  picture.pixels.assign(pixels, pixels + elements);
  return picture;
}

std::vector<Picture> PicturesOf(const host::NpyArray& array) {
  const bool is_code = array.type == TensorType::kInt8;
  if (array.shape.size() != 4 || (!is_code && array.type != TensorType::kUInt8)) return {};
  Picture empty = {
      .height = array.shape[1], .width = array.shape[2], .channels = array.shape[3], .pixels = {}};
  const auto elements = static_cast<size_t>(empty.height * empty.width * empty.channels);
  std::vector<Picture> pictures(elements == 0 ? 0 : static_cast<size_t>(array.shape[0]), empty);
  const uint8_t* at = array.data;
  for (Picture& picture : pictures) {
    picture.pixels.assign(at, at + elements);
    at += elements;
    // Code -128 is black.
    for (uint8_t& pixel : picture.pixels) pixel = is_code ? pixel ^ 0x80 : pixel;
  }
  return pictures;
}

std::vector<double> Scaled(const Picture& picture, int64_t height, int64_t width, int64_t channels) {
  const std::vector<Tap> rows = TapsOf(picture.height, height), columns = TapsOf(picture.width, width);
  const auto pixel = [&](int64_t y, int64_t x, int64_t c) -> double {
    const int64_t channel = picture.channels == 1 ? 0 : c;
    return picture.pixels[static_cast<size_t>((y * picture.width + x) * picture.channels + channel)];
  };
  std::vector<double> values;
  values.reserve(static_cast<size_t>(height * width * channels));
  for (const Tap& y : rows) {
    for (const Tap& x : columns) {
      for (int64_t c = 0; c < channels; ++c) {
        const double above =
            pixel(y.first, x.first, c) * (1 - x.share) + pixel(y.first, x.second, c) * x.share;
        const double below =
            pixel(y.second, x.first, c) * (1 - x.share) + pixel(y.second, x.second, c) * x.share;
        values.push_back(above * (1 - y.share) + below * y.share);
      }
    }
  }
  return values;
}

}  // namespace lutra::compressor
