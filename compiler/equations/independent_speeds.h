// SPDX-License-Identifier: Apache-2.0
// The speeds u = B y + beta that the rows allow, and the equations of motion in independent speeds y, for readers:
//
//   B^T M B y' = B^T (f + C - M (B' y + beta'))
//
// y are the quasi-velocities of the model where they are as many as its freedoms, else speeds of the model, chosen by
// elimination with complete pivoting where the motion begins. Rows that hold accelerations, or are not linear in the
// speeds, say nothing linear about u: the same is then written for u' = B y' + beta, with speeds of the model as y,
//
//   B^T M B y' = B^T (f + C - M beta)
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/equations/written_system.h"

namespace mbc::equations {

// Sums by speed, or by the two speeds of an entry, of the terms that are added to one target.
using Entries = std::map<std::pair<std::uint32_t, std::uint32_t>, NodeId>;

struct IndependentSpeeds {
  struct Speed {
    std::string name;
    sema::Dimension dimension;
    NodeId leaf;  // stands for it
  };
  std::vector<Speed> y{};
  bool of_rates = false;                 // B and beta are those of u' = B y' + beta
  std::vector<std::vector<NodeId>> B{};  // by speed u, then y
  std::vector<NodeId> beta{};            // by speed u
  std::vector<std::vector<NodeId>> M{};  // B^T M B
  std::vector<NodeId> f{};               // the right side above
  std::string why_not{};                 // the reason for which they are not written; then the rest is empty
};

// `mass` holds j <= i as (j, i); `quasi` are the leaves that stand for the quasi-velocities of the model.
[[nodiscard]] IndependentSpeeds independent_speeds(WrittenSystem& written, const std::vector<Term>& terms,
                                                   const Entries& mass, const Entries& force,
                                                   const std::vector<NodeId>& quasi);

}  // namespace mbc::equations
