// SPDX-License-Identifier: Apache-2.0
// The condition of a `when`, taken apart: how far each comparison of something that varies continuously is from its
// limit. With that a run tells a condition that has clearly become false from one that is false by rounding.
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
  // False, and reported, where numbers that vary continuously are compared by `==` or `!=`. `span`: of the condition.
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
