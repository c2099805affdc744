// SPDX-License-Identifier: Apache-2.0
#include "tools/import/sdf_tree.h"

#include <deque>
#include <set>

namespace mbc::tools {
namespace {

class Drawing {
 public:
  Drawing(Robot& robot, const std::function<Pose(const std::string&, const std::string&)>& between)
      : robot_(robot), between_(between), drawn_(robot.links.size(), false) {
    for (std::size_t k = 0; k < robot.links.size(); ++k) index_[robot.links[k].name] = k;
    for (std::size_t k = 0; k < robot.joints.size(); ++k) {
      below_[index_.at(robot.joints[k].parent)].push_back(k);
      above_[index_.at(robot.joints[k].child)].push_back(k);
    }
    decided_.assign(robot.joints.size(), false);
    for (const Joint& j : robot.joints) taken_.insert(j.name);
  }

  void draw() {
    put(0);
    grow();
    for (const bool any : {false, true})  // links that no joint carries come first
      for (std::size_t k = 0; k < robot_.links.size(); ++k) {
        if (drawn_[k] || robot_.links[k].carrier || (!any && !above_[k].empty())) continue;
        draw_by(k, 0);
        grow();
      }
    std::vector<Link> links;
    for (const std::size_t k : order_) links.push_back(std::move(robot_.links[k]));
    robot_.links = std::move(links);
    for (Joint& j : placed_) robot_.joints.push_back(std::move(j));
  }

 private:
  void put(std::size_t link) {
    drawn_[link] = true;
    order_.push_back(link);
    fresh_.push_back(link);
    upward_.push_back(link);
  }

  // A link that moves freely, or by joints that are written later.
  void draw_by(std::size_t link, std::size_t on) {
    Joint j;
    j.kind = Joint::Kind::floating;
    j.name = robot_.links[link].name + " drawn";
    while (!taken_.insert(j.name).second) j.name += "_";
    j.parent = robot_.links[on].name;
    j.child = robot_.links[link].name;
    j.place = robot_.links[link].place;
    j.pose = between_(j.parent, j.child);
    placed_.push_back(std::move(j));
    put(link);
  }

  // Draws all that joints connect to what is drawn.
  void grow() {
    for (;;) {
      if (!fresh_.empty()) {
        const std::size_t link = fresh_.front();
        fresh_.pop_front();
        for (const std::size_t k : below_[link]) down(k);
        continue;
      }
      if (upward_.empty()) return;
      const std::size_t link = upward_.front();
      upward_.pop_front();
      for (const std::size_t k : above_[link]) up(k, link);
    }
  }

  void down(std::size_t k) {
    if (decided_[k]) return;
    decided_[k] = true;
    Joint& j = robot_.joints[k];
    const std::size_t child = index_.at(j.child);
    if (drawn_[child])
      j.role = Joint::Role::closes;
    else
      put(child);
  }

  // The parent of a joint whose child is drawn. A carrier is drawn on its own parent.
  void up(std::size_t k, std::size_t link) {
    if (decided_[k]) return;
    std::size_t parent = index_.at(robot_.joints[k].parent);
    const bool carried = robot_.links[parent].carrier;
    if (carried) parent = index_.at(robot_.joints[above_[parent][0]].parent);
    if (drawn_[parent] || robot_.links[link].carrier) return;
    decided_[k] = true;
    robot_.joints[k].role = Joint::Role::is_carried;
    draw_by(parent, link);
  }

  Robot& robot_;
  const std::function<Pose(const std::string&, const std::string&)>& between_;
  std::map<std::string, std::size_t> index_;
  std::map<std::size_t, std::vector<std::size_t>> below_, above_;  // joints by their parents and children
  std::vector<bool> drawn_, decided_;
  std::vector<std::size_t> order_;
  std::deque<std::size_t> fresh_, upward_;
  std::vector<Joint> placed_;
  std::set<std::string> taken_;  // names of joints
};

}  // namespace

void draw_links(Robot& robot, const std::function<Pose(const std::string&, const std::string&)>& between) {
  Drawing(robot, between).draw();
}

}  // namespace mbc::tools
