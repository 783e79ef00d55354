// SPDX-License-Identifier: Apache-2.0
// The simulator as a delegate's device. Its memory belongs to the arenas and is freed with them.

#include "delegates/vta/program/simulated_delegate.h"

#include "delegates/vta/driver/delegate.h"
#include "delegates/vta/program/options.h"
#include "delegates/vta/simulator/device.h"

namespace lutra::delegates {
namespace {

class SimulatedVta : public OwnedDelegate {
 public:
  explicit SimulatedVta(const lutra::vta::sim::Options& options)
      : device_(options.driver.config, {.finds_races = false}),
        state_{.options = options.driver, .device = device_.device(false), .partitions = options.partitions},
        table_(lutra::vta::MakeDelegate(&state_)) {}
  SimulatedVta(const SimulatedVta&) = delete;
  const Delegate& table() const override { return table_; }

 private:
  lutra::vta::sim::SimulatedDevice device_;
  lutra::vta::VtaDelegate state_;
  Delegate table_;
};

}  // namespace

std::vector<std::string> VtaSettings() { return lutra::vta::sim::OptionKeys(); }

std::unique_ptr<OwnedDelegate> MakeVta(const Settings& settings) {
  return std::make_unique<SimulatedVta>(lutra::vta::sim::ParseOptions(settings, "--delegate-options: vta: "));
}

}  // namespace lutra::delegates
