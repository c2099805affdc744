# SPDX-License-Identifier: Apache-2.0
# Tests motions with known results through the embedding interface with both engines. MBC_RANDOM_MODELS=n tests n/20
# random four-bars.
mbc_add_doctest(mbc_physics
  physics/run.cpp physics/two_particles_test.cpp physics/examples_test.cpp physics/verdicts_test.cpp
  physics/runaway_test.cpp physics/findings_test.cpp physics/slip_onset_test.cpp physics/other_parts_test.cpp physics/accuracy_test.cpp
  physics/hinge_rows_test.cpp physics/integrators_test.cpp physics/late_clock_test.cpp physics/stabilise_test.cpp
  physics/well_posed_stops_test.cpp physics/reported_models_test.cpp
  LIBS mbc)
mbc_add_doctest(mbc_physics_starts
  physics/run.cpp physics/invariance_test.cpp physics/four_bar_test.cpp physics/assembly_test.cpp
  physics/joint_angles_test.cpp physics/doctor_test.cpp physics/turns_of_joints_test.cpp physics/trees_like_rows_test.cpp physics/drawn_joints_test.cpp
  LIBS mbc)
mbc_add_doctest(mbc_physics_orders
  physics/run.cpp physics/order_test.cpp physics/dop853_test.cpp physics/tolerance_test.cpp LIBS mbc)
mbc_add_doctest(mbc_physics_singular
  physics/run.cpp physics/limit_linkages_test.cpp physics/branching_linkages_test.cpp physics/row_choice_test.cpp physics/singular_starts_test.cpp physics/rest_on_branches_test.cpp physics/trusses_test.cpp
  LIBS mbc)
mbc_add_doctest(mbc_physics_examples
  physics/run.cpp physics/examples_all_test.cpp physics/examples_plane_test.cpp physics/examples_space_test.cpp
  physics/examples_rolling_test.cpp physics/defaults_test.cpp physics/seed_001_test.cpp
  LIBS mbc)
mbc_add_doctest(mbc_formulations physics/formulations_test.cpp physics/run.cpp LIBS mbc mbc_runtime mbc_compiler)
mbc_add_doctest(mbc_representations physics/representations_test.cpp physics/representations_loops_test.cpp physics/singular_mass_test.cpp physics/light_spins_test.cpp
  physics/run.cpp LIBS mbc Eigen3::Eigen)
