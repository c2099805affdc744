// SPDX-License-Identifier: Apache-2.0
#include "tools/import/mjcf_copies.h"

#include <array>
#include <charconv>
#include <cmath>

#include "tools/import/robot_geometry.h"

namespace mbc::tools {
namespace {

// More elements are no robot; nested copies make numbers of any size.
constexpr std::size_t kMostCopied = 20'000;

std::string kind_of(Node node) {
  const std::string tag = node.name();
  return tag == "freejoint" ? "joint" : tag;
}

// Returns the kind of element that an attribute names, or "".
std::string named_kind(Node node, const std::string& attribute) {
  static const std::map<std::string, std::string> kKinds = {
      {"joint", "joint"},       {"joint1", "joint"},  {"joint2", "joint"},   {"jointinparent", "joint"},
      {"body", "body"},         {"body1", "body"},    {"body2", "body"},     {"site", "site"},
      {"site1", "site"},        {"site2", "site"},    {"refsite", "site"},   {"cranksite", "site"},
      {"slidersite", "site"},   {"sidesite", "site"}, {"geom", "geom"},      {"geom1", "geom"},
      {"geom2", "geom"},        {"tendon", "tendon"}, {"tendon1", "tendon"}, {"tendon2", "tendon"},
      {"actuator", "actuator"}, {"camera", "camera"},
  };
  std::string kind;
  if (const auto known = kKinds.find(attribute); known != kKinds.end()) kind = known->second;
  if (attribute == "objname") kind = node.attribute("objtype").value();
  if (attribute == "refname") kind = node.attribute("reftype").value();
  return kind == "xbody" ? "body" : kind;
}

std::string written(double value) {
  std::array<char, 32> digits{};
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
}

std::string written(const Triple& values) {
  std::string out;
  for (const double v : values) out += (out.empty() ? "" : " ") + written(v);
  return out;
}

}  // namespace

void MjcfCopies::write_out() {
  for (const Node section : file_.sections("worldbody")) expand(section);
}

void MjcfCopies::expand(Node node) {
  for (const Node child : file_.children(node)) {
    if (file_.xml().failed()) return;
    const std::string tag = child.name();
    if (tag == "body" || tag == "frame" || tag == "replicate") expand(child);
    if (tag == "replicate" && !file_.xml().failed()) replicate(child);
  }
}

void MjcfCopies::replicate(Node node) {
  file_.rest(node, "replicate");
  const double count = file_.number({node, {}}, "count", 0);
  if (!(count >= 1) || count != std::floor(count))
    return file_.xml().fail(node, "<replicate> needs a `count`, a whole number from 1 on");
  Names names;
  std::size_t elements = 0;
  collect(node, names, elements);
  if (count * static_cast<double>(elements + 1) > static_cast<double>(kMostCopied - made_))
    return file_.xml().fail(node, "the copies of <replicate> are more than " + std::to_string(kMostCopied) +
                                      " elements, which is no robot");
  made_ += static_cast<std::size_t>(count) * (elements + 1);
  const std::size_t digits = std::to_string(static_cast<int>(count) - 1).size();
  std::vector<std::string> suffixes;
  for (int k = 0; k < static_cast<int>(count); ++k) {
    const std::string number = std::to_string(k);
    suffixes.push_back(node.attribute("sep").value() + std::string(digits - number.size(), '0') + number);
    Node frame = node.parent().insert_child_before("frame", node);
    file_.xml().copied(frame, node);
    place(frame, node, k);
    for (const Node child : file_.children(node)) copy(child, frame, suffixes.back());
  }
  node.parent().remove_child(node);
  copy_references(std::move(names), suffixes);
}

// MuJoCo multiplies the angles, and moves each copy in the axes of the one before it.
void MjcfCopies::place(Node frame, Node replicate, int turn) {
  const MjcfElement e{replicate, {}};
  const Triple angles = file_.numbers<3>(e, "euler", {}), offset = file_.numbers<3>(e, "offset", {});
  if (file_.xml().failed() || turn == 0) return;
  const auto times = [](const Triple& v, int k) { return Triple{k * v[0], k * v[1], k * v[2]}; };
  const bool turns = angles != Triple{};
  Triple at = times(offset, turn);  // without the rounding of a sum
  if (turns) {
    at = {};
    for (int k = 0; k < turn; ++k) {
      const Pose before{{}, file_.euler(times(angles, k))};
      at = triple_of(vector_of(at) + rotation_of(before) * vector_of(offset));
    }
    frame.append_attribute("euler").set_value(written(times(angles, turn)).c_str());
  }
  frame.append_attribute("pos").set_value(written(turns ? tidy(at) : at).c_str());
}

Node MjcfCopies::copy(Node from, Node into, const std::string& suffix) {
  Node made = into.append_child(from.name());
  file_.xml().copied(made, from);
  for (const pugi::xml_attribute a : from.attributes()) {
    const bool name = std::strcmp(a.name(), "name") == 0 && *a.value() != 0;
    made.append_attribute(a.name()).set_value((name ? a.value() + suffix : std::string(a.value())).c_str());
  }
  for (const Node child : file_.children(from)) copy(child, made, suffix);
  return made;
}

void MjcfCopies::collect(Node node, Names& names, std::size_t& elements) {
  for (const Node child : file_.children(node)) {
    ++elements;
    if (const pugi::xml_attribute name = child.attribute("name")) names[kind_of(child)].insert(name.value());
    collect(child, names, elements);
  }
}

// ---- what names copied elements

// An element of another section that names a copied one is copied with it, behind all that are not. Tendons and
// actuators that are copied are named by others.
void MjcfCopies::copy_references(Names names, const std::vector<std::string>& suffixes) {
  for (const char* section : {"tendon", "equality", "actuator", "sensor"}) {
    std::vector<Node> originals;
    for (const Node part : file_.sections(section))
      for (const Node child : file_.children(part)) {
        const Mentions found = mentions(child, names, nullptr);
        if (found.copied == 0) continue;
        if (found.others > 0 && std::strcmp(section, "equality") == 0)
          return file_.xml().fail(child, std::string("this <") + child.name() +
                                             "> joins a copy of <replicate> with what is not copied, which MuJoCo "
                                             "leaves out: name the copies, as in `" +
                                             printable(child.attribute("name").value() + suffixes[0]) + "`");
        originals.push_back(child);
      }
    if (originals.empty()) continue;
    if (made_ += originals.size() * suffixes.size(); made_ > kMostCopied)
      return file_.xml().fail(originals[0], "the copies of <replicate> are more than " + std::to_string(kMostCopied) +
                                                " elements, which is no robot");
    Node more = file_.top().append_child(section);
    file_.xml().copied(more, originals[0]);
    for (const std::string& suffix : suffixes)
      for (const Node original : originals) mentions(copy(original, more, suffix), names, &suffix);
    for (const Node original : originals) {
      if (const pugi::xml_attribute name = original.attribute("name")) names[section].insert(name.value());
      original.parent().remove_child(original);
    }
  }
}

MjcfCopies::Mentions MjcfCopies::mentions(Node node, const Names& names, const std::string* suffix) {
  Mentions out;
  for (pugi::xml_attribute a : node.attributes()) {
    const std::string kind = named_kind(node, a.name());
    if (kind.empty()) continue;
    const auto known = names.find(kind);
    const bool copied = known != names.end() && known->second.contains(a.value());
    ++(copied ? out.copied : out.others);
    if (copied && suffix != nullptr) a.set_value((a.value() + *suffix).c_str());
  }
  for (const Node child : file_.children(node)) {
    const Mentions inside = mentions(child, names, suffix);
    out.copied += inside.copied;
    out.others += inside.others;
  }
  return out;
}

}  // namespace mbc::tools
