// SPDX-License-Identifier: Apache-2.0
// Tests what keeps large models small: names with shared stems, runs of equal values, and files written in pieces.
#include "base/name.h"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include "compiler/graph/graph.h"
#include "kernel/problem/problem.h"

using namespace mbc;

TEST_CASE("a name is its stem and what follows it") {
  const Name p = std::string("arm.p[3]");
  const Name x(p, ".x"), deeper(x, "'");
  CHECK(p.text() == "arm.p[3]");
  CHECK(x.text() == "arm.p[3].x");
  CHECK(deeper.text() == "arm.p[3].x'");
  CHECK(x == "arm.p[3].x");
  CHECK("the speed " + x + " of" == "the speed arm.p[3].x of");
  CHECK(Name().text().empty());
  CHECK(Name().empty());
  CHECK(Name("").empty());
  CHECK_FALSE(x.empty());
}

TEST_CASE("names are copied, moved and assigned like texts") {
  std::vector<Name> names;
  {
    const Name stem = "p";
    for (const char* suffix : {".x", ".y", ".z"}) names.emplace_back(stem, suffix);
  }
  Name copy = names[1], moved = std::move(names[0]);
  names[0] = copy;
  copy = moved;
  const Name& same = copy;
  copy = same;
  names.resize(1);
  CHECK(names[0].text() == "p.y");
  CHECK(copy.text() == "p.x");
  CHECK(moved.text() == "p.x");
}

TEST_CASE("runs of equal values") {
  problem::Runs<int> runs;
  const std::vector<int> values{7, 7, 7, 1, 1, 7, 2, 2, 2, 2};
  for (const int v : values) runs.push_back(v);
  REQUIRE(runs.size() == values.size());
  for (std::size_t k = 0; k < values.size(); ++k) CHECK(runs[k] == values[k]);
}

TEST_CASE("a settled graph knows its nodes and grows on") {
  graph::Graph g;
  std::vector<graph::NodeId> made;
  for (std::uint32_t k = 0; k < 1000; ++k) {
    const graph::SpanScope scope(g, {0, k / 10, k / 10 + 1});
    made.push_back(g.mul(g.leaf(graph::LeafKind::coordinate, k), g.constant(k + 0.25)));
  }
  const std::uint32_t size = g.size();
  g.settle();
  for (std::uint32_t k = 0; k < 1000; ++k) {
    CHECK(g.mul(g.leaf(graph::LeafKind::coordinate, k), g.constant(k + 0.25)) == made[k]);
    CHECK(g.origin(made[k]) == Span{0, k / 10, k / 10 + 1});
  }
  CHECK(g.size() == size);
  CHECK(g.leaf(graph::LeafKind::speed, 5).value == size);
}
