// SPDX-License-Identifier: Apache-2.0
// Models that come with the program.
#pragma once
#include <string>
#include <vector>

namespace mbc::tools {

struct Shipped {
  std::string name, text;
};

// Those of examples/, by name.
[[nodiscard]] const std::vector<Shipped>& examples();

}  // namespace mbc::tools
