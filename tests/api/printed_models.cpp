// SPDX-License-Identifier: Apache-2.0
#include "tests/api/printed_models.h"

#include <doctest/doctest.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "base/numbers.h"
#include "base/read_file.h"
#include "tests/random/how_many.h"

namespace mbc::test {

namespace {

constexpr const char* kSleigh = R"(mbd 1
param m = 2, J = 0.5, a = 0.3
coord x = 0
coord y = 0
coord theta = 0.4
init { x' = 1; theta' = 0.5; y' ~ 0.4 }
kinetic T: 0.5*m*((x' - a*theta'*sin(theta))^2 + (y' + a*theta'*cos(theta))^2) + 0.5*J*theta'^2
constraint knife: x'*sin(theta) - y'*cos(theta) == 0
simulate glide { time = 0 .. 1 step 0.001; integrator = rk4 }
)";

constexpr const char* kPiecewise = R"(mbd 1
param k = 3, c = 0.4
input push = 0.2
state brake = 0.7
coord x = 0.5
kinetic T: x'^2/2
load spring on x: if x > 0.1 then -k*x else (if x > -0.2 and x' < 1 then -2*k*abs(x) else k*x^3)
load drag on x: -c*sign(x')*sqrt(abs(x')) - brake*x' + push
state lag = 0.3 where lag' = x - min(lag, 0.2)*exp(-lag)
when slow: x' falling { brake = 0.9 }
simulate go { time = 0 .. 1 step 0.01; integrator = rk4 }
)";

constexpr const char* kNonideal = R"(mbd 1
space 2
param g = 9.81, l = 1.3, mu = 0.2
gravity (0, -g)
particle p(2) at (l, 0) moving (0, 0.5)
constraint rod: dist(p, ground) == l nonideal { force rub on p: -mu*norm(rod.ideal)*p.vel }
simulate swing { time = 0 .. 1 step 0.001; integrator = rk4 }
)";

std::string model_text(const std::string& name) {
  if (name.find('\n') != std::string::npos) return name;
  std::string text, error;
  REQUIRE_MESSAGE(mbc::read_file(std::string(MBC_SOURCE_DIR) + "/examples/" + name, text, error), error);
  return text;
}

double condition_of(mbc::Simulation& s, double time, const std::vector<double>& y) {
  const mbc::RowSet rows = s.rows(time, y).value();
  const auto n = static_cast<Eigen::Index>(rows.n), m = static_cast<Eigen::Index>(rows.m);
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n + m, n + m);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j) K(i, j) = rows.M[static_cast<std::size_t>(i * n + j)];
  for (Eigen::Index i = 0; i < m; ++i)
    for (Eigen::Index j = 0; j < n; ++j) K(n + i, j) = K(j, n + i) = rows.A[static_cast<std::size_t>(i * n + j)];
  const Eigen::VectorXd sizes = Eigen::JacobiSVD<Eigen::MatrixXd>(K).singularValues();
  double least = sizes(0);
  for (Eigen::Index k = 0; k < sizes.size(); ++k)
    if (sizes(k) > 1e-12 * sizes(0)) least = sizes(k);
  return sizes(0) / least;
}

// How much larger relative changes of the rates are than those of the state: stiff forces are differences.
double sensitivity_of(mbc::Simulation& s, const Sample& at) {
  constexpr double kChange = 1e-9;
  std::mt19937 random(9);
  std::uniform_real_distribution<double> drawn(-kChange, kChange);
  std::vector<double> y = at.y, dy(y.size());
  for (double& value : y) value *= 1 + drawn(random);
  if (!s.rhs(at.time, y, dy).ok()) return 1;
  double size = 1, change = 0;
  for (std::size_t k = 0; k < dy.size(); ++k) {
    size = std::max(size, std::fabs(at.dy[k]));
    change = std::max(change, std::fabs(dy[k] - at.dy[k]));
  }
  return std::max(1.0, change / (kChange * size));
}

}  // namespace

Shown shown() {
  Shown out;
  std::string error;
  REQUIRE_MESSAGE(mbc::read_file(std::string(MBC_SOURCE_DIR) + "/docs/equations.md", out.page, error), error);
  const std::string begin = "```mbd\n", end = "```\n";
  const std::size_t model = out.page.find(begin) + begin.size(), model_end = out.page.find(end, model);
  out.model = out.page.substr(model, model_end - model);
  out.output_at = out.page.find(end, model_end + end.size()) + end.size();
  out.output = out.page.substr(out.output_at, out.page.find(end, out.output_at) - out.output_at);
  return out;
}

const std::vector<std::string>& printed_models() {
  static const std::vector<std::string> kModels = {shown().model,
                                                   kSleigh,
                                                   kPiecewise,
                                                   "cart_pole.mbd",
                                                   "sleigh.mbd",
                                                   "furuta.mbd",
                                                   "spinning_top.mbd",
                                                   "seeds/001_projection/sleigh.mbd",
                                                   kNonideal,
                                                   "double_pendulum_redundant.mbd",
                                                   "three_body_triangle.mbd",
                                                   "seeds/000_volterra/cart_double_pendulum.mbd",
                                                   "seeds/000_volterra/satellite.mbd",
                                                   "seeds/000_volterra/three_bodies.mbd",
                                                   "seeds/001_projection/rotary_pendulum.mbd",
                                                   "seeds/001_projection/sleigh_rotor.mbd",
                                                   "seeds/003_compiler/two_particles.mbd",
                                                   "seeds/004_bodies/triple_pendulum.mbd",
                                                   "atwood.mbd",
                                                   "bead_on_hoop.mbd",
                                                   "bead_on_rotating_wire.mbd",
                                                   "bicycle.mbd",
                                                   "buffer_tolerances.mbd",
                                                   "car_axis.mbd",
                                                   "chain.mbd",
                                                   "clutch.mbd",
                                                   "compound_atwood.mbd",
                                                   "crane.mbd",
                                                   "dry_friction.mbd",
                                                   "epicyclic_gear.mbd",
                                                   "foucault.mbd",
                                                   "four_bar_flat.mbd",
                                                   "governor.mbd",
                                                   "gyroscope.mbd",
                                                   "hit_and_miss.mbd",
                                                   "hopper.mbd",
                                                   "intermediate_axis.mbd",
                                                   "kepler.mbd",
                                                   "pd_pendulum.mbd",
                                                   "peaucellier.mbd",
                                                   "pendulum.mbd",
                                                   "relay.mbd",
                                                   "rolling_coin.mbd",
                                                   "rolling_disc.mbd",
                                                   "sampled_pendulum.mbd",
                                                   "screw_press.mbd",
                                                   "slider_crank.mbd",
                                                   "snakeboard.mbd",
                                                   "solar_system.mbd",
                                                   "sphere_on_turntable.mbd",
                                                   "spherical_pendulum.mbd",
                                                   "squeezing_mechanism.mbd",
                                                   "stiff_bushing.mbd",
                                                   "string_cut.mbd",
                                                   "suspension.mbd",
                                                   "two_particles.mbd",
                                                   "vibration_absorber.mbd",
                                                   "walker.mbd",
                                                   "watt_linkage.mbd",
                                                   "wheeled_cart.mbd"};
  return kModels;
}

std::vector<std::string> printed_models(int usual) {
  std::vector<std::string> all = printed_models();
  all.resize(std::min(all.size(), static_cast<std::size_t>(random_models(usual, 1))));
  return all;
}

mbc::Model model_of(const std::string& name) {
  mbc::CompileOptions options;
  options.interpret = true;
  const std::string text = model_text(name);
  const mbc::Model model = mbc::Model::from_string(text, name == text ? "model.mbd" : name, options);
  REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
  return model;
}

std::string written(const mbc::Model& model, EquationsRequest::Form form) {
  EquationsRequest request;
  request.form = form;
  const mbc::Result<std::string> made = mbc::model_equations(model, request);
  REQUIRE_MESSAGE(made.ok(), made.error().message);
  return *made;
}

std::vector<Sample> samples(const mbc::Model& model) {
  mbc::Simulation s = mbc::Simulation::create(model).value();
  std::mt19937 random(7);
  std::uniform_real_distribution<double> drawn(-0.3, 0.3);
  std::vector<Sample> out;
  const double begin = s.time();
  const std::vector<double> discrete = s.discrete_state().value();
  for (int k = 0; k < 20; ++k) {
    Sample one;
    REQUIRE(s.run_until(begin + 0.02 * k).ok());
    if (s.discrete_state().value() != discrete) break;  // programs hold between events
    one.time = s.time();
    one.y = s.state();
    if (model.constraint_row_count() == 0)
      for (double& value : one.y) value += drawn(random);
    one.dy.resize(one.y.size());
    const auto ok = s.rhs(one.time, one.y, one.dy);
    REQUIRE_MESSAGE(ok.ok(), ok.error().message);
    one.condition = condition_of(s, one.time, one.y) * sensitivity_of(s, one);
    one.redundant = !s.rows(one.time, one.y).value().dependent_rows.empty();
    const std::size_t size = model.coordinates().size() + model.speeds().size() + model.states().size();
    one.y.resize(size);  // without the integrals of work
    one.dy.resize(size);
    out.push_back(std::move(one));
  }
  return out;
}

std::string rows_of(const std::vector<Sample>& list, const char* begin, const char* end) {
  std::string out;
  for (const Sample& s : list) {
    out += begin + mbc::text::number(s.time);
    for (const double value : s.y) out += ", " + mbc::text::number(value);
    out += std::string(end) + ",\n";
  }
  return out;
}

std::string output_of(const std::string& command) {
  std::string out;
  std::FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  char buffer[4096];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) out.append(buffer, n);
  CHECK_MESSAGE(pclose(pipe) == 0, command);
  return out;
}

bool runs(const std::string& command) { return std::system((command + " > /dev/null 2>&1").c_str()) == 0; }

bool is_there(const std::string& command, const char* what) {
  if (runs(command)) return true;
  MESSAGE("skipped: there is no " << what);
  return false;
}

}  // namespace mbc::test
