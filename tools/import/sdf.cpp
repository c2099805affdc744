// SPDX-License-Identifier: Apache-2.0
#include "tools/import/sdf.h"

#include "tools/import/robot_geometry.h"
#include "tools/import/sdf_joints.h"
#include "tools/import/sdf_links.h"
#include "tools/import/sdf_scan.h"
#include "tools/import/sdf_tree.h"

namespace mbc::tools {
namespace {

using Kind = SdfFrame::Kind;

class SdfReader {
 public:
  SdfReader(const SdfOptions& options, Remark& problem) : file_(options, problem), folder_(options.folder) {}

  std::optional<Robot> read(const std::string& text) {
    robot_.root_is_world = true;
    robot_.gravity = {0, 0, -9.8};  // of SDF, where the file says nothing
    SdfSource source{.folder = folder_};
    const Node top = file_.top(text, "", source);
    if (!file_.xml().failed()) scan(top, source);
    if (!file_.xml().failed()) frames_.resolve();
    if (!file_.xml().failed()) take_names();
    if (!file_.xml().failed()) links();
    if (!file_.xml().failed()) joints();
    if (file_.xml().failed()) return {};
    draw_links(robot_, [this](const std::string& from, const std::string& to) {
      return frames_.between(frame_of_.at(from), frame_of_.at(to));
    });
    robot_.left_out = file_.xml().left_out();
    return std::move(robot_);
  }

 private:
  void scan(Node top, const SdfSource& source) {
    file_.xml().rest(top, {"world", "model"}, {"version"});
    const Node world = top.child("world"), model = top.child("model");
    SdfScan scan(file_, frames_);
    if (world.next_sibling("world"))
      return file_.xml().fail(world.next_sibling("world"), "the file has several worlds: leave one");
    if (world && model) return file_.xml().fail(model, "a <model> stands beside a <world>: put it into the world");
    if (model.next_sibling("model"))
      return file_.xml().fail(model.next_sibling("model"), "several models stand in a <world>");
    if (!world && !model) return file_.xml().fail(top, "the file has no <world> and no <model>");
    robot_.name = (world ? world : model).attribute("name").value();
    if (!world) return scan.model_alone(model, source);
    settings(world, source);
    scan.world(world, source);
  }

  void settings(Node world, const SdfSource& source) {
    Node physics = world.child("physics");
    for (const Node p : world.children("physics"))
      if (const std::string chosen = p.attribute("default").value(); chosen == "true" || chosen == "1") physics = p;
    robot_.gravity = file_.triple(physics, "gravity", robot_.gravity);
    if (const Node old = physics.child("gravity")) file_.only_in(old, "gravity", source, 5, 5);
    robot_.gravity = file_.triple(world, "gravity", robot_.gravity);
    robot_.step = file_.number(physics, "max_step_size", robot_.step);
    if (!(robot_.step > 0)) file_.xml().fail(physics, "<max_step_size> is not positive");
    if (physics)
      file_.xml().leave_out(
          physics,
          "settings of solvers in <physics>, beside <max_step_size>: rows are exact, and the method is "
          "chosen in `simulate`");
  }

  // Parts keep their names where only one model moves; those of others are `model::part`.
  void take_names() {
    std::set<std::size_t> moving;
    for (const SdfFrame& f : frames_.all())
      if (f.kind == Kind::link && !f.stands) moving.insert(f.outmost);
    for (std::size_t k = 0; k < frames_.all().size(); ++k) {
      const SdfFrame& f = frames_.at(k);
      const bool alone = f.outmost == 0 || (moving.size() < 2 && (moving.empty() || moving.contains(f.outmost)));
      names_.of[k] = k == 0 ? "world" : alone ? f.path : frames_.at(f.outmost).name + "::" + f.path;
      if (k > 0 && names_.of[k] == "world") names_.of[k] += "_";
      names_.taken.insert(names_.of[k]);
    }
  }

  void links() {
    Link world;
    world.name = names_.of[0];
    robot_.links.push_back(world);
    std::set<std::string> sites;
    for (std::size_t k = 0; k < frames_.all().size(); ++k) {
      const SdfFrame& f = frames_.at(k);
      if (file_.xml().failed()) return;
      if (f.kind == Kind::link) link(k);
      if (f.kind == Kind::frame && std::strcmp(f.node.name(), "frame") == 0) {
        const std::size_t on = frames_.link_of(k);
        if (!sites.insert(names_.of[k]).second)
          return file_.xml().fail(f.node, "there are two frames `" + printable(names_.of[k]) + "`");
        robot_.sites.push_back({names_.of[k], names_.of[on], file_.xml().place_of(f.node), frames_.between(on, k)});
      }
    }
    if (robot_.links.size() == 1) file_.xml().fail(FilePlace{1, ""}, "the file has no link");
  }

  void link(std::size_t k) {
    if (!frame_of_.try_emplace(names_.of[k], k).second)
      return file_.xml().fail(frames_.at(k).node, "there are two links `" + printable(names_.of[k]) + "`");
    robot_.links.push_back(read_link(file_, frames_, k, names_.of[k]));
    if (!frames_.at(k).stands) return;
    Joint fixed;
    fixed.name = names_.fresh(names_.of[k] + " stands");
    fixed.parent = names_.of[0];
    fixed.child = names_.of[k];
    fixed.place = robot_.links.back().place;
    fixed.pose = frames_.between(0, k);
    robot_.joints.push_back(std::move(fixed));
  }

  void joints() {
    frame_of_[names_.of[0]] = 0;
    SdfJoints reader(file_, frames_, names_, robot_);
    std::set<std::string> taken;
    for (std::size_t k = 0; k < frames_.all().size() && !file_.xml().failed(); ++k) {
      if (frames_.at(k).kind != Kind::joint) continue;
      if (!taken.insert(names_.of[k]).second)
        return file_.xml().fail(frames_.at(k).node, "there are two joints `" + printable(names_.of[k]) + "`");
      reader.read(k, names_.of[k]);
    }
    if (!file_.xml().failed()) reader.connect();
  }

  SdfFile file_;
  SdfFrames frames_{file_};
  Robot robot_;
  std::string folder_;
  SdfNames names_;
  std::map<std::string, std::size_t> frame_of_;  // of links, by their names
};

}  // namespace

std::optional<Robot> read_sdf(const std::string& text, const SdfOptions& options, Remark& problem) {
  return SdfReader(options, problem).read(text);
}

}  // namespace mbc::tools
