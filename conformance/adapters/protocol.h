// SPDX-License-Identifier: Apache-2.0
// Says how a runtime takes part: as a program that answers lines. An adapter needs no more than this:
//
//   int main() {
//     return lutra::conformance::ServeCases("my_runtime", "1.2.3", [](const std::filesystem::path& folder) {
//       // Read folder/model.tflite, folder/in0.bin, in1.bin..., folder/invokes (a number; that many
//       // inferences with the same inputs); write folder/out0.bin, out1.bin... of the last one.
//       return lutra::conformance::CaseAnswer{lutra::conformance::CaseAnswer::kOk, ""};
//     });
//   }
//
// The protocol, one line each way on stdin and stdout:
//
//   hello 1             hello 1 <name> <version>
//   case <id> <folder>  ok | unsupported <why> | refused <why> | error <why>
//   bye                 (the program ends)
//
// Standard C++ and nothing else, so that it can be copied beside any runtime.

#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace lutra::conformance {

struct CaseAnswer {
  enum Kind {
    kOk,
    kUnsupported,  // The runtime has no such operator, type or size.
    kRefused,      // It found the model to be wrong.
    kError,        // Anything else that kept it from running.
  };
  Kind kind = kOk;
  std::string why;
};

// Returns the program's exit code: 0 after "bye" or the end of input, 2 for a line that is none of these.
inline int ServeCasesById(
    const std::string& name, const std::string& version,
    const std::function<CaseAnswer(const std::string& id, const std::filesystem::path& folder)>& run) {
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string verb, id, folder;
    words >> verb;
    if (verb == "hello") {
      std::cout << "hello 1 " << name << " " << version << std::endl;
    } else if (verb == "case" && words >> id && std::getline(words >> std::ws, folder)) {
      CaseAnswer answer;
      try {
        answer = run(id, folder);
      } catch (const std::exception& error) {
        answer = {CaseAnswer::kError, error.what()};
      }
      for (char& c : answer.why) {
        if (c == '\n' || c == '\r') c = ' ';
      }
      const char* const kinds[] = {"ok", "unsupported ", "refused ", "error "};
      std::cout << kinds[answer.kind] << (answer.kind == CaseAnswer::kOk ? "" : answer.why) << std::endl;
    } else if (verb == "bye") {
      return 0;
    } else {
      std::cerr << name << ": not a line of the protocol: " << line << std::endl;
      return 2;
    }
  }
  return 0;
}

// ServeCasesById for a `run` that does not need the case's id.
inline int ServeCases(const std::string& name, const std::string& version,
                      const std::function<CaseAnswer(const std::filesystem::path& folder)>& run) {
  return ServeCasesById(
      name, version, [&run](const std::string&, const std::filesystem::path& folder) { return run(folder); });
}

inline std::vector<char> ReadCaseFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

// folder/in0.bin, in1.bin, ...
inline std::vector<std::vector<char>> ReadCaseInputs(const std::filesystem::path& folder) {
  std::vector<std::vector<char>> inputs;
  for (;;) {
    const auto path = folder / ("in" + std::to_string(inputs.size()) + ".bin");
    if (!std::filesystem::exists(path)) return inputs;
    inputs.push_back(ReadCaseFile(path));
  }
}

inline void WriteCaseOutput(const std::filesystem::path& folder, int index, const void* bytes, size_t count) {
  std::ofstream file(folder / ("out" + std::to_string(index) + ".bin"), std::ios::binary);
  file.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count));
  if (!file) throw std::runtime_error("cannot write an output in " + folder.string());
}

inline int ReadCaseInvokes(const std::filesystem::path& folder) {
  std::ifstream file(folder / "invokes");
  int invokes = 1;
  file >> invokes;
  return invokes;
}

}  // namespace lutra::conformance
