// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and similar signals: a flag that the running simulation reads after every step.
#pragma once
#include <csignal>

namespace mbc::tools {

// From now on SIGINT, SIGTERM and SIGHUP set the flag. If `patience` of them arrive without the flag being cleared, the
// process ends at once with kInterrupted. (An ignored SIGHUP, as under nohup, stays ignored.)
void catch_interrupts(int patience);

[[nodiscard]] const volatile std::sig_atomic_t* interrupt_flag();
// Sets the flag, as SIGINT does, after that many seconds; forget_time() cancels it.
void interrupt_after(double seconds);
void forget_time();
[[nodiscard]] bool interrupted();
// Returns whether SIGTERM or SIGHUP arrived, which ends the program and not only its present work.
[[nodiscard]] bool termination_wanted();
void clear_interrupt();

}  // namespace mbc::tools
