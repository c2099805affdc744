// SPDX-License-Identifier: Apache-2.0
// Writes the text of a row of parallelograms by its family, and draws its properties.
#include "tests/random/rows_of_parallelograms.h"

#include <iterator>

#include "tests/compiler/ad/rng.h"

namespace mbc::test {

namespace {

constexpr const char* kFormulations[] = {"udwadia_kalaba", "augmented",          "lagrange", "projection",     "kane",
                                         "volterra",       "efficient_volterra", "maggi",    "boltzmann_hamel"};
constexpr const char* kSteps[] = {"0.0002", "0.0005", "0.0008", "0.001", "0.00125", "0.002", "0.004", "0.005", "0.01"};
constexpr const char* kTolerances[] = {"1e-6", "1e-8", "1e-10", "1e-12"};

template <std::size_t N>
std::string one_of(Rng& rng, const char* const (&list)[N]) {
  return list[rng.below(std::size(list))];
}

std::string by_angles(const ParallelogramRow& row) {
  const std::string start = row.flat ? "pi/2" : "0";
  return "space 2\nuse bodies\n"
         "coord a[i in 0..N] = " +
         start +
         " rate 1\n"
         "body crank[i in 0..N](mass = 1, inertia = planar_rod_inertia(1, 1)) follows "
         "frame(origin = (i + 0.5*sin(a[i]), 0.5*cos(a[i])), rotation = rot(-a[i]))\n"
         "coord b[i in 1..N] = 0\n"
         "body coupler[i in 1..N](mass = 1, inertia = planar_rod_inertia(1, 1)) follows "
         "frame(origin = (i - 1 + sin(a[i-1]) + 0.5*cos(b[i]), cos(a[i-1]) + 0.5*sin(b[i])), rotation = rot(b[i]))\n"
         "constraint link[i in 1..N]: (i - 1 + sin(a[i-1]) + cos(b[i]), cos(a[i-1]) + sin(b[i])) == "
         "(i + sin(a[i]), cos(a[i]))\n";
}

// Starts gives the initial places and velocities of a crank at x, or of a coupler with its middle at x. The third entry
// of a vector is 0 in space.
struct Starts {
  bool flat = false, space = false;

  [[nodiscard]] std::string vector(const std::string& x, const std::string& y) const {
    return "(" + x + ", " + y + (space ? ", 0)" : ")");
  }
  [[nodiscard]] std::string spin() const { return space ? " spinning (0, 0, -1)" : " spinning -1"; }
  [[nodiscard]] std::string crank(const std::string& x) const {
    if (!flat) return "at " + vector(x, "0.5") + " moving " + vector("0.5", "0") + spin();
    return "at " + vector(x + " + 0.5", "0") + " rotated " + (space ? "rotz" : "rot") + "(-pi/2) moving " +
           vector("0", "-0.5") + spin();
  }
  [[nodiscard]] std::string coupler(const std::string& x) const {
    if (!flat) return "at " + vector(x, "1") + " moving " + vector("1", "0");
    return "at " + vector(x + " + 1", "0") + " moving " + vector("0", "-1");
  }
};

std::string by_joints(const ParallelogramRow& row) {
  const Starts s{row.flat, row.family == RowFamily::hinges};
  const std::string joint = s.space ? "Revolute " : "Pin ", length = row.one_coupler ? "N" : "1";
  const std::string upright = s.space ? "diag(0.1, 0.02, 0.1)" : "planar_rod_inertia(1, 1)";
  const std::string level = !s.space          ? "planar_rod_inertia(" + length + ", " + length + ")"
                            : row.one_coupler ? "diag(0.1, N, N)"
                                              : "diag(0.02, 0.1, 0.1)";
  std::string text = s.space ? "use joints, bodies\n" : "space 2\nuse planar_joints, bodies\n";
  text += "body c[i in 0..N](mass = 1, inertia = " + upright + ") " + s.crank("i") + "\n";
  text += "body k" + std::string(row.one_coupler ? "" : "[i in 1..N]") + "(mass = " + length + ", inertia = " + level +
          ") " + s.coupler(row.one_coupler ? "N/2" : "i - 0.5") + "\n";
  const auto join = [&](const std::string& name, const std::string& one, const std::string& other) {
    text += joint + name + "(" + one + ", " + other + ")\n";
  };
  const auto at = [&s](const std::string& body, const std::string& x, const std::string& y) {
    return body + ".at" + s.vector(x, y);
  };
  join("foot[i in 0..N]", at("ground", "i", "0"), at("c[i]", "0", "-0.5"));
  if (row.one_coupler) {
    join("head[i in 0..N]", at("c[i]", "0", "0.5"), at("k", "i - N/2", "0"));
  } else {
    join("left[i in 1..N]", at("c[i-1]", "0", "0.5"), at("k[i]", "-0.5", "0"));
    join("right[i in 1..N]", at("c[i]", "0", "0.5"), at("k[i]", "0.5", "0"));
  }
  return text;
}

void draw_method(Rng& rng, ParallelogramRow& row) {
  if (rng.chance(0.25)) {
    row.step = "0.01";
    row.integrator = "dopri5(rtol = " + one_of(rng, kTolerances) + ", atol = 1e-12)";
    return;
  }
  constexpr const char* methods[] = {"rk4", "rk4", "rk4", "ab4"};
  row.step = one_of(rng, kSteps);
  row.integrator = one_of(rng, methods);
}

// Returns the largest count for which full matrices need less than a minute.
std::uint32_t most_of(RowFamily family) {
  switch (family) {
    case RowFamily::angles:
      return 40;
    case RowFamily::pins:
      return 20;
    case RowFamily::hinges:
      break;
  }
  return 12;
}

}  // namespace

bool is_adaptive(const ParallelogramRow& row) { return row.integrator.starts_with("dopri5"); }
bool is_fine(const ParallelogramRow& row) { return !is_adaptive(row) && std::stod(row.step) <= 0.001; }

ParallelogramRow random_row(std::uint64_t seed, int most, double seconds, bool many) {
  Rng rng(seed);
  ParallelogramRow row;
  row.family = static_cast<RowFamily>(rng.below(3U));
  row.count = 1 + static_cast<int>(rng.below(static_cast<std::uint32_t>(most)));
  row.one_coupler = row.family != RowFamily::angles && rng.chance(0.5);
  row.gravity = rng.chance(0.5);
  row.flat = rng.chance(1.0 / 3);
  row.seconds = seconds;
  draw_method(rng, row);
  row.formulation = one_of(rng, kFormulations);
  // Independent coordinates change near every crossing, and with them the history of a multistep method. At steps of 5
  // ms and more its own errors would dominate.
  row.partition = rng.chance(0.25) && (row.integrator != "ab4" || std::stod(row.step) < 0.005);
  constexpr std::uint32_t kMany = 7;
  if (many && !is_adaptive(row) && std::stod(row.step) >= 0.002 && rng.chance(1.0 / 8))
    row.count = static_cast<int>(kMany + rng.below(most_of(row.family) - kMany + 1));
  return row;
}

EnergyLimits energy_limits(const ParallelogramRow& row) {
  if (is_adaptive(row)) {
    if (row.integrator.find("1e-6") != std::string::npos) return {1e-2, 1e-4};
    if (row.integrator.find("1e-8") != std::string::npos) return {1e-4, 1e-6};
    return {1e-5, 1e-8};
  }
  EnergyLimits limits = is_fine(row) ? EnergyLimits{1e-5, 1e-7} : EnergyLimits{1e-3, 1e-5};
  if (row.integrator == "ab4") limits = {limits.drift * 10, limits.jump * 10};
  return limits;
}

std::string row_text(const ParallelogramRow& row) {
  std::string text = "mbd 1\nparam N: int = " + std::to_string(row.count) + "\n";
  if (row.gravity) text += row.family == RowFamily::hinges ? "gravity (0, -9.81, 0)\n" : "gravity (0, -9.81)\n";
  text += row.family == RowFamily::angles ? by_angles(row) : by_joints(row);
  text += "output E = energy.total\nsimulate { time = 0 .. " + std::to_string(row.seconds) + " step " + row.step;
  text += "; integrator = " + row.integrator;
  text += "; formulation = " + row.formulation + "; stabilise = ";
  return text + (row.partition ? "partition" : "project(tol = 1e-12)") + " }\n";
}

}  // namespace mbc::test
