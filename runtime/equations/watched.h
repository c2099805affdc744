// SPDX-License-Identifier: Apache-2.0
// Work that a flag ends.
#pragma once
#include "runtime/equations/equations.h"

namespace mbc::runtime {

// A flag interrupts the equations while a Watched object lives: their calls throw Interrupted (base/stop_flag.h).
class Watched {
 public:
  Watched(Equations& equations, const volatile std::sig_atomic_t* stop) : equations_(equations) {
    equations.interrupt_by(stop);
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;
  ~Watched() { equations_.interrupt_by(nullptr); }

 private:
  Equations& equations_;
};

}  // namespace mbc::runtime
