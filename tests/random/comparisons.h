// SPDX-License-Identifier: Apache-2.0
// Compares random models: one motion computed in two ways, and a sweep with separate runs.
#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/physics/run.h"

namespace mbc::test {

// Returns the largest difference of these columns over all rows, relative to their largest value (at least 1). It is
// infinite if rows are missing or values are not numbers.
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

// This struct compares a model with the same model in another formulation. `rounding` is the effect of a change of
// gravity by 1e-13. It is computed if the two differ by more than kOneMotion, because impacts and ends of slips amplify
// every difference.
constexpr double kOneMotion = 1e-9;
struct ByFormulations {
  Run one;
  double apart = 0, rounding = 0;

  [[nodiscard]] bool same() const { return apart < kOneMotion || apart < 10 * rounding; }
};

// If `columns` is empty, all columns are compared. `known` is the run of this text. Formulations with independent
// speeds have another state and make other steps, so the text must use an integrator with small step errors.
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

// Compares a run that ends in the middle and continues from its checkpoint with the whole run, in rows and summary.
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
  if (bytes.empty()) return;  // The run has fewer steps.
  CHECK(first.result.status == Status::interrupted);
  RunOptions on;
  on.resume = bytes;
  Simulation other = compile_text(text, Engine::interpreter);
  const Run rest = run(other, on);
  REQUIRE(rest.result.status == whole.result.status);
  if (rest.result.resumed_anew) return;  // The method for stiff problems starts again.
  CHECK(first.rows() + rest.rows() == whole.rows());
  CHECK(rest.result.state == whole.result.state);
  CHECK(rest.result.events == whole.result.events);
  CHECK(rest.result.kinks == whole.result.kinks);
  CHECK(rest.values.size() <= whole.values.size());
  CHECK(std::equal(rest.values.rbegin(), rest.values.rend(), whole.values.rbegin()));
}

// Runs a sweep of k from 1 on, the value of `whole`. Its members must end like runs with these values, with the same
// bits of the recorded values.
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
