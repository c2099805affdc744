# SPDX-License-Identifier: Apache-2.0
# Tests events: closed forms with all their times, both engines, formulations, saving, and sweeps.
mbc_add_doctest(mbc_events
  physics/events_test.cpp physics/event_switches_test.cpp physics/event_methods_test.cpp physics/tables_test.cpp
  physics/inputs_test.cpp physics/contact_test.cpp physics/many_contacts_test.cpp physics/impact_laws_test.cpp physics/contact_motions_test.cpp physics/contact_closed_forms_test.cpp physics/rolling_friction_test.cpp physics/contact_tools_test.cpp physics/shared_pushes_test.cpp physics/smallest_shares_test.cpp physics/friction_test.cpp physics/slip_that_turns_test.cpp physics/friction_states_test.cpp physics/contact_states_test.cpp physics/friction_kinks_test.cpp physics/parting_test.cpp physics/resting_on_spots_test.cpp physics/long_rest_test.cpp physics/implicit_loads_test.cpp physics/kinks_test.cpp physics/event_conditions_test.cpp
  physics/event_orders_test.cpp physics/event_records_test.cpp physics/joint_rest_test.cpp physics/run.cpp
  LIBS mbc Eigen3::Eigen)
mbc_add_doctest(mbc_timestep physics/timestep_test.cpp physics/timestep_boxes_test.cpp physics/run.cpp
                physics/timestep_damper_test.cpp physics/timestep_stiff_test.cpp LIBS mbc Eigen3::Eigen)
# This test compares the same motions with Siconos if it is installed (`./dev packages oracles`).
if(TARGET mbc_program)
  add_test(NAME mbc_siconos COMMAND /usr/bin/python3 ${PROJECT_SOURCE_DIR}/tests/oracles/contact_motions.py $<TARGET_FILE:mbc_program>)
  set_tests_properties(mbc_siconos PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77)
endif()
