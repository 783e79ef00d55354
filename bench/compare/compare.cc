// SPDX-License-Identifier: Apache-2.0
// Times the runtimes in turns, and compares their outputs.

#include "bench/compare/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstring>

#include "bench/macs.h"
#include "host/environment.h"
#include "host/model_inputs.h"
#include "host/statistics.h"
#include "lutra/tensor_info.h"

namespace lutra::bench {
namespace {

// One runtime runs so long before the next has its turn.
constexpr int64_t kTurnNs = 4'000'000;
constexpr int kLeastRounds = 5;
// Shorter runs are timed many at a time, since reading the clock takes time, too.
constexpr int64_t kShortNs = 20'000;
constexpr int64_t kMostRunsInTurn = 100'000;

template <typename T>
T ElementAt(const Bytes& bytes, size_t i) {
  T value;
  std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}

double NumberAt(TensorType type, const Bytes& bytes, size_t i) {
  switch (type) {
    case TensorType::kFloat32:
      return ElementAt<float>(bytes, i);
    case TensorType::kInt32:
      return ElementAt<int32_t>(bytes, i);
    case TensorType::kInt16:
      return ElementAt<int16_t>(bytes, i);
    case TensorType::kInt64:
      return static_cast<double>(ElementAt<int64_t>(bytes, i));
    case TensorType::kInt8:
      return ElementAt<int8_t>(bytes, i);
    default:
      return bytes[i];
  }
}

void CompareOutput(TensorType type, const Bytes& first, const Bytes& other, OutputDifference* difference) {
  const auto size = static_cast<size_t>(std::max(1, ElementBytes(type)));
  for (size_t i = 0; i < first.size() / size; ++i) {
    ++difference->elements;
    if (std::memcmp(first.data() + i * size, other.data() + i * size, size) == 0) continue;
    ++difference->differs;
    const double distance = std::fabs(NumberAt(type, first, i) - NumberAt(type, other, i));
    if (std::isfinite(distance)) {
      difference->largest = std::max(distance, difference->largest.value_or(0));
    }
  }
}

// A runtime in a comparison.
struct Contender {
  Side* side;
  std::unique_ptr<Peer> peer;
  int64_t estimate_ns = 0;
  std::vector<int64_t> times;
  int64_t runs = 0;
};

// Says what is wrong with the outputs' number and sizes; empty: nothing.
std::string WrongShape(const std::vector<Bytes>& first, const std::vector<Bytes>& other) {
  if (other.size() != first.size()) {
    return fmt::format("found {} outputs, required {}", other.size(), first.size());
  }
  for (size_t i = 0; i < first.size(); ++i) {
    if (other[i].size() != first[i].size()) {
      return fmt::format("output {}: found {} bytes, required {}", i, other[i].size(), first[i].size());
    }
  }
  return "";
}

// Runs one inference and compares its outputs with `first`, which the first runtime fills.
void CheckOutputs(const host::ModelFile& file, const std::vector<Bytes>& inputs, bool is_first,
                  Contender* contender, std::vector<Bytes>* first) {
  contender->peer->Fill(inputs);
  contender->peer->Run();
  const std::vector<Bytes> outputs = contender->peer->Outputs();
  if (is_first) {
    *first = outputs;
    return;
  }
  if (const std::string wrong = WrongShape(*first, outputs); !wrong.empty()) {
    contender->side->is_wrong = true;
    throw Unfit(wrong);
  }
  OutputDifference& difference = contender->side->outputs.emplace();
  for (size_t i = 0; i < outputs.size(); ++i) {
    const TensorInfo info = file.model.tensor(0, file.model.outputs(0)[static_cast<int>(i)]);
    CompareOutput(info.type, (*first)[i], outputs[i], &difference);
  }
}

int64_t TimeOne(const std::vector<Bytes>& inputs, Peer* peer) {
  peer->Fill(inputs);
  const int64_t start_ns = host::NowNs();
  peer->Run();
  return host::NowNs() - start_ns;
}

void TakeTurn(const std::vector<Bytes>& inputs, Contender* contender) {
  Peer& peer = *contender->peer;
  const int64_t runs =
      std::clamp(kTurnNs / std::max<int64_t>(1, contender->estimate_ns), int64_t{1}, kMostRunsInTurn);
  contender->runs += runs;
  if (contender->estimate_ns >= kShortNs) {
    for (int64_t i = 0; i < runs; ++i) contender->times.push_back(TimeOne(inputs, &peer));
    return;
  }
  // Inputs are not filled again before each run: the time does not depend on the values in them.
  peer.Fill(inputs);
  const int64_t start_ns = host::NowNs();
  for (int64_t i = 0; i < runs; ++i) peer.Run();
  contender->times.push_back((host::NowNs() - start_ns) / runs);
}

// Prepares a runtime, checks its outputs, warms it up; null, with the side's error, if it does not take part.
std::unique_ptr<Contender> Enter(const host::ModelFile& file, const Runtime& runtime,
                                 const std::vector<Bytes>& inputs, bool is_first, Side* side,
                                 std::vector<Bytes>* first) {
  auto contender = std::make_unique<Contender>();
  contender->side = side;
  try {
    contender->peer = runtime.prepare(file, inputs);
    CheckOutputs(file, inputs, is_first, contender.get(), first);
    contender->estimate_ns = TimeOne(inputs, contender->peer.get());
    for (int i = 0; i < 2; ++i) {
      contender->estimate_ns = std::min(contender->estimate_ns, TimeOne(inputs, contender->peer.get()));
    }
    return contender;
  } catch (const Unfit& unfit) {
    side->error = unfit.what();
    return nullptr;
  }
}

void RunRounds(const std::vector<Bytes>& inputs, double seconds,
               std::vector<std::unique_ptr<Contender>>* contenders) {
  const int64_t start_ns = host::NowNs();
  // A round takes a turn's time at least, unless the clock stands still.
  const int most_rounds = host::ClockResolutionNs() > 0 ? INT_MAX : kLeastRounds;
  const auto is_over = [&](int round) {
    if (round < kLeastRounds) return false;
    return round >= most_rounds || static_cast<double>(host::NowNs() - start_ns) >= seconds * 1e9;
  };
  for (int round = 0; !is_over(round); ++round) {
    // The order is reversed, so that no runtime always follows the slowest.
    std::reverse(contenders->begin(), contenders->end());
    for (std::unique_ptr<Contender>& contender : *contenders) {
      if (contender->peer == nullptr) continue;
      try {
        TakeTurn(inputs, contender.get());
      } catch (const Unfit& unfit) {
        contender->side->error = unfit.what();
        contender->times.clear();
        contender->peer.reset();
      }
    }
  }
  for (const std::unique_ptr<Contender>& contender : *contenders) {
    if (contender->times.empty()) continue;
    contender->side->times = {.runs = contender->runs,
                              .min_ns = *std::min_element(contender->times.begin(), contender->times.end()),
                              .median_ns = host::Quantile(contender->times, 0.5)};
  }
}

}  // namespace

Comparison Compare(const host::ModelFile& file, const std::vector<Runtime>& runtimes,
                   const CompareOptions& options) {
  Comparison comparison = {.path = file.path, .bytes = static_cast<int64_t>(file.bytes.size())};
  for (int i = 0; i < file.model.node_count(0); ++i) comparison.macs += CountMacs(file.model, 0, i);
  const std::vector<Bytes> inputs = host::SeededInputs(file.model, options.seed);
  comparison.sides.resize(runtimes.size());
  std::vector<std::unique_ptr<Contender>> contenders;
  std::vector<Bytes> first;
  for (size_t i = 0; i < runtimes.size(); ++i) {
    Side& side = comparison.sides[i];
    side.name = runtimes[i].name;
    std::unique_ptr<Contender> contender = Enter(file, runtimes[i], inputs, i == 0, &side, &first);
    if (contender != nullptr) contenders.push_back(std::move(contender));
  }
  RunRounds(inputs, options.seconds, &contenders);
  return comparison;
}

}  // namespace lutra::bench
