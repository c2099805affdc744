// SPDX-License-Identifier: Apache-2.0
// What `--set` says, as the parts of an elaboration ask for it, and what could have been set, for suggestions.
#pragma once
#include <string>
#include <vector>

#include "compiler/sema/elaborate.h"

namespace mbc::sema {

class Overrides {
 public:
  explicit Overrides(const std::vector<Override>& all) : all_(all) {}

  // The last one of this path, or null; all of them are then used.
  [[nodiscard]] const Override* use(const std::string& path) const;
  [[nodiscard]] bool has(const std::string& path) const;
  [[nodiscard]] const std::vector<Override>& all() const { return all_; }

  // Parameters of components and those that shape the model: they can be set, and are no parameters of the run.
  void add_structural(const std::string& path) { structural_.push_back(path); }
  [[nodiscard]] const std::vector<std::string>& structural() const { return structural_; }

  // Reports what was set and is nothing; `file` is the scope of the file.
  void check_used(const Model& model, const Scope& file, Sink& sink) const;

 private:
  const std::vector<Override>& all_;
  std::vector<std::string> structural_;
};

}  // namespace mbc::sema
