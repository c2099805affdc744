// SPDX-License-Identifier: Apache-2.0
// Tests that rows that share speeds directly, through other rows or through the mass matrix form one part.
#include "runtime/constraints/row_components.h"

#include <doctest/doctest.h>

#include <initializer_list>

using namespace mbc;
using runtime::RowComponent;

namespace {

using Indices = std::vector<Eigen::Index>;

struct Rows {
  kernel::SystemLayout layout;
  problem::Problem info;

  explicit Rows(std::uint32_t speeds) {
    layout.n_speeds = speeds;
    for (std::uint32_t j = 0; j < speeds; ++j) layout.mass.emplace_back(j, j);
  }
  void add(std::initializer_list<std::uint32_t> speeds, problem::Level level = problem::Level::position) {
    layout.column.insert(layout.column.end(), speeds);
    layout.row_ptr.push_back(static_cast<std::uint32_t>(layout.column.size()));
    ++layout.n_rows;
    info.rows.emplace_back();
    info.rows.back().level = level;
  }
  [[nodiscard]] std::vector<RowComponent> parts() const { return runtime::row_components(layout, info); }
};

}  // namespace

TEST_CASE("rows with common speeds are one part, in the order of the system; speeds without rows are in none") {
  Rows rows(7);
  rows.add({0, 1});
  rows.add({4, 5});
  rows.add({2, 3});
  rows.add({1, 2});  // This row joins the first to the third.
  const std::vector<RowComponent> parts = rows.parts();
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].rows == Indices{0, 2, 3});
  CHECK(parts[0].columns == Indices{0, 1, 2, 3});
  CHECK(parts[1].rows == Indices{1});
  CHECK(parts[1].columns == Indices{4, 5});
}

TEST_CASE("speeds that share inertia belong together, with those that have no row themselves") {
  Rows rows(4);
  rows.add({0});
  rows.add({2});
  CHECK(rows.parts().size() == 2);
  rows.layout.mass.emplace_back(2, 0);
  rows.layout.mass.emplace_back(3, 2);
  const std::vector<RowComponent> parts = rows.parts();
  REQUIRE(parts.size() == 1);
  CHECK(parts[0].rows == Indices{0, 1});
  CHECK(parts[0].columns == Indices{0, 2, 3});
}

TEST_CASE("a part is of position level when one of its rows is; a row without speeds is in no part") {
  Rows rows(3);
  rows.add({0}, problem::Level::velocity);
  rows.add({1}, problem::Level::velocity);
  rows.add({});
  rows.add({1, 2}, problem::Level::position);
  const std::vector<RowComponent> parts = rows.parts();
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].rows == Indices{0});
  CHECK_FALSE(parts[0].by_position);
  CHECK(parts[1].rows == Indices{1, 3});
  CHECK(parts[1].by_position);
}
