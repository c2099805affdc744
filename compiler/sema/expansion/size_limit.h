// SPDX-License-Identifier: Apache-2.0
// Watches the size of a model while it is written out, so that a model that does not fit is refused before it is tried.
#pragma once
#include <string>

#include "base/diagnostics/diagnostic.h"
#include "compiler/sema/expansion/items.h"

namespace mbc::sema {

class SizeLimit {
 public:
  SizeLimit(const Items& items, Sink& sink) : items_(items), sink_(sink) {}

  struct Written {  // so far; bytes of memory: an estimate
    double declarations = 0, passes = 0, bytes = 0;
  };
  [[nodiscard]] Written written() const;
  void add_pass() { ++passes_; }
  void add_instance() { ++instances_; }

  // Returns whether a limit was exceeded. It is reported once, and nothing is evaluated then.
  [[nodiscard]] bool exceeded() const { return exceeded_; }
  void give_up() { exceeded_ = true; }
  // These report at the span whatever is too large, and return whether it is.
  bool too_many_items(Span span);
  // `left` is the number of passes to come like the last one, which began at `before`.
  bool too_many_passes(double left, const Written& before, Span span);
  bool refuse(const Written& size, const std::string& what, Span span);

 private:
  const Items& items_;
  Sink& sink_;
  std::size_t passes_ = 0, instances_ = 0;
  bool exceeded_ = false;
};

}  // namespace mbc::sema
