// SPDX-License-Identifier: Apache-2.0
// The names and sentences of rules: for hosts, and for devices that have 9 KB of flash for them. Nothing else
// of the runtime includes this.
//
//   const lutra::RuleText text = lutra::Describe(diagnosis.rule);
//   printf("%s: required: %s; %s\n", text.name, text.requirement, text.next);

#pragma once

#include "lutra/diagnosis.h"

namespace lutra {

struct RuleText {
  const char* name;         // Stable, for scripts: "scale-count".
  const char* requirement;  // A sentence that says what is required.
  const char* next;         // A sentence that says what to do about it.
};

RuleText Describe(Rule rule);

}  // namespace lutra
