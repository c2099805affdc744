// SPDX-License-Identifier: Apache-2.0
// The elements of an MJCF file: files that it includes, the settings of its compiler, and classes of defaults.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tools/import/robot_xml.h"

namespace mbc::tools {

struct MjcfCompiler {
  enum class FromGeoms : std::uint8_t { never, always, where_missing } from_geoms = FromGeoms::where_missing;
  bool degrees = true, auto_limits = true, balance_inertia = false, align_free = false;
  std::string euler_sequence = "xyz";
  double bound_mass = 0, bound_inertia = 0, total_mass = -1;
  int first_group = 0, last_group = 5;
};

// An element with the defaults that hold for it, the nearest first.
struct MjcfElement {
  Node node;
  std::vector<Node> defaults;

  // Returns where an attribute is given, or an empty node.
  [[nodiscard]] Node holder(const char* attribute) const;
  [[nodiscard]] bool has(const char* attribute) const { return !holder(attribute).empty(); }
  // Returns "" where it is not given.
  [[nodiscard]] std::string text(const char* attribute) const { return holder(attribute).attribute(attribute).value(); }
};

class MjcfFile {
 public:
  // Files that are included lie in `folder`; with "" there are none.
  MjcfFile(std::string folder, Remark& problem) : xml_(problem), folder_(std::move(folder)) {}

  // Reads the text, and what the whole file shares. Returns whether there was no problem.
  bool read(const std::string& text);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] Node top() const { return root_; }
  // Elements of the file's sections of this name, in order.
  std::vector<Node> sections(const char* name);
  // Child elements, with those of included files in their place.
  std::vector<Node> children(Node node);
  // `around`: the class that bodies around it choose; "" for none.
  MjcfElement element(Node node, const std::string& tag, const std::string& around);

  // Values of attributes, the file's own or of defaults. A failure has the place where they are written.
  std::vector<double> list(const MjcfElement& e, const char* attribute, std::size_t least, std::size_t most);
  double number(const MjcfElement& e, const char* attribute, double fallback);
  template <std::size_t N>
  std::array<double, N> numbers(const MjcfElement& e, const char* attribute, std::array<double, N> fallback,
                                std::size_t least = N) {
    const std::vector<double> given = list(e, attribute, least, N);
    std::copy(given.begin(), given.end(), fallback.begin());
    return fallback;
  }
  // One of some words, by its number.
  std::size_t word(const MjcfElement& e, const char* attribute, std::initializer_list<const char*> words,
                   std::size_t fallback);
  // Returns the range that is in force, by `limited` or by itself.
  std::optional<Range> range(const MjcfElement& e, const char* attribute, const char* limited);
  // Pose by pos and quat, axisangle, xyaxes, zaxis or euler.
  Pose pose(const MjcfElement& e);
  [[nodiscard]] double angle(double written) const;
  [[nodiscard]] std::vector<AxisTurn> euler(const std::array<double, 3>& angles) const;
  // Leaves out attributes that no list names. `picture`, `soft` and `touch` are left out with a note in common.
  void rest(Node node, const std::string& tag);
  // A name that no element of the file has.
  std::string fresh(const std::string& stem);

  [[nodiscard]] RobotXml& xml() { return xml_; }
  [[nodiscard]] const MjcfCompiler& compiler() const { return compiler_; }

 private:
  void compiler_section(Node node);
  void default_section(Node node, const std::string& parent);
  Node included(Node node);
  void collect_names(Node node);
  std::vector<AxisTurn> turns(const MjcfElement& e);

  struct Class {
    std::string parent;
    std::map<std::string, std::vector<Node>> elements;  // by their names; actuators of all kinds are `general`
  };
  RobotXml xml_;
  MjcfCompiler compiler_;
  std::string folder_, name_, top_class_;
  Node root_;
  std::map<std::string, Class> classes_;
  std::map<std::size_t, Node> includes_;
  std::set<std::string> files_, names_;
};

// The elements that make actuators.
bool is_mjcf_actuator(const std::string& tag);

}  // namespace mbc::tools
