// SPDX-License-Identifier: Apache-2.0
// A shared library with the functions of LiteRT's C API that compare_runtimes calls, but no runtime: a model
// of one input and one output of 4 bytes, which are the input's plus one. The environment variable
// LUTRA_FAKE_LIE names the rule that it breaks.

#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace {

char input[4], output[4];
// Handles point to this.
char thing;

bool Lies(const char* how) {
  const char* const lie = std::getenv("LUTRA_FAKE_LIE");
  return lie != nullptr && std::strcmp(lie, how) == 0;
}
int Make(void** handle, const char* failing = "never") {
  *handle = &thing;
  return Lies(failing) ? 3 : 0;
}

}  // namespace

extern "C" {

int LiteRtCreateEnvironment(int, const void*, void** made) { return Make(made, "environment"); }
int LiteRtCreateModelFromBuffer(void*, const void*, size_t, void** made) { return Make(made, "model"); }
int LiteRtCreateOptions(void** made) { return Make(made); }
int LiteRtSetOptionsHardwareAccelerators(void*, int) { return 0; }
int LiteRtCreateOpaqueOptions(const char*, void* payload, void (*destroy)(void*), void** made) {
  destroy(payload);
  return Make(made);
}
int LiteRtAddOpaqueOptions(void*, void*) { return 0; }
int LiteRtCreateCompiledModel(void*, void*, void*, void** made) { return Make(made, "compiled"); }
int LiteRtGetModelSignature(void*, size_t, void** found) { return Make(found); }
int LiteRtGetNumSignatureInputs(void*, size_t* count) {
  *count = Lies("inputs") ? 2 : 1;
  return 0;
}
int LiteRtGetNumSignatureOutputs(void*, size_t* count) {
  *count = 1;
  return 0;
}
int LiteRtGetSignatureInputTensorByIndex(void*, size_t, void** found) { return Make(found); }
int LiteRtGetSignatureOutputTensorByIndex(void*, size_t, void** found) { return Make(found); }
int LiteRtGetRankedTensorType(void*, void*) { return 0; }
int LiteRtGetCompiledModelInputBufferRequirements(void*, size_t, size_t, void** found) {
  *found = input;
  return 0;
}
int LiteRtGetCompiledModelOutputBufferRequirements(void*, size_t, size_t, void** found) {
  *found = output;
  return 0;
}
int LiteRtCreateManagedTensorBufferFromRequirements(void*, const void*, void* requirements, void** made) {
  *made = requirements;
  return 0;
}
int LiteRtGetTensorBufferPackedSize(void* buffer, size_t* bytes) {
  *bytes = Lies(buffer == input ? "input size" : "size") ? 3 : 4;
  return 0;
}
int LiteRtLockTensorBuffer(void* buffer, void** memory, int) {
  *memory = Lies("data") ? nullptr : buffer;
  return 0;
}
int LiteRtUnlockTensorBuffer(void*) { return 0; }
#if !LUTRA_FAKE_LACKS_RUN
int LiteRtRunCompiledModel(void*, size_t, size_t, void**, size_t, void**) {
  for (size_t i = 0; i < sizeof(input); ++i) output[i] = static_cast<char>(input[i] + 1);
  return Lies("later") ? 3 : 0;
}
#endif
void LiteRtDestroyEnvironment(void*) {}
void LiteRtDestroyModel(void*) {}
void LiteRtDestroyOptions(void*) {}
void LiteRtDestroyCompiledModel(void*) {}
void LiteRtDestroyTensorBuffer(void*) {}

}  // extern "C"
