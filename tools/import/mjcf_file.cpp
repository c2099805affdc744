// SPDX-License-Identifier: Apache-2.0
#include "tools/import/mjcf_file.h"

#include <numbers>

#include "base/read_file.h"
#include "tools/import/mjcf_copies.h"
#include "tools/import/robot_files.h"
#include "tools/import/robot_geometry.h"

namespace mbc::tools {
namespace {

// A deeper file is no robot.
constexpr int kDeepestMjcf = 500;

const std::set<std::string> kActuators = {"general", "motor",       "position", "velocity", "intvelocity",
                                          "damper",  "cylinder",    "muscle",   "adhesion", "dcmotor",
                                          "pid",     "orientation", "plugin"};

}  // namespace

bool is_mjcf_actuator(const std::string& tag) { return kActuators.contains(tag); }

Node MjcfElement::holder(const char* attribute) const {
  if (node.attribute(attribute)) return node;
  for (const Node d : defaults)
    if (d.attribute(attribute)) return d;
  return {};
}

// ---- the file and what it includes

bool MjcfFile::read(const std::string& text) {
  root_ = xml_.parse(text, "", kDeepestMjcf);
  if (xml_.failed()) return false;
  if (text.find("<!ENTITY") != std::string::npos)
    return xml_.fail(root_, "the file declares entities, which are not expanded"), false;
  name_ = root_.attribute("model") ? root_.attribute("model").value() : "MuJoCo Model";
  for (const Node section : sections("compiler")) compiler_section(section);
  if (!xml_.failed()) MjcfCopies(*this).write_out();
  collect_names(root_);
  for (const Node section : sections("default")) default_section(section, "");
  return !xml_.failed();
}

std::vector<Node> MjcfFile::sections(const char* name) {
  std::vector<Node> out;
  for (const Node child : children(root_))
    if (std::strcmp(child.name(), name) == 0) out.push_back(child);
  return out;
}

std::vector<Node> MjcfFile::children(Node node) {
  std::vector<Node> out;
  for (const Node child : node.children()) {
    if (child.type() != pugi::node_element) continue;
    if (std::strcmp(child.name(), "include") != 0) {
      out.push_back(child);
      continue;
    }
    if (xml_.failed()) return out;
    if (const Node top = included(child)) {
      const std::vector<Node> inside = children(top);
      out.insert(out.end(), inside.begin(), inside.end());
    }
  }
  return out;
}

Node MjcfFile::included(Node node) {
  const auto [known, fresh] = includes_.try_emplace(node.hash_value());
  if (!fresh) return known->second;
  const std::string file = node.attribute("file").value();
  const auto refuse = [&](const std::string& why) {
    xml_.fail(node, "the file `" + printable(file) + "` " + why);
    return Node();
  };
  if (folder_.empty()) return refuse("cannot be included: what comes from standard input has no folder");
  const auto path = path_inside(folder_, file);
  if (!path) return refuse("does not lie in the folder of the model, from which files are included");
  if (!files_.insert(path->string()).second) return refuse("is included twice");
  std::string text, error;
  if (!read_file(path->string(), text, error)) return refuse("cannot be read: " + error);
  const Node top = xml_.parse(text, file, kDeepestMjcf);
  if (top) collect_names(top);
  return includes_[node.hash_value()] = top;
}

void MjcfFile::collect_names(Node node) {
  if (const pugi::xml_attribute name = node.attribute("name")) names_.insert(name.value());
  for (const Node child : node.children())
    if (child.type() == pugi::node_element) collect_names(child);
}

std::string MjcfFile::fresh(const std::string& stem) {
  std::string name = stem;
  for (int k = 2; !names_.insert(name).second; ++k) name = stem + std::to_string(k);
  return name;
}

// ---- settings and defaults

void MjcfFile::compiler_section(Node node) {
  const MjcfElement e{node, {}};
  const auto flag = [&](const char* name, bool& value) {
    value = word(e, name, {"false", "true"}, value ? 1 : 0) == 1;
  };
  if (word(e, "coordinate", {"local", "global"}, 0) == 1)
    return xml_.fail(node,
                     "places in global coordinates are no longer part of MJCF: save the model with an earlier MuJoCo");
  compiler_.degrees = word(e, "angle", {"radian", "degree"}, compiler_.degrees ? 1 : 0) == 1;
  flag("autolimits", compiler_.auto_limits);
  flag("balanceinertia", compiler_.balance_inertia);
  flag("alignfree", compiler_.align_free);
  compiler_.from_geoms = static_cast<MjcfCompiler::FromGeoms>(
      word(e, "inertiafromgeom", {"false", "true", "auto"}, static_cast<std::size_t>(compiler_.from_geoms)));
  compiler_.bound_mass = number(e, "boundmass", compiler_.bound_mass);
  compiler_.bound_inertia = number(e, "boundinertia", compiler_.bound_inertia);
  compiler_.total_mass = number(e, "settotalmass", compiler_.total_mass);
  if (compiler_.bound_mass < 0 || compiler_.bound_inertia < 0)
    xml_.fail(node, "`boundmass` and `boundinertia` are not negative");
  if (e.has("eulerseq")) {
    compiler_.euler_sequence = e.text("eulerseq");
    if (compiler_.euler_sequence.size() != 3 ||
        compiler_.euler_sequence.find_first_not_of("xyzXYZ") != std::string::npos)
      xml_.fail(node,
                "`eulerseq` is `" + printable(compiler_.euler_sequence) + "`: three letters of xyzXYZ are wanted");
  }
  const std::vector<double> groups = list(e, "inertiagrouprange", 2, 2);
  if (groups.size() == 2) {
    compiler_.first_group = static_cast<int>(groups[0]);
    compiler_.last_group = static_cast<int>(groups[1]);
  }
  rest(node, "compiler");
}

void MjcfFile::default_section(Node node, const std::string& parent) {
  std::string name = node.attribute("class").value();
  if (name.empty() && parent.empty()) name = top_class_.empty() ? "main" : top_class_;
  if (name.empty()) return xml_.fail(node, "a <default> inside of another one needs a `class`");
  if (parent.empty()) {
    if (top_class_.empty()) top_class_ = name;
  } else if (classes_.contains(name)) {
    return xml_.fail(node, "there are two classes `" + printable(name) + "` of defaults");
  }
  if (name != top_class_) classes_[name].parent = parent.empty() ? top_class_ : parent;
  Class& made = classes_[name];
  for (const Node child : children(node)) {
    const std::string tag = child.name();
    if (tag == "default") continue;
    rest(child, tag);
    made.elements[is_mjcf_actuator(tag) ? "general" : tag].push_back(child);
  }
  for (const Node child : children(node))
    if (std::strcmp(child.name(), "default") == 0) default_section(child, name);
}

MjcfElement MjcfFile::element(Node node, const std::string& tag, const std::string& around) {
  MjcfElement out{node, {}};
  std::string name = node.attribute("class") ? node.attribute("class").value() : around;
  if (name.empty()) name = top_class_;
  if (!name.empty() && !classes_.contains(name)) {
    xml_.fail(node, "there is no class `" + printable(name) + "` of defaults");
    return out;
  }
  for (; !name.empty(); name = classes_[name].parent) {
    const std::vector<Node>& given = classes_[name].elements[tag];
    out.defaults.insert(out.defaults.end(), given.rbegin(), given.rend());
  }
  return out;
}

// ---- attributes

std::vector<double> MjcfFile::list(const MjcfElement& e, const char* attribute, std::size_t least, std::size_t most) {
  const Node at = e.holder(attribute);
  return at ? xml_.numbers(at, attribute, at.attribute(attribute).value(), least, most) : std::vector<double>();
}

double MjcfFile::number(const MjcfElement& e, const char* attribute, double fallback) {
  const std::vector<double> given = list(e, attribute, 1, 1);
  return given.empty() ? fallback : given[0];
}

std::size_t MjcfFile::word(const MjcfElement& e, const char* attribute, std::initializer_list<const char*> words,
                           std::size_t fallback) {
  const Node at = e.holder(attribute);
  if (!at) return fallback;
  const std::string given = at.attribute(attribute).value();
  std::size_t k = 0;
  std::string all;
  for (const char* w : words) {
    if (given == w) return k;
    ++k;
    all += (all.empty() ? "" : ", ") + std::string(w);
  }
  xml_.fail(at,
            std::string("`") + attribute + "` of <" + at.name() + "> is `" + printable(given) + "`, not one of " + all);
  return fallback;
}

std::optional<Range> MjcfFile::range(const MjcfElement& e, const char* attribute, const char* limited) {
  const std::array<double, 2> r = numbers<2>(e, attribute, {0, 0});
  const std::size_t how = word(e, limited, {"false", "true", "auto"}, 2);
  const bool given = e.has(attribute);
  if (how == 0) return {};
  if (how == 2) {
    if (!given) return {};
    if (!compiler_.auto_limits) {
      xml_.fail(e.holder(attribute), std::string("`") + attribute + "` without `" + limited +
                                         "` has no meaning where `autolimits` is false");
      return {};
    }
    if (r[0] == 0 && r[1] == 0) return {};  // as if it were not given
  }
  if (!(r[0] < r[1]) && !(r[0] == r[1] && std::strcmp(attribute, "forcerange") == 0)) {
    xml_.fail(given ? e.holder(attribute) : e.node,
              std::string("the lower end of `") + attribute + "` is not below the upper one");
    return {};
  }
  return Range{r[0], r[1]};
}

double MjcfFile::angle(double written) const {
  return compiler_.degrees ? written * (std::numbers::pi / 180) : written;
}

Pose MjcfFile::pose(const MjcfElement& e) { return {numbers<3>(e, "pos", {}), turns(e)}; }

// Lower-case letters are axes that turn along, upper-case ones stay: a turn about one comes before all others.
std::vector<AxisTurn> MjcfFile::euler(const std::array<double, 3>& angles) const {
  std::vector<AxisTurn> out;
  for (std::size_t k = 0; k < 3; ++k) {
    if (angles[k] == 0) continue;
    const char letter = compiler_.euler_sequence[k];
    const bool along = letter >= 'a';
    AxisTurn t{{}, angle(angles[k])};
    t.axis[static_cast<std::size_t>(letter - (along ? 'x' : 'X'))] = 1;
    out.insert(along ? out.end() : out.begin(), t);
  }
  return out;
}

std::vector<AxisTurn> MjcfFile::turns(const MjcfElement& e) {
  using Eigen::Quaterniond;
  using Eigen::Vector3d;
  const auto zero = [&](const char* attribute) {
    xml_.fail(e.holder(attribute), std::string("`") + attribute + "` of <" + e.node.name() + "> is no direction");
    return std::vector<AxisTurn>();
  };
  if (e.has("axisangle")) {
    const std::array<double, 4> a = numbers<4>(e, "axisangle", {});
    const Triple axis{a[0], a[1], a[2]};
    if (!(vector_of(axis).norm() > 0)) return zero("axisangle");
    return a[3] == 0 ? std::vector<AxisTurn>() : std::vector<AxisTurn>{{axis, angle(a[3])}};
  }
  if (e.has("xyaxes")) {
    const std::array<double, 6> a = numbers<6>(e, "xyaxes", {});
    const Vector3d x = Vector3d(a[0], a[1], a[2]).normalized();
    Vector3d y(a[3], a[4], a[5]);
    y -= y.dot(x) * x;
    if (!(x.norm() > 0.5) || !(y.norm() > 1e-14)) return zero("xyaxes");
    y.normalize();
    Eigen::Matrix3d axes;
    axes << x, y, x.cross(y);
    return turns_of(Quaterniond(axes).normalized());
  }
  if (e.has("zaxis")) {
    const Vector3d z = vector_of(numbers<3>(e, "zaxis", {}));
    if (!(z.norm() > 1e-14)) return zero("zaxis");
    return turn_to(z);
  }
  if (e.has("euler")) return euler(numbers<3>(e, "euler", {}));
  if (!e.has("quat")) return {};
  const std::array<double, 4> q = numbers<4>(e, "quat", {1, 0, 0, 0});
  const Quaterniond given(q[0], q[1], q[2], q[3]);
  if (!(given.norm() > 1e-14)) return zero("quat");
  return turns_of(given.normalized());
}

}  // namespace mbc::tools
