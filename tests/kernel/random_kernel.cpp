// SPDX-License-Identifier: Apache-2.0
#include "tests/kernel/random_kernel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "kernel/support/mbc_support.h"
#include "tests/kernel/block_builder.h"

namespace mbc::test {
namespace {

using kernel::Kernel;
using kernel::Op;
using kernel::Space;
using Value = BlockBuilder::Value;

constexpr std::uint32_t kFreeWork = 40;  // Blocks use these entries of work freely; the arrays of a solve follow them.

// Plans a system of n speeds and m rows with a dense pattern. Its arrays follow the free entries.
std::vector<std::uint32_t> solve_plan(std::uint32_t n, std::uint32_t m, std::uint32_t kind) {
  std::uint32_t next = kFreeWork;
  const auto take = [&](std::uint32_t size) {
    const std::uint32_t offset = next;
    next += size;
    return offset;
  };
  std::vector<std::uint32_t> plan{n,       m,           kind,    take(kind != 0 ? n * n : n),
                                  take(n), take(n * m), take(m), take(n),
                                  take(m), take(m),     take(m), take(mbc_dense_solve_scratch(n, m, kind))};
  for (std::uint32_t k = 0; k <= m; ++k) plan.push_back(k * n);
  for (std::uint32_t k = 0; k < m; ++k)
    for (std::uint32_t i = 0; i < n; ++i) plan.push_back(i);
  return plan;
}

std::uint32_t size_of(const Kernel& kernel, Space space) {
  switch (space) {
    case Space::time:
      return 1;
    case Space::params:
      return kernel.n_params;
    case Space::inputs:
      return kernel.n_inputs;
    case Space::mask:
      return kernel.n_mask;
    case Space::work:
      return kernel.n_work;
    default:
      return kernel.n_state;
  }
}

class BlockGenerator {
 public:
  BlockGenerator(const Kernel& kernel, Random& random, const RandomKernelOptions& options)
      : kernel_(kernel), random_(random), options_(options), builder_("block") {}

  kernel::Block run() {
    if (random_.chance(0.5)) make_table();
    const std::uint32_t length = options_.min_length + random_.below(options_.max_length - options_.min_length + 1);
    for (int i = 0; i < 4; ++i) load();
    while (builder_.size() < length) step();
    for (int i = 0; i < 4; ++i) store();
    return std::move(builder_.block());
  }

 private:
  void make_table() {
    const std::uint32_t count = 1 + random_.below(9);
    const std::uint32_t columns = 1 + random_.below(4);
    for (std::uint32_t c = 0; c < columns; ++c) column_space_.push_back(static_cast<Space>(1 + random_.below(6)));
    std::vector<std::uint32_t> table(std::size_t{count} * columns);
    for (std::uint32_t c = 0; c < columns; ++c) {
      const std::uint32_t size = size_of(kernel_, column_space_[c]);
      const bool progression = random_.chance(0.4);
      const std::uint32_t step = random_.below(3);
      for (std::uint32_t i = 0; i < count; ++i)
        table[i * columns + c] = progression && step * count < size ? step * i : random_.below(size);
    }
    builder_.instances(count, columns, std::move(table));
  }

  // Picks an earlier value and prefers recent ones.
  Value pick() {
    const auto n = static_cast<std::uint32_t>(values_.size());
    return random_.chance(0.5) ? values_[n - 1 - random_.below(std::min(n, 6u))] : values_[random_.below(n)];
  }
  Value keep(Value v) {
    values_.push_back(v);
    return v;
  }

  void load() {
    if (!column_space_.empty() && random_.chance(0.6)) {
      const std::uint32_t c = random_.below(static_cast<std::uint32_t>(column_space_.size()));
      keep(builder_.load(column_space_[c], c, true));
      return;
    }
    const auto space = static_cast<Space>(random_.below(7));
    keep(builder_.load(space, random_.below(size_of(kernel_, space))));
  }

  void store() {
    if (!column_space_.empty() && random_.chance(0.6)) {
      const std::uint32_t c = random_.below(static_cast<std::uint32_t>(column_space_.size()));
      if (column_space_[c] == Space::work || column_space_[c] == Space::deriv) {
        builder_.store(column_space_[c], c, pick(), true);
        return;
      }
    }
    const Space space = random_.chance(0.5) ? Space::work : Space::deriv;
    builder_.store(space, random_.below(size_of(kernel_, space)), pick());
  }

  void step() {
    const double kind = random_.uniform(0, 1);
    if (kind < 0.15) return load();
    if (kind < 0.25) return store();
    if (kind < 0.33) {
      keep(builder_.constant(constant()));
      return;
    }
    const auto op = static_cast<Op>(2 + random_.below(static_cast<std::uint32_t>(kernel::kOpCount) - 2));
    keep(options_.guarded ? guarded(op) : builder_.op(op, pick(), pick(), pick()));
  }

  double constant() {
    constexpr double kNotable[] = {0, 1, -1, 2, 0.5, 3, -0.0};
    return random_.chance(0.4) ? kNotable[random_.below(7)] : random_.uniform(-3, 3);
  }

  Value small(Value v) { return builder_.op(Op::sin, v); }  // The result is in [-1, 1].
  Value at_least(Value v, double low) { return builder_.op(Op::add, builder_.op(Op::abs, v), builder_.constant(low)); }
  Value scaled(Value v, double factor) { return builder_.op(Op::mul, v, builder_.constant(factor)); }

  // Applies the operation to operands that are moved into its domain and away from overflow.
  Value guarded(Op op) {
    const Value a = pick(), b = pick(), c = pick();
    switch (op) {
      case Op::div:
        return builder_.op(op, a, at_least(b, 0.25));
      case Op::mul:
      case Op::fma:
        return builder_.op(op, small(a), b, c);
      case Op::logical_and:
      case Op::logical_or:
        return builder_.op(op, small(a), small(b));
      case Op::pow:
        return builder_.op(op, at_least(small(a), 0.25), small(b));
      case Op::sqrt:
      case Op::ln:
      case Op::log10:
        return builder_.op(op, at_least(a, 0.125));
      case Op::asin:
      case Op::acos:
      case Op::atanh:
        return builder_.op(op, scaled(small(a), 0.875));
      case Op::acosh:
        return builder_.op(op, at_least(a, 1.0));
      case Op::exp:
      case Op::sinh:
      case Op::cosh:
        return builder_.op(op, small(a));
      default:
        return builder_.op(op, a, b, c);
    }
  }

  const Kernel& kernel_;
  Random& random_;
  const RandomKernelOptions& options_;
  BlockBuilder builder_;
  std::vector<Value> values_;
  std::vector<Space> column_space_;
};

kernel::Function random_function(const Kernel& kernel, Random& random, const RandomKernelOptions& options) {
  kernel::Function function;
  const std::uint32_t blocks = 1 + random.below(options.max_blocks);
  for (std::uint32_t i = 0; i < blocks; ++i) {
    if (i > 0 && random.chance(0.3)) {
      const std::uint32_t n = 1 + random.below(4);
      add_call(function, {"mbc_dense_solve", solve_plan(n, random.below(4), random.below(2))});
    }
    add_block(function, BlockGenerator(kernel, random, options).run());
  }
  function.check_end = random.chance(0.8) ? kernel.n_state : 0;
  function.check_begin = random.below(function.check_end + 1);
  return function;
}

}  // namespace

std::uint64_t Random::next() {
  std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

double Random::uniform(double low, double high) {
  return low + (high - low) * (static_cast<double>(next() >> 11) * 0x1p-53);
}

Kernel random_kernel(std::uint64_t seed, const RandomKernelOptions& options) {
  Random random(seed);
  Kernel kernel;
  kernel.name = "random";
  kernel.n_state = 8;
  kernel.n_params = 5;
  kernel.n_inputs = 3;
  kernel.n_mask = 4;
  kernel.n_work = kFreeWork + 4 * 4 + 4 + 16 + 4 * 5 + mbc_dense_solve_scratch(4, 4, 1);
  for (std::uint32_t i = 0; i < options.functions; ++i) {
    kernel.functions.push_back(random_function(kernel, random, options));
    kernel.functions.back().name = std::string("f").append(std::to_string(i));
  }
  return kernel;
}

KernelData random_data(const Kernel& kernel, Random& random, bool guarded) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kSpecial[] = {0.0,
                                 -0.0,
                                 1.0,
                                 -1.0,
                                 1e300,
                                 -1e300,
                                 5e-324,
                                 1e-310,
                                 kInfinity,
                                 -kInfinity,
                                 std::numeric_limits<double>::quiet_NaN()};
  const auto fill = [&](std::uint32_t size) {
    std::vector<double> values(size);
    for (double& v : values)
      v = !guarded && random.chance(0.1) ? kSpecial[random.below(std::size(kSpecial))] : random.uniform(-2, 2);
    return values;
  };
  KernelData data;
  data.t = random.uniform(0, 10);
  data.state = fill(kernel.n_state);
  data.params = fill(kernel.n_params);
  data.inputs = fill(kernel.n_inputs);
  data.mask = fill(kernel.n_mask);
  for (double& v : data.mask) v = random.chance(0.7) ? 1.0 : 0.0;
  data.work = fill(kernel.n_work);
  data.deriv = fill(kernel.n_state);
  // These mass matrices are often positive definite.
  for (std::uint32_t i = kFreeWork; i < kFreeWork + 16; ++i)
    data.work[i] = std::fabs(data.work[i]) + (i % 5 == 0 ? 4 : 0);
  return data;
}

bool same_bits(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) { return same_bits(x, y); });
}

}  // namespace mbc::test
