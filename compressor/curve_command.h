// SPDX-License-Identifier: Apache-2.0
// The verb `compress curve`.

#pragma once

namespace CLI {
class App;
}

namespace lutra {

// Adds the verb to the program; it runs when `app` parses it. Throws BadInput for files and models.
void AddCurveCommand(CLI::App& app);

}  // namespace lutra
