// SPDX-License-Identifier: Apache-2.0
// Looks after the size of a model while it is written out: what cannot be held is refused before it is tried.
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

  // Reported once; nothing is evaluated then.
  [[nodiscard]] bool exceeded() const { return exceeded_; }
  void give_up() { exceeded_ = true; }
  // Each reports what is too large, at the span, and says whether it is.
  bool too_many_items(Span span);
  // `left` more passes like the last one, which began at `before`.
  bool too_many_passes(double left, const Written& before, Span span);
  bool refuse(const Written& size, const std::string& what, Span span);

 private:
  const Items& items_;
  Sink& sink_;
  std::size_t passes_ = 0, instances_ = 0;
  bool exceeded_ = false;
};

}  // namespace mbc::sema
