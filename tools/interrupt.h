// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and its kin: a flag that the running simulation looks at after every step.
#pragma once
#include <csignal>

namespace mbc::tools {

// From now on SIGINT, SIGTERM and SIGHUP set the flag. `patience` of them, with nobody clearing the flag in between,
// end the process at once with kInterrupted. (A SIGHUP that is ignored, as under nohup, stays so.)
void catch_interrupts(int patience);

[[nodiscard]] const volatile std::sig_atomic_t* interrupt_flag();
// Sets the flag, as SIGINT does, when so many seconds have passed; forget_time() takes that back.
void interrupt_after(double seconds);
void forget_time();
[[nodiscard]] bool interrupted();
// SIGTERM or SIGHUP: meant for the program and not for what it does at the moment.
[[nodiscard]] bool termination_wanted();
void clear_interrupt();

}  // namespace mbc::tools
