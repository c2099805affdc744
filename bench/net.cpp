// SPDX-License-Identifier: Apache-2.0
#include "bench/net.h"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "bench/agreement.h"
#include "bench/cholmod.h"
#include "bench/timing.h"
#include "compiler/formulate/solve/sparse_plan.h"
#include "kernel/support/mbc_support.h"

namespace mbc::bench {
namespace {

constexpr int kTurns = 30;

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

// This class is mbc's elimination of a net with all its input and output.
class Elimination {
 public:
  explicit Elimination(const Net& net) : rows_(static_cast<std::uint32_t>(net.row_ptr.size() - 1)), mask_(rows_, 1.0) {
    const double begin = now();
    plan_ = formulate::plan_sparse({net.n, net.row_ptr, net.column, net.mass});
    planning_ = now() - begin;
    if (!plan_) throw std::runtime_error("no plan for a net");
    put(MBC_PLAN_MASS, net.n, {});
    put(MBC_PLAN_FORCE, net.n, {});
    put(MBC_PLAN_A, net.a.size(), net.a);
    for (const int word : {MBC_PLAN_B, MBC_PLAN_LAMBDA, MBC_PLAN_PIVOT, MBC_PLAN_PIVOT_SCALE}) put(word, rows_, {});
    put(MBC_PLAN_UDOT, net.n, {});
    put(MBC_PLAN_SCRATCH, plan_->scratch, {});
  }
  void solve() { mbc_sparse_solve(plan_->words.data(), mask_.data(), work_.data()); }
  [[nodiscard]] std::uint32_t rows() const { return rows_; }
  [[nodiscard]] std::size_t factor() const { return plan_->factor; }
  [[nodiscard]] double planning() const { return planning_; }
  [[nodiscard]] const double* multipliers() const { return work_.data() + plan_->words[MBC_PLAN_LAMBDA]; }

 private:
  void put(int word, std::size_t size, const std::vector<double>& values) {
    plan_->words[static_cast<std::size_t>(word)] = static_cast<std::uint32_t>(work_.size());
    work_.insert(work_.end(), values.begin(), values.end());
    work_.resize(work_.size() + size - values.size(), 1.0);
  }

  std::uint32_t rows_;
  std::optional<formulate::SparsePlan> plan_;
  std::vector<double> work_, mask_;
  double planning_ = 0;
};

// This struct holds S for unit masses and the right-hand side of the multipliers, for the other solvers.
struct System {
  Eigen::SparseMatrix<double> S;
  Eigen::VectorXd right;

  explicit System(const Net& net) {
    const auto m = static_cast<Eigen::Index>(net.row_ptr.size() - 1);
    Eigen::SparseMatrix<double, Eigen::RowMajor> A(m, net.n);
    std::vector<Eigen::Triplet<double>> entries;
    for (std::size_t k = 0; k + 1 < net.row_ptr.size(); ++k)
      for (std::uint32_t e = net.row_ptr[k]; e < net.row_ptr[k + 1]; ++e)
        entries.emplace_back(static_cast<int>(k), static_cast<int>(net.column[e]), net.a[e]);
    A.setFromTriplets(entries.begin(), entries.end());
    S = A * Eigen::SparseMatrix<double, Eigen::RowMajor>(A.transpose());
    right = Eigen::VectorXd::Ones(m) - A * Eigen::VectorXd::Ones(net.n);
  }
  [[nodiscard]] SymmetricMatrix lower() const {
    const Eigen::SparseMatrix<double> L = S.triangularView<Eigen::Lower>();
    return {{L.outerIndexPtr(), L.outerIndexPtr() + L.cols() + 1},
            {L.innerIndexPtr(), L.innerIndexPtr() + L.nonZeros()},
            {L.valuePtr(), L.valuePtr() + L.nonZeros()}};
  }
};

double difference(const double* ours, std::span<const double> theirs) {
  using Values = Eigen::Map<const Eigen::VectorXd>;
  const auto size = static_cast<Eigen::Index>(theirs.size());
  const Values x(theirs.data(), size);
  return (Values(ours, size) - x).norm() / x.norm();
}

template <class Solve>
Work repeat(Solve solve) {
  return [solve](int count) {
    for (int k = 0; k < count; ++k) solve();
  };
}

}  // namespace

const NetSolver& NetSeconds::best_other() const {
  const auto faster = [](const NetSolver& a, const NetSolver& b) { return a.seconds < b.seconds; };
  return cholmod.empty() ? eigen : *std::min_element(cholmod.begin(), cholmod.end(), faster);
}

NetSeconds measure_net(std::uint32_t width) {
  const Net net(width);
  const System system(net);
  Elimination ours(net);
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> eigen;
  eigen.analyzePattern(system.S);
  Eigen::VectorXd x;
  const auto by_eigen = [&] {
    eigen.factorize(system.S);
    x = eigen.solve(system.right);
  };
  const auto solvers =
      cholmod_solvers(system.lower(), {system.right.data(), system.right.data() + system.right.size()});

  NetSeconds result;
  ours.solve();
  by_eigen();
  result.difference = difference(ours.multipliers(), {x.data(), static_cast<std::size_t>(x.size())});
  std::vector<Work> all{repeat([&] { ours.solve(); }), repeat(by_eigen)};
  for (const auto& solver : solvers) {
    result.difference = std::max(result.difference, difference(ours.multipliers(), solver->solve()));
    all.push_back(repeat([s = solver.get()] { s->solve(); }));
  }
  if (!(result.difference <= kAgreement)) throw std::runtime_error("multipliers of a net differ");
  const std::vector<double> seconds = take_turns(all, kTurns);
  result.rows = ours.rows();
  result.factor = ours.factor();
  result.plan = ours.planning();
  result.mbc = seconds[0];
  result.eigen = {"Eigen, SimplicialLDLT", seconds[1]};
  for (std::size_t k = 0; k < solvers.size(); ++k) result.cholmod.push_back({solvers[k]->name(), seconds[k + 2]});
  return result;
}

}  // namespace mbc::bench
