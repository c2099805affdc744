# SPDX-License-Identifier: Apache-2.0
# Tests the data of pictures, and the pages and plots that the program makes from them.
mbc_add_doctest(mbc_unit_scene api/scene_test.cpp LIBS mbc)
if(TARGET mbc_program)
  mbc_add_doctest(mbc_unit_pictures tools/program_pictures_test.cpp tools/program_plots_test.cpp tools/program_results_test.cpp tools/program_sweep_page_test.cpp tools/program_runner.cpp LIBS nlohmann_json::nlohmann_json)
  target_compile_definitions(mbc_unit_pictures PRIVATE MBC_PROGRAM="$<TARGET_FILE:mbc_program>")
  add_dependencies(mbc_unit_pictures mbc_program)
endif()
if(TARGET mbc_program AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  add_test(NAME mbc_site COMMAND sh ${PROJECT_SOURCE_DIR}/tests/tools/site/run.sh $<TARGET_FILE:mbc_program> ${PROJECT_BINARY_DIR}/site)
  set_tests_properties(mbc_site PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77)
  add_test(NAME mbc_pages COMMAND sh ${PROJECT_SOURCE_DIR}/tests/tools/pictures/browser/run.sh $<TARGET_FILE:mbc_program>)
  set_tests_properties(mbc_pages PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77)
endif()
