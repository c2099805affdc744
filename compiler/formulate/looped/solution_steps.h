// SPDX-License-Identifier: Apache-2.0
// The calls that compute accelerations and multipliers from the assembled system.
#pragma once

#include "compiler/formulate/builder/kernel_builder.h"
#include "compiler/formulate/looped/dense_steps.h"
#include "compiler/formulate/looped/quasi_steps.h"

namespace mbc::formulate {

// Adds accelerations, or the rates of independent speeds, to deriv. `quasi` is null if the formulation has none.
// `nonideal(f)` adds the prescribed forces to f; they depend on the multipliers without these forces.
template <class AddForces>
void add_solution(const KernelBuilder& b, kernel::Function& f, const DenseSteps& dense, const QuasiSteps* quasi,
                  AddForces&& nonideal) {
  const SystemLayout& l = b.layout();
  bool factored = b.places().speeds_in_work();  // `expand` was called before
  const auto solve = [&] {
    if (quasi)
      quasi->accelerations(f, factored);
    else
      dense.accelerations(f);
    factored = true;
  };
  solve();
  if (l.ideal) {
    add_copy(f, {Space::work, false, l.lambda}, {Space::work, false, *l.ideal}, l.n_rows);
    nonideal(f);
    solve();
  }
  if (quasi)
    quasi->store(f, b.places().speeds_in_work());
  else
    dense.store(f);
}

}  // namespace mbc::formulate
