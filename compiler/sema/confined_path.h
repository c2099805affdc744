// SPDX-License-Identifier: Apache-2.0
// The paths in a model, of files that it uses and of files that its runs save: relative, in the folder of the model or
// below.
#pragma once
#include <optional>
#include <string>

namespace mbc::sema {

// Returns the path that `written`, relative to `folder`, means; nothing if it leaves `root`, with links resolved.
[[nodiscard]] std::optional<std::string> confined_path(const std::string& written, const std::string& folder,
                                                       const std::string& root);
// The same by names alone, for a file that a host gives: `folder` is relative to that of the model.
[[nodiscard]] std::optional<std::string> path_below(const std::string& written, const std::string& folder);
inline constexpr const char* kNotConfined = "it is outside the folder of the model";

}  // namespace mbc::sema
