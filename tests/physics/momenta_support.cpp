// SPDX-License-Identifier: Apache-2.0
#include "tests/physics/momenta_support.h"

#include <algorithm>
#include <cmath>

#include "base/diagnostics/render.h"
#include "compiler/pipeline.h"
#include "doctest/doctest.h"
#include "mbc/mbc.h"
#include "tests/physics/run.h"

namespace mbc::test {

std::string FoundMomenta::names() const {
  std::string text;
  for (const auto& m : momenta.found) text += (text.empty() ? "" : "; ") + m.name;
  return text;
}

std::string FoundMomenta::rejected() const {
  std::string text;
  for (const auto& m : momenta.rejected) text += (text.empty() ? "" : "; ") + m.name + ": " + m.reason;
  return text;
}

const lower::MomentumDirection& FoundMomenta::direction(const std::string& name) const {
  const auto at =
      std::find_if(momenta.found.begin(), momenta.found.end(), [&](const auto& m) { return m.name == name; });
  REQUIRE_MESSAGE(at != momenta.found.end(), "no momentum " << name);
  return *at;
}

FoundMomenta momenta_of(const std::string& text, sema::Representation bodies) {
  PipelineOptions options;
  options.structure.bodies = bodies;
  Compilation c = compile("model.mbd", text, options);
  if (!c.ok()) (void)compile_text(text, Engine::interpreter);  // This call fails with the diagnostics.
  REQUIRE(c.ok());
  const std::vector<double> params = sema::parameter_values(c.model, {});
  lower::Momenta momenta = lower::find_momenta(c.model, params);
  return {std::move(c.model), std::move(momenta)};
}

double momentum_change(const std::string& text, const std::vector<std::pair<std::uint32_t, double>>& direction) {
  Simulation program = compile_text(text, Engine::interpreter);
  std::vector<std::pair<double, std::vector<double>>> visited;
  RunOptions options;
  if (program.model().simulations().size() > 1) options.simulation = program.model().simulations().front();
  options.output_every = 1000;
  options.drive = [&](double t, std::span<const double> y, std::span<double>) {
    if (visited.empty() || t - visited.back().first > 0.02) visited.emplace_back(t, std::vector(y.begin(), y.end()));
  };
  const RunResult result = program.run(options, [](const Row&) { return true; });
  REQUIRE_MESSAGE(result.status == Status::complete, text << result.rendered);
  const std::size_t n_q = program.model().coordinates().size(), n_u = program.model().speeds().size();
  double start = 0, change = 0, size = 0;
  for (const auto& [t, y] : visited) {
    const RowSet rows = program.rows(t, y).value();
    double momentum = 0, parts = 0;
    for (std::uint32_t i = 0; i < n_u; ++i) {
      double p = 0;
      for (std::size_t j = 0; j < n_u; ++j) p += rows.M[i * rows.n + j] * y[n_q + j];
      for (const auto& [speed, c] : direction) momentum += speed == i ? c * p : 0;
      parts += std::fabs(p);
    }
    if (t == visited.front().first) start = momentum;
    change = std::max(change, std::fabs(momentum - start));
    size = std::max(size, parts);
  }
  REQUIRE(visited.size() > 10);
  REQUIRE(size > 1e-3);  // The model must move.
  return change / size;
}

void check_momenta(const std::string& text, const std::string& found, const std::string& rejected, double tolerance) {
  CAPTURE(text);
  const FoundMomenta f = momenta_of(text);
  CHECK(f.names() == found);
  CHECK(f.rejected() == rejected);
  CHECK_FALSE(f.momenta.limited);
  const std::string run = text + R"(
simulate { time = 0 .. 1 step 0.001; integrator = rk4; formulation = udwadia_kalaba; stabilise = none }
)";
  for (const auto& m : f.momenta.found) {
    CAPTURE(m.name);
    CHECK(m.speeds.front().second == 1);
    CHECK(momentum_change(run, m.speeds) < tolerance);
  }
  for (const auto& m : f.momenta.rejected) {
    CAPTURE(m.name);
    for (std::uint32_t u = 0; u < f.model.speeds.size(); ++u)
      if (f.model.speeds[u].coordinate && f.model.coordinates[*f.model.speeds[u].coordinate].name == m.name)
        CHECK(momentum_change(run, {{u, 1.0}}) > 1e-3);
  }
}

}  // namespace mbc::test
