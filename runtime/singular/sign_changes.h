// SPDX-License-Identifier: Apache-2.0
// Finds what happens to the rows of a part between two states near a singular position, by their singular value
// decompositions (runtime/rows/truncated_inverse.h).
//
// A direction that is about to be lost has the singular value s = u^T G v. Seen along u and v of one state, that of
// another is a signed number: it changes its sign where the motion goes straight through a singular position, and also
// where it is carried past a place at which the rows only come near to one (a linkage whose bars are too long by a
// little turns off sharply there). Which of the two it is, is told by the rows themselves: whether they can be met
// where s is 0 (crossing.h).
#pragma once
#include <vector>

#include "runtime/rows/truncated_inverse.h"

namespace mbc::runtime {

// A direction whose singular value has changed its sign between two states.
struct SignChange {
  double fraction = 0;   // of the way from the first to the second, at which it is 0
  Eigen::VectorXd left;  // u: the combination of the part's rows
};

// The directions of `from` with singular values below `weak`.
std::vector<SignChange> sign_changes(const RowComponent& from, const RowComponent& to, double weak);

}  // namespace mbc::runtime
