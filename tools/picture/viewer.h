// SPDX-License-Identifier: Apache-2.0
// The texts of the viewer, built in: page.html, sweep.html, style.css and the scripts of this folder in the order of
// cmake/viewer.cmake.
#pragma once

namespace mbc::tools {

[[nodiscard]] const char* viewer_page();
[[nodiscard]] const char* sweep_page();
[[nodiscard]] const char* viewer_style();
[[nodiscard]] const char* viewer_script();

}  // namespace mbc::tools
