// SPDX-License-Identifier: Apache-2.0
#include "bench/redundant.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "bench/agreement.h"
#include "bench/subject.h"
#include "bench/timing.h"

namespace mbc::bench {
namespace {

constexpr int kUntilStage = 110'000;  // After this number of calls `fast_rhs` has native code.
constexpr int kUntilNative = 20;      // After this number of runs all functions have native code.
constexpr int kRunTurns = 40, kShortRun = 50, kLongRun = 350;  // steps of a run
constexpr double kStep = 1e-3;

// The middle rod is written a second time, squared. Its row is a multiple of the first one.
std::string chain(int rods, bool redundant) {
  std::string text = chain_text(rods, false);
  if (redundant) {
    const int k = rods / 2;
    text.insert(text.find("simulate"), fmt::format("constraint again: dist(p{}, p{})^2 == 1\n", k - 1, k));
  }
  return text;
}

// Returns a wavy net of rods at rest between width x width particles, suspended at two corners.
std::string net(int width, bool redundant) {
  std::string text = fmt::format("mbd 1\ngravity (0, 0, -{})\n", kGravity);
  const auto name = [width](int i, int j) { return fmt::format("p{}", 1 + i + width * j); };
  const auto at = [](int i, int j, int axis) {
    const double wave = std::sin(0.9 * i + 1.3 * j);
    return axis == 0 ? i : axis == 1 ? 0.3 * wave : -0.9 * j + 0.2 * std::cos(1.3 * i - 0.7 * j);
  };
  const auto position = [&](int i, int j) {
    return fmt::format("({:.17g}, {:.17g}, {:.17g})", at(i, j, 0), at(i, j, 1), at(i, j, 2));
  };
  for (int j = 0; j < width; ++j)
    for (int i = 0; i < width; ++i) text += fmt::format("particle {}(1) at {}\n", name(i, j), position(i, j));
  for (const int corner : {0, width - 1})
    text += fmt::format("constraint hung{}: {}.pos == {}\n", corner, name(corner, 0), position(corner, 0));
  const auto rod = [&](int i, int j, int k, int l) {
    double square = 0;
    for (int axis = 0; axis < 3; ++axis) square += std::pow(at(i, j, axis) - at(k, l, axis), 2);
    const std::string ends = fmt::format("{}_{}", name(i, j), name(k, l));
    const std::string distance = fmt::format("dist({}, {})", name(i, j), name(k, l));
    text += fmt::format("constraint {}: {} == {:.17g}\n", ends, distance, std::sqrt(square));
    if (redundant && i == width / 2 && j == i && k > i)
      text += fmt::format("constraint again: {}^2 == {:.17g}\n", distance, square);
  };
  for (int j = 0; j < width; ++j)
    for (int i = 0; i < width; ++i) {
      if (i + 1 < width) rod(i, j, i + 1, j);
      if (j + 1 < width) rod(i, j, i, j + 1);
    }
  return text + "simulate { time = 0 .. 1 step 0.001; integrator = rk4 }\n";
}

class Candidate {
 public:
  Candidate(const std::string& name, const std::string& text, jit::Engine& engine)
      : subject_({name, text, Shape::chain, 0, 0}, &engine),
        equations_(subject_.equations(true, runtime::SolveMode::fast)),
        dy_(subject_.state().size()) {
    if (rhs() != 0) throw std::runtime_error(name + ": not finite");
    for (int k = 0; k < kUntilStage; ++k) stage();
    for (int k = 0; k < kUntilNative; ++k) run(kLongRun);
  }
  std::int32_t rhs() { return equations_.rhs(subject_.time(), subject_.state().data(), dy_.data()); }
  // The stages of an integrator make the same calls.
  void stage() {
    if (!equations_.fast_rhs(subject_.time(), subject_.state().data(), dy_.data())) rhs();
  }
  double run(int steps) {
    RunOptions options;
    options.span = {0.0, steps * kStep};
    options.output_every = 1'000'000;
    const RunResult result = subject_.program().run(options);
    if (result.status != Status::complete) throw std::runtime_error(result.rendered);
    return result.wall_seconds;
  }
  [[nodiscard]] std::size_t rows() const { return equations_.layout().n_rows; }
  // the entries of the state without the integrals at its end
  [[nodiscard]] std::size_t entries() const { return subject_.speeds_at() + subject_.speeds(); }
  [[nodiscard]] const std::vector<double>& derivatives() const { return dy_; }

 private:
  Subject subject_;
  runtime::Equations& equations_;
  std::vector<double> dy_;
};

// Returns the seconds for one step from runs of two lengths, so that the cost of starting a run cancels.
std::array<double, 2> steps(std::array<Candidate*, 2> both) {
  std::array<double, 2> brief{1e300, 1e300}, full{1e300, 1e300}, seconds{};
  for (int k = 0; k < kRunTurns; ++k)
    for (std::size_t i = 0; i < 2; ++i) {
      brief[i] = std::min(brief[i], both[i]->run(kShortRun));
      full[i] = std::min(full[i], both[i]->run(kLongRun));
    }
  for (std::size_t i = 0; i < 2; ++i) seconds[i] = (full[i] - brief[i]) / (kLongRun - kShortRun);
  return seconds;
}

RedundantSeconds measure(const std::string& name, const std::array<std::string, 2>& texts, jit::Engine& engine) {
  Candidate independent(name, texts[0], engine), redundant(name + ", redundant", texts[1], engine);
  RedundantSeconds result{name, {independent.rows(), 0, 0, 0}, {redundant.rows(), 0, 0, 0}, 0};
  Agreement agreement;
  agreement.see(independent.derivatives().data(), redundant.derivatives().data(), independent.entries());
  result.difference = agreement.demand(name);
  std::vector<Work> all;
  for (Candidate* c : {&independent, &redundant}) {
    all.emplace_back([c](int count) {
      for (int k = 0; k < count; ++k) c->stage();
    });
    all.emplace_back([c](int count) {
      for (int k = 0; k < count; ++k) c->rhs();
    });
  }
  const std::vector<double> calls = take_turns(all);
  const std::array<double, 2> runs = steps({&independent, &redundant});
  result.independent = {independent.rows(), calls[0], calls[1], runs[0]};
  result.redundant = {redundant.rows(), calls[2], calls[3], runs[1]};
  return result;
}

}  // namespace

std::vector<RedundantSeconds> measure_redundant(jit::Engine& engine) {
  return {measure("chain of 100 rods, one said twice", {chain(100, false), chain(100, true)}, engine),
          measure("net of 7 x 7 particles, one rod said twice", {net(7, false), net(7, true)}, engine)};
}

}  // namespace mbc::bench
