# SPDX-License-Identifier: Apache-2.0
# include/mbc/settings.def: the table of what a `simulate` block can say.
mbc_add_doctest(mbc_unit_settings base/settings_test.cpp LIBS mbc mbc_compiler)
