# SPDX-License-Identifier: Apache-2.0
# Tests conserved momenta: normal forms, and the momenta found in models.
mbc_add_doctest(mbc_unit_momenta
  compiler/lower/normal_form_test.cpp physics/momenta_test.cpp physics/momenta_support.cpp physics/run.cpp
  LIBS mbc mbc_compiler)
