# SPDX-License-Identifier: Apache-2.0
# Tests the standard library (stdlib/*.mbd): joints, forces, inertia functions, and the examples that use them.
mbc_add_doctest(mbc_stdlib
  physics/run.cpp physics/stdlib_support.cpp physics/stdlib_joints_test.cpp physics/stdlib_planar_test.cpp
  physics/stdlib_forces_test.cpp physics/stdlib_contact_test.cpp physics/shapes_test.cpp physics/cylinder_on_plane_test.cpp physics/stdlib_bodies_test.cpp physics/stdlib_examples_test.cpp
  physics/stdlib_control_test.cpp physics/stdlib_docs_test.cpp physics/stdlib_histories_test.cpp
  LIBS mbc)
