// SPDX-License-Identifier: Apache-2.0
// Compares work and precision of the methods with adaptive steps, and of SUNDIALS' explicit methods on the same
// kernels, for ten examples (docs/benchmarks.md, "Work and precision"). It reports the error at the end against a run
// at the smallest tolerance, the number of right-hand sides, and the time of a whole run with native code. Times are
// the least of several runs, and all runs of an example take turns.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/arguments.h"
#include "bench/arkode.h"
#include "bench/timing.h"
#include "mbc/mbc.h"

namespace mbc::bench {
namespace {

struct Example {
  const char* name;
  const char* kind;
  std::vector<std::string> set;  // settings other than methods and times
};

const std::vector<Example>& examples() {
  static const std::vector<Example> list = {
      {"kepler", "no constraint, plane", {}},
      {"three_body_triangle", "no constraint, plane", {}},
      {"governor", "no constraint, space, minimal coordinates", {}},
      {"intermediate_axis", "no constraint, space, quaternion", {}},
      {"pendulum", "holonomic, plane", {}},
      {"chain", "holonomic, plane", {}},
      {"furuta", "holonomic, space, quaternions", {}},
      {"sleigh", "nonholonomic, plane", {}},
      {"snakeboard", "nonholonomic and driven, plane", {}},
      {"rolling_disc", "nonholonomic, space, quaternion", {"push=0.3"}},  // This push makes the disc rock.
  };
  return list;
}

constexpr const char* kTolerances[] = {"1e-4", "1e-6", "1e-8", "1e-10", "1e-12"};
constexpr const char* kMethods[] = {"auto(tol = TOL)", "dop853(rtol = TOL, atol = TOL)",
                                    "dopri5(rtol = TOL, atol = TOL)", "taylor(tol = TOL)"};
constexpr int kOrders[] = {8, 5};  // orders of ARKODE
constexpr int kTurns = 10;

std::string with(std::string integrator, const std::string& tolerance) {
  for (std::size_t at = integrator.find("TOL"); at != std::string::npos; at = integrator.find("TOL"))
    integrator.replace(at, 3, tolerance);
  return integrator;
}

// Returns a simulation with one row, at the end of the span.
Simulation made(const Example& e, const std::string& integrator, const TimeSpan& span) {
  CompileOptions options;
  options.native_at_once = true;
  options.set = e.set;
  options.set.push_back("integrator=" + integrator);
  options.set.push_back(fmt::format("time.step={:.17g}", span.end - span.begin));
  const Model model = Model::from_file(std::string(MBC_EXAMPLES_DIR "/") + e.name + ".mbd", options);
  if (!model.ok()) throw std::runtime_error(model.render_diagnostics());
  return Simulation::create(model).value();
}

RunResult whole_run(Simulation& simulation) {
  RunResult r = simulation.run({}, [](const Row&) { return true; });
  if (r.status != Status::complete) throw std::runtime_error(r.rendered);
  return r;
}

// A Point is the result of a method for an example at one tolerance.
struct Point {
  double error = 0, seconds = 0, residual = 0;
  std::uint64_t evaluations = 0;
};

struct Line {
  std::string method;
  std::vector<Point> points;  // one point for each tolerance
};

// Returns the largest difference of a coordinate from the reference, relative to the largest coordinate, or the same of
// the speeds if that is larger.
double apart(const Model& model, const std::vector<double>& a, const std::vector<double>& reference) {
  const std::size_t q = model.coordinates().size(), u = model.speeds().size();
  const auto part = [&](std::size_t from, std::size_t to) {
    double most = 0, size = 0;
    for (std::size_t i = from; i < to; ++i) {
      most = std::max(most, std::fabs(a[i] - reference[i]));
      size = std::max(size, std::fabs(reference[i]));
    }
    return most / size;
  };
  return std::max(part(0, q), part(q, q + u));
}

double largest_residual(Simulation& simulation, double time, const std::vector<double>& y) {
  const RowSet rows = simulation.rows(time, y).value();
  double most = 0;
  for (const std::vector<double>* level : {&rows.position_residual, &rows.velocity_residual})
    for (const double e : *level) most = std::max(most, std::fabs(e));
  return most;
}

class Measured {
 public:
  explicit Measured(const Example& e) : example_(e), span_(span_of(e)) {
    Simulation by_taylor = made(e, "taylor(tol = 1e-15)", span_);
    Simulation by_dop853 = made(e, "dop853(rtol = 1e-14, atol = 1e-14)", span_);
    reference_ = whole_run(by_taylor).state;
    known_to_ = apart(by_taylor.model(), whole_run(by_dop853).state, reference_);
    for (const char* method : kMethods) add_own(method);
    for (const int order : kOrders) add_arkode(order);
    const std::vector<double> seconds = take_turns(work_, kTurns);
    for (std::size_t i = 0; i < seconds.size(); ++i)
      lines_[i / std::size(kTolerances)].points[i % std::size(kTolerances)].seconds = seconds[i];
  }

  [[nodiscard]] const std::vector<Line>& lines() const { return lines_; }
  [[nodiscard]] double known_to() const { return known_to_; }
  [[nodiscard]] const Example& example() const { return example_; }

 private:
  static TimeSpan span_of(const Example& e) {
    CompileOptions options;
    options.interpret = true;
    const Model model = Model::from_file(std::string(MBC_EXAMPLES_DIR "/") + e.name + ".mbd", options);
    return model.time_span("").value();
  }

  void add_own(const char* method) {
    lines_.push_back({std::string(method).substr(0, std::string(method).find('(')), {}});
    for (const char* tolerance : kTolerances) {
      auto simulation = std::make_shared<Simulation>(made(example_, with(method, tolerance), span_));
      const RunResult r = whole_run(*simulation);
      lines_.back().points.push_back({apart(simulation->model(), r.state, reference_), 0,
                                      largest_residual(*simulation, span_.end, r.state), r.evaluations});
      work_.emplace_back([simulation](int count) {
        for (int k = 0; k < count; ++k) touch(whole_run(*simulation).state.data());
      });
    }
  }

  void add_arkode(int order) {
    lines_.push_back({fmt::format("ARKODE, order {}", order), {}});
    auto simulation = std::make_shared<Simulation>(made(example_, "auto", span_));
    const Model& model = simulation->model();
    const ArkodeProblem problem{simulation->rhs_function().value(), simulation->initial_state(),
                                model.coordinates().size() + model.speeds().size(), span_.begin, span_.end};
    for (const char* tolerance : kTolerances) {
      const double tol = std::stod(tolerance);
      const ArkodeRun r = run_arkode(problem, order, tol);
      lines_.back().points.push_back(
          {apart(model, r.state, reference_), 0, largest_residual(*simulation, span_.end, r.state), r.evaluations});
      work_.emplace_back([simulation, problem, order, tol](int count) {
        for (int k = 0; k < count; ++k) touch(run_arkode(problem, order, tol).state.data());
      });
    }
  }

  const Example& example_;
  TimeSpan span_;
  std::vector<double> reference_;
  double known_to_ = 0;
  std::vector<Line> lines_;
  std::vector<Work> work_;
};

// Returns the seconds needed for an error, by linear interpolation in logarithms between the points. If the method is
// more accurate at its largest tolerance already, the result is the time at that tolerance. The result is empty if no
// tolerance reaches the error.
std::optional<double> seconds_to(const Line& line, double error) {
  const std::vector<Point>& p = line.points;
  if (p.front().error <= error) return p.front().seconds;
  for (std::size_t k = 1; k < p.size(); ++k) {
    if (p[k].error > error) continue;
    const double part = std::log(error / p[k - 1].error) / std::log(p[k].error / p[k - 1].error);
    return p[k - 1].seconds * std::pow(p[k].seconds / p[k - 1].seconds, part);
  }
  return {};
}

void print_all(const std::vector<Measured>& all) {
  fmt::print("| error, right-hand sides, us | |");
  for (const char* tolerance : kTolerances) fmt::print(" {} |", tolerance);
  fmt::print("\n|---|---|---|---|---|---|---|\n");
  for (const Measured& m : all)
    for (const Line& line : m.lines()) {
      fmt::print("| {} | {} |", &line == m.lines().data() ? m.example().name : "", line.method);
      for (const Point& p : line.points) fmt::print(" {:.0e}, {}, {:.3g} |", p.error, p.evaluations, 1e6 * p.seconds);
      fmt::print("\n");
    }
}

// Prints times relative to ARKODE of order 8, the last line but one.
void print_ratios(const std::vector<Measured>& all) {
  fmt::print("\n| time to an error, by that of ARKODE of order 8 | error |");
  for (const Line& line : all.front().lines()) fmt::print(" {} |", line.method);
  fmt::print(" ARKODE, order 8, us |\n|---|---|---|---|---|---|---|---|---|\n");
  for (const Measured& m : all)
    for (const double error : {1e-5, 1e-8}) {
      const std::optional<double> other = seconds_to(m.lines()[std::size(kMethods)], error);
      fmt::print("| {} | {:.0e} |", m.example().name, error);
      for (const Line& line : m.lines()) {
        const std::optional<double> seconds = seconds_to(line, error);
        fmt::print(" {} |", seconds && other ? fmt::format("{:.2f}", *seconds / *other) : "-");
      }
      fmt::print(" {} |\n", other ? fmt::format("{:.3g}", 1e6 * *other) : "-");
    }
}

void print_residuals(const std::vector<Measured>& all) {
  fmt::print(
      "\n| largest residual at the end, tolerance 1e-8 | problem | auto | ARKODE, order 8 | reference known to |\n");
  fmt::print("|---|---|---|---|---|\n");
  for (const Measured& m : all) {
    const auto residual = [&](std::size_t line) { return m.lines()[line].points[2].residual; };
    fmt::print("| {} | {} | {:.0e} | {:.0e} | {:.0e} |\n", m.example().name, m.example().kind, residual(0),
               residual(std::size(kMethods)), m.known_to());
  }
}

}  // namespace
}  // namespace mbc::bench

int main(int argc, char** argv) {
  using namespace mbc::bench;
  try {
    const std::string wanted = wanted_of(argc, argv);
    std::vector<Measured> all;
    for (const Example& e : examples())
      if (std::string(e.name).find(wanted) != std::string::npos) all.emplace_back(e);
    if (all.empty()) throw std::runtime_error("no example has `" + wanted + "` in its name");
    print_all(all);
    print_ratios(all);
    print_residuals(all);
    return 0;
  } catch (const std::exception& failed) {
    fmt::print(stderr, "{}\n", failed.what());
    return 1;
  }
}
