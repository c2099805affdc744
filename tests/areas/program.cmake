# SPDX-License-Identifier: Apache-2.0
# Tests the `mbc` program as its users run it: started, with input, and interrupted.
if(TARGET mbc_program)
  mbc_add_doctest(mbc_unit_program
    tools/program_test.cpp tools/program_output_test.cpp tools/program_places_test.cpp tools/program_escapes_test.cpp tools/program_pipes_test.cpp tools/program_kill_test.cpp tools/program_interrupt_test.cpp tools/program_resume_test.cpp tools/program_fuzz_test.cpp tools/program_repl_test.cpp tools/program_doctor_test.cpp tools/program_compare_test.cpp tools/program_sweep_test.cpp tools/program_models_test.cpp tools/program_lsp_test.cpp tools/program_session_test.cpp tools/program_session_docs_test.cpp tools/terminal.cpp tools/program_runner.cpp tools/program_equations_test.cpp
    ${PROJECT_SOURCE_DIR}/tools/session/session_lines.cpp
    LIBS nlohmann_json::nlohmann_json)
  target_compile_definitions(mbc_unit_program PRIVATE MBC_PROGRAM="$<TARGET_FILE:mbc_program>" MBC_SOURCE="${PROJECT_SOURCE_DIR}"
    $<$<BOOL:${MBC_JIT}>:MBC_HAVE_JIT>)
  add_dependencies(mbc_unit_program mbc_program)
  mbc_add_doctest(mbc_unit_answers tools/program_json_test.cpp tools/program_runner.cpp LIBS mbc nlohmann_json::nlohmann_json)
  target_compile_definitions(mbc_unit_answers PRIVATE MBC_PROGRAM="$<TARGET_FILE:mbc_program>")
  add_dependencies(mbc_unit_answers mbc_program)
  mbc_add_doctest(mbc_unit_import tools/program_import_test.cpp tools/program_runner.cpp tools/robot_motion.cpp tools/drawn_robot.cpp tools/program_import_mjcf_test.cpp tools/program_import_places_test.cpp tools/program_import_refused_test.cpp tools/program_import_sdf_test.cpp tools/program_import_sdf_loops_test.cpp tools/program_import_sdf_refused_test.cpp tools/program_import_copies_test.cpp LIBS mbc Eigen3::Eigen nlohmann_json::nlohmann_json)
  target_compile_definitions(mbc_unit_import PRIVATE MBC_PROGRAM="$<TARGET_FILE:mbc_program>")
  add_dependencies(mbc_unit_import mbc_program)
  # The program of `./dev run` must write the same files and report the commands that it does not have.
  add_test(NAME mbc_run_alone COMMAND sh -c "$<TARGET_FILE:mbc_run> run '${PROJECT_SOURCE_DIR}/examples/two_particles.mbd' --quiet -o alone.csv && \
    $<TARGET_FILE:mbc_program> run '${PROJECT_SOURCE_DIR}/examples/two_particles.mbd' --quiet -o whole.csv && cmp alone.csv whole.csv && \
    $<TARGET_FILE:mbc_run> check model.mbd 2>&1 | grep 'this program has the command `run` alone'")
  # The kernel for notebooks is tested with Jupyter's client library if the system has it.
  add_test(NAME mbc_jupyter COMMAND sh ${PROJECT_SOURCE_DIR}/tests/tools/jupyter/run.sh $<TARGET_FILE:mbc_program>)
  set_tests_properties(mbc_jupyter PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77)
  # The language server and the colours of the files for editors are tested with the libraries of Visual Studio Code and
  # with the editors, if `./dev packages editors` has installed them.
  foreach(what client textmate vim emacs)
    add_test(NAME mbc_lsp_${what} COMMAND sh ${PROJECT_SOURCE_DIR}/tests/tools/lsp/npm/run.sh $<TARGET_FILE:mbc_program> ${what})
    set_tests_properties(mbc_lsp_${what} PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77)
  endforeach()
  if(MBC_JIT)
    # This program tests when native code is made, that a run does not wait for it, and the cache of compiled code
    # (api/model/native_code.h).
    mbc_add_doctest(mbc_unit_native_code api/native_code_test.cpp tools/program_runner.cpp LIBS mbc nlohmann_json::nlohmann_json)
    target_compile_definitions(mbc_unit_native_code PRIVATE MBC_PROGRAM="$<TARGET_FILE:mbc_program>")
    add_dependencies(mbc_unit_native_code mbc_program)
    find_library(MBC_OTHER_LLVM LLVM HINTS /usr/lib/llvm-19/lib)
    if(MBC_OTHER_LLVM AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")  # Sanitizers must be loaded first.
      target_compile_definitions(mbc_unit_native_code PRIVATE MBC_OTHER_LLVM="${MBC_OTHER_LLVM}")
    endif()
  endif()
endif()
# This program tests rows as HDF5: their bytes, and files of the program read by h5dump.
if(TARGET mbc_program)
  mbc_add_doctest(mbc_unit_hdf5 tools/program_hdf5_test.cpp api/output/hdf5_library_test.cpp tools/program_runner.cpp
    LIBS mbc_output nlohmann_json::nlohmann_json)
  target_compile_definitions(mbc_unit_hdf5 PRIVATE MBC_PROGRAM="$<TARGET_FILE:mbc_program>"
    MBC_HAVE_HDF5=$<BOOL:$<TARGET_EXISTS:mbc_hdf5>>
    MBC_HDF5_FILE="$<$<TARGET_EXISTS:mbc_hdf5>:$<TARGET_FILE:mbc_hdf5>>")
  add_dependencies(mbc_unit_hdf5 mbc_program)
endif()
# This program tests the outputs of `mbc compile` for linkers and as programs.
if(TARGET mbc_runner)
  mbc_add_doctest(mbc_unit_emit tools/program_emit_test.cpp tools/program_runner.cpp)
  target_compile_definitions(mbc_unit_emit PRIVATE MBC_PROGRAM="$<TARGET_FILE:mbc_program>" MBC_SOURCE="${PROJECT_SOURCE_DIR}")
  add_dependencies(mbc_unit_emit mbc_program)
endif()
