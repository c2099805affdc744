// SPDX-License-Identifier: Apache-2.0
// The text of an SDF file and of those that it includes: versions, values of elements, poses.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tools/import/robot_xml.h"
#include "tools/import/sdf.h"

namespace mbc::tools {

// A text and what it says of itself.
struct SdfSource {
  int minor = 9;                      // 7 of version 1.7
  std::string folder{}, path{};       // "" for standard input
  std::vector<std::string> inside{};  // paths of the texts that include it
};

struct SdfPose {
  Pose pose;
  std::string relative_to;
  bool given = false;
};

class SdfFile {
 public:
  // Both outlive the object.
  SdfFile(const SdfOptions& options, Remark& problem) : options_(options), xml_(problem) {}

  // Returns the element <sdf>, or an empty one after a problem.
  Node top(const std::string& text, const std::string& file, SdfSource& source);
  // Returns the <sdf> of a file that an <include> names by its <uri>.
  Node included(Node include, const SdfSource& by, SdfSource& source);

  [[nodiscard]] RobotXml& xml() { return xml_; }
  // Leaves out what is not named. `once` may be there once, `many` several times.
  void rest(Node node, std::initializer_list<const char*> once, std::initializer_list<const char*> many,
            std::initializer_list<const char*> attributes);
  // Refuses an element or attribute that a version does not have.
  void only_in(Node node, const std::string& what, const SdfSource& source, int first, int last);

  // The text in an element, without blanks at both ends.
  static std::string text(Node node);
  double number(Node parent, const char* name, double fallback);
  Triple triple(Node parent, const char* name, const Triple& fallback);
  bool flag(Node parent, const char* name, bool fallback);
  // The <pose> of an element, the identity without one.
  SdfPose pose(Node parent, const SdfSource& source);

 private:
  std::optional<std::string> find(Node include, const std::string& uri, const SdfSource& by);
  std::optional<std::string> model_in(const std::string& folder);
  bool truth(Node node, const std::string& what, std::string word);

  const SdfOptions& options_;
  RobotXml xml_;
  int includes_ = 0;
};

}  // namespace mbc::tools
