// SPDX-License-Identifier: Apache-2.0
#include "tools/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <initializer_list>

#include "tools/exit_codes.h"

namespace mbc::tools {
namespace {

volatile std::sig_atomic_t signals_seen = 0;
volatile std::sig_atomic_t terminate_seen = 0;
volatile std::sig_atomic_t signals_allowed = 2;

extern "C" void on_signal(int number) {
  if (number != SIGINT) terminate_seen = 1;
  signals_seen = signals_seen + 1;
  if (signals_seen >= signals_allowed) _exit(kInterrupted);
}

}  // namespace

void catch_interrupts(int patience) {
  signals_allowed = patience;
  struct sigaction action {};
  action.sa_handler = on_signal;  // no SA_RESTART: a read that waits for input has to come back
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    sigaction(number, nullptr, &before);
    if (number == SIGHUP && before.sa_handler == SIG_IGN) continue;
    sigaction(number, &action, nullptr);
  }
}

const volatile std::sig_atomic_t* interrupt_flag() { return &signals_seen; }
bool interrupted() { return signals_seen != 0; }
bool termination_wanted() { return terminate_seen != 0; }
void clear_interrupt() { signals_seen = 0; }

}  // namespace mbc::tools
