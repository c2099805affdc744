# SPDX-License-Identifier: Apache-2.0
# Tests random whole models as text. MBC_RANDOM_MODELS=n multiplies the usual numbers by n/10000.
mbc_add_doctest(mbc_random_text_models
  random/random_models_test.cpp random/model_text.cpp random/tree_text.cpp
  LIBS mbc mbc_runtime mbc_compiler mbc_test_expressions Eigen3::Eigen)
# This program tests verdicts on constraint rows for every form of the kernel. MBC_RANDOM_MODELS=n tests n networks.
mbc_add_doctest(mbc_random_verdicts
  random/verdict_identity_test.cpp random/redundant_network.cpp
  LIBS mbc mbc_runtime mbc_compiler mbc_test_expressions)
if(MBC_JIT)
  target_link_libraries(mbc_random_verdicts PRIVATE mbc_jit_loader)
  target_compile_definitions(mbc_random_verdicts PRIVATE MBC_HAVE_JIT)
endif()
# These programs test the Jacobian of the rates of whole models, their derivatives along the constraints, and motions by bdf. MBC_RANDOM_MODELS=n tests
# n/10 models.
mbc_add_doctest(mbc_random_jacobian
  random/jacobian_test.cpp random/manifold_test.cpp random/stiff_motions_test.cpp random/whole_model.cpp physics/run.cpp
  LIBS mbc mbc_runtime mbc_compiler mbc_test_expressions)
if(MBC_JIT)
  target_link_libraries(mbc_random_jacobian PRIVATE mbc_jit_loader)
  target_compile_definitions(mbc_random_jacobian PRIVATE MBC_HAVE_JIT)
endif()
# This program tests chains long enough for lanes. MBC_RANDOM_MODELS=n tests n/10 chains.
mbc_add_doctest(mbc_random_chains random/chains_test.cpp physics/run.cpp LIBS mbc mbc_test_expressions)
# This program tests one system in plain coordinates and in three representations of its bodies. MBC_RANDOM_MODELS=n
# tests n/2 models.
mbc_add_doctest(mbc_random_whole_models
  random/whole_models_test.cpp random/whole_model.cpp physics/run.cpp LIBS mbc Eigen3::Eigen)
# This program tests random mechanisms with joints as coordinates and as rows. MBC_RANDOM_MODELS=n tests n/10 of them.
mbc_add_doctest(mbc_random_trees random/trees_test.cpp random/mechanism.cpp physics/run.cpp LIBS mbc)
# This program assembles linkages that are known to close from disturbed places. MBC_RANDOM_MODELS=n tests n/10000 of
# each kind.
mbc_add_doctest(mbc_random_assembly
  random/assembly_random_test.cpp random/linkage.cpp physics/run.cpp LIBS mbc Eigen3::Eigen)
# This program tests rows of parallelograms through their flat positions. MBC_RANDOM_MODELS=n tests n/100 rows, some of
# them larger.
mbc_add_doctest(mbc_random_singular
  random/rows_of_parallelograms_test.cpp random/rows_of_parallelograms.cpp physics/run.cpp LIBS mbc mbc_test_expressions)
# This program tests models with events: engines, resumed runs, and sweeps. MBC_RANDOM_MODELS=n tests n/4 models.
mbc_add_doctest(mbc_random_events random/event_models_test.cpp random/event_text.cpp physics/run.cpp LIBS mbc)
# These programs test models with unilateral constraints: engines, sweeps, formulations, energy, gaps, and the laws of
# impacts. MBC_RANDOM_MODELS=n tests n/20 models and n/10 impacts.
mbc_add_doctest(mbc_random_contact random/contact_models_test.cpp random/friction_models_test.cpp
  random/contact_text.cpp random/friction_text.cpp random/impact_models_test.cpp random/impact_laws.cpp physics/run.cpp
  LIBS mbc Eigen3::Eigen)
# This program tests models with contact by time steps: engines, resumed runs, sweeps, energy, and gaps.
# MBC_RANDOM_MODELS=n tests n/20 models.
mbc_add_doctest(mbc_random_timestep random/timestep_models_test.cpp physics/run.cpp LIBS mbc)
# This program tests crowds by events with a loose tolerance. MBC_RANDOM_MODELS=n tests n/200 crowds.
mbc_add_doctest(mbc_random_crowds random/crowds_test.cpp physics/run.cpp LIBS mbc mbc_test_expressions)
# This program compares loads and events that switch within steps with the roots of their conditions.
# MBC_RANDOM_MODELS=n tests n/3 of each kind.
mbc_add_doctest(mbc_random_switches random/switches_test.cpp physics/run.cpp LIBS mbc mbc_test_expressions)
# This program compares sets of events with the zeros of what they watch. MBC_RANDOM_MODELS=n tests n sets.
mbc_add_doctest(mbc_random_event_sets random/event_sets_test.cpp physics/run.cpp LIBS mbc mbc_test_expressions)
# This program compares the times at which balls come to rest with closed forms. MBC_RANDOM_MODELS=n tests n balls.
mbc_add_doctest(mbc_random_balls random/balls_test.cpp physics/run.cpp LIBS mbc mbc_test_expressions)
# This program starts models of unknown sizes. MBC_RANDOM_MODELS=n tests n/10 models.
mbc_add_doctest(mbc_random_sizes random/unknown_sizes_test.cpp physics/run.cpp LIBS mbc)
# This program compares the errors that runs tell with references. MBC_RANDOM_MODELS=n tests n models by
# each method.
mbc_add_doctest(mbc_random_told_errors random/told_errors_test.cpp physics/run.cpp LIBS mbc mbc_test_expressions)
# This program compares what the interfaces to C++, C and Python, native code, shared objects, object files and FMUs say
# at states of a run with its rows. MBC_RANDOM_MODELS=n tests n models and n/8 examples.
if(TARGET mbc_program)
  mbc_add_doctest(mbc_random_doors
    random/doors_test.cpp random/doors.cpp random/door_objects.cpp random/contact_text.cpp random/friction_text.cpp
    random/event_text.cpp random/mechanism.cpp random/model_text.cpp random/tree_text.cpp random/whole_model.cpp
    physics/run.cpp tools/fmu/importer.cpp tools/program_runner.cpp
    LIBS mbc mbc_runtime mbc_compiler mbc_test_expressions Eigen3::Eigen ${MBC_ZIP_LIBRARY} ${CMAKE_DL_LIBS})
  target_compile_definitions(mbc_random_doors PRIVATE MBC_C_LIBRARY="$<TARGET_FILE:mbc_shared>"
    MBC_PROGRAM="$<TARGET_FILE:mbc_program>" MBC_CXX_COMPILER="${CMAKE_CXX_COMPILER}"
    MBC_SUPPORT_LIBRARY="$<TARGET_FILE:mbc_support>")
  add_dependencies(mbc_random_doors mbc_shared mbc_program mbc_fmi mbc_support)
endif()
# This program tests printed equations of many models. MBC_RANDOM_MODELS=n takes n models, expressions and random models.
mbc_add_doctest(mbc_random_paper
  api/paper_test.cpp api/paper_language_test.cpp api/printed_models.cpp random/model_text.cpp random/tree_text.cpp
  api/read_back.cpp
  LIBS mbc mbc_compiler mbc_test_expressions Eigen3::Eigen)
