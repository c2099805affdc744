// SPDX-License-Identifier: Apache-2.0
#include "tools/import/sdf_scan.h"

namespace mbc::tools {
namespace {

using Kind = SdfFrame::Kind;

}  // namespace

void SdfScan::world(Node node, const SdfSource& source) {
  file_.rest(node, {"gravity"}, {"model", "include", "frame", "joint", "physics"}, {"name"});
  content(node, {.source = source});
}

void SdfScan::content(Node node, const Place& place) {
  for (const Node child : node.children()) {
    if (file_.xml().failed()) return;
    const std::string tag = child.name();
    if (tag == "model")
      model(child, place.source, place, {});
    else if (tag == "include")
      include(child, place);
    else if (tag == "link" && place.model != 0)
      link(child, place);
    else if (tag == "joint")
      joint(child, place);
    else if (tag == "frame")
      frame(child, place);
  }
}

SdfFrame SdfScan::made(Kind kind, Node node, const Place& place) {
  SdfFrame f;
  f.kind = kind;
  f.name = node.attribute("name").value();
  f.path = place.path + f.name;
  f.node = node;
  f.source = place.source;
  f.scope = place.scope;
  f.model = place.model;
  f.outmost = place.outmost;
  f.stands = place.stands;
  f.pose = file_.pose(node, place.source);
  return f;
}

// ---- models

void SdfScan::model(Node node, const SdfSource& source, const Place& around, Node include) {
  file_.rest(node, {"static", "pose"}, {"frame", "link", "joint", "include", "model"},
             {"name", "canonical_link", "placement_frame"});
  for (const auto& [what, first] : {std::pair{"canonical_link", 7}, std::pair{"placement_frame", 8}})
    if (node.attribute(what)) file_.only_in(node, what, source, first, 9);
  Place outside = around;
  outside.source = source;
  SdfFrame f = made(Kind::model, node, outside);
  f.attached_to = node.attribute("canonical_link").value();
  f.placement = node.attribute("placement_frame").value();
  bool stands = file_.flag(node, "static", false), merge = false;
  if (include) {
    if (const std::string name = SdfFile::text(include.child("name")); !name.empty()) f.name = name;
    stands = file_.flag(include, "static", stands);
    const SdfPose pose = file_.pose(include, around.source);
    if (pose.given) f.pose = pose;
    if (const Node placement = include.child("placement_frame")) {
      file_.only_in(placement, "placement_frame", around.source, 8, 9);
      if (!pose.given) file_.xml().fail(placement, "<placement_frame> of <include> stands with a <pose>");
      f.placement = SdfFile::text(placement);
    }
    const std::string merged = include.attribute("merge").value();
    if (!merged.empty()) file_.only_in(include, "merge", around.source, 9, 9);
    merge = merged == "true" || merged == "1";
  }
  f.path = around.path + f.name;
  f.stands = around.stands || stands;
  if (file_.xml().failed()) return;
  if (merge) return merged(node, std::move(f), around);
  Place inside{.source = source, .stands = f.stands};
  inside.scope = f.inner = frames_.add_scope();
  if (around.model != 0) inside.path = f.path + "::";
  const bool outmost = around.model == 0;
  inside.model = frames_.add(std::move(f));
  inside.outmost = outmost ? inside.model : around.outmost;
  content(node, inside);
}

// The parts of a merged model stand in the model around it. A frame is in the place of the one that it had.
void SdfScan::merged(Node node, SdfFrame f, const Place& around) {
  if (!f.placement.empty() || around.model == 0)
    return file_.xml().fail(node, "a model that is merged stands in another model, without a placement frame");
  if (f.attached_to.empty()) f.attached_to = node.child("link").attribute("name").value();
  if (f.pose.relative_to.empty()) f.pose.relative_to = "__model__";
  f.kind = Kind::frame;
  f.name = "_merged__" + f.name + "__model__";
  Place inside{f.source, around.scope, 0, around.outmost, f.stands, around.path};
  inside.model = frames_.add(std::move(f));
  content(node, inside);
}

void SdfScan::include(Node node, const Place& around) {
  file_.rest(node, {"uri", "name", "pose", "static", "placement_frame"}, {}, {"merge"});
  SdfSource source;
  const Node top = file_.included(node, around.source, source);
  if (!top || file_.xml().failed()) return;
  file_.xml().rest(top, {"model"}, {"version"});
  const Node found = top.child("model");
  if (found.next_sibling("model")) return file_.xml().fail(node, "<include> names a file with several models");
  if (found) return model(found, source, around, node);
  if (top.child("world")) return file_.xml().fail(node, "<include> names a file with a world, not a model");
}

// ---- what has a frame

void SdfScan::link(Node node, const Place& place) { frames_.add(made(Kind::link, node, place)); }

void SdfScan::joint(Node node, const Place& place) {
  SdfFrame f = made(Kind::joint, node, place);
  f.attached_to = SdfFile::text(node.child("child"));
  for (const char* end : {"parent", "child"})
    if (SdfFile::text(node.child(end)).empty())
      file_.xml().fail(node, "joint `" + printable(f.name) + "` has no <" + end + ">");
  frames_.add(std::move(f));
}

void SdfScan::frame(Node node, const Place& place) {
  file_.rest(node, {"pose"}, {}, {"name", "attached_to"});
  SdfFrame f = made(Kind::frame, node, place);
  f.attached_to = node.attribute("attached_to").value();
  if (!f.attached_to.empty()) file_.only_in(node, "attached_to", place.source, 7, 9);
  frames_.add(std::move(f));
}

}  // namespace mbc::tools
