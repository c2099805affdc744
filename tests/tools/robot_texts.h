// SPDX-License-Identifier: Apache-2.0
// Robot files as models, for tests.
#pragma once
#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <sstream>
#include <string>
#include <vector>

#include "mbc/mbc.h"
#include "tests/tools/program_runner.h"

namespace mbc::test {

inline std::string imported_robot(const std::string& text, const std::vector<std::string>& more = {}) {
  std::vector<std::string> line{"import", "-", "--quiet"};
  line.insert(line.end(), more.begin(), more.end());
  const Ran ran = run_mbc(line, {.input = text});
  REQUIRE_MESSAGE(ran.code == 0, ran.err);
  return ran.out;
}

inline Model model_of(const std::string& text) {
  CompileOptions options;
  options.interpret = true;
  Model model = Model::from_string(text, "robot.mbd", options);
  REQUIRE_MESSAGE(model.ok(), model.render_diagnostics() << text);
  return model;
}

inline std::size_t place_of(const std::vector<Quantity>& list, const std::string& name) {
  for (std::size_t k = 0; k < list.size(); ++k)
    if (list[k].name == name) return k;
  FAIL("there is no " << name);
  return 0;
}

inline std::string three(const Eigen::Vector3d& v) {
  std::ostringstream text;
  text.precision(17);
  text << v[0] << " " << v[1] << " " << v[2];
  return text.str();
}

inline std::string in_mujoco(const std::string& inside) { return "<mujoco model=\"m\">\n" + inside + "\n</mujoco>\n"; }
inline std::string in_world(const std::string& inside) {
  return in_mujoco("<worldbody>\n" + inside + "\n</worldbody>");
}

}  // namespace mbc::test
