// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/expansion/capacity.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>

namespace mbc::sema {

namespace {

// Returns the number in a file, or `none`: the file holds "max" if a control group has no limit.
double number_in(const char* path, double none) {
  std::ifstream in(path);
  double value = 0;
  return in >> value && value > 0 ? value : none;
}

double ask_limit() {
  double least = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  for (const char* path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"})
    least = std::min(least, number_in(path, least));
  for (const auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
    rlimit limit{};
    if (getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
      least = std::min(least, static_cast<double>(limit.rlim_cur));
  }
  return least;
}

}  // namespace

double declaration_bytes(const ast::Stmt& statement) {
  // `mbc run --interpret` of a chain of 100,000 particles on as many rods, written in loops, has a largest resident
  // size of 221 MB, 12 of them the program: 2.1 kB a particle and rod, about half of it the particle's (22 November
  // 2026). The estimate is twice as much: nets have more fill-in than chains, native code takes 50 MB of its own,
  // declarations with longer expressions have larger graphs.
  constexpr double kEntity = 2500, kRow = 2000, kOther = 600;
  if (std::holds_alternative<ast::Entity>(statement.node)) return kEntity;
  const bool row =
      std::holds_alternative<ast::Constraint>(statement.node) || std::holds_alternative<ast::Load>(statement.node) ||
      std::holds_alternative<ast::Coord>(statement.node) || std::holds_alternative<ast::StateVar>(statement.node);
  return row ? kRow : kOther;
}

double memory_limit() {
  static const double limit = ask_limit();
  return limit;
}

std::string memory_text(double bytes) {
  static constexpr std::array<const char*, 5> kUnits{"kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  double value = bytes / 1e3;
  while (value >= 999.5 && unit + 1 < kUnits.size()) {
    value /= 1e3;
    ++unit;
  }
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), value < 9.95 ? "%.1f %s" : "%.0f %s", value, kUnits[unit]);
  return text.data();
}

std::string count_text(double count) {
  std::array<char, 400> digits{};
  std::snprintf(digits.data(), digits.size(), "%.0f", count);
  std::string text = digits.data();
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

}  // namespace mbc::sema
