# SPDX-License-Identifier: Apache-2.0
mbc_add_doctest(mbc_unit_allocation api/allocation_test.cpp LIBS mbc)
mbc_add_doctest(mbc_unit_coordinates physics/coordinates_test.cpp physics/run.cpp LIBS mbc)
mbc_add_doctest(mbc_unit_bodies physics/bodies_test.cpp physics/representation_starts_test.cpp physics/run.cpp LIBS mbc)
