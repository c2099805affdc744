// SPDX-License-Identifier: Apache-2.0
// The exit statuses of `mbc`; `mbc --help` and the documents list them.
#pragma once

namespace mbc::tools {

enum ExitCode : int {
  kOk = 0,
  kModelError =
      1,       // the model has errors, there is nothing to run, a test failed, methods differ, fmt has something to say
  kUsage = 2,  // the command line is not understood, or native code was demanded and is not available
  kInconsistent = 3,  // the initial state does not satisfy the constraints
  kStopped = 4,       // the integration could not continue, or with --strict: a run has warnings
  kLimit = 5,         // a limit (--max-steps, ...) ended the run
  kInternalError = 70,
  kOutputFailed = 74,  // a result could not be written
  kInterrupted = 130,  // by SIGINT, SIGTERM or SIGHUP
};

}  // namespace mbc::tools
