// SPDX-License-Identifier: Apache-2.0
// The XML of a robot file and of files that it includes: places, numbers, the first problem, and what is left out.
#pragma once
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <map>
#include <memory>
#include <pugixml.hpp>
#include <string>
#include <vector>

#include "base/text.h"
#include "tools/import/robot.h"

namespace mbc::tools {

using Node = pugi::xml_node;

class RobotXml {
 public:
  explicit RobotXml(Remark& problem) : problem_(problem) {}

  // Returns the top element, or an empty one after a problem. `file` is "" for the robot's own text. Elements are at
  // most `levels` deep; pugixml itself reads and frees any depth.
  Node parse(std::string text, const std::string& file, int levels);

  [[nodiscard]] FilePlace place_of(Node node);
  // An element that was made as a copy of another one has its place.
  void copied(Node made, Node from);
  void fail(const FilePlace& place, const std::string& text);
  void fail(Node node, const std::string& text) { fail(place_of(node), text); }
  [[nodiscard]] bool failed() const { return failed_; }
  void leave_out(Node node, const std::string& what) { leave_out(place_of(node), what); }
  void leave_out(const FilePlace& place, const std::string& what) { left_out_.push_back({place, what}); }
  [[nodiscard]] const std::vector<Remark>& left_out() const { return left_out_; }
  // Refuses one of these elements that is there twice: readers differ in which one they take.
  void once(Node node, std::initializer_list<const char*> elements);
  // Leaves out what an element holds besides the names given, and refuses attributes that are there twice.
  void rest(Node node, std::initializer_list<const char*> elements, std::initializer_list<const char*> attributes) {
    rest(node, elements, {}, attributes);
  }
  void rest(Node node, std::initializer_list<const char*> elements, std::initializer_list<const char*> more,
            std::initializer_list<const char*> attributes);

  // Reads at most `most` numbers, separated by blanks. A failure names the attribute of the node.
  std::vector<double> numbers(Node node, const char* attribute, const char* value, std::size_t least,
                              std::size_t most) {
    return numbers_of(node, std::string("`") + attribute + "` of <" + node.name() + ">", value, least, most);
  }
  // The same of the text in an element.
  std::vector<double> numbers_in(Node node, const std::string& text, std::size_t least, std::size_t most) {
    return numbers_of(node, std::string("<") + node.name() + ">", text.c_str(), least, most);
  }
  // `fallback`: for an attribute that is not there.
  template <std::size_t N>
  std::array<double, N> numbers(Node node, const char* attribute, const std::array<double, N>& fallback) {
    const pugi::xml_attribute a = node.attribute(attribute);
    if (!a) return fallback;
    const std::vector<double> read = numbers(node, attribute, a.value(), N, N);
    std::array<double, N> out{};
    if (read.size() == N) std::copy(read.begin(), read.end(), out.begin());
    return out;
  }
  double number(Node node, const char* attribute, double fallback) {
    return numbers<1>(node, attribute, {fallback})[0];
  }

 private:
  std::vector<double> numbers_of(Node node, const std::string& what, const char* value, std::size_t least,
                                 std::size_t most);
  struct Document {
    pugi::xml_document xml;
    std::string file, text;
    std::size_t counted_to = 0;
    std::uint32_t line = 1;
    [[nodiscard]] std::uint32_t line_at(std::size_t offset);
  };
  Remark& problem_;
  bool failed_ = false;
  std::vector<Remark> left_out_;
  std::vector<std::unique_ptr<Document>> documents_;
  std::map<std::size_t, FilePlace> copied_;
};

}  // namespace mbc::tools
