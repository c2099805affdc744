// SPDX-License-Identifier: Apache-2.0
// The sections of a document before anything is simplified: right sides are nodes, so that what is not selected costs
// nothing.
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/equations/document.h"

namespace mbc::equations {

struct Draft {
  static constexpr std::size_t kNotWritten = ~std::size_t{0};
  reading::SymbolName left;
  NodeId value;                      // of the right side
  std::vector<std::string> about{};  // names of the model
  std::string unit{}, remark{};
  std::vector<reading::SymbolName> names{};  // in place of a value, or in front of it: their sum
  std::size_t written = kNotWritten;         // the number of its simplified right side
  NodeId leaf{};                             // that stands for the left side in other equations
  bool derivation = false;                   // a step from a residual to its row of A
  std::vector<std::string> numbered{};       // the names that numbers of the left side stand for
  std::string range{};                       // of a family: "i = 2..9"
  bool product = false;                      // of the names, in place of their sum
  bool alone = false;                        // the left side is all there is
  bool on_request = false;                   // shown where it is selected by its own name
};

struct DraftSection {
  std::string key, title;
  std::vector<Draft> drafts{};
  std::vector<std::string> notes{};
};

[[nodiscard]] std::vector<DraftSection> drafts_of(WrittenSystem& written, const Sources& sources);

// Names of leaves that the model does not know.
using LeafNames = std::unordered_map<std::uint32_t, reading::SymbolName>;

// The entries of the rotation matrices of free bodies in space, by node: expressions are written with their names.
struct NamedRotation {
  NodeId entry, leaf;  // leaf: in place of the entry
  reading::SymbolName name;
  bool negated = false;  // the node is that of the entry's negative
};
[[nodiscard]] std::vector<NamedRotation> rotations_of(WrittenSystem& written);

}  // namespace mbc::equations
