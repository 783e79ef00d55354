// SPDX-License-Identifier: Apache-2.0
// The findings of a run, and the implementation of VTA that it follows.
//
// VTA has four implementations, which differ. A profile is the behaviour of one of them; if that is not
// sensible, the use is a Finding instead, an error or a warning.
//
//   reference  what the instruction set documents: TVM's functional simulator, with MUL and loads of 8 bits
//   hls        the C++ design for Xilinx's FPGAs
//   chisel     the RTL design

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lutra::vta::sim {

enum class Profile : uint8_t { kReference, kHls, kChisel };
inline constexpr const char* kProfileNames[] = {"reference", "hls", "chisel"};
inline constexpr int kProfileCount = 3;

enum class Issue : uint8_t {
  // These are wrong in every profile.
  kInstruction,    // It cannot be decoded, or breaks a rule by itself.
  kIndex,          // A micro-op reaches past the end of a memory.
  kDram,           // A transfer leaves the allocations.
  kFinish,         // Not exactly one FINISH, at the end.
  kFinishEarly,    // FINISH does not wait for the other modules.
  kDeadlock,       // No module can go on.
  kTokenLeak,      // Tokens are left.
  kTokenOverflow,  // More tokens wait than the hardware counts.
  kRace,           // Two modules access one element, and no token orders them.
  kTooLong,        // More micro-ops than this run may execute.
  // These depend on the profile.
  kStaleOut,     // STORE of an element that is not the low bytes of its accumulator.
  kAdjacentDst,  // Micro-ops that follow each other change one accumulator.
  kShift,        // A shift that another implementation computes differently.
  kEmptyLoop,    // A loop of no micro-op or no iteration.
  kMul,          // Neither hardware has it.
  kAcc8,         // Nor this.
  kPadding,      // HLS pads inputs and accumulators only,
  kUopRows,      // and loads one row of micro-ops.
  kUopDepth,     // Chisel's core has 2,048 micro-ops.
};
const char* ToString(Issue issue);

enum class Severity : uint8_t { kFine, kWarning, kError };
Severity SeverityOf(Issue issue, Profile profile);

struct Finding {
  Issue issue;
  Severity severity;
  uint32_t instruction;  // By its number in the stream.
  std::string text;      // One line.
};

inline constexpr uint32_t kNoInstruction = UINT32_MAX;

// The findings of a run. The first error ends it.
class Findings {
 public:
  explicit Findings(Profile profile) : profile_(profile) {}

  Profile profile() const { return profile_; }
  bool failed() const { return failed_; }
  const std::vector<Finding>& list() const { return list_; }
  // Counts all warnings; the list has each kind once for an instruction and an end.
  uint64_t warnings() const { return warnings_; }

  // Returns whether the profile reports the issue, so that texts are made only then.
  bool Wants(Issue issue) const { return SeverityOf(issue, profile_) != Severity::kFine; }
  // "instruction 7: stale OUT: found ..., required: ...; what next" from what follows the colon. Returns
  // whether the run can go on.
  bool Add(Issue issue, uint32_t instruction, const std::string& text);

 private:
  Profile profile_;
  bool failed_ = false;
  uint64_t warnings_ = 0;
  std::vector<Finding> list_;
};

}  // namespace lutra::vta::sim
