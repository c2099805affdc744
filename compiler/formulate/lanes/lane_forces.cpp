// SPDX-License-Identifier: Apache-2.0
// Forces that depend on the state, added up by speed, and M^-1 f of their blocks.

#include "compiler/formulate/lanes/lane_motion.h"

namespace mbc::formulate {

namespace {

// The forces of one part of the system.
class ForceWriter {
 public:
  ForceWriter(const LaneContext& c, const Part& part)
      : c_(c), part_(part), n_slots_(static_cast<std::uint32_t>(part.family.shape.slots.size())) {}

  void write(kernel::Function& f) {
    for (std::uint32_t k = 0; k < part_.family.count; ++k) add(k);
    for (const auto& [name, waiting] : waiting_) add_one_by_one(waiting);
    templates_.emit(f);
  }

 private:
  // The key of instances with the same kinds of places and the same contributions.
  struct Key {
    std::vector<Space> spaces;        // by slot
    std::vector<std::size_t> wanted;  // contributions
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  // The coordinates and speeds of an instance, named relative to its lane.
  struct Name {
    std::vector<std::uint32_t> members;  // 0 and a local number, or 1 and a number of the system, slot by slot
    std::uint32_t lane = kNoLane;
    bool one_lane = true;  // all of them are in one lane

    [[nodiscard]] bool in_a_lane() const { return one_lane && lane != kNoLane; }
  };
  // Collects the instances with the same name, one of each lane, until all eight are present.
  struct Waiting {
    LaneTemplate* code = nullptr;
    PlacesByLane places = PlacesByLane(kLanes);
    std::uint32_t lanes = 0;
  };

  [[nodiscard]] Key key_of(std::uint32_t k) const {
    Key key;
    for (std::uint32_t s = 0; s < n_slots_; ++s) key.spaces.push_back(c_.places.of_slot(part_, k, s).space);
    for (std::size_t i = 0; i < part_.contributions.size(); ++i) {
      const Contribution& c = part_.contributions[i];
      if (c.target == Target::force && !c_.inertia.literal_force(part_.family.index(k, c.i))) key.wanted.push_back(i);
    }
    return key;
  }

  void add_member(Name& name, LaneSlot m, std::uint32_t index) const {
    if (!c_.s.partition.in_lane(m)) {
      name.members.insert(name.members.end(), {1, index});
      name.one_lane = false;
      return;
    }
    name.members.insert(name.members.end(), {0, m.local});
    name.one_lane = name.one_lane && (name.lane == kNoLane || name.lane == m.lane);
    name.lane = m.lane;
  }

  [[nodiscard]] Name name_of(std::uint32_t k) const {
    Name name;
    for (std::uint32_t s = 0; s < n_slots_; ++s) {
      const std::uint32_t index = part_.family.index(k, s);
      const LeafKind kind = part_.family.shape.slots[s].kind;
      if (kind == LeafKind::coordinate) add_member(name, c_.s.partition.coordinate_at[index], index);
      if (kind == LeafKind::speed) add_member(name, c_.s.partition.speed_at[index], index);
    }
    return name;
  }

  [[nodiscard]] std::vector<std::uint32_t> places_of(std::uint32_t k, const Key& key) const {
    std::vector<std::uint32_t> places;
    for (std::uint32_t s = 0; s < n_slots_; ++s) places.push_back(c_.places.of_slot(part_, k, s).index);
    for (std::size_t i : key.wanted)
      places.push_back(c_.places.of_speed(c_.places.speeds.force, part_.family.index(k, part_.contributions[i].i)));
    return places;
  }

  LaneTemplate& template_of(const Key& key) {
    return templates_.of(key, "forces", [&](LaneTemplate& code) {
      code.graph = part_.family.shape.graph;
      for (const Space space : key.spaces) code.column(space);
      for (std::size_t i : key.wanted) code.store(code.column(Space::work), part_.contributions[i].value, true);
    });
  }

  void add(std::uint32_t k) {
    const Key key = key_of(k);
    if (key.wanted.empty()) return;
    LaneTemplate& code = template_of(key);
    const std::vector<std::uint32_t> places = places_of(k, key);
    const Name name = name_of(k);
    if (!name.in_a_lane()) return code.add(std::span<const std::uint32_t>(places));
    Waiting& waiting = waiting_[name.members];
    if (waiting.code != &code ||
        !waiting.places[name.lane].empty()) {  // a second instance with that name starts a new group
      add_one_by_one(waiting);
      waiting = {};
      waiting.code = &code;
    }
    waiting.places[name.lane] = places;
    if (++waiting.lanes < kLanes) return;
    code.add(waiting.places);
    waiting_.erase(name.members);
  }

  static void add_one_by_one(const Waiting& waiting) {
    for (const auto& places : waiting.places)
      if (!places.empty()) waiting.code->add(std::span<const std::uint32_t>(places));
  }

  const LaneContext& c_;
  const Part& part_;
  std::uint32_t n_slots_;
  LaneTemplates<Key> templates_;
  std::map<std::vector<std::uint32_t>, Waiting> waiting_;  // by Name::members
};

// Writes M^-1 f of blocks whose f is not literal; blocks with the same inverse share a template.
class FreeAccelerationWriter {
 public:
  explicit FreeAccelerationWriter(const LaneContext& c) : c_(c) {}

  void add(const std::vector<Across>& speeds, std::uint32_t lanes) {
    const std::vector<double> w = inverse_of(speeds, 0);
    for (std::uint32_t lane = 1; lane < lanes; ++lane)
      if (inverse_of(speeds, lane) != w) {
        for (std::uint32_t k = 0; k < lanes; ++k) add(one_lane(speeds, k), 1);
        return;
      }
    LaneTemplate& code = templates_.of(w, "free accelerations", [&](LaneTemplate& fresh) { write(fresh, w); });
    PlacesByLane places(lanes);
    for (std::uint32_t lane = 0; lane < lanes; ++lane)
      for (const std::uint32_t at : {c_.places.speeds.force, c_.places.speeds.free})
        for (const Across& c : speeds) places[lane].push_back(c_.places.of_speed(at, c[lane]));
    code.add(places);
  }
  void emit(kernel::Function& f) const { templates_.emit(f); }

 private:
  [[nodiscard]] std::vector<double> inverse_of(const std::vector<Across>& speeds, std::uint32_t lane) const {
    std::vector<double> w;
    for (const Across& i : speeds)
      for (const Across& j : speeds) w.push_back(c_.inertia.inverse(i[lane], j[lane]));
    return w;
  }

  static void write(LaneTemplate& code, const std::vector<double>& w) {
    std::vector<NodeId> force;
    while (force.size() * force.size() < w.size()) force.push_back(code.load(Space::work));
    const std::size_t n = force.size();
    for (std::size_t i = 0; i < n; ++i) {
      NodeId sum = code.graph.zero();
      for (std::size_t j = 0; j < n; ++j)
        sum = code.graph.add(sum, code.graph.mul(code.graph.constant(w[i * n + j]), force[j]));
      code.store(code.column(Space::work), sum);
    }
  }

  const LaneContext& c_;
  LaneTemplates<std::vector<double>> templates_;  // by the inverse of the block
};

}  // namespace

void write_free_accelerations(const LaneContext& c, kernel::Function& f) {
  if (c.inertia.all_forces_literal()) return;
  add_clear(f, Space::work, c.places.speeds.force, c.s.system.n_speeds);
  for (const Part& part : c.s.system.parts) ForceWriter(c, part).write(f);
  FreeAccelerationWriter writer(c);
  each_inertia_block(c.s, [&](const std::vector<Across>& speeds, std::uint32_t lanes) {
    if (!c.inertia.literal_force(speeds[0][0])) return writer.add(speeds, lanes);
    for (std::uint32_t lane = 1; lane < lanes; ++lane)  // a force acts on the block in some lanes only
      if (!c.inertia.literal_force(speeds[0][lane])) writer.add(one_lane(speeds, lane), 1);
  });
  writer.emit(f);
}

}  // namespace mbc::formulate
