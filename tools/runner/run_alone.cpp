// SPDX-License-Identifier: Apache-2.0
// The commands of the program that `./dev run` builds, which is `mbc` with a single command: a fresh clone shows its
// first motion before the language server, the notebook kernel, FMUs and other parts are compiled.
#include <string>

#include "tools/commands.h"
#include "tools/streams.h"

namespace mbc::tools {

int execute(const Options& options) {
  if (options.command == Command::run) return run_model(options);
  print_error("mbc: this program has the command `run` alone\nhint: `./dev build` makes the one that has all\n");
  return kUsage;
}

}  // namespace mbc::tools
