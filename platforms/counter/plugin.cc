// SPDX-License-Identifier: Apache-2.0
// A plugin of QEMU's code generator: counts the instructions, loads and stores that the emulated program
// executes between the markers of marks.h. For one processor and one thread; the same run gives the same
// counts.
//
//   qemu-... -plugin counter.so,begin=0x81d4,end=0x81d8,out=counts.txt[,vector=addresses.txt] ...
//
// begin, end: addresses of the two markers' first instructions (count.sh finds them). A region goes from one
// to the other, both first instructions left out; regions may nest. vector: a file of addresses of
// instructions, hexadecimal, one a line; how often one of these was executed is a count of its own. When the
// emulator ends, `out` has the lines
//
//   region 0 depth 0 instructions 1200 loads 310 stores 40      in the order in which the regions began
//   program regions 1 open 0 unmatched 0 instructions 5021 loads 1204 stores 377
//
// open: begun and not ended, and not listed as a region; unmatched: ends without a beginning. A load or store
// is one access to memory: an instruction that loads four registers may count four. With vector=, the lines
// go on with `vector 95`.

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <string>
#include <vector>

// The part that is used of version 1 of QEMU's plugin interface, whose header Debian does not package.
extern "C" {
using qemu_plugin_id_t = uint64_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_info_t {
  const char* target_name;
  struct {
    int min;
    int cur;
  } version;
  bool system_emulation;
  struct {
    int smp_vcpus;
    int max_vcpus;
  } system;
};

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
                                           void (*callback)(qemu_plugin_id_t, qemu_plugin_tb*));
void qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_insn* instruction,
                                            void (*callback)(unsigned processor, void* user), int registers,
                                            void* user);
void qemu_plugin_register_vcpu_insn_exec_inline(qemu_plugin_insn* instruction, int operation, void* number,
                                                uint64_t operand);
void qemu_plugin_register_vcpu_mem_cb(qemu_plugin_insn* instruction,
                                      void (*callback)(unsigned processor, uint32_t access, uint64_t address,
                                                       void* user),
                                      int registers, int loads_or_stores, void* user);
bool qemu_plugin_mem_is_store(uint32_t access);
size_t qemu_plugin_tb_n_insns(const qemu_plugin_tb* block);
qemu_plugin_insn* qemu_plugin_tb_get_insn(const qemu_plugin_tb* block, size_t index);
uint64_t qemu_plugin_insn_vaddr(const qemu_plugin_insn* instruction);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, void (*callback)(qemu_plugin_id_t, void* user),
                                    void* user);

extern int qemu_plugin_version;
int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* info, int argument_count, char** arguments);
}

namespace {

constexpr int kNoRegisters = 0;
constexpr int kAddOperation = 0;
constexpr int kLoadsAndStores = 3;

struct Counts {
  uint64_t instructions = 0;
  uint64_t loads = 0;
  uint64_t stores = 0;
  uint64_t vectors = 0;
};

struct Region {
  Counts counts;  // Until the region ends, the program's counts at its begin.
  size_t depth = 0;
  bool ended = false;
};

struct State {
  Counts now;
  std::vector<Region> regions;
  std::vector<size_t> open_regions;
  unsigned unmatched_ends = 0;
  uint64_t begin_address = 0;
  uint64_t end_address = 0;
  std::string out_path;
  bool counts_vectors = false;
  std::vector<uint64_t> vector_addresses;  // Sorted.
};

// Never destroyed: QEMU calls WriteCounts after the destructors of static objects.
State& state = *new State;

void Begin(unsigned, void*) {
  state.open_regions.push_back(state.regions.size());
  state.regions.push_back({state.now, state.open_regions.size() - 1});
}

void End(unsigned, void*) {
  if (state.open_regions.empty()) {
    ++state.unmatched_ends;
    return;
  }
  Region& region = state.regions[state.open_regions.back()];
  state.open_regions.pop_back();
  region.ended = true;
  const Counts& begun = region.counts;
  region.counts = {state.now.instructions - begun.instructions, state.now.loads - begun.loads,
                   state.now.stores - begun.stores, state.now.vectors - begun.vectors};
}

void CountAccess(unsigned, uint32_t access, uint64_t, void*) {
  ++(qemu_plugin_mem_is_store(access) ? state.now.stores : state.now.loads);
}

// QEMU has read a block of instructions and is about to translate it.
void Instrument(qemu_plugin_id_t, qemu_plugin_tb* block) {
  const size_t count = qemu_plugin_tb_n_insns(block);
  for (size_t i = 0; i < count; ++i) {
    qemu_plugin_insn* const instruction = qemu_plugin_tb_get_insn(block, i);
    const uint64_t address = qemu_plugin_insn_vaddr(instruction);
    // QEMU runs calls before additions, so that neither region contains its marker's first instruction twice.
    if (address == state.begin_address)
      qemu_plugin_register_vcpu_insn_exec_cb(instruction, Begin, kNoRegisters, nullptr);
    if (address == state.end_address)
      qemu_plugin_register_vcpu_insn_exec_cb(instruction, End, kNoRegisters, nullptr);
    qemu_plugin_register_vcpu_insn_exec_inline(instruction, kAddOperation, &state.now.instructions, 1);
    if (std::binary_search(state.vector_addresses.begin(), state.vector_addresses.end(), address))
      qemu_plugin_register_vcpu_insn_exec_inline(instruction, kAddOperation, &state.now.vectors, 1);
    // There is an addition for accesses, too, but QEMU 7.2 confuses loads with stores in it.
    qemu_plugin_register_vcpu_mem_cb(instruction, CountAccess, kNoRegisters, kLoadsAndStores, nullptr);
  }
}

void Print(FILE* file, const Counts& counts) {
  fprintf(file, "instructions %llu loads %llu stores %llu",
          static_cast<unsigned long long>(counts.instructions), static_cast<unsigned long long>(counts.loads),
          static_cast<unsigned long long>(counts.stores));
  if (state.counts_vectors) fprintf(file, " vector %llu", static_cast<unsigned long long>(counts.vectors));
  fprintf(file, "\n");
}

void WriteCounts(qemu_plugin_id_t, void*) {
  FILE* const file = fopen(state.out_path.c_str(), "w");
  if (file == nullptr) {
    fprintf(stderr, "counter: cannot write %s\n", state.out_path.c_str());
    return;
  }
  for (size_t i = 0; i < state.regions.size(); ++i) {
    if (!state.regions[i].ended) continue;
    fprintf(file, "region %zu depth %zu ", i, state.regions[i].depth);
    Print(file, state.regions[i].counts);
  }
  fprintf(file, "program regions %zu open %zu unmatched %u ", state.regions.size(), state.open_regions.size(),
          state.unmatched_ends);
  Print(file, state.now);
  fclose(file);
}

bool ReadVectorAddresses(const char* path) {
  FILE* const file = fopen(path, "r");
  if (file == nullptr) return false;
  char line[32];
  while (fgets(line, sizeof line, file) != nullptr) {
    state.vector_addresses.push_back(strtoull(line, nullptr, 16));
  }
  fclose(file);
  std::sort(state.vector_addresses.begin(), state.vector_addresses.end());
  state.counts_vectors = true;
  return true;
}

}  // namespace

[[gnu::visibility("default")]] int qemu_plugin_version = 1;

[[gnu::visibility("default")]] int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* info,
                                                       int argument_count, char** arguments) {
  for (int i = 0; i < argument_count; ++i) {
    const std::string argument = arguments[i];
    const std::string name = argument.substr(0, argument.find('='));
    const char* const value = arguments[i] + (name.size() < argument.size() ? name.size() + 1 : name.size());
    if (name == "begin") {
      state.begin_address = strtoull(value, nullptr, 16);
    } else if (name == "end") {
      state.end_address = strtoull(value, nullptr, 16);
    } else if (name == "out") {
      state.out_path = value;
    } else if (name == "vector") {
      if (!ReadVectorAddresses(value)) {
        fprintf(stderr, "counter: cannot read %s\n", value);
        return 1;
      }
    } else {
      fprintf(stderr, "counter: no option '%s'\n", arguments[i]);
      return 1;
    }
  }
  if (state.out_path.empty() || state.begin_address == 0 || state.end_address == 0 ||
      state.begin_address == state.end_address) {
    fprintf(stderr, "counter: needs begin, end and out\n");
    return 1;
  }
  // The lowest bit of a Thumb function's address is not part of the address.
  if (strcmp(info->target_name, "arm") == 0) {
    state.begin_address &= ~uint64_t{1};
    state.end_address &= ~uint64_t{1};
  }
  qemu_plugin_register_vcpu_tb_trans_cb(id, Instrument);
  qemu_plugin_register_atexit_cb(id, WriteCounts, nullptr);
  return 0;
}
