# SPDX-License-Identifier: Apache-2.0
# Tests the language server without a process, and the files for editors.
if(TARGET mbc_lsp)
  mbc_add_doctest(mbc_unit_lsp
    tools/lsp/text_test.cpp tools/lsp/scan_test.cpp tools/lsp/client.cpp tools/lsp/server_test.cpp tools/lsp/features_test.cpp
    tools/lsp/examples_test.cpp tools/lsp/half_written_test.cpp tools/lsp/latency_test.cpp tools/editors/editors_test.cpp
    LIBS mbc_lsp mbc_compiler)
endif()
