// SPDX-License-Identifier: Apache-2.0
// Moves values into and out of lanes; computes accelerations and all other rates.
#include "compiler/formulate/lanes/lane_motion.h"

#include <algorithm>

namespace mbc::formulate {

namespace {

void copy(kernel::Function& f, const char* name, Space from, Space to, const std::vector<Across>& sources,
          const std::vector<Across>& targets) {
  LaneTemplate code(name);
  const NodeId value = code.load(from);
  code.store(code.column(to), value);
  for (std::size_t k = 0; k < sources.size(); ++k) {
    std::vector<std::uint32_t> places(sources[k].begin(), sources[k].end());
    places.insert(places.end(), targets[k].begin(), targets[k].end());
    code.add(std::span<const std::uint32_t>(places));
  }
  code.emit(f);
}

std::vector<Across> lanes_at(std::uint32_t at, std::size_t size) {
  std::vector<Across> out(size);
  for (std::uint32_t k = 0; k < size; ++k)
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) out[k][lane] = LanePlaces::in_lane(at, {lane, k});
  return out;
}

std::vector<Across> shifted(std::vector<Across> all, std::uint32_t by) {
  for (Across& one : all)
    for (std::uint32_t& at : one) at += by;
  return all;
}

// Writes u' of speeds with the same rows in one template. Columns: multipliers, bases of A row by row, M^-1 f where it
// is not literal, results.
class AccelerationWriter {
 public:
  explicit AccelerationWriter(const LaneContext& c) : c_(c) {}

  void add(const std::vector<Across>& speeds, std::uint32_t lanes);
  void emit(kernel::Function& f) const { templates_.emit(f); }

 private:
  struct OfEntry {  // entry of a row of A at a speed; the sign is 0 if there is none
    Literal sign;
    std::uint32_t base = 0;
    friend auto operator<=>(const OfEntry&, const OfEntry&) = default;
  };
  struct OfSpeed {
    bool known = false;
    Literal free;                  // where known
    std::vector<Literal> inverse;  // by speed of the template
    std::vector<OfEntry> entries;  // by row
    friend auto operator<=>(const OfSpeed&, const OfSpeed&) = default;
  };
  struct Key {
    std::size_t n_rows = 0;
    std::vector<OfSpeed> speeds;
    bool laned = false;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  using Rows = std::vector<std::uint32_t>;

  [[nodiscard]] std::uint32_t lane_of(const std::vector<Across>& speeds, std::uint32_t lane) const {
    return c_.s.partition.speed_at[speeds[0][lane]].lane;
  }
  [[nodiscard]] Rows rows_of(const std::vector<Across>& speeds, std::uint32_t lane) const;
  [[nodiscard]] Key key_of(const std::vector<Across>& speeds, std::uint32_t lane, const Rows& rows) const;
  [[nodiscard]] std::vector<std::uint32_t> bases_of(std::uint32_t row, const std::vector<Across>& speeds,
                                                    std::uint32_t lane) const;
  void write(LaneTemplate& code, const std::vector<Across>& speeds, const Rows& rows, bool laned) const;
  [[nodiscard]] std::vector<NodeId> pulls(LaneTemplate& code, const std::vector<Across>& speeds,
                                          const Rows& rows) const;
  [[nodiscard]] std::vector<std::uint32_t> places_of(const std::vector<Across>& speeds, std::uint32_t lane,
                                                     const Rows& rows) const;

  const LaneContext& c_;
  LaneTemplates<Key> templates_;
};

// Returns the rows of a lane, sorted by their names, so that all lanes have them in the same order.
AccelerationWriter::Rows AccelerationWriter::rows_of(const std::vector<Across>& speeds, std::uint32_t lane) const {
  Rows rows;
  for (const Across& c : speeds)
    for (std::uint32_t row : c_.s.blocks.rows[c_.s.blocks.of_speed[c[lane]]])
      if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
  const LanePartition& p = c_.s.partition;
  const std::uint32_t own = lane_of(speeds, lane);
  std::sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
    return own != kNoLane ? p.name_of(a, own) < p.name_of(b, own) : a < b;
  });
  return rows;
}

AccelerationWriter::Key AccelerationWriter::key_of(const std::vector<Across>& speeds, std::uint32_t lane,
                                                   const Rows& rows) const {
  Key key{rows.size(), {}, lane_of(speeds, 0) != kNoLane};
  for (const Across& c : speeds) {
    OfSpeed of;
    of.known = c_.known(c[lane]);
    if (of.known) of.free.value = c_.free(c[lane]);
    for (const Across& o : speeds) of.inverse.push_back({c_.inertia.inverse(c[lane], o[lane])});
    for (std::uint32_t row : rows) {
      const LaneRowTable::Entry* e = c_.rows.entry(row, c[lane]);
      of.entries.push_back(e ? OfEntry{{e->sign}, e->base} : OfEntry{});
    }
    key.speeds.push_back(std::move(of));
  }
  return key;
}

std::vector<std::uint32_t> AccelerationWriter::bases_of(std::uint32_t row, const std::vector<Across>& speeds,
                                                        std::uint32_t lane) const {
  std::vector<std::uint32_t> bases;
  for (const Across& c : speeds)
    if (const LaneRowTable::Entry* e = c_.rows.entry(row, c[lane]);
        e && std::find(bases.begin(), bases.end(), e->base) == bases.end())
      bases.push_back(e->base);
  return bases;
}

// Returns (A^T lambda)_i by speed.
std::vector<NodeId> AccelerationWriter::pulls(LaneTemplate& code, const std::vector<Across>& speeds,
                                              const Rows& rows) const {
  Graph& g = code.graph;
  std::vector<NodeId> lambda, pull(speeds.size(), g.zero());
  for (std::size_t k = 0; k < rows.size(); ++k) lambda.push_back(code.load(Space::work));
  for (std::size_t k = 0; k < rows.size(); ++k) {
    std::map<std::uint32_t, NodeId> base;
    for (std::uint32_t b : bases_of(rows[k], speeds, 0)) base[b] = code.load(Space::work);
    for (std::size_t i = 0; i < speeds.size(); ++i)
      if (const LaneRowTable::Entry* e = c_.rows.entry(rows[k], speeds[i][0])) {
        const NodeId term = g.mul(base[e->base], lambda[k]);
        pull[i] = e->sign < 0 ? g.sub(pull[i], term) : g.add(pull[i], term);
      }
  }
  return pull;
}

void AccelerationWriter::write(LaneTemplate& code, const std::vector<Across>& speeds, const Rows& rows,
                               bool laned) const {
  Graph& g = code.graph;
  const std::vector<NodeId> pull = pulls(code, speeds, rows);
  std::vector<NodeId> result;
  for (const Across& across : speeds) {
    const std::uint32_t speed = across[0];
    NodeId sum = c_.known(speed) ? g.constant(c_.free(speed)) : code.load(Space::work);
    for (std::size_t j = 0; j < speeds.size(); ++j)
      if (const double w = c_.inertia.inverse(speed, speeds[j][0]); w != 0)
        sum = g.add(sum, g.mul(g.constant(w), pull[j]));
    result.push_back(sum);
  }
  for (NodeId value : result) code.store(code.column(laned ? Space::work : Space::deriv), value);
}

std::vector<std::uint32_t> AccelerationWriter::places_of(const std::vector<Across>& speeds, std::uint32_t lane,
                                                         const Rows& rows) const {
  const LanePlaces& to = c_.places;
  const std::uint32_t own = lane_of(speeds, lane);
  std::vector<std::uint32_t> at;
  for (std::uint32_t row : rows) at.push_back(to.of_multiplier(row, own));
  for (std::uint32_t row : rows)
    for (std::uint32_t b : bases_of(row, speeds, lane)) at.push_back(to.of_base(row, b));
  for (const Across& c : speeds)
    if (!c_.known(c[lane])) at.push_back(to.of_speed(to.speeds.free, c[lane]));
  for (const Across& c : speeds)
    at.push_back(own != kNoLane ? LanePlaces::in_lane(to.lanes.acceleration, c_.s.partition.speed_at[c[lane]])
                                : c_.s.layout.speeds_at() + c[lane]);
  return at;
}

void AccelerationWriter::add(const std::vector<Across>& speeds, std::uint32_t lanes) {
  std::vector<Rows> rows{rows_of(speeds, 0)};
  const Key key = key_of(speeds, 0, rows[0]);
  for (std::uint32_t lane = 1; lane < lanes; ++lane) {
    rows.push_back(rows_of(speeds, lane));
    if (key_of(speeds, lane, rows[lane]) == key) continue;
    for (std::uint32_t k = 0; k < lanes; ++k) add(one_lane(speeds, k), 1);
    return;
  }
  LaneTemplate& code =
      templates_.of(key, "accelerations", [&](LaneTemplate& fresh) { write(fresh, speeds, rows[0], key.laned); });
  PlacesByLane places;
  for (std::uint32_t lane = 0; lane < lanes; ++lane) places.push_back(places_of(speeds, lane, rows[lane]));
  code.add(places);
}

// Writes the rates of one part of the system; instances that lie next to each other form lanes.
class RateWriter {
 public:
  RateWriter(const LaneContext& c, const Part& part) : c_(c), part_(part) {
    for (const Contribution& one : part.contributions)
      if (one.target == Target::rate || one.target == Target::state_rate || one.target == Target::load_power) {
        wanted_.push_back(&one);
        adds_ = adds_ || one.target == Target::load_power;
      }
  }

  void write(kernel::Function& f) const {
    if (wanted_.empty()) return;
    LaneTemplate code(part_.what);
    code.graph = part_.family.shape.graph;
    for (std::uint32_t s = 0; s < n_slots(); ++s) code.column(c_.places.of_slot_outside(part_, 0, s).space);
    for (const Contribution* one : wanted_)
      code.store(code.column(Space::deriv), one->value, one->target == Target::load_power);
    add_instances(code);
    code.emit(f);
  }

 private:
  [[nodiscard]] std::uint32_t n_slots() const { return static_cast<std::uint32_t>(part_.family.shape.slots.size()); }

  void add_instances(LaneTemplate& code) const {
    PlacesByLane eight;
    for (std::uint32_t k = 0; k < part_.family.count; ++k) {
      eight.push_back(places_of(k));
      if (!adds_ && eight.size() < kLanes) continue;
      if (adds_)  // all instances add to one place
        code.add(std::span<const std::uint32_t>(eight[0]));
      else
        code.add(eight);
      eight.clear();
    }
    for (const auto& one : eight) code.add(std::span<const std::uint32_t>(one));
  }

  [[nodiscard]] std::vector<std::uint32_t> places_of(std::uint32_t k) const {
    const SystemLayout& l = c_.s.layout;
    const std::uint32_t item = part_.family.items[k];
    std::vector<std::uint32_t> at;
    for (std::uint32_t s = 0; s < n_slots(); ++s) at.push_back(c_.places.of_slot_outside(part_, k, s).index);
    for (const Contribution* one : wanted_)
      at.push_back(one->target == Target::rate         ? item
                   : one->target == Target::state_rate ? l.states_at() + item
                                                       : l.work_at());
    return at;
  }

  const LaneContext& c_;
  const Part& part_;
  std::vector<const Contribution*> wanted_;
  bool adds_ = false;
};

}  // namespace

void write_into_lanes(const LaneContext& c, kernel::Function& f) {
  const LanePartition& p = c.s.partition;
  copy(f, "into lanes", Space::state, Space::work, p.coordinates, lanes_at(c.places.lanes.q, p.coordinates.size()));
  copy(f, "into lanes", Space::state, Space::work, shifted(p.speeds, c.s.layout.speeds_at()),
       lanes_at(c.places.lanes.u, p.speeds.size()));
}

void write_out_of_lanes(const LaneContext& c, kernel::Function& f) {
  const LanePartition& p = c.s.partition;
  copy(f, "out of lanes", Space::work, Space::deriv, lanes_at(c.places.lanes.acceleration, p.speeds.size()),
       shifted(p.speeds, c.s.layout.speeds_at()));
}

// Writes whole blocks of M, since their speeds depend on each other; small neighbouring blocks with the same rows share
// a template.
void write_accelerations(const LaneContext& c, kernel::Function& f) {
  constexpr std::size_t kMost = 6;  // speeds of a template
  const InertiaBlocks& blocks = c.s.blocks;
  AccelerationWriter writer(c);
  std::vector<Across> together;
  std::uint32_t last = 0, last_lanes = kLanes;  // a block of the current group, and its lanes
  const auto flush = [&] {
    if (!together.empty()) writer.add(together, last_lanes);
    together.clear();
  };
  each_inertia_block(c.s, [&](const std::vector<Across>& speeds, std::uint32_t lanes) {
    const std::uint32_t block = blocks.of_speed[speeds[0][0]];
    if (lanes != last_lanes || together.size() + speeds.size() > kMost ||
        !std::ranges::equal(blocks.rows[block], blocks.rows[last]))
      flush();
    last = block;
    last_lanes = lanes;
    together.insert(together.end(), speeds.begin(), speeds.end());
  });
  flush();
  writer.emit(f);
}

void write_rates(const LaneContext& c, kernel::Function& f) {
  for (const Part& part : c.s.system.parts) RateWriter(c, part).write(f);
}

}  // namespace mbc::formulate
