// SPDX-License-Identifier: Apache-2.0
// Which inputs have a signal in what is elaborated now (statements/input_signals.h), as written.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/sema/elaborate.h"

namespace mbc::sema {

inline constexpr const char* kInputPrefix = "input.";  // of settings and of `--set`

// Whether the command line gives something of that name.
[[nodiscard]] bool given_outside(const std::vector<Override>& overrides, const std::string& path);

// The expressions by the name of their input, in what is elaborated now.
class SignalTexts {
 public:
  struct Text {
    const ast::Expr* value = nullptr;
    const Override* from_outside = nullptr;
  };
  // `block`: the one that counts, or null; `only`: of its inputs and those of the command line.
  void choose(const ast::Simulate* block, const std::vector<Override>& overrides,
              const std::optional<std::vector<std::string>>& only);
  [[nodiscard]] const Text* find(const std::string& input) const;
  [[nodiscard]] const std::string& block() const { return block_; }

 private:
  std::map<std::string, Text> texts_;
  std::string block_;
};

}  // namespace mbc::sema
