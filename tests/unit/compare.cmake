# compare(): formulations and representations of bodies against each other; what it says about every example.
mbc_add_doctest(mbc_unit_compare
  unit/compare_test.cpp unit/representation_state_test.cpp physics/compare_examples_test.cpp physics/run.cpp
  LIBS mbc mbc_runtime Eigen3::Eigen nlohmann_json::nlohmann_json)
