// Large systems: the right-hand side of long chains, and factorisation and solve of square nets beside Eigen's
// SimplicialLDLT on the same matrix S = A M^-1 A^T (its numeric factorisation and solve alone, S given; ours assembles
// S, factorises, solves and recovers the accelerations). Least of some repetitions, wall time.
#include <fmt/format.h>

#include <Eigen/SparseCholesky>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "compiler/formulate/sparse_plan.h"
#include "mbc/mbc.h"
#include "runtime/support/mbc_support.h"

namespace mbc::bench {
namespace {

// Least time of one call in microseconds.
template <class Call>
double least(Call&& call, double seconds = 0.5) {
  using Clock = std::chrono::steady_clock;
  double best = 1e300, total = 0;
  for (int k = 0; k < 5 || total < seconds; ++k) {
    const auto begin = Clock::now();
    call();
    const double took = std::chrono::duration<double>(Clock::now() - begin).count();
    best = std::min(best, took);
    total += took;
  }
  return 1e6 * best;
}

void chain(int n) {
  const std::string text = fmt::format(
      "mbd 1\nparam n: int = {}\ngravity (0, 0, -9.81)\n"
      "particle p[i in 1..n](1) at (i, 0.3*(i - 2*floor(i/2)), 0)\n"
      "constraint first: dist(ground, p[1]) == sqrt(1.09)\n"
      "constraint rod[i in 2..n]: dist(p[i-1], p[i]) == sqrt(1.09)\nsimulate {{ time = 0 .. 1 step 0.001 }}\n",
      n);
  Program program = Program::from_string(text, "chain.mbd");
  std::vector<double> y = program.initial_state(), dy(y.size());
  program.rhs(0, y, dy);
  const double us = least([&] { program.rhs(0, y, dy); });
  fmt::print("{:>8}{:>14.1f}{:>12.1f}\n", n, us, 1e3 * us / n);
}

struct Net {
  std::vector<std::uint32_t> row_ptr{0}, column;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> mass;
  std::vector<double> a;
  std::uint32_t n;

  explicit Net(std::uint32_t width) : n(3 * width * width) {
    for (std::uint32_t i = 0; i < n; ++i) mass.emplace_back(i, i);
    const auto at = [&](std::uint32_t p, int axis) {
      const double x = p % width, y = p / width;
      return axis == 0 ? x : axis == 1 ? y : 0.3 * std::sin(1.3 * x + 0.2) * std::cos(1.1 * y);
    };
    const auto rod = [&](std::uint32_t p, std::uint32_t q) {
      for (const auto& [from, to] : {std::pair{p, q}, std::pair{q, p}})
        for (int axis = 0; axis < 3; ++axis) {
          column.push_back(3 * from + static_cast<std::uint32_t>(axis));
          a.push_back(at(from, axis) - at(to, axis));
        }
      row_ptr.push_back(static_cast<std::uint32_t>(column.size()));
    };
    for (std::uint32_t axis = 0; axis < 3; ++axis) {
      column.push_back(axis);
      a.push_back(1);
      row_ptr.push_back(static_cast<std::uint32_t>(column.size()));
    }
    for (std::uint32_t p = 0; p < width * width; ++p) {
      if ((p + 1) % width != 0) rod(p, p + 1);
      if (p + width < width * width) rod(p, p + width);
    }
  }
};

void net(std::uint32_t width) {
  const Net s(width);
  const auto m = static_cast<std::uint32_t>(s.row_ptr.size() - 1);
  std::optional<formulate::SparsePlan> plan;
  const double planning = least([&] { plan = formulate::plan_sparse({s.n, s.row_ptr, s.column, s.mass}); }, 0);
  std::vector<double> work, mask(m, 1.0);
  const auto put = [&](int word, std::size_t size, const std::vector<double>& values) {
    plan->words[static_cast<std::size_t>(word)] = static_cast<std::uint32_t>(work.size());
    work.insert(work.end(), values.begin(), values.end());
    work.resize(work.size() + size - values.size(), 1.0);
  };
  put(MBC_PLAN_MASS, s.n, {});
  put(MBC_PLAN_FORCE, s.n, {});
  put(MBC_PLAN_A, s.a.size(), s.a);
  for (const int word : {MBC_PLAN_B, MBC_PLAN_LAMBDA, MBC_PLAN_PIVOT, MBC_PLAN_PIVOT_SCALE}) put(word, m, {});
  put(MBC_PLAN_UDOT, s.n, {});
  put(MBC_PLAN_SCRATCH, plan->scratch, {});
  const double ours = least([&] { mbc_sparse_solve(plan->words.data(), mask.data(), work.data()); });

  Eigen::SparseMatrix<double, Eigen::RowMajor> A(m, s.n);
  std::vector<Eigen::Triplet<double>> entries;
  for (std::uint32_t k = 0; k < m; ++k)
    for (std::uint32_t e = s.row_ptr[k]; e < s.row_ptr[k + 1]; ++e)
      entries.emplace_back(static_cast<int>(k), static_cast<int>(s.column[e]), s.a[e]);
  A.setFromTriplets(entries.begin(), entries.end());
  const Eigen::SparseMatrix<double> S = A * Eigen::SparseMatrix<double, Eigen::RowMajor>(A.transpose());
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> eigen;
  eigen.analyzePattern(S);
  const Eigen::VectorXd r = Eigen::VectorXd::Ones(m) - A * Eigen::VectorXd::Ones(s.n);
  Eigen::VectorXd x;
  const double theirs = least([&] {
    eigen.factorize(S);
    x = eigen.solve(r);
  });
  const Eigen::Map<const Eigen::VectorXd> lambda(work.data() + plan->words[MBC_PLAN_LAMBDA], m);
  fmt::print("{:>8}{:>8}{:>12}{:>12.0f}{:>12.0f}{:>8.2f}{:>12.1e}{:>12.1f}\n", width, m, plan->factor, ours, theirs,
             ours / theirs, (lambda - x).norm() / x.norm(), planning / 1e3);
}

}  // namespace
}  // namespace mbc::bench

int main() {
  std::puts("chains of n rods, right-hand side by native code");
  std::puts("       n       us/call  ns/rod");
  for (const int n : {100, 300, 1000, 10000, 100000}) mbc::bench::chain(n);
  std::puts(
      "\nnets of w x w particles: us of a solve, of Eigen's numeric LDLT and solve, ratio, difference, plan in ms");
  std::puts("       w    rows  entries L          us       Eigen   ratio  difference     plan ms");
  for (const std::uint32_t width : {10u, 30u, 60u, 100u}) mbc::bench::net(width);
  return EXIT_SUCCESS;
}
