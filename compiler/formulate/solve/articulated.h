// SPDX-License-Identifier: Apache-2.0
// Solves M u' = f of trees of bodies without the entries of M, in time proportional to the number of bodies:
// articulated inertias (R. Featherstone, Rigid Body Dynamics Algorithms, 2008, chapter 7), written out as expressions.
// With
//   N = I alpha + H a,   F = H^T alpha + K a
// at the point of a link, K the inertia against accelerations of the point, the speeds of a joint are taken one by one:
// U = (I, H; H^T, K) S, d = S.U + the inertia beside the tree, and what is left is less U U^T/d.
#pragma once
#include <map>
#include <optional>
#include <vector>

#include "compiler/formulate/blocks/names.h"
#include "compiler/formulate/solve/factorisation.h"
#include "compiler/lower/tree_dynamics.h"

namespace mbc::formulate {

// The bodies of a system that trees carry, with all other inertia of its speeds.
struct TreeInertia {
  std::vector<lower::TreeLink> links;      // of all trees; carriers first
  std::map<std::uint32_t, NodeId> beside;  // by speed: terms of M_ii that are not of links
};

class ArticulatedInertia {
 public:
  ArticulatedInertia(Graph& g, const TreeInertia& of);

  // Returns M^-1 x.
  [[nodiscard]] SparseRow solve(const SparseRow& x) const;

 private:
  struct Pair {  // a moment and a force, or alpha and a
    lower::Vector3 turning, sliding;
  };
  struct Articulated {
    lower::Tensor3 I;
    lower::Matrix3 H;
    lower::Tensor3 K;
  };
  struct Column {
    std::uint32_t speed = 0;
    Pair S, U;       // in axes of the link
    NodeId inverse;  // 1/d
  };

  Articulated own(const lower::PointInertia& of) const;
  Column eliminate(const lower::TreeLink& link, const lower::JointColumn& joint, Articulated& left) const;
  [[nodiscard]] Articulated on_carrier(const lower::TreeLink& link, const Articulated& of) const;
  void add(Articulated& to, const Articulated& of) const;
  void add(Pair& to, NodeId factor, const Pair& of) const;
  [[nodiscard]] NodeId dot(const Pair& x, const Pair& y) const;
  void take_to_carrier(const lower::TreeLink& link, const Pair& wrench, Pair& to) const;
  [[nodiscard]] Pair carried(const lower::TreeLink& link, const Pair& carrier) const;

  Graph& g_;
  lower::Algebra3 algebra_;
  TreeInertia of_;
  std::vector<std::vector<Column>> columns_;  // by link, in order of elimination
};

// Returns nothing unless each of n speeds belongs to one joint, or to none and has inertia of its own, and only links
// couple them. `mass`: the entries of M beside those of links.
std::optional<TreeInertia> tree_inertia(const Graph& g, std::uint32_t n, std::vector<lower::TreeLink> links,
                                        const SymmetricEntries& mass);

}  // namespace mbc::formulate
