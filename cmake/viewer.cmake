# SPDX-License-Identifier: Apache-2.0
# The viewer of results as C++ texts, so that the program needs no files beside it. It is plain JavaScript of our own:
# nothing is fetched or bundled.
set(viewer_dir ${PROJECT_SOURCE_DIR}/tools/picture)
set(viewer_scripts data.js vectors.js meshes.js renderer.js scene.js svg.js plot.js panels.js main.js sweep.js start.js)
file(READ ${viewer_dir}/page.html viewer_page)
file(READ ${viewer_dir}/sweep.html viewer_sweep)
file(READ ${viewer_dir}/style.css viewer_style)
set(viewer_script "")
foreach(script ${viewer_scripts})
  file(READ ${viewer_dir}/${script} text)
  string(APPEND viewer_script "R\"__js__(${text})__js__\"\n")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${viewer_dir}/${script})
endforeach()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${viewer_dir}/page.html ${viewer_dir}/sweep.html ${viewer_dir}/style.css)
configure_file(${PROJECT_SOURCE_DIR}/cmake/viewer.cpp.in ${PROJECT_BINARY_DIR}/generated/mbc_viewer.cpp @ONLY)
