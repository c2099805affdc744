# SPDX-License-Identifier: Apache-2.0
# Tests include/mbc/settings.def, the table of the settings of a `simulate` block.
mbc_add_doctest(mbc_unit_settings base/settings_test.cpp LIBS mbc mbc_compiler)
