// SPDX-License-Identifier: Apache-2.0
// The values of a system on one graph: every instance of its templates written out, and contributions collected by
// their targets.
#pragma once
#include <map>
#include <utility>
#include <vector>

#include "compiler/formulate/blocks/names.h"
#include "compiler/formulate/solve/linear_plan.h"

namespace mbc::formulate {

class UnrolledValues {
 public:
  // Collects the values of all parts on `g`.
  UnrolledValues(Graph& g, const System& system);

  // Returns the stored values by item: 0 if no part has one, but an invalid node in place of a weight.
  [[nodiscard]] const std::vector<NodeId>& of(Target target) const { return stored_.at(target); }
  // Returns the rows of A or Y.
  [[nodiscard]] const std::vector<SparseRow>& rows(Target target) const { return rows_.at(target); }
  // Return the terms of sums, by speed, for the whole system, and for the entries of M (i >= j).
  [[nodiscard]] const std::vector<std::vector<NodeId>>& terms(Target target) const { return terms_.at(target); }
  [[nodiscard]] const std::vector<NodeId>& all_terms(Target target) const { return terms_.at(target)[0]; }
  [[nodiscard]] const std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<NodeId>>& mass() const {
    return mass_;
  }

  // Returns the bodies of all trees, and the terms of M that are not of them.
  [[nodiscard]] const std::vector<lower::TreeLink>& links() const { return links_; }
  [[nodiscard]] const std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<NodeId>>& mass_beside_links()
      const {
    return beside_;
  }

  // Returns the power of the constraint forces, (A^T lambda).u: -lambda c for position-level rows (A u = -c on the
  // manifold), lambda (A u) for the others; rows that do no work are left out (System::row_work). The supports of
  // prescribed bodies are constraints as well; their power may contain the accelerations (as leaves). The total comes
  // first, then the powers that are reported separately (System::works).
  [[nodiscard]] std::vector<NodeId> constraint_powers(Graph& g, const System& system,
                                                      const std::vector<NodeId>& multiplier) const;

 private:
  void add_instance(Graph& g, const Part& part, std::uint32_t k);
  void add_links(Graph& g, const Part& part, std::uint32_t k);
  void add(const Contribution& c, const lower::Family& family, std::uint32_t k, NodeId value);

  std::map<Target, std::vector<NodeId>> stored_;
  std::map<Target, std::vector<SparseRow>> rows_;
  std::map<Target, std::vector<std::vector<NodeId>>> terms_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<NodeId>> mass_, beside_;
  std::vector<lower::TreeLink> links_;
};

}  // namespace mbc::formulate
