// SPDX-License-Identifier: Apache-2.0
// What random models are compared by: one motion by two ways of computing it, and a sweep with runs of its own.
#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/physics/run.h"

namespace mbc::test {

// The most that these columns differ by, over all rows, of their largest value, at least 1. Infinite where rows are
// missing, or values none.
inline double apart(const Run& a, const Run& b, const std::vector<std::string>& columns) {
  if (a.rows() != b.rows()) return HUGE_VAL;
  double most = 0;
  for (const std::string& name : columns) {
    double size = 1, differs = 0;
    for (std::size_t row = 0; row < a.rows(); ++row) {
      const double x = a.at(row, name), y = b.at(row, name);
      if (!std::isfinite(x) || !std::isfinite(y)) return HUGE_VAL;
      size = std::max(size, std::fabs(x));
      differs = std::max(differs, std::fabs(x - y));
    }
    most = std::max(most, differs / size);
  }
  return most;
}

// A model and the same by another formulation. rounding: what 1e-13 of gravity changes, asked for where they are more
// than kOneMotion apart, since impacts and ends of slips amplify whatever differs.
constexpr double kOneMotion = 1e-9;
struct ByFormulations {
  Run one;
  double apart = 0, rounding = 0;

  [[nodiscard]] bool same() const { return apart < kOneMotion || apart < 10 * rounding; }
};

// columns: all where empty. known: the run of this text. Formulations with independent speeds have another state, so
// that they take other steps: the text has an integrator that makes errors of steps small.
inline ByFormulations by_formulations(const std::string& text, const std::string& other,
                                      std::vector<std::string> columns = {}, const Run* known = nullptr) {
  ByFormulations out{known != nullptr ? *known : run(text)};
  if (columns.empty()) columns = out.one.names;
  const Run again = run(replaced(text, "integrator =", "formulation = " + other + "; integrator ="));
  CHECK(again.result.rendered == out.one.result.rendered);
  out.apart = apart(out.one, again, columns);
  if (out.apart >= kOneMotion) out.rounding = apart(out.one, run(replaced(text, "-10)", "-10.000000000001)")), columns);
  return out;
}

// A run that ends in the middle, and one that goes on from what its checkpoint holds: rows and summary of the whole
// run.
inline void from_checkpoint(const std::string& text, const Run& whole, std::uint64_t steps) {
  std::string bytes;
  RunOptions until;
  until.pause = [&](const Pause& pause) {
    if (pause.steps < steps || !bytes.empty()) return std::string();
    bytes = pause.save();
    return std::string("far enough");
  };
  Simulation one = compile_text(text, Engine::interpreter);
  const Run first = run(one, until);
  if (bytes.empty()) return;  // it has fewer steps
  CHECK(first.result.status == Status::interrupted);
  RunOptions on;
  on.resume = bytes;
  Simulation other = compile_text(text, Engine::interpreter);
  const Run rest = run(other, on);
  REQUIRE(rest.result.status == whole.result.status);
  if (rest.result.resumed_anew) return;  // the method for stiff problems begins anew
  CHECK(first.rows() + rest.rows() == whole.rows());
  CHECK(rest.result.state == whole.result.state);
  CHECK(rest.result.events == whole.result.events);
  CHECK(rest.result.kinks == whole.result.kinks);
  CHECK(rest.values.size() <= whole.values.size());
  CHECK(std::equal(rest.values.rbegin(), rest.values.rend(), whole.values.rbegin()));
}

// Members of a sweep of k from 1 on, which is what `whole` has run with: they end as runs with these values do, with
// the bits of what is recorded.
inline void sweep_as_single_runs(const std::string& text, const Run& whole, const std::vector<std::string>& columns,
                                 bool interpret) {
  SweepOptions options;
  options.vary = {"k = 1 .. 1.5 count 3"};
  for (const std::string& name : columns) options.record.push_back("final(" + name + ")");
  options.jobs = 2;
  options.compile.interpret = interpret;
  const SweepResult swept = sweep_text(text, "random.mbd", options);
  REQUIRE(swept.rows.size() == 3);
  for (const SweepMember& member : swept.rows) {
    const bool first = member.varied[0] == 1;
    const Run alone = first ? whole : run(text, Engine::interpreter, {"k = " + number(member.varied[0])});
    CAPTURE(member.varied[0]);
    CHECK(member.status == alone.result.status);
    CHECK((member.diagnostic ? member.diagnostic->code : "") == alone.code());
    if (alone.result.status != Status::complete) continue;
    REQUIRE(member.recorded.size() == columns.size());
    for (std::size_t c = 0; c < columns.size(); ++c) CHECK(member.recorded[c] == alone.last(columns[c]));
  }
}

}  // namespace mbc::test
