// SPDX-License-Identifier: Apache-2.0
// Into lanes and out of them; free accelerations, accelerations, and the rates of everything else.
#include <algorithm>
#include <cstring>

#include "compiler/formulate/lanes/lane_kernel.h"

namespace mbc::formulate {

using graph::Graph;
using graph::LeafKind;
using graph::NodeId;
using kernel::Space;
using lower::Contribution;
using lower::Target;

namespace {

template <class T>
void append(std::string& key, T value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void copy(kernel::Function& f, const char* name, Space from, Space to, const std::vector<Across>& sources,
          const std::vector<Across>& targets) {
  LaneTemplate code(name);
  const NodeId value = code.load(from);
  code.store(code.column(to), value);
  for (std::size_t k = 0; k < sources.size(); ++k) {
    std::vector<std::uint32_t> places(sources[k].begin(), sources[k].end());
    places.insert(places.end(), targets[k].begin(), targets[k].end());
    code.add(places);
  }
  code.emit(f);
}

std::vector<Across> lanes_at(std::uint32_t at, std::size_t size) {
  std::vector<Across> out(size);
  for (std::uint32_t k = 0; k < size; ++k)
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) out[k][lane] = at + k * kLanes + lane;
  return out;
}

std::vector<Across> shifted(std::vector<Across> all, std::uint32_t by) {
  for (Across& one : all)
    for (std::uint32_t& at : one) at += by;
  return all;
}

}  // namespace

void LaneStage::into_lanes(kernel::Function& f) const {
  const LanePartition& p = c_.partition;
  copy(f, "into lanes", Space::state, Space::work, p.coordinates, lanes_at(q_, p.coordinates.size()));
  copy(f, "into lanes", Space::state, Space::work, shifted(p.speeds, c_.layout.speeds_at()),
       lanes_at(u_, p.speeds.size()));
}

void LaneStage::out_of_lanes(kernel::Function& f) const {
  const LanePartition& p = c_.partition;
  copy(f, "out of lanes", Space::work, Space::deriv, lanes_at(acceleration_, p.speeds.size()),
       shifted(p.speeds, c_.layout.speeds_at()));
}

// u'_i = (M^-1 f)_i + sum_j (M^-1)_ij sum_k A_kj lambda_k of speeds with the same rows, in one template.
void LaneStage::add_acceleration(Groups& groups, const std::vector<Across>& speeds, std::uint32_t lanes) const {
  const LanePartition& p = c_.partition;
  struct Shape {
    std::string key;
    std::vector<std::uint32_t> rows;
  };
  const auto entry_of = [&](std::uint32_t row, std::uint32_t speed) -> const Entry* {
    for (const Entry& e : entries_[row])
      if (e.speed == speed) return &e;
    return nullptr;
  };
  // rows of a lane by their names, so that they are in the same order in all
  const auto shape_of = [&](std::uint32_t lane) {
    Shape s;
    for (const Across& c : speeds)
      for (std::uint32_t row : c_.blocks.rows[c_.blocks.of_speed[c[lane]]])
        if (std::find(s.rows.begin(), s.rows.end(), row) == s.rows.end()) s.rows.push_back(row);
    const LaneMember first = p.speed_at[speeds[0][lane]];
    std::sort(s.rows.begin(), s.rows.end(), [&](std::uint32_t a, std::uint32_t b) {
      return p.in_lane(first) ? name_of(a, first.lane) < name_of(b, first.lane) : a < b;
    });
    append(s.key, s.rows.size());
    for (const Across& c : speeds) {
      append(s.key, known(c[lane]));
      append(s.key, known(c[lane]) ? free(c[lane]) : 0.0);
      for (const Across& o : speeds) append(s.key, inverse(c[lane], o[lane]));
      for (std::uint32_t row : s.rows) {
        const Entry* e = entry_of(row, c[lane]);
        append(s.key, e ? e->sign : 0.0);
        append(s.key, e ? e->base : 0u);
      }
    }
    return s;
  };
  std::vector<Shape> shapes;
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    shapes.push_back(shape_of(lane));
    if (shapes[lane].key == shapes[0].key) continue;
    for (std::uint32_t k = 0; k < lanes; ++k) {
      std::vector<Across> one;
      for (const Across& c : speeds) one.push_back({c[k]});
      add_acceleration(groups, one, 1);
    }
    return;
  }
  const bool laned = p.in_lane(p.speed_at[speeds[0][0]]);
  const std::vector<std::uint32_t>& rows = shapes[0].rows;
  append(shapes[0].key, laned);
  Group& group = groups[shapes[0].key];
  // columns: multipliers, entries of A row by row, free accelerations, results
  const auto bases_of = [&](std::uint32_t row, std::uint32_t lane) {
    std::vector<std::uint32_t> bases;
    for (const Across& c : speeds)
      if (const Entry* e = entry_of(row, c[lane]); e && std::find(bases.begin(), bases.end(), e->base) == bases.end())
        bases.push_back(e->base);
    return bases;
  };
  if (!group.code) {
    group.code = std::make_unique<LaneTemplate>("accelerations");
    LaneTemplate& code = *group.code;
    Graph& g = code.graph;
    std::vector<NodeId> lambda, pull(speeds.size(), g.zero());
    for (std::size_t k = 0; k < rows.size(); ++k) lambda.push_back(code.load(Space::work));
    for (std::size_t k = 0; k < rows.size(); ++k) {
      std::map<std::uint32_t, NodeId> base;
      for (std::uint32_t b : bases_of(rows[k], 0)) base[b] = code.load(Space::work);
      for (std::size_t i = 0; i < speeds.size(); ++i)
        if (const Entry* e = entry_of(rows[k], speeds[i][0])) {
          const NodeId term = g.mul(base[e->base], lambda[k]);
          pull[i] = e->sign < 0 ? g.sub(pull[i], term) : g.add(pull[i], term);
        }
    }
    std::vector<NodeId> result;
    for (std::size_t i = 0; i < speeds.size(); ++i) {
      const std::uint32_t speed = speeds[i][0];
      NodeId sum = known(speed) ? g.constant(free(speed)) : code.load(Space::work);
      for (std::size_t j = 0; j < speeds.size(); ++j)
        if (const double w = inverse(speed, speeds[j][0]); w != 0) sum = g.add(sum, g.mul(g.constant(w), pull[j]));
      result.push_back(sum);
    }
    for (NodeId value : result) code.store(code.column(laned ? Space::work : Space::deriv), value);
  }
  std::vector<std::vector<std::uint32_t>> places(lanes);
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    std::vector<std::uint32_t>& at = places[lane];
    const LaneMember first = p.speed_at[speeds[0][lane]];
    for (std::uint32_t row : shapes[lane].rows) {
      const LaneMember m = p.row_at[row];
      if (p.in_lane(m))
        at.push_back(in_lane(lambda_, m));
      else if (p.in_lane(first))
        at.push_back(role_lambda_ + (name_of(row, first.lane) - static_cast<std::uint32_t>(p.rows.size())) * kLanes +
                     first.lane);
      else
        at.push_back(tail_lambda_ + m.local);
    }
    for (std::uint32_t row : shapes[lane].rows)
      for (std::uint32_t b : bases_of(row, lane)) at.push_back(base_place(row, b));
    for (const Across& c : speeds)
      if (!known(c[lane])) at.push_back(speed_place(free_at_, c[lane]));
    for (const Across& c : speeds)
      at.push_back(laned ? in_lane(acceleration_, p.speed_at[c[lane]]) : c_.layout.speeds_at() + c[lane]);
  }
  add_places(*group.code, places);
}

// Blocks of M whole, since their speeds depend on each other; small ones with the same rows together.
void LaneStage::accelerations(kernel::Function& f) const {
  const LanePartition& p = c_.partition;
  const InertiaBlocks& blocks = c_.blocks;
  constexpr std::size_t kMost = 6;  // speeds of a template
  std::vector<bool> done(blocks.speeds.size(), false);
  Groups groups;
  std::vector<Across> together;
  std::uint32_t rows_of = 0;  // a block of those at hand
  const auto flush = [&](std::uint32_t lanes) {
    if (!together.empty()) add_acceleration(groups, together, lanes);
    together.clear();
  };
  const auto take = [&](const Across& speeds, std::uint32_t lanes) {
    const std::uint32_t first = blocks.of_speed[speeds[0]];
    if (done[first]) return;
    std::vector<Across> block(blocks.speeds[first].size());
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      const std::uint32_t own = blocks.of_speed[speeds[lane]];
      done[own] = true;
      for (std::size_t k = 0; k < block.size(); ++k) block[k][lane] = blocks.speeds[own][k];
    }
    if (!together.empty() &&
        (together.size() + block.size() > kMost || !std::ranges::equal(blocks.rows[first], blocks.rows[rows_of])))
      flush(lanes);
    rows_of = first;
    together.insert(together.end(), block.begin(), block.end());
  };
  for (const Across& speeds : p.speeds) take(speeds, kLanes);
  flush(kLanes);
  for (std::uint32_t c = 0; c < c_.system.n_speeds; ++c)
    if (!p.in_lane(p.speed_at[c])) take({c}, 1);
  flush(1);
  for (const auto& [key, group] : groups) group.code->emit(f);
}

// f and M^-1 f of the blocks whose f is not literal.
void LaneStage::free_accelerations(kernel::Function& f) const {
  if (all_literal_) return;
  add_clear(f, Space::work, force_, c_.system.n_speeds);
  for (const lower::Part& part : c_.system.parts) {
    const auto n_slots = static_cast<std::uint32_t>(part.family.shape.slots.size());
    Groups groups;  // by kinds of places and which forces are wanted
    struct Waiting {
      Group* group = nullptr;
      std::vector<std::vector<std::uint32_t>> places = std::vector<std::vector<std::uint32_t>>(kLanes);
      std::uint32_t lanes = 0;
    };
    std::map<std::vector<std::uint32_t>, Waiting> across;  // by what it is called in its lane
    for (std::uint32_t k = 0; k < part.family.count; ++k) {
      std::string key;
      std::vector<const Contribution*> wanted;
      for (const Contribution& c : part.contributions)
        if (c.target == Target::force && !literal_force_[part.family.index(k, c.i)]) wanted.push_back(&c);
      if (wanted.empty()) continue;
      std::vector<std::uint32_t> places, name;
      std::uint32_t lane = kNoLane;
      bool one_lane = true;
      const auto member = [&](LaneMember m, std::uint32_t index) {
        if (!c_.partition.in_lane(m)) {
          name.insert(name.end(), {1, index});
          one_lane = false;
          return;
        }
        name.insert(name.end(), {0, m.local});
        one_lane = one_lane && (lane == kNoLane || lane == m.lane);
        lane = m.lane;
      };
      for (std::uint32_t s = 0; s < n_slots; ++s) {
        const Place at = place_of(part, k, s);
        append(key, at.space);
        places.push_back(at.index);
        const std::uint32_t index = part.family.index(k, s);
        const LeafKind kind = part.family.shape.slots[s].kind;
        if (kind == LeafKind::coordinate)
          member(c_.partition.coordinate_at[index], index);
        else if (kind == LeafKind::speed)
          member(c_.partition.speed_at[index], index);
      }
      for (const Contribution* c : wanted) {
        append(key, c);
        places.push_back(speed_place(force_, part.family.index(k, c->i)));
      }
      Group& group = groups[key];
      if (!group.code) {
        group.code = std::make_unique<LaneTemplate>("forces");
        group.code->graph = part.family.shape.graph;
        for (std::uint32_t s = 0; s < n_slots; ++s) group.code->column(place_of(part, k, s).space);
        for (const Contribution* c : wanted) group.code->store(group.code->column(Space::work), c->value, true);
      }
      if (!one_lane || lane == kNoLane) {
        group.code->add(places);
        continue;
      }
      Waiting& waiting = across[name];
      if (waiting.group != &group || !waiting.places[lane].empty()) {  // a second one of the same name: another turn
        for (const auto& list : waiting.places)
          if (!list.empty()) waiting.group->code->add(list);
        waiting = {};
        waiting.group = &group;
      }
      waiting.places[lane] = places;
      if (++waiting.lanes < kLanes) continue;
      add_places(*group.code, waiting.places);
      across.erase(name);
    }
    for (const auto& [name, waiting] : across)
      for (const auto& list : waiting.places)
        if (!list.empty()) waiting.group->code->add(list);
    for (const auto& [key, group] : groups) group.code->emit(f);
  }
  std::map<std::vector<double>, std::unique_ptr<LaneTemplate>> by_block;
  const auto add = [&](const std::vector<Across>& speeds, std::uint32_t lanes, auto&& self) -> void {
    const std::size_t n = speeds.size();
    const auto numbers = [&](std::uint32_t lane) {
      std::vector<double> w;
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) w.push_back(inverse(speeds[i][lane], speeds[j][lane]));
      return w;
    };
    const std::vector<double> w = numbers(0);
    for (std::uint32_t lane = 1; lane < lanes; ++lane)
      if (numbers(lane) != w) {
        for (std::uint32_t k = 0; k < lanes; ++k) {
          std::vector<Across> one;
          for (const Across& c : speeds) one.push_back({c[k]});
          self(one, 1, self);
        }
        return;
      }
    std::unique_ptr<LaneTemplate>& code = by_block[w];
    if (!code) {
      code = std::make_unique<LaneTemplate>("free accelerations");
      std::vector<NodeId> force;
      for (std::size_t i = 0; i < n; ++i) force.push_back(code->load(Space::work));
      for (std::size_t i = 0; i < n; ++i) {
        NodeId sum = code->graph.zero();
        for (std::size_t j = 0; j < n; ++j)
          sum = code->graph.add(sum, code->graph.mul(code->graph.constant(w[i * n + j]), force[j]));
        code->store(code->column(Space::work), sum);
      }
    }
    std::vector<std::vector<std::uint32_t>> places(lanes);
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      for (const std::uint32_t at : {force_, free_at_})
        for (const Across& c : speeds) places[lane].push_back(speed_place(at, c[lane]));
    }
    add_places(*code, places);
  };
  std::vector<bool> done(c_.blocks.speeds.size(), false);
  for (const Across& first : c_.partition.speeds) {
    const std::uint32_t block = c_.blocks.of_speed[first[0]];
    if (literal_force_[first[0]] || done[block]) continue;
    std::vector<Across> speeds(c_.blocks.speeds[block].size());
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      const std::uint32_t own = c_.blocks.of_speed[first[lane]];
      done[own] = true;
      for (std::size_t i = 0; i < speeds.size(); ++i) speeds[i][lane] = c_.blocks.speeds[own][i];
    }
    add(speeds, kLanes, add);
  }
  for (std::size_t b = 0; b < c_.blocks.speeds.size(); ++b) {
    if (done[b] || literal_force_[c_.blocks.speeds[b][0]]) continue;
    std::vector<Across> speeds;
    for (std::uint32_t c : c_.blocks.speeds[b]) speeds.push_back({c});
    add(speeds, 1, add);
  }
  for (const auto& [w, code] : by_block) code->emit(f);
}

// q', s' and the power of loads: instances that lie next to each other together.
void LaneStage::rates(kernel::Function& f) const {
  const SystemLayout& l = c_.layout;
  for (const lower::Part& part : c_.system.parts) {
    std::vector<const Contribution*> wanted;
    bool adds = false;
    for (const Contribution& c : part.contributions)
      if (c.target == Target::rate || c.target == Target::state_rate || c.target == Target::load_power) {
        wanted.push_back(&c);
        adds = adds || c.target == Target::load_power;
      }
    if (wanted.empty()) continue;
    LaneTemplate code(part.what);
    code.graph = part.family.shape.graph;
    const auto n_slots = static_cast<std::uint32_t>(part.family.shape.slots.size());
    const auto place = [&](std::uint32_t k, std::uint32_t s) -> Place {
      const LeafKind kind = part.family.shape.slots[s].kind;
      const std::uint32_t index = part.family.index(k, s);
      if (kind == LeafKind::slot_constant) return {Space::work, false, c_.constants_of(part) + index};
      return c_.leaf_place({graph::Op::leaf, kind, index, 0, 0});
    };
    for (std::uint32_t s = 0; s < n_slots; ++s) code.column(place(0, s).space);
    for (const Contribution* c : wanted)
      code.store(code.column(Space::deriv), c->value, c->target == Target::load_power);
    const auto places = [&](std::uint32_t k) {
      std::vector<std::uint32_t> at;
      for (std::uint32_t s = 0; s < n_slots; ++s) at.push_back(place(k, s).index);
      for (const Contribution* c : wanted) {
        const std::uint32_t item = part.family.items[k];
        at.push_back(c->target == Target::rate         ? item
                     : c->target == Target::state_rate ? l.states_at() + item
                                                       : l.work_at());
      }
      return at;
    };
    std::vector<std::vector<std::uint32_t>> eight;
    for (std::uint32_t k = 0; k < part.family.count; ++k) {
      if (adds) {  // to one place
        code.add(places(k));
        continue;
      }
      eight.push_back(places(k));
      if (eight.size() < kLanes) continue;
      add_places(code, eight);
      eight.clear();
    }
    for (const auto& one : eight) code.add(one);
    code.emit(f);
  }
}

void LaneStage::emit(kernel::Function& f, Wanted wanted) {
  wanted_ = wanted;
  f.guard_begin = guard_;
  f.guard_end = guard_ + static_cast<std::uint32_t>(c_.partition.tail.size());
  f.check_begin = motion() ? 0 : c_.layout.speeds_at();
  f.check_end = motion() ? c_.layout.n_y() : c_.layout.states_at();
  into_lanes(f);
  if (motion()) free_accelerations(f);
  rows(f);
  couplings(f);
  eliminate(f);
  solve_tail(f);
  substitute_back(f);
  if (wanted == Wanted::full) row_results(f);
  accelerations(f);
  out_of_lanes(f);
  if (motion()) rates(f);
}

}  // namespace mbc::formulate
