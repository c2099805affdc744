// SPDX-License-Identifier: Apache-2.0
// Makes small sweeps of a text, and reads their values.
#pragma once
#include <string>
#include <vector>

#include "mbc/mbc.h"

namespace mbc::test {

inline SweepOptions of(const std::string& name, bool interpret = true) {
  SweepOptions o;
  o.compile.interpret = interpret;
  o.name = name;
  o.jobs = 1;
  return o;
}

inline SweepResult look(const SweepOptions& options, const std::string& text) {
  return sweep_text(text, "a.mbd", options);
}

inline std::vector<double> varied(const SweepResult& r, std::size_t name) {
  std::vector<double> out;
  for (const SweepMember& m : r.rows) out.push_back(m.varied[name]);
  return out;
}

}  // namespace mbc::test
