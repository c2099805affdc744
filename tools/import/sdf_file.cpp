// SPDX-License-Identifier: Apache-2.0
#include "tools/import/sdf_file.h"

#include <filesystem>
#include <numbers>

#include "base/read_file.h"
#include "tools/import/robot_files.h"
#include "tools/import/robot_geometry.h"

namespace mbc::tools {
namespace {

namespace fs = std::filesystem;

// A deeper file is no robot.
constexpr int kDeepestSdf = 64;
// Each of these includes may itself include others: more of them are no world but a loop of doublings.
constexpr int kMostIncludes = 1000;
constexpr int kFirstMinor = 5, kLastMinor = 9;

// Returns 7 for "1.7", or -1.
int minor_of(const std::string& version) {
  int minor = -1;
  if (!version.starts_with("1.")) return -1;
  const char* end = version.data() + version.size();
  const auto [stop, problem] = std::from_chars(version.data() + 2, end, minor);
  return problem == std::errc{} && stop == end ? minor : -1;
}

}  // namespace

// ---- files

Node SdfFile::top(const std::string& text, const std::string& file, SdfSource& source) {
  const Node root = xml_.parse(text, file, kDeepestSdf);
  if (xml_.failed()) return {};
  const auto refuse = [&](const std::string& why) {
    xml_.fail(root, why);
    return Node();
  };
  if (text.find("<!ENTITY") != std::string::npos) return refuse("the file declares entities, which are not expanded");
  if (std::strcmp(root.name(), "sdf") != 0)
    return refuse(std::string("an SDF file begins with <sdf>, this with <") + printable(root.name()) + ">");
  const std::string version = root.attribute("version").value();
  if (version.empty()) return refuse("<sdf> has no `version`");
  source.minor = minor_of(version);
  if (source.minor < kFirstMinor || source.minor > kLastMinor)
    return refuse("this is SDF " + printable(version) + ", and versions 1.5 to 1.9 are read" +
                  (source.minor >= 0 && source.minor < kFirstMinor ? ": `gz sdf -p FILE` prints a newer one" : ""));
  return root;
}

// The file of the model that a folder holds: model.config names it for each version, else it is model.sdf.
std::optional<std::string> SdfFile::model_in(const std::string& folder) {
  std::string text, error, best = "model.sdf";
  if (!read_file(folder + "/model.config", text, error)) return folder + "/" + best;
  pugi::xml_document config;
  if (!config.load_buffer(text.data(), text.size())) return {};
  int newest = -1;
  for (const Node sdf : config.document_element().children("sdf")) {
    const int minor = minor_of(sdf.attribute("version").value());
    if (minor <= kLastMinor && minor >= newest) newest = minor, best = SdfFile::text(sdf);
  }
  return folder + "/" + best;
}

std::optional<std::string> SdfFile::find(Node include, const std::string& uri, const SdfSource& by) {
  const auto refuse = [&](const std::string& why) {
    xml_.fail(include, "`" + printable(uri) + "` " + why);
    return std::optional<std::string>();
  };
  std::string name = uri;
  bool beside = true;  // relative to the file that includes it
  for (const char* scheme : {"model://", "file://"})
    if (uri.starts_with(scheme)) name = uri.substr(std::strlen(scheme)), beside = scheme[0] == 'f';
  if (name.find("://") != std::string::npos)
    return refuse("is not a file: nothing is fetched, give its folder by `--models`");
  std::vector<std::string> allowed = options_.folders;
  if (!options_.folder.empty()) allowed.push_back(options_.folder);
  if (allowed.empty()) return refuse("cannot be included: standard input has no folder, give one by `--models`");
  std::vector<fs::path> places;
  if (beside && !by.folder.empty()) places.emplace_back(by.folder);
  places.insert(places.end(), allowed.begin(), allowed.end());
  for (const fs::path& place : places)
    for (const std::string& top : allowed) {
      std::error_code bad;
      const auto inside = path_inside(top, fs::absolute(place, bad) / name);
      if (!inside || bad || !fs::exists(*inside, bad)) continue;
      if (!fs::is_directory(*inside, bad)) return inside->string();
      const auto model = model_in(inside->string());
      const auto path = model ? path_inside(top, *model) : std::nullopt;
      if (!path) return refuse("has a model.config that names no file in its folder");
      return path->string();
    }
  std::string searched;
  for (const std::string& top : allowed) searched += (searched.empty() ? "`" : ", `") + printable(top) + "`";
  return refuse("is not in " + searched + ": give its folder by `--models`");
}

Node SdfFile::included(Node include, const SdfSource& by, SdfSource& source) {
  const std::string uri = text(include.child("uri"));
  if (uri.empty()) return xml_.fail(include, "<include> has no <uri>"), Node();
  const std::optional<std::string> path = find(include, uri, by);
  if (!path) return {};
  source.inside = by.inside;
  source.inside.push_back(by.path);
  source.path = *path;
  source.folder = fs::path(*path).parent_path().string();
  if (std::find(source.inside.begin(), source.inside.end(), *path) != source.inside.end())
    return xml_.fail(include, "`" + printable(uri) + "` includes itself"), Node();
  if (++includes_ > kMostIncludes)
    return xml_.fail(include, "there are more than " + std::to_string(kMostIncludes) + " <include>"), Node();
  std::string read, error;
  if (!read_file(*path, read, error))
    return xml_.fail(include, "`" + printable(uri) + "` cannot be read: " + error), Node();
  return top(read, uri.find("://") == std::string::npos ? uri : *path, source);
}

void SdfFile::rest(Node node, std::initializer_list<const char*> once, std::initializer_list<const char*> many,
                   std::initializer_list<const char*> attributes) {
  xml_.once(node, once);
  xml_.rest(node, once, many, attributes);
}

void SdfFile::only_in(Node node, const std::string& what, const SdfSource& source, int first, int last) {
  if (source.minor >= first && source.minor <= last) return;
  const std::string is = node.name() == what ? "<" + what + ">" : "`" + what + "` of <" + node.name() + ">";
  xml_.fail(node, source.minor < first ? is + " is part of SDF since 1." + std::to_string(first) + ", and this is 1." +
                                             std::to_string(source.minor)
                                       : is + " is part of SDF up to 1." + std::to_string(last) + ", and this is 1." +
                                             std::to_string(source.minor));
}

// ---- values

std::string SdfFile::text(Node node) {
  std::string all;  // comments divide the text
  for (const Node part : node.children())
    if (part.type() == pugi::node_pcdata || part.type() == pugi::node_cdata) all += part.value();
  const std::size_t begin = all.find_first_not_of(" \t\r\n");
  return begin == std::string::npos ? "" : all.substr(begin, all.find_last_not_of(" \t\r\n") + 1 - begin);
}

double SdfFile::number(Node parent, const char* name, double fallback) {
  const Node node = parent.child(name);
  if (!node) return fallback;
  const std::vector<double> read = xml_.numbers_in(node, text(node), 1, 1);
  return read.empty() ? fallback : read[0];
}

Triple SdfFile::triple(Node parent, const char* name, const Triple& fallback) {
  const Node node = parent.child(name);
  if (!node) return fallback;
  const std::vector<double> read = xml_.numbers_in(node, text(node), 3, 3);
  return read.empty() ? fallback : Triple{read[0], read[1], read[2]};
}

bool SdfFile::truth(Node node, const std::string& what, std::string word) {
  for (char& c : word)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (word != "true" && word != "1" && word != "false" && word != "0")
    xml_.fail(node, what + " is `" + printable(word) + "`, not true or false");
  return word == "true" || word == "1";
}

bool SdfFile::flag(Node parent, const char* name, bool fallback) {
  const Node node = parent.child(name);
  return node ? truth(node, std::string("<") + name + ">", text(node)) : fallback;
}

SdfPose SdfFile::pose(Node parent, const SdfSource& source) {
  const Node node = parent.child("pose");
  SdfPose out;
  if (!node) return out;
  out.given = true;
  const auto given = [&](const char* name, int first, int last) {
    const pugi::xml_attribute a = node.attribute(name);
    if (a) only_in(node, name, source, first, last);
    return std::string(a.value());
  };
  out.relative_to = given("frame", kFirstMinor, 6) + given("relative_to", 7, kLastMinor);
  const std::string format = given("rotation_format", 9, kLastMinor), degrees = given("degrees", 9, kLastMinor);
  xml_.rest(node, {}, {"frame", "relative_to", "rotation_format", "degrees"});
  const bool quaternion = format == "quat_xyzw",
             in_degrees = !degrees.empty() && truth(node, "`degrees` of <pose>", degrees);
  if (!quaternion && !format.empty() && format != "euler_rpy")
    xml_.fail(node, "`rotation_format` of <pose> is `" + printable(format) + "`, not euler_rpy or quat_xyzw");
  if (quaternion && in_degrees) xml_.fail(node, "a quaternion is not in degrees");
  const std::string numbers = text(node);
  if (numbers.empty() || xml_.failed()) return out;
  const std::size_t count = quaternion ? 7 : 6;
  const std::vector<double> p = xml_.numbers_in(node, numbers, count, count);
  if (p.size() != count) return out;
  out.pose.xyz = {p[0], p[1], p[2]};
  if (quaternion) {
    const Eigen::Quaterniond q(p[6], p[3], p[4], p[5]);
    if (!(q.norm() > 1e-14)) return xml_.fail(node, "the quaternion of <pose> is zero"), out;
    out.pose.turns = turns_of(q.normalized());
    return out;
  }
  const double unit = in_degrees ? std::numbers::pi / 180 : 1;
  out.pose.turns = roll_pitch_yaw({p[3] * unit, p[4] * unit, p[5] * unit});
  return out;
}

}  // namespace mbc::tools
