// SPDX-License-Identifier: Apache-2.0
#include "tools/interrupt.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "tools/exit_codes.h"

namespace mbc::tools {
namespace {

volatile std::sig_atomic_t flag = 0;  // a signal arrived, or the time is over
volatile std::sig_atomic_t signals_seen = 0;
volatile std::sig_atomic_t terminate_seen = 0;
volatile std::sig_atomic_t signals_allowed = 2;

extern "C" void on_signal(int number) {
  flag = 1;
  if (number == SIGALRM) return;
  if (number != SIGINT) terminate_seen = 1;
  signals_seen = signals_seen + 1;
  if (signals_seen >= signals_allowed) _exit(kInterrupted);
}

}  // namespace

void catch_interrupts(int patience) {
  signals_allowed = patience;
  struct sigaction action {};
  action.sa_handler = on_signal;  // no SA_RESTART: a read that waits for input has to return
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    sigaction(number, nullptr, &before);
    if (number == SIGHUP && before.sa_handler == SIG_IGN) continue;
    sigaction(number, &action, nullptr);
  }
}

void interrupt_after(double seconds) {
  constexpr double kLongest = 1e9;  // 30 years
  seconds = std::min(seconds, kLongest);
  const double whole = std::floor(seconds);
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  sigaction(SIGALRM, &action, nullptr);
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(whole);
  timer.it_value.tv_usec = 2 + static_cast<suseconds_t>(std::min(seconds - whole, 0.999997) * 1e6);
  setitimer(ITIMER_REAL, &timer, nullptr);
}

void forget_time() {
  const itimerval none{};
  setitimer(ITIMER_REAL, &none, nullptr);
  flag = signals_seen;
}

const volatile std::sig_atomic_t* interrupt_flag() { return &flag; }
bool interrupted() { return signals_seen != 0; }
bool termination_wanted() { return terminate_seen != 0; }
void clear_interrupt() {
  flag = 0;
  signals_seen = 0;
}

}  // namespace mbc::tools
