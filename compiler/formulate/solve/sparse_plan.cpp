// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/solve/sparse_plan.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "base/disjoint_sets.h"
#include "base/ragged_array.h"
#include "kernel/support/mbc_support.h"

namespace mbc::formulate {

namespace {

using SharedIndices = std::vector<std::uint32_t>;
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
// Largest number of entries of S that is listed; beyond it memory is the limit, not time.
constexpr std::uint64_t kMostEntries = 200'000'000;
constexpr std::uint64_t kMostWords = 0x7fffffff;
constexpr int kMostGaps = 64;

// Returns for each number below n the lists of `of` that contain it, ascending.
RaggedArray inverse_of(const RaggedArray& of, std::uint32_t n) {
  RaggedArray out;
  out.begin.assign(n + 1, 0);
  for (std::uint32_t x : of.item) ++out.begin[x + 1];
  std::partial_sum(out.begin.begin(), out.begin.end(), out.begin.begin());
  out.item.resize(of.item.size());
  SharedIndices next(out.begin.begin(), out.begin.end() - 1);
  for (std::uint32_t k = 0; k < of.size(); ++k)
    for (std::uint32_t x : of[k]) out.item[next[x]++] = k;
  return out;
}

// Speeds that M couples, directly or through others.
struct MassBlocks {
  SharedIndices block, local;  // by speed
  RaggedArray speeds;          // by block
  bool diagonal = true;

  explicit MassBlocks(const SparsePattern& p) : block(p.n), local(p.n) {
    DisjointSets sets(p.n);
    diagonal = p.mass.size() == p.n;
    for (const auto& [i, j] : p.mass) {
      diagonal &= i == j;
      sets.join(i, j);
    }
    std::uint32_t count = 0;
    SharedIndices size;
    for (std::uint32_t i = 0; i < p.n; ++i) {  // the root is the first of its block
      block[i] = sets.root(i) == i ? count++ : block[sets.root(i)];
      if (block[i] == size.size()) size.push_back(0);
      local[i] = size[block[i]]++;
    }
    speeds.begin.resize(count + 1);
    for (std::uint32_t k = 0; k < count; ++k) speeds.begin[k + 1] = speeds.begin[k] + size[k];
    speeds.item.resize(p.n);
    for (std::uint32_t i = 0; i < p.n; ++i) speeds.item[speeds.begin[block[i]] + local[i]] = i;
  }
};

// Columns of S that are eliminated together, and the places below with entries in them.
struct Supernode {
  std::uint32_t first = 0, columns = 0, parent = kNone, stack = 0;
  SharedIndices below;
  SharedIndices children;
};

class Planner {
 public:
  explicit Planner(const SparsePattern& p) : p_(p), m_(static_cast<std::uint32_t>(p.row_ptr.size()) - 1), blocks_(p) {}

  std::optional<SparsePlan> run() {
    if (!couple()) return {};
    order_ = elimination_order(adjacency_.begin, adjacency_.item);
    find_tree();
    arrange();
    find_supernodes();
    find_rows();
    allot_stack();
    if (!write()) return {};
    return std::move(plan_);
  }

 private:
  [[nodiscard]] bool is_off(std::uint32_t row) const { return !p_.off.empty() && p_.off[row] != 0; }
  // Returns the index after the last entry of a row, as far as it is eliminated.
  [[nodiscard]] std::uint32_t end_of(std::uint32_t row) const { return p_.row_ptr[is_off(row) ? row : row + 1]; }

  // ---- S

  // Finds the blocks of each row, and from them the rows it is coupled with.
  bool couple() {
    SharedIndices seen(blocks_.speeds.size(), kNone);
    for (std::uint32_t k = 0; k < m_; ++k) {
      for (std::uint32_t e = p_.row_ptr[k]; e < end_of(k); ++e) {
        const std::uint32_t b = blocks_.block[p_.column[e]];
        if (seen[b] != k) touched_.item.push_back(b);
        seen[b] = k;
      }
      touched_.close();
    }
    const RaggedArray rows = inverse_of(touched_, static_cast<std::uint32_t>(blocks_.speeds.size()));
    std::uint64_t entries = 0;
    for (std::size_t b = 0; b < rows.size(); ++b) entries += std::uint64_t{rows[b].size()} * rows[b].size();
    if (entries > kMostEntries) return false;
    SharedIndices met(m_, kNone);
    for (std::uint32_t k = 0; k < m_; ++k) {
      met[k] = k;
      for (std::uint32_t b : touched_[k])
        for (std::uint32_t l : rows[b])
          if (met[l] != k) {
            met[l] = k;
            adjacency_.item.push_back(l);
          }
      std::sort(adjacency_.item.begin() + adjacency_.begin.back(), adjacency_.item.end());
      adjacency_.close();
    }
    return true;
  }

  // ---- the elimination tree (Liu 1990), on places of elimination

  void find_tree() {
    place_.resize(m_);
    for (std::uint32_t k = 0; k < m_; ++k) place_[order_[k]] = k;
    parent_.assign(m_, kNone);
    count_.assign(m_, 1);  // entries of the column of L, with the diagonal
    SharedIndices seen(m_, kNone);
    for (std::uint32_t i = 0; i < m_; ++i) {
      seen[i] = i;
      for (std::uint32_t l : adjacency_[order_[i]])
        for (std::uint32_t k = place_[l]; k < i && seen[k] != i; k = parent_[k]) {
          if (parent_[k] == kNone) parent_[k] = i;
          seen[k] = i;
          ++count_[k];
        }
    }
  }

  // Sorts into postorder, with the child of the longest column last, so that it can join its parent; rows that are off
  // follow all others.
  void arrange() {
    SharedIndices heaviest(m_, kNone), first_child(m_, kNone), next_sibling(m_, kNone);
    std::vector<bool> root(m_, false);
    for (std::uint32_t k = m_; k-- > 0;) {
      const std::uint32_t up = parent_[k];
      if (up == kNone) {
        root[k] = true;
        continue;
      }
      if (heaviest[up] == kNone || count_[k] > count_[heaviest[up]]) heaviest[up] = k;
      next_sibling[k] = first_child[up];
      first_child[up] = k;
    }
    SharedIndices post, stack, new_place(m_);
    post.reserve(m_);
    for (std::uint32_t r = 0; r < m_; ++r) {
      if (!root[r] || is_off(order_[r])) continue;
      stack.push_back(r);
      const std::size_t from = post.size();
      while (!stack.empty()) {  // parents before children, the heaviest child first; reversed at the end
        const std::uint32_t k = stack.back();
        stack.pop_back();
        post.push_back(k);
        for (std::uint32_t c = first_child[k]; c != kNone; c = next_sibling[c])
          if (c != heaviest[k]) stack.push_back(c);
        if (heaviest[k] != kNone) stack.push_back(heaviest[k]);
      }
      std::reverse(post.begin() + static_cast<std::ptrdiff_t>(from), post.end());
    }
    eliminated_ = static_cast<std::uint32_t>(post.size());
    for (std::uint32_t k = 0; k < m_; ++k)
      if (is_off(order_[k])) post.push_back(k);
    for (std::uint32_t k = 0; k < m_; ++k) new_place[post[k]] = k;
    SharedIndices order(m_), parent(m_), count(m_);
    for (std::uint32_t k = 0; k < m_; ++k) {
      order[k] = order_[post[k]];
      parent[k] = parent_[post[k]] == kNone ? kNone : new_place[parent_[post[k]]];
      count[k] = count_[post[k]];
      place_[order[k]] = k;
    }
    order_ = std::move(order);
    parent_ = std::move(parent);
    count_ = std::move(count);
  }

  // ---- supernodes

  // Returns whether joining a child of `t` columns pays: zeros up to these fractions of the panel are outweighed by
  // fewer and longer loops.
  static bool worth_joining(std::uint64_t columns, std::uint64_t zeros, std::uint64_t size) {
    if (zeros == 0) return true;
    if (size <= 5) return false;  // links of a chain have loops of their own
    if (columns <= 4) return 10 * zeros <= 4 * size;
    if (columns <= 16) return 10 * zeros <= 2 * size;
    return columns <= 48 ? 100 * zeros <= 8 * size : 100 * zeros <= 4 * size;
  }

  void find_supernodes() {
    struct Draft {
      std::uint32_t first, columns, below;
      std::uint64_t zeros;
    };
    std::vector<Draft> drafts;
    for (std::uint32_t k = 0; k < eliminated_; ++k) {
      drafts.push_back({k, 1, count_[k] - 1, 0});
      while (drafts.size() > 1) {  // the last child may join
        Draft& top = drafts.back();
        const Draft& child = drafts[drafts.size() - 2];
        if (parent_[child.first + child.columns - 1] != top.first) break;
        const std::uint64_t columns = child.columns + top.columns, height = columns + top.below;
        const std::uint64_t zeros =
            child.zeros + top.zeros + std::uint64_t{child.columns} * (top.columns + top.below - child.below);
        if (!worth_joining(columns, zeros, columns * height - columns * (columns - 1) / 2)) break;
        top = {child.first, static_cast<std::uint32_t>(columns), top.below, zeros};
        drafts.erase(drafts.end() - 2);
      }
    }
    node_of_.resize(m_);
    for (const Draft& d : drafts) {
      for (std::uint32_t k = d.first; k < d.first + d.columns; ++k)
        node_of_[k] = static_cast<std::uint32_t>(nodes_.size());
      nodes_.push_back({d.first, d.columns, kNone, 0, {}, {}});
    }
  }

  void find_rows() {
    SharedIndices seen(m_, kNone);
    for (std::uint32_t s = 0; s < nodes_.size(); ++s) {
      Supernode& node = nodes_[s];
      const std::uint32_t end = node.first + node.columns;
      const auto see = [&](std::uint32_t i) {
        if (i < end || seen[i] == s) return;
        seen[i] = s;
        node.below.push_back(i);
      };
      for (std::uint32_t k = node.first; k < end; ++k)
        for (std::uint32_t l : adjacency_[order_[k]]) see(place_[l]);
      for (std::uint32_t c : node.children)
        for (std::uint32_t i : nodes_[c].below) see(i);
      std::sort(node.below.begin(), node.below.end());
      if (node.below.empty()) continue;
      node.parent = node_of_[node.below.front()];
      nodes_[node.parent].children.push_back(s);
    }
  }

  // Allots places for the contributions; each is needed until its parent has taken it. First fit among the first gaps.
  void allot_stack() {
    std::map<std::uint64_t, std::uint64_t> used;  // begin -> end
    for (Supernode& node : nodes_) {
      const std::uint64_t size = std::uint64_t{node.below.size()} * node.below.size();
      std::uint64_t at = 0;
      if (size > 0) {
        int looked_at = 0;
        for (const auto& [begin, end] : used) {
          if (begin >= at + size) break;
          at = ++looked_at < kMostGaps ? end : used.rbegin()->second;
          if (looked_at == kMostGaps) break;
        }
        used[at] = at + size;
      }
      node.stack = static_cast<std::uint32_t>(at);
      stack_ = std::max(stack_, at + size);
      for (std::uint32_t c : node.children) used.erase(nodes_[c].stack);
    }
  }

  // ---- the words

  [[nodiscard]] std::uint32_t here() const { return static_cast<std::uint32_t>(plan_.words.size()); }
  void put(std::uint64_t word) { plan_.words.push_back(static_cast<std::uint32_t>(word)); }

  bool write() {
    SharedIndices& w = plan_.words;
    w.assign(MBC_SPARSE_ROW_PTR, 0);
    w.insert(w.end(), p_.row_ptr.begin(), p_.row_ptr.end());
    w.insert(w.end(), p_.column.begin(), p_.column.end());
    w[MBC_PLAN_N] = p_.n;
    w[MBC_PLAN_M] = m_;
    w[MBC_PLAN_MASS_KIND] = blocks_.diagonal ? 0 : 1;
    w[MBC_SPARSE_MASS_SIZE] = static_cast<std::uint32_t>(p_.mass.size());
    if (blocks_.diagonal) {
      w[MBC_SPARSE_BLOCK_VALUES] = p_.n;
      w[MBC_SPARSE_RESPONSE] = static_cast<std::uint32_t>(p_.column.size());
      plan_.operations += p_.n + 4 * p_.column.size();
    } else if (!write_blocks() || !write_responses()) {
      return false;
    }
    write_ranges();
    if (!write_fronts()) return false;
    const std::uint64_t scratch = std::uint64_t{w[MBC_SPARSE_BLOCK_VALUES]} + w[MBC_SPARSE_RESPONSE] + 2 * m_ + p_.n +
                                  panels_ + stack_ + write_border();
    if (scratch > kMostWords || w.size() > kMostWords) return false;
    w[MBC_SPARSE_PANELS] = static_cast<std::uint32_t>(panels_);
    w[MBC_SPARSE_STACK] = static_cast<std::uint32_t>(stack_);
    w[MBC_SPARSE_SCRATCH_SIZE] = plan_.scratch = static_cast<std::uint32_t>(scratch);
    return true;
  }

  bool write_blocks() {
    const auto count = static_cast<std::uint32_t>(blocks_.speeds.size());
    plan_.words[MBC_SPARSE_BLOCKS] = count;
    plan_.words[MBC_SPARSE_BLOCKS_AT] = here();
    const std::size_t table = plan_.words.size();
    plan_.words.resize(table + 2 * std::size_t{count});
    std::uint64_t values = 0;
    for (std::uint32_t b = 0; b < count; ++b) {
      const auto speeds = blocks_.speeds[b];
      plan_.words[table + 2 * b] = here();
      plan_.words[table + 2 * b + 1] = static_cast<std::uint32_t>(values);
      values += std::uint64_t{speeds.size()} * speeds.size();
      if (values > kMostWords) return false;
      plan_.operations += speeds.size() * speeds.size() * (speeds.size() / 6 + 2) + 4 * speeds.size();
      put(speeds.size());
      for (std::uint32_t i : speeds) put(i);
      for (std::size_t i = 0; i < speeds.size(); ++i) {
        auto at = std::lower_bound(p_.mass.begin(), p_.mass.end(), std::pair{speeds[i], std::uint32_t{0}});
        for (std::size_t j = 0; j <= i; ++j) {
          while (at != p_.mass.end() && *at < std::pair{speeds[i], speeds[j]}) ++at;
          const bool there = at != p_.mass.end() && *at == std::pair{speeds[i], speeds[j]};
          put(there ? static_cast<std::uint64_t>(at - p_.mass.begin()) : MBC_SPARSE_NONE);
        }
      }
    }
    plan_.words[MBC_SPARSE_BLOCK_VALUES] = static_cast<std::uint32_t>(values);
    return true;
  }

  bool write_responses() {
    plan_.words[MBC_SPARSE_RESPONSE_AT] = here();
    std::uint64_t room = 0;
    for (std::uint32_t k = 0; k < m_; ++k) {
      if (!is_off(k)) put(touched_[k].size());
      for (std::uint32_t b : touched_[k]) {
        response_.push_back(static_cast<std::uint32_t>(room));
        const std::uint64_t size = blocks_.speeds[b].size();
        room += size;
        if (room > kMostWords || here() > kMostWords) return false;
        plan_.operations += size * size + 4 * size;
        put(b);
        const std::size_t counted = plan_.words.size();
        put(0);
        for (std::uint32_t e = p_.row_ptr[k]; e < end_of(k); ++e)
          if (blocks_.block[p_.column[e]] == b) {
            put(e);
            put(blocks_.local[p_.column[e]]);
            ++plan_.words[counted];
          }
      }
    }
    plan_.words[MBC_SPARSE_RESPONSE] = static_cast<std::uint32_t>(room);
    return true;
  }

  void write_ranges() {
    plan_.words[MBC_SPARSE_RANGES_AT] = here();
    for (std::uint32_t k = 0, first = 0; k < m_; first = ++k) {
      while (k < m_ && !is_off(k)) ++k;
      if (first == k) continue;
      put(first);
      put(k);
      ++plan_.words[MBC_SPARSE_RANGES];
    }
  }

  // After the rows of the border, writes for each of them the place of the list of its blocks; the lists follow.
  void write_blocks_of_border(std::uint64_t rows) {
    const std::size_t listed = plan_.words.size();
    for (std::uint64_t k = 0; k < rows; ++k) put(0);
    SharedIndices seen(blocks_.speeds.size(), kNone);
    for (std::uint64_t k = 0; k < rows; ++k) {
      const std::uint32_t row = plan_.words[listed - rows + k];
      plan_.words[listed + k] = here();
      const std::size_t counted = plan_.words.size();
      put(0);
      for (std::uint32_t e = p_.row_ptr[row]; e < p_.row_ptr[row + 1]; ++e) {
        const std::uint32_t b = blocks_.block[p_.column[e]];
        if (seen[b] != row) {
          put(b);
          ++plan_.words[counted];
        }
        seen[b] = row;
      }
    }
  }

  // Writes the rows that are mostly zero after all others; returns the doubles they need. There are no more independent
  // rows than speeds.
  std::uint64_t write_border() {
    if (!p_.mostly) return 0;
    plan_.words[MBC_SPARSE_BORDER_AT] = here();
    std::uint64_t rows = 0, entries = 0;
    for (std::uint32_t k = 0; k < m_; ++k) {
      if (!is_off(k)) continue;
      ++rows;
      entries += p_.row_ptr[k + 1] - p_.row_ptr[k];
      put(k);
    }
    if (!blocks_.diagonal) write_blocks_of_border(rows);
    if (rows == 0) return 0;
    const std::uint64_t most = std::min<std::uint64_t>(rows, p_.n), some = (most + 3) / 4;
    plan_.words[MBC_SPARSE_BORDER] = static_cast<std::uint32_t>(rows);
    plan_.words[MBC_SPARSE_BORDER_MOST] = static_cast<std::uint32_t>(most);
    // The cost of a solve in which a quarter of the possible rows take part.
    plan_.operations +=
        entries + some * (2 * p_.n + 2 * (plan_.factor + 1)) + some * some * (some / 6 + entries / rows);
    return (most + 1) * p_.n + most * most + 4 * most;
  }

  bool write_fronts() {
    plan_.words[MBC_SPARSE_FRONTS] = static_cast<std::uint32_t>(nodes_.size());
    plan_.words[MBC_SPARSE_FRONTS_AT] = here();
    SharedIndices places, position(m_), response_of(blocks_.diagonal ? p_.n : blocks_.speeds.size(), kNone);
    for (const Supernode& node : nodes_) {
      if (plan_.words.size() > kMostWords) return false;
      places.push_back(here());
      for (std::uint32_t j = 0; j < node.columns; ++j) position[node.first + j] = j;
      for (std::uint32_t i = 0; i < node.below.size(); ++i) position[node.below[i]] = node.columns + i;
      for (const std::uint64_t word : {std::uint64_t{node.columns}, std::uint64_t{node.below.size()},
                                       std::uint64_t{node.stack}, std::uint64_t{node.children.size()}})
        put(word);
      const std::size_t entries = plan_.words.size();
      put(0);
      for (std::uint32_t j = 0; j < node.columns; ++j) put(order_[node.first + j]);
      for (std::uint32_t i : node.below) put(i);
      for (std::uint32_t c : node.children) {
        put(nodes_[c].below.size());
        put(nodes_[c].stack);
        for (std::uint32_t i : nodes_[c].below) put(position[i]);
        plan_.operations += 10 + nodes_[c].below.size() * (nodes_[c].below.size() + 1) / 2;
      }
      plan_.words[entries] = write_entries(node, position, response_of);
      count_front(node);
    }
    plan_.words[MBC_SPARSE_PLACES_AT] = here();
    plan_.words.insert(plan_.words.end(), places.begin(), places.end());
    return true;
  }

  void count_front(const Supernode& node) {
    const std::uint64_t c = node.columns, r = node.below.size();
    panels_ += c * (c + r + 1);
    plan_.factor += c * r + c * (c + 1) / 2;
    plan_.operations += 20 + c * r * (r + 1) / 2 + c * c * r / 2 + c * c * c / 6 + 2 * c * (c + r);
  }

  // Writes the entries of S in the columns of a front, on and below the diagonal; returns their number.
  std::uint32_t write_entries(const Supernode& node, const SharedIndices& position, SharedIndices& response_of) {
    std::uint32_t count = 0;
    const std::uint64_t height = node.columns + node.below.size();
    for (std::uint32_t j = 0; j < node.columns; ++j) {
      const std::uint32_t k = order_[node.first + j];
      mark_response(k, response_of);
      const auto write = [&](std::uint32_t l) {
        put(j * height + position[place_[l]]);
        write_runs(l, response_of);
        ++count;
      };
      write(k);
      for (std::uint32_t l : adjacency_[k])
        if (place_[l] > node.first + j) write(l);
      for (std::uint32_t b : touched_[k]) response_of[b] = kNone;
    }
    return count;
  }

  // Marks the begin of M^-1 A_k^T for each block of row k.
  void mark_response(std::uint32_t k, SharedIndices& response_of) const {
    if (blocks_.diagonal) {
      for (std::uint32_t e = p_.row_ptr[k]; e < end_of(k); ++e) response_of[p_.column[e]] = e;
      return;
    }
    for (std::uint32_t t = touched_.begin[k]; t < touched_.begin[k + 1]; ++t)
      response_of[touched_.item[t]] = response_[t];
  }

  // Writes the product of A_l and the marked response; consecutive places form one run.
  void write_runs(std::uint32_t l, const SharedIndices& response_of) {
    const std::size_t counted = plan_.words.size();
    put(0);
    for (std::uint32_t e = p_.row_ptr[l]; e < end_of(l); ++e) {
      const std::uint32_t speed = p_.column[e], block = blocks_.block[speed];
      if (response_of[block] == kNone) continue;
      const std::uint32_t w = response_of[block] + blocks_.local[speed];
      SharedIndices& words = plan_.words;
      const bool goes_on = words[counted] > 0 && words[words.size() - 3] + words.back() == e &&
                           words[words.size() - 2] + words.back() == w;
      if (goes_on) {
        ++words.back();
      } else {
        for (std::uint32_t word : {e, w, std::uint32_t{1}}) put(word);
        ++words[counted];
      }
      ++plan_.operations;
    }
    plan_.operations += 4 + 4 * plan_.words[counted];
  }

  const SparsePattern& p_;
  std::uint32_t m_, eliminated_ = 0;
  MassBlocks blocks_;
  RaggedArray touched_, adjacency_;  // by row of A
  SharedIndices order_, place_;      // order_: row by place of elimination; place_: the inverse
  SharedIndices parent_, count_, node_of_;
  std::vector<Supernode> nodes_;
  SharedIndices response_;  // by place in touched_
  std::uint64_t stack_ = 0, panels_ = 0;
  SparsePlan plan_;
};

}  // namespace

std::optional<SparsePlan> plan_sparse(const SparsePattern& pattern) { return Planner(pattern).run(); }

std::uint64_t dense_operations(const SparsePattern& p) {
  const std::uint64_t n = p.n, m = p.row_ptr.size() - 1, entries = p.column.size();
  bool diagonal = p.mass.size() == p.n;
  for (const auto& [i, j] : p.mass) diagonal &= i == j;
  return m * m * (m + 3) / 6 + m * entries / 2 + m * n + (diagonal ? n : n * n * n / 6 + m * n * n + n * n);
}

}  // namespace mbc::formulate
