# SPDX-License-Identifier: Apache-2.0
mbc_add_doctest(mbc_unit_output api/output/output_test.cpp api/output/output_text_test.cpp api/output/result_file_test.cpp
  LIBS mbc_terminal mbc_output nlohmann_json::nlohmann_json)
