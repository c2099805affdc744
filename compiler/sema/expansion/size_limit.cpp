// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/expansion/size_limit.h"

#include "compiler/sema/expansion/capacity.h"

namespace mbc::sema {

bool SizeLimit::too_many_items(Span span) {
  if (passes_ > kMaxPasses && !exceeded_) {
    sink_.report(Kind::too_large, span, "this", "more than 4,000,000 passes of loops");
    exceeded_ = true;
  }
  const bool instances = instances_ >= kMaxInstances;
  if ((items_.size() + instances_ < kMaxItems && !instances) || exceeded_) return exceeded_;
  sink_.report(Kind::too_large, span, "this",
               instances ? "more than 1,200,000 instances" : "more than 20,000,000 declarations");
  exceeded_ = true;
  return true;
}

SizeLimit::Written SizeLimit::written() const {
  const double bytes =
      items_.bytes() + kPassBytes * static_cast<double>(passes_) + kInstanceBytes * static_cast<double>(instances_);
  return {static_cast<double>(items_.size() + instances_), static_cast<double>(passes_), bytes};
}

bool SizeLimit::too_many_passes(double left, const Written& before, Span span) {
  if (exceeded_) return true;
  const Written now = written();
  return refuse({now.declarations + left * (now.declarations - before.declarations),
                 now.passes + left * (now.passes - before.passes), now.bytes + left * (now.bytes - before.bytes)},
                "this loop", span);
}

bool SizeLimit::refuse(const Written& size, const std::string& what, Span span) {
  const bool counted =
      size.declarations > static_cast<double>(kMaxItems) || size.passes > static_cast<double>(kMaxPasses);
  if (!counted && size.bytes <= memory_limit()) return false;
  exceeded_ = true;
  const bool empty = size.passes > 2 * size.declarations;
  Diagnostic& d =
      sink_.report(Kind::beyond_memory, span, what,
                   count_text(empty ? size.passes : size.declarations) + (empty ? " passes" : " declarations"),
                   memory_text(size.bytes));
  d.notes.push_back("a model may have 20,000,000 declarations and 4,000,000 passes of loops, and here " +
                    memory_text(memory_limit()) + " of memory");
  return true;
}

}  // namespace mbc::sema
