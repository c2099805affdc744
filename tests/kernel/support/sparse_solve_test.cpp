// SPDX-License-Identifier: Apache-2.0
// Compares mbc_sparse_solve, with the plans of the compiler, with mbc_dense_solve.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "compiler/formulate/solve/sparse_plan.h"
#include "kernel/support/mbc_support.h"

namespace mbc::test {
namespace {

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

struct System {
  std::uint32_t n = 0;
  Pairs mass;  // pattern with i >= j, ascending
  std::vector<double> mass_values;
  std::vector<std::uint32_t> row_ptr{0}, column;
  std::vector<double> a, b, f, mask;
  std::vector<char> off;  // one flag per row: the row is not eliminated; empty means that all are
  bool mostly = false;    // The row is eliminated where it is not zero.

  [[nodiscard]] std::uint32_t m() const { return static_cast<std::uint32_t>(b.size()); }
  [[nodiscard]] formulate::SparsePattern pattern() const { return {n, row_ptr, column, mass, off, mostly}; }
  void add_row(const std::vector<std::pair<std::uint32_t, double>>& entries, double right_side) {
    for (const auto& [i, value] : entries) {
      column.push_back(i);
      a.push_back(value);
    }
    row_ptr.push_back(static_cast<std::uint32_t>(column.size()));
    b.push_back(right_side);
    mask.push_back(1);
  }
};

struct Solution {
  std::int32_t status = 0;
  std::vector<double> udot, lambda, pivot, scale;
};

// The Workspace holds all arrays; scratch begins as NaN.
struct Workspace {
  std::vector<double> work;
  std::vector<std::uint32_t> places;  // MBC_PLAN_MASS .. MBC_PLAN_SCRATCH

  Workspace(const System& s, const std::vector<double>& mass, std::uint64_t scratch) {
    const auto put = [&](const std::vector<double>& list) {
      places.push_back(static_cast<std::uint32_t>(work.size()));
      work.insert(work.end(), list.begin(), list.end());
    };
    const double none = std::numeric_limits<double>::quiet_NaN();
    for (const auto* list : {&mass, &s.f, &s.a, &s.b}) put(*list);
    put(std::vector<double>(s.n, none));
    for (int k = 0; k < 3; ++k) put(std::vector<double>(s.m(), none));
    put(std::vector<double>(scratch, none));
  }
  [[nodiscard]] Solution take(const System& s, std::int32_t status) const {
    const auto part = [&](int word, std::uint32_t size) {
      const auto begin = work.begin() + places[static_cast<std::size_t>(word - MBC_PLAN_MASS)];
      return std::vector<double>(begin, begin + size);
    };
    return {status, part(MBC_PLAN_UDOT, s.n), part(MBC_PLAN_LAMBDA, s.m()), part(MBC_PLAN_PIVOT, s.m()),
            part(MBC_PLAN_PIVOT_SCALE, s.m())};
  }
};

Solution dense(const System& s) {
  std::vector<double> mass(std::size_t{s.n} * s.n, 0.0);
  for (std::size_t k = 0; k < s.mass.size(); ++k) mass[s.mass[k].first * s.n + s.mass[k].second] = s.mass_values[k];
  Workspace w(s, mass, mbc_dense_solve_scratch(s.n, s.m(), 1));
  std::vector<std::uint32_t> plan{s.n, s.m(), 1};
  for (const std::vector<std::uint32_t>* list :
       std::initializer_list<const std::vector<std::uint32_t>*>{&w.places, &s.row_ptr, &s.column})
    plan.insert(plan.end(), list->begin(), list->end());
  return w.take(s, mbc_dense_solve(plan.data(), s.mask.data(), w.work.data()));
}

std::vector<std::uint32_t> plan_of(const System& s, std::uint32_t& scratch) {
  const std::optional<formulate::SparsePlan> made = formulate::plan_sparse(s.pattern());
  REQUIRE(made.has_value());
  scratch = made->scratch;
  return made->words;
}

Solution sparse(const System& s) {
  std::uint32_t scratch = 0;
  std::vector<std::uint32_t> plan = plan_of(s, scratch);
  Workspace w(s, s.mass_values, scratch);
  std::copy(w.places.begin(), w.places.end(), plan.begin() + MBC_PLAN_MASS);
  const char* wrong = mbc_sparse_solve_check(plan.data(), static_cast<std::uint32_t>(plan.size()), s.m(),
                                             static_cast<std::uint32_t>(w.work.size()));
  CHECK(wrong == nullptr);
  REQUIRE_MESSAGE(wrong == nullptr, wrong);
  return w.take(s, mbc_sparse_solve(plan.data(), s.mask.data(), w.work.data()));
}

double largest(const std::vector<double>& x) {
  double size = 0;
  for (double v : x) size = std::max(size, std::fabs(v));
  return size;
}

double difference(const std::vector<double>& x, const std::vector<double>& y) {
  double size = 0;
  for (std::size_t k = 0; k < x.size(); ++k) size = std::max(size, std::fabs(x[k] - y[k]));
  return size;
}

// Makes blocks of random sizes with scattered speeds, and rows over a few neighbouring blocks.
System random_system(std::mt19937_64& random, std::uint32_t n, std::uint32_t m, std::uint32_t largest_block) {
  std::normal_distribution<double> normal;
  const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
  System s;
  s.n = n;
  std::vector<std::uint32_t> speed(n);
  for (std::uint32_t i = 0; i < n; ++i) speed[i] = i;
  if (largest_block > 1) std::shuffle(speed.begin(), speed.end(), random);
  std::vector<std::pair<std::pair<std::uint32_t, std::uint32_t>, double>> mass;
  for (std::uint32_t i = 0; i < n;) {
    const std::uint32_t size = std::min(n - i, 1 + below(largest_block));
    for (std::uint32_t j = 0; j < size; ++j)
      for (std::uint32_t k = 0; k <= j; ++k) {
        const std::pair ij = std::minmax(speed[i + j], speed[i + k]);
        if (j == k)
          mass.push_back({{ij.second, ij.first}, 2.0 + std::fabs(normal(random))});
        else if (below(3) > 0)
          mass.push_back({{ij.second, ij.first}, 0.2 * normal(random)});
      }
    i += size;
  }
  std::sort(mass.begin(), mass.end());
  for (const auto& [ij, value] : mass) {
    s.mass.push_back(ij);
    s.mass_values.push_back(value);
  }
  for (std::uint32_t k = 0; k < m; ++k) {
    std::set<std::uint32_t> columns;
    const std::uint32_t base = below(n), count = 1 + below(6);
    for (std::uint32_t c = 0; c < count; ++c) columns.insert(speed[(base + below(12)) % n]);
    std::vector<std::pair<std::uint32_t, double>> row;
    for (std::uint32_t c : columns) row.emplace_back(c, normal(random));
    s.add_row(row, normal(random));
  }
  for (std::uint32_t i = 0; i < n; ++i) s.f.push_back(normal(random));
  return s;
}

// Makes the last row depend on the first two: 2 row_0 - row_1.
void repeat_rows(System& s) {
  std::vector<double> row(s.n, 0.0);
  for (std::uint32_t e = s.row_ptr[0]; e < s.row_ptr[1]; ++e) row[s.column[e]] += 2 * s.a[e];
  for (std::uint32_t e = s.row_ptr[1]; e < s.row_ptr[2]; ++e) row[s.column[e]] -= s.a[e];
  std::vector<std::pair<std::uint32_t, double>> entries;
  for (std::uint32_t i = 0; i < s.n; ++i)
    if (row[i] != 0) entries.emplace_back(i, row[i]);
  s.add_row(entries, 2 * s.b[0] - s.b[1]);
}

// Makes a chain or a square net of rods between particles in the plane. The first particle is fixed.
System particles(std::uint32_t width, std::uint32_t height) {
  System s;
  s.n = 2 * width * height;
  for (std::uint32_t i = 0; i < s.n; ++i) {
    s.mass.emplace_back(i, i);
    s.mass_values.push_back(1.0 + 0.1 * (i % 7));
    s.f.push_back(i % 2 == 0 ? 0.0 : -9.81);
  }
  const auto rod = [&](std::uint32_t p, std::uint32_t q, double x, double y) {
    s.add_row({{2 * p, -x}, {2 * p + 1, -y}, {2 * q, x}, {2 * q + 1, y}}, 0.1 * std::sin(p));
  };
  s.add_row({{0, 1.0}}, 0);
  s.add_row({{1, 1.0}}, 0);
  for (std::uint32_t j = 0; j < height; ++j)
    for (std::uint32_t i = 0; i < width; ++i) {
      const std::uint32_t p = j * width + i;
      if (i + 1 < width) rod(p, p + 1, 1.0, 0.3 * std::sin(1.0 + p));
      if (j + 1 < height && (j + 2) * width <= s.n) rod(p, p + width, 0.2 * std::cos(2.0 * p), 1.0);
    }
  return s;
}

void compare(const System& s, double tolerance) {
  const Solution x = sparse(s), y = dense(s);
  REQUIRE(x.status == y.status);
  if (y.status != 0) return;
  CHECK(difference(x.udot, y.udot) <= tolerance * (1 + largest(y.udot)));
  CHECK(difference(x.lambda, y.lambda) <= tolerance * (1 + largest(y.lambda)));
  CHECK(difference(x.scale, y.scale) <= tolerance * (1 + largest(y.scale)));
}

void refuse_wrong_words(bool mostly) {
  std::mt19937_64 random(13);
  System s = random_system(random, 30, 14, 3);
  s.off = {0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0};
  s.mostly = mostly;
  std::uint32_t scratch = 0;
  std::vector<std::uint32_t> plan = plan_of(s, scratch);
  Workspace w(s, s.mass_values, scratch);
  std::copy(w.places.begin(), w.places.end(), plan.begin() + MBC_PLAN_MASS);
  const auto size = static_cast<std::uint32_t>(w.work.size());
  const auto check = [&](const std::vector<std::uint32_t>& p, std::uint32_t words) {
    return mbc_sparse_solve_check(p.data(), words, s.m(), size);
  };
  const auto words = static_cast<std::uint32_t>(plan.size());
  REQUIRE(check(plan, words) == nullptr);
  CHECK(mbc_sparse_solve_check(plan.data(), words, s.m() - 1, size) != nullptr);
  CHECK(mbc_sparse_solve_check(plan.data(), words, s.m(), size - 1) != nullptr);
  for (std::uint32_t k = 0; k < words; ++k) CHECK(check(plan, k) != nullptr);
  // A randomly changed word is refused or harmless: the solve stays inside the workspace, which sanitizers check.
  for (std::uint32_t k = 0; k < words; ++k)
    for (std::uint32_t value : {plan[k] + 1, plan[k] - 1, 0x7fffffffu, 0xffffffffu}) {
      std::vector<std::uint32_t> bad = plan;
      bad[k] = value;
      if (check(bad, words) != nullptr) continue;
      Workspace again(s, s.mass_values, scratch);
      mbc_sparse_solve(bad.data(), s.mask.data(), again.work.data());
    }
}

}  // namespace

TEST_CASE("random systems: the accelerations and multipliers of the dense solve") {
  std::mt19937_64 random(11);
  for (int sample = 0; sample < 400; ++sample) {
    CAPTURE(sample);
    const auto n = static_cast<std::uint32_t>(5 + sample % 60);
    const System s = random_system(random, n, n / 3, 1 + static_cast<std::uint32_t>(sample) % 7);
    const Solution y = dense(s);
    // The errors of both solutions grow with 1/least, where least measures the distance from dependent rows.
    double least = 1;
    for (std::uint32_t k = 0; k < s.m(); ++k) least = std::min(least, y.pivot[k] / y.scale[k]);
    if (least > 1e-4) compare(s, 1e-12 / least);
  }
}

TEST_CASE("rows outside the mask and rows that repeat others have no multiplier, the accelerations agree") {
  std::mt19937_64 random(12);
  int compared = 0;
  for (int sample = 0; sample < 1000; ++sample) {
    CAPTURE(sample);
    System s = random_system(random, 40, 10, 1 + static_cast<std::uint32_t>(sample) % 4);
    const Solution alone = dense(s);
    double least = 1;
    for (std::uint32_t k = 0; k < s.m(); ++k) least = std::min(least, alone.pivot[k] / alone.scale[k]);
    repeat_rows(s);
    if (least < 1e-3 || s.column.size() == s.row_ptr[s.m() - 1]) continue;
    ++compared;
    const Solution x = sparse(s), y = dense(s);
    std::uint32_t skipped = 0;
    for (std::uint32_t k = 0; k < s.m(); ++k) {
      const bool vanished = x.pivot[k] <= 1e-13 * x.scale[k];
      skipped += vanished ? 1 : 0;
      if (vanished) CHECK(x.lambda[k] == 0);
      if (!vanished) CHECK(x.pivot[k] > 1e-8 * x.scale[k]);
    }
    CHECK(skipped == 1);
    CHECK(y.pivot[s.m() - 1] <= 1e-13 * y.scale[s.m() - 1]);
    CHECK(difference(x.udot, y.udot) <= 1e-11 / least * (1 + largest(y.udot)));
    s.mask[0] = 0;
    compare(s, 1e-11 / (least * least));
    CHECK(sparse(s).lambda[0] == 0);
  }
  CHECK(compared > 500);
}

// This holds for all positions of the rows and all values in their places.
TEST_CASE("rows that are off are as if they were not there, and their multipliers are zero") {
  std::mt19937_64 random(14);
  int compared = 0;
  for (int sample = 0; sample < 400; ++sample) {
    CAPTURE(sample);
    System s = random_system(random, 40, 14, 1 + static_cast<std::uint32_t>(sample) % 4), rest = s;
    s.off.resize(s.m());
    for (std::uint32_t k = 0; k < s.m(); ++k) {
      if (random() % 3 != 0 && sample > 0) continue;  // The first sample switches off all rows.
      s.off[k] = 1;
      rest.mask[k] = 0;
      const double none = std::numeric_limits<double>::quiet_NaN();
      for (std::uint32_t e = s.row_ptr[k]; e < s.row_ptr[k + 1]; ++e) s.a[e] = none;
      s.b[k] = none;
    }
    const Solution x = sparse(s), y = dense(rest);
    double least = 1;
    for (std::uint32_t k = 0; k < s.m(); ++k)
      if (s.off[k] == 0) least = std::min(least, y.pivot[k] / y.scale[k]);
    if (least < 1e-4) continue;
    ++compared;
    CHECK(difference(x.udot, y.udot) <= 1e-12 / least * (1 + largest(y.udot)));
    for (std::uint32_t k = 0; k < s.m(); ++k) {
      if (s.off[k] != 0)
        CHECK(x.lambda[k] == 0);
      else
        CHECK(std::fabs(x.lambda[k] - y.lambda[k]) <= 1e-12 / least * (1 + largest(y.lambda)));
    }
  }
  CHECK(compared > 300);
}

// Contacts have such rows. Those that are not zero are eliminated after all others, for all sets of rows that are left
// out.
TEST_CASE("rows that are mostly zero take part where they are not") {
  std::mt19937_64 random(15);
  int compared = 0;
  for (int sample = 0; sample < 600; ++sample) {
    CAPTURE(sample);
    System s = random_system(random, 40, 18, 1 + static_cast<std::uint32_t>(sample) % 4);
    s.mostly = true;
    s.off.resize(s.m());
    for (std::uint32_t k = 0; k < s.m(); ++k) {
      s.off[k] = sample % 3 == 0 || random() % 2 == 0 ? 1 : 0;  // Some samples mark all rows.
      if (s.off[k] != 0 && random() % 2 == 0)
        for (std::uint32_t e = s.row_ptr[k]; e < s.row_ptr[k + 1]; ++e) s.a[e] = 0;
      if (random() % 6 == 0) s.mask[k] = 0;
    }
    const Solution x = sparse(s), y = dense(s);
    double least = 1;
    for (std::uint32_t k = 0; k < s.m(); ++k)
      if (y.scale[k] > 0 && s.mask[k] != 0) least = std::min(least, y.pivot[k] / y.scale[k]);
    if (least < 1e-4) continue;
    ++compared;
    compare(s, 1e-11 / least);
    for (std::uint32_t k = 0; k < s.m(); ++k) {
      const bool acts = largest({s.a.begin() + s.row_ptr[k], s.a.begin() + s.row_ptr[k + 1]}) > 0;
      if (s.off[k] != 0 && !acts) CHECK((x.lambda[k] == 0 && x.pivot[k] == 0 && x.scale[k] == 0));
      if (acts && s.mask[k] != 0) CHECK(x.pivot[k] > 1e-7 * x.scale[k]);
    }
  }
  CHECK(compared > 300);
}

TEST_CASE("a row that is mostly zero and repeats others is left out; one that is not defined shows") {
  std::mt19937_64 random(16);
  System s = random_system(random, 40, 10, 3);
  repeat_rows(s);
  REQUIRE(s.column.size() > s.row_ptr[s.m() - 1]);
  const Solution without = dense(s);
  s.mostly = true;
  for (const std::vector<char>& off :
       {std::vector<char>(s.m(), 1), std::vector<char>{0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1}}) {
    s.off = off;
    const Solution x = sparse(s);
    CHECK(x.lambda[s.m() - 1] == 0);
    CHECK(x.pivot[s.m() - 1] <= 1e-13 * x.scale[s.m() - 1]);
    CHECK(difference(x.udot, without.udot) < 1e-9 * (1 + largest(without.udot)));
  }
  s.a[s.row_ptr[5]] = std::numeric_limits<double>::quiet_NaN();
  const Solution y = sparse(s);
  CHECK(std::any_of(y.udot.begin(), y.udot.end(), [](double v) { return std::isnan(v); }));
}

TEST_CASE("chains and nets") {
  for (std::uint32_t count : {2u, 3u, 10u, 100u, 400u}) compare(particles(count, 1), 1e-12 * count);
  compare(particles(2, 2), 1e-12);
  compare(particles(4, 3), 1e-10);
  compare(particles(9, 8), 1e-8);
}

TEST_CASE("no rows, no speeds, a mass matrix that is not positive definite, NaN") {
  System s = particles(3, 1);
  s.mass_values[2] = 0;
  CHECK(sparse(s).status == 1);
  s.mass_values[2] = 1;
  s.mass.push_back({5, 0});  // The mass matrix now has a block.
  std::sort(s.mass.begin(), s.mass.end());
  s.mass_values = {1, 1, 1, 1, 1, 3, 1};
  CHECK(sparse(s).status == 1);
  System free = particles(2, 1);
  free.row_ptr = {0};
  free.column.clear();
  free.a.clear();
  free.b.clear();
  const Solution x = sparse(free);
  CHECK(x.udot[1] == free.f[1] / free.mass_values[1]);
  System bad = particles(5, 1);
  bad.a[6] = std::numeric_limits<double>::quiet_NaN();
  const Solution y = sparse(bad);
  CHECK(std::any_of(y.udot.begin(), y.udot.end(), [](double v) { return std::isnan(v); }));
  System no_border = particles(5, 1);
  no_border.mostly = true;
  compare(no_border, 1e-12);
  System left_out = particles(5, 1);
  left_out.b[3] = std::numeric_limits<double>::quiet_NaN();
  CHECK(std::isnan(sparse(left_out).lambda[3]));
  left_out.mask[3] = 0;
  CHECK(largest(sparse(left_out).udot) < 1e3);
}

TEST_CASE("long chains are planned in proportion: nothing fills, a few words a rod") {
  const System s = particles(20000, 1);
  const std::optional<formulate::SparsePlan> made = formulate::plan_sparse(s.pattern());
  REQUIRE(made.has_value());
  CHECK(made->words.size() < 48 * std::size_t{s.m()});
  CHECK(made->scratch < 32 * s.m());
  CHECK(made->operations < 200 * std::uint64_t{s.m()});
  const System net = particles(60, 60);
  const std::optional<formulate::SparsePlan> of_net = formulate::plan_sparse(net.pattern());
  REQUIRE(of_net.has_value());
  CHECK(of_net->factor < 60 * std::uint64_t{net.m()});
}

TEST_CASE("plans that do not fit are refused, whatever word is wrong") {
  refuse_wrong_words(false);
  refuse_wrong_words(true);
}

}  // namespace mbc::test
