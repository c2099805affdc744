# SPDX-License-Identifier: Apache-2.0
# Tests compare(): formulations and representations of bodies against each other, and its reports on every example.
mbc_add_doctest(mbc_unit_compare
  api/compare_test.cpp runtime/equations/representation_state_test.cpp physics/compare_examples_test.cpp physics/run.cpp
  LIBS mbc mbc_runtime mbc_compiler Eigen3::Eigen nlohmann_json::nlohmann_json)
