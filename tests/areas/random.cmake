# SPDX-License-Identifier: Apache-2.0
# Whole models made at random, as text: generator and what is compared. MBC_RANDOM_MODELS=n: n/10000 times
# the usual numbers.
mbc_add_doctest(mbc_random_text_models
  random/random_models_test.cpp random/model_text.cpp random/tree_text.cpp
  LIBS mbc mbc_runtime mbc_compiler mbc_test_expressions Eigen3::Eigen)
# Verdicts on constraint rows by every form of the kernel. MBC_RANDOM_MODELS=n: n networks.
mbc_add_doctest(mbc_random_verdicts
  random/verdict_identity_test.cpp random/redundant_network.cpp
  LIBS mbc mbc_runtime mbc_compiler mbc_test_expressions)
if(MBC_JIT)
  target_link_libraries(mbc_random_verdicts PRIVATE mbc_jit_loader)
  target_compile_definitions(mbc_random_verdicts PRIVATE MBC_HAVE_JIT)
endif()
# The Jacobian of the rates of whole models, and motions of theirs by bdf. MBC_RANDOM_MODELS=n: n/10 models.
mbc_add_doctest(mbc_random_jacobian
  random/jacobian_test.cpp random/stiff_motions_test.cpp random/whole_model.cpp physics/run.cpp
  LIBS mbc mbc_runtime mbc_compiler mbc_test_expressions)
if(MBC_JIT)
  target_link_libraries(mbc_random_jacobian PRIVATE mbc_jit_loader)
  target_compile_definitions(mbc_random_jacobian PRIVATE MBC_HAVE_JIT)
endif()
# Chains long enough for lanes. MBC_RANDOM_MODELS=n: n/10 chains.
mbc_add_doctest(mbc_random_chains random/chains_test.cpp physics/run.cpp LIBS mbc mbc_test_expressions)
# The same system in plain coordinates and in three representations of its bodies. MBC_RANDOM_MODELS=n: n/2
# models.
mbc_add_doctest(mbc_random_whole_models
  random/whole_models_test.cpp random/whole_model.cpp physics/run.cpp LIBS mbc Eigen3::Eigen)
# Linkages that are known to close, assembled from disturbed places. MBC_RANDOM_MODELS=n: n/10000 of each sort.
mbc_add_doctest(mbc_random_assembly
  random/assembly_random_test.cpp random/linkage.cpp physics/run.cpp LIBS mbc Eigen3::Eigen)
# Rows of parallelograms through their flat positions. MBC_RANDOM_MODELS=n: n/100 rows, larger and longer ones.
mbc_add_doctest(mbc_random_singular
  random/rows_of_parallelograms_test.cpp random/rows_of_parallelograms.cpp physics/run.cpp LIBS mbc mbc_test_expressions)
# Models with events: engines, resumed runs, sweeps. MBC_RANDOM_MODELS=n: n/20 models.
mbc_add_doctest(mbc_random_events random/event_models_test.cpp physics/run.cpp LIBS mbc)
# Models with inequalities: engines, sweeps, formulations, energy, gaps, the laws of impacts. MBC_RANDOM_MODELS=n: n/20
# models, n/10 impacts.
mbc_add_doctest(mbc_random_contact random/contact_models_test.cpp random/friction_models_test.cpp
  random/impact_models_test.cpp random/impact_laws.cpp physics/run.cpp LIBS mbc Eigen3::Eigen)
# Models with contact by time steps: engines, resumed runs, sweeps, energy, gaps. MBC_RANDOM_MODELS=n: n/20 models.
mbc_add_doctest(mbc_random_timestep random/timestep_models_test.cpp physics/run.cpp LIBS mbc)
# Crowds by events with a loose tolerance. MBC_RANDOM_MODELS=n: n/200 crowds.
mbc_add_doctest(mbc_random_crowds random/crowds_test.cpp physics/run.cpp LIBS mbc mbc_test_expressions)
# Loads and events that switch within steps, against the roots of what they switch by. MBC_RANDOM_MODELS=n: n/3 of each kind.
mbc_add_doctest(mbc_random_switches random/switches_test.cpp physics/run.cpp LIBS mbc mbc_test_expressions)
