# compiler/formulate/stage.cpp: the lean right-hand side beside the full one. runtime/support: mbc_sincos.
mbc_add_doctest(mbc_unit_stage unit/stage_test.cpp unit/sincos_test.cpp LIBS mbc_kernel mbc_compiler)
if(MBC_JIT)
  target_link_libraries(mbc_unit_stage PRIVATE mbc_jit_loader)
  target_compile_definitions(mbc_unit_stage PRIVATE MBC_HAVE_JIT)
endif()
