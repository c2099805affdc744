// SPDX-License-Identifier: Apache-2.0
// The equations of a model, printed by `--mbd` and read back by our own parser.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/api/printed_models.h"

namespace mbc::test {

// They are evaluated for values of the model's coordinates and speeds.
class ReadBack {
 public:
  // `more`: expressions with the names of the model, read as outputs of their names.
  explicit ReadBack(const Model& model, const std::vector<std::pair<std::string, std::string>>& more = {});

  void set(double time, const std::vector<double>& y);
  [[nodiscard]] bool has(const std::string& label) const;
  // Labels are those of the equations, "M[1,2]". What is not written is zero.
  double value(const std::string& label);

  std::string text;

 private:
  Model model_;
  std::optional<Simulation> read_;
};

}  // namespace mbc::test
