// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/solve/pivot_order.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace mbc::formulate {

namespace {

using Rows = std::vector<std::uint32_t>;

// Returns groups of at most `largest` rows with equal closed neighbourhoods.
std::vector<Rows> alike(const std::vector<Rows>& adjacency, std::size_t largest) {
  std::map<Rows, std::size_t> open;  // neighbourhood -> block that may take another row
  std::vector<Rows> blocks;
  for (std::uint32_t i = 0; i < adjacency.size(); ++i) {
    Rows closed = adjacency[i];
    closed.push_back(i);
    std::ranges::sort(closed);
    closed.erase(std::unique(closed.begin(), closed.end()), closed.end());
    const auto [at, fresh] = open.try_emplace(std::move(closed), blocks.size());
    if (!fresh && blocks[at->second].size() < largest) {
      blocks[at->second].push_back(i);
      continue;
    }
    at->second = blocks.size();
    blocks.push_back({i});
  }
  return blocks;
}

}  // namespace

std::vector<Rows> pivot_order(const std::vector<Rows>& adjacency, std::size_t largest_block,
                              const std::vector<bool>& number) {
  const std::vector<Rows> blocks = alike(adjacency, largest_block);
  const std::size_t n = blocks.size();
  std::vector<std::uint32_t> block_of(adjacency.size());
  for (std::uint32_t b = 0; b < n; ++b)
    for (std::uint32_t row : blocks[b]) block_of[row] = b;
  std::vector<std::set<std::uint32_t>> neighbours(n);
  for (std::uint32_t row = 0; row < adjacency.size(); ++row)
    for (std::uint32_t other : adjacency[row])
      if (block_of[row] != block_of[other]) neighbours[block_of[row]].insert(block_of[other]);

  std::vector<std::size_t> depth(n, 0);
  std::vector<bool> divides(n, true);
  for (std::size_t b = 0; b < n; ++b) divides[b] = number.empty() || blocks[b].size() > 1 || !number[blocks[b][0]];
  using Cost = std::tuple<std::size_t, bool, std::size_t, std::uint32_t>;  // fill and depth, a division, degree, index
  const auto cost = [&](std::uint32_t b) {
    std::size_t fill = 0, degree = 0;
    for (auto i = neighbours[b].begin(); i != neighbours[b].end(); ++i) {
      degree += blocks[*i].size();
      for (auto j = std::next(i); j != neighbours[b].end(); ++j)
        if (!neighbours[*i].contains(*j)) fill += blocks[*i].size() * blocks[*j].size();
    }
    return Cost{fill + depth[b], depth[b] > 0 || divides[b], degree, b};
  };
  std::set<Cost> queue;
  std::vector<Cost> queued(n);
  for (std::uint32_t b = 0; b < n; ++b) queue.insert(queued[b] = cost(b));
  std::vector<Rows> order;
  while (!queue.empty()) {
    const std::uint32_t k = std::get<3>(*queue.begin());
    queue.erase(queue.begin());
    order.push_back(blocks[k]);
    std::set<std::uint32_t> touched = neighbours[k];
    for (std::uint32_t i : neighbours[k]) {
      depth[i] = std::max(depth[i], depth[k] + 1);
      neighbours[i].erase(k);
      for (std::uint32_t j : neighbours[k])
        if (j != i) neighbours[i].insert(j);
    }
    for (std::uint32_t i : neighbours[k]) touched.insert(neighbours[i].begin(), neighbours[i].end());
    for (std::uint32_t i : touched) {
      queue.erase(queued[i]);
      queue.insert(queued[i] = cost(i));
    }
  }
  return order;
}

}  // namespace mbc::formulate
