// SPDX-License-Identifier: Apache-2.0
// The condition of a `when`, taken apart into the distances of its continuous comparisons from their limits. With them
// a run tells a condition that has clearly become false from one that is false by rounding.
#pragma once
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/diagnostics/diagnostic.h"
#include "compiler/sema/model.h"
#include "compiler/sema/names.h"

namespace mbc::sema {

class ConditionTerms {
 public:
  ConditionTerms(Model& model, Sink& sink) : model_(model), sink_(sink) {}
  // Reports numbers that vary continuously and are compared by `==` or `!=`, and returns false. `span` is the
  // condition.
  bool read(NodeId condition, Span span);
  std::vector<ConditionTerm> take() { return std::move(terms_); }

 private:
  bool term(NodeId id, Span span);
  [[nodiscard]] bool continuous(NodeId id) const;
  std::vector<std::uint32_t> edges(NodeId truth);

  Model& model_;
  Sink& sink_;
  std::vector<ConditionTerm> terms_;
  std::map<std::uint32_t, std::uint32_t> term_of_;  // by node
};

}  // namespace mbc::sema
