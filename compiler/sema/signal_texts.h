// SPDX-License-Identifier: Apache-2.0
// The signals of inputs in the present elaboration (statements/input_signals.h), as written.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/sema/elaborate.h"

namespace mbc::sema {

inline constexpr const char* kInputPrefix = "input.";  // of settings and of `--set`

// Returns whether the command line gives a value to that name.
[[nodiscard]] bool given_outside(const std::vector<Override>& overrides, const std::string& path);

// The expressions of the signals, by the name of their input.
class SignalTexts {
 public:
  struct Text {
    const ast::Expr* value = nullptr;
    const Override* from_outside = nullptr;
  };
  // `block` is the block that shapes the model, or null. `only` restricts the inputs of it and of the command line.
  void choose(const ast::Simulate* block, const std::vector<Override>& overrides,
              const std::optional<std::vector<std::string>>& only);
  [[nodiscard]] const Text* find(const std::string& input) const;
  [[nodiscard]] const std::string& block() const { return block_; }

 private:
  std::map<std::string, Text> texts_;
  std::string block_;
};

}  // namespace mbc::sema
