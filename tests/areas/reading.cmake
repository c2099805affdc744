# SPDX-License-Identifier: Apache-2.0
# Tests compiler/reading: expressions made for readers, simplified and with named subexpressions.
mbc_add_doctest(mbc_unit_reading compiler/reading/identities_test.cpp compiler/reading/random_simplified_test.cpp
  compiler/reading/named_test.cpp compiler/reading/sheet.cpp LIBS mbc_test_expressions)
