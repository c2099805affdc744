// SPDX-License-Identifier: Apache-2.0
// The copies that <replicate> asks for, written out in the elements of an MJCF file before they are read.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tools/import/mjcf_file.h"

namespace mbc::tools {

class MjcfCopies {
 public:
  // The file outlives the object; its compiler settings are known.
  explicit MjcfCopies(MjcfFile& file) : file_(file) {}
  // Puts frames with the copies in the place of each <replicate>, innermost first.
  void write_out();

 private:
  using Names = std::map<std::string, std::set<std::string>>;  // by the kind of element

  void expand(Node node);
  void replicate(Node node);
  void place(Node frame, Node replicate, int turn);
  Node copy(Node from, Node into, const std::string& suffix);
  void collect(Node node, Names& names, std::size_t& elements);
  void copy_references(Names names, const std::vector<std::string>& suffixes);
  // Appends the suffix to what an element says about the names, or only counts: those in them, and others.
  struct Mentions {
    std::size_t copied = 0, others = 0;
  };
  Mentions mentions(Node node, const Names& names, const std::string* suffix);

  MjcfFile& file_;
  std::size_t made_ = 0;
};

}  // namespace mbc::tools
