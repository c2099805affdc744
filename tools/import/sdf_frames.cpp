// SPDX-License-Identifier: Apache-2.0
#include "tools/import/sdf_frames.h"

#include <utility>

#include "tools/import/robot_geometry.h"

namespace mbc::tools {
namespace {

using Kind = SdfFrame::Kind;

const char* kind_name(Kind kind) {
  static constexpr const char* kNames[] = {"world", "model", "link", "joint", "frame"};
  return kNames[static_cast<std::size_t>(kind)];
}

bool is_reserved(const std::string& name, int minor) {
  const bool underlined = name.size() >= 4 && name.starts_with("__") && name.ends_with("__");
  return (minor >= 7 && (name == "world" || underlined)) || (minor >= 8 && name.find("::") != std::string::npos);
}

}  // namespace

SdfFrames::SdfFrames(SdfFile& file) : file_(file), scopes_(1) {
  SdfFrame world;
  world.kind = Kind::world;
  world.name = "world";
  frames_.push_back(world);
}

std::size_t SdfFrames::add_scope() {
  scopes_.emplace_back();
  return scopes_.size() - 1;
}

std::size_t SdfFrames::add(SdfFrame frame) {
  RobotXml& xml = file_.xml();
  const std::string what = std::string("<") + frame.node.name() + ">";
  if (frame.name.empty()) xml.fail(frame.node, what + " has no name");
  if (is_reserved(frame.name, frame.source.minor))
    xml.fail(frame.node, "the name `" + printable(frame.name) + "` of " + what + " is reserved in SDF");
  Scope& scope = scopes_[frame.scope];
  const std::size_t k = frames_.size();
  const auto [at, fresh] = scope.names.try_emplace(frame.name, k);
  if (!fresh) {
    const SdfFrame& other = frames_[at->second];
    if (frame.source.minor >= 7 || other.kind == frame.kind)
      xml.fail(frame.node, std::string("the ") + kind_name(frame.kind) + " `" + printable(frame.name) +
                               "` has the name of the " + kind_name(other.kind) + " in line " +
                               std::to_string(xml.place_of(other.node).line));
    else if (static_cast<int>(frame.kind) < static_cast<int>(other.kind))
      at->second = k;
  }
  if (frame.kind == Kind::joint) scope.joints.try_emplace(frame.name, k);
  if (frame.kind == Kind::link || frame.kind == Kind::model) scope.parts.push_back(k);
  frames_.push_back(std::move(frame));
  return k;
}

// ---- names

std::optional<std::size_t> SdfFrames::find_in(std::size_t scope, std::size_t model, const std::string& name,
                                              bool joints) const {
  if (name == "__model__" && model != 0 && !joints) return model;
  const auto& list = joints ? scopes_[scope].joints : scopes_[scope].names;
  if (const auto at = list.find(name); at != list.end()) return at->second;
  for (std::size_t cut = name.find("::"); cut != std::string::npos; cut = name.find("::", cut + 2)) {
    const auto outer = scopes_[scope].names.find(name.substr(0, cut));
    if (outer == scopes_[scope].names.end() || frames_[outer->second].kind != Kind::model) continue;
    if (const auto found = find_in(frames_[outer->second].inner, outer->second, name.substr(cut + 2), joints))
      return found;
  }
  return {};
}

std::optional<std::size_t> SdfFrames::find(const SdfFrame& from, const std::string& name) const {
  return find_in(from.scope, from.model, name, false);
}

std::optional<std::size_t> SdfFrames::find_joint(const SdfFrame& from, const std::string& name) const {
  return find_in(from.scope, from.model, name, true);
}

// `world` is a frame for what stands in the world.
std::size_t SdfFrames::named(std::size_t frame, const std::string& name, const char* what) {
  const SdfFrame& f = frames_[frame];
  if (name == "world" && f.scope == 0) return 0;
  if (const auto found = find(f, name)) return *found;
  file_.xml().fail(f.node, std::string(what) + " `" + printable(name) + "` of the " + kind_name(f.kind) + " `" +
                               printable(f.path) + "` is no frame there");
  return 0;
}

// ---- what is relative to what

std::size_t SdfFrames::pose_parent(std::size_t k) {
  const SdfFrame& f = frames_[k];
  if (!f.pose.relative_to.empty()) return named(k, f.pose.relative_to, "`relative_to`");
  if (f.kind == Kind::joint) return named(k, f.attached_to, "<child>");
  if (f.kind == Kind::frame && !f.attached_to.empty()) return named(k, f.attached_to, "`attached_to`");
  return f.model;
}

std::size_t SdfFrames::carrier_of(std::size_t k) {
  const SdfFrame& f = frames_[k];
  if (f.kind == Kind::link || f.kind == Kind::world) return k;
  if (f.kind == Kind::joint) return named(k, f.attached_to, "<child>");
  if (f.kind == Kind::frame) return f.attached_to.empty() ? f.model : named(k, f.attached_to, "`attached_to`");
  if (!f.attached_to.empty()) {
    const auto found = find_in(f.inner, k, f.attached_to, false);
    if (found && frames_[*found].kind == Kind::link) return *found;
    file_.xml().fail(f.node, "`canonical_link` `" + printable(f.attached_to) + "` is no link of the model `" +
                                 printable(f.name) + "`");
    return 0;
  }
  const std::vector<std::size_t>& parts = scopes_[f.inner].parts;
  for (const std::size_t part : parts)
    if (frames_[part].kind == Kind::link) return part;
  if (!parts.empty()) return parts[0];
  if (!f.stands) file_.xml().fail(f.node, "the model `" + printable(f.name) + "` has no link");
  return 0;
}

// Follows `next` from each frame to one that is its own next. What comes back to itself before is a cycle.
bool SdfFrames::orders(const std::vector<std::size_t>& next, const char* cycle) {
  enum class Seen : std::uint8_t { no, now, done };
  std::vector<Seen> seen(frames_.size(), Seen::no);
  depths_.assign(frames_.size(), 0);
  for (std::size_t start = 0; start < frames_.size(); ++start) {
    std::vector<std::size_t> way;
    std::size_t at = start;
    for (; seen[at] == Seen::no && next[at] != at; at = next[at]) {
      seen[at] = Seen::now;
      way.push_back(at);
    }
    if (seen[at] == Seen::now) {
      file_.xml().fail(frames_[at].node, std::string("the ") + kind_name(frames_[at].kind) + " `" +
                                             printable(frames_[at].path) + "` is " + cycle +
                                             " itself, over others or not");
      return false;
    }
    std::size_t depth = depths_[at];
    for (; !way.empty(); way.pop_back()) {
      seen[way.back()] = Seen::done;
      depths_[way.back()] = ++depth;
    }
  }
  return true;
}

void SdfFrames::resolve() {
  parents_.assign(frames_.size(), 0);
  carriers_.assign(frames_.size(), 0);
  for (std::size_t k = 1; k < frames_.size(); ++k) {
    parents_[k] = pose_parent(k);
    carriers_[k] = carrier_of(k);
  }
  if (file_.xml().failed() || !orders(carriers_, "attached to")) return;
  links_ = carriers_;
  for (std::size_t k = 0; k < frames_.size(); ++k) {
    std::size_t end = k;
    while (links_[end] != end) end = links_[end];
    for (std::size_t at = k; at != end;) at = std::exchange(links_[at], end);
  }
  if (!orders(parents_, "placed relative to")) return;
  for (std::size_t k = 1; k < frames_.size(); ++k) {  // the pose that is given is that of a frame inside
    const SdfFrame& f = frames_[k];
    if (f.kind != Kind::model || f.placement.empty()) continue;
    const auto inside = find_in(f.inner, k, f.placement, false);
    if (!inside)
      return file_.xml().fail(f.node, "`placement_frame` `" + printable(f.placement) + "` is no frame of the model `" +
                                          printable(f.name) + "`");
    std::size_t above = *inside;
    while (above != 0 && above != k) above = parents_[above];
    if (above != k)
      return file_.xml().fail(f.node, "`placement_frame` `" + printable(f.placement) +
                                          "` is not placed in the model `" + printable(f.name) + "`");
    placed_[k] = {};
  }
  for (auto at = placed_.rbegin(); at != placed_.rend(); ++at) {  // inner models have larger numbers
    const SdfFrame& f = frames_[at->first];
    at->second =
        chained(f.pose.pose, inverse(seen_from_above(at->first, *find_in(f.inner, at->first, f.placement, false))));
  }
}

Pose SdfFrames::in_parent(std::size_t k) {
  const auto placed = placed_.find(k);
  return placed == placed_.end() ? frames_[k].pose.pose : placed->second;
}

Pose SdfFrames::seen_from_above(std::size_t above, std::size_t k) {
  std::vector<std::size_t> way;
  for (; k != above; k = parents_[k]) way.push_back(k);
  Pose out;
  for (; !way.empty(); way.pop_back()) {
    out = chained(out, in_parent(way.back()));
    if (out.turns.size() > 12) out = tidy(out);
  }
  return out;
}

Pose SdfFrames::between(std::size_t from, std::size_t to) {
  std::size_t a = from, b = to;
  while (a != b) {
    if (depths_[a] >= depths_[b])
      a = parents_[a];
    else
      b = parents_[b];
  }
  if (a == from && to != from && parents_[to] == from) return in_parent(to);
  return tidy(chained(inverse(seen_from_above(a, from)), seen_from_above(a, to)));
}

}  // namespace mbc::tools
