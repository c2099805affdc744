# SPDX-License-Identifier: Apache-2.0
# Tests first-order states, inputs, reactions of constraints, and non-ideal constraints.
mbc_add_doctest(mbc_unit_states
  physics/states_test.cpp physics/reactions_test.cpp physics/nonideal_test.cpp physics/run.cpp
  LIBS mbc)
