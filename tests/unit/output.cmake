mbc_add_doctest(mbc_unit_output unit/output_test.cpp unit/output_text_test.cpp
  LIBS mbc_output nlohmann_json::nlohmann_json)
